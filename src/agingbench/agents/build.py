"""Builds an agent from its name."""

from __future__ import annotations

import inspect
from typing import Any

from agingbench.agents import AGENTS
from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import Agent, Memory, Model


def build_agent(name: str, model: Model, memory: Memory, role: str, **options: Any) -> Agent:
    """The agent of that name over a model and a memory; options it does not take are refused by
    name.
    """
    kind = AGENTS.load(name)
    takes = inspect.signature(kind).parameters
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in takes.values()):
        for option in options:
            if option not in takes:
                raise UnknownName(
                    f"option of agent {name}",
                    option,
                    [p for p in takes if p not in ("model", "memory", "role")],
                )
    given = {"model": model, "memory": memory, "role": role}
    try:
        agent = kind(**{k: v for k, v in given.items() if k in takes}, **options)
    except (TypeError, ValueError) as error:
        raise InputError(f"agent '{name}': {error}") from error
    if not isinstance(agent, Agent):
        raise InputError(f"agent '{name}' lacks a part of agingbench.interfaces.Agent")
    return agent
