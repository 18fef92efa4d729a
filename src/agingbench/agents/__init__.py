"""The agents by name."""

from agingbench.registry import Registry

AGENTS = Registry("agent", "agingbench.agents", {"react": "agingbench.agents.react:ReactAgent"})
