"""Simulated deployed agents, fifth set."""

from .agents import KINDS, write_agent  # noqa: F401
