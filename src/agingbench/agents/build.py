"""Builds an agent from its name."""

from __future__ import annotations

from typing import Any

from agingbench.agents import AGENTS
from agingbench.interfaces import Agent, Memory, Model


def build_agent(name: str, model: Model, memory: Memory, role: str, **options: Any) -> Agent:
    """The agent of that name over a model and a memory; an option it does not take is refused."""
    offered = {"model": model, "memory": memory, "role": role}
    return AGENTS.build(name, Agent, offered, options)
