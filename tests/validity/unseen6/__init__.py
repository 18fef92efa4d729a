from .agents import KINDS, Life, write_agent

__all__ = ["KINDS", "Life", "write_agent"]
