"""Builds a memory policy from its name, its model and its options."""

from __future__ import annotations

import inspect
from typing import Any

from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import Memory, Model
from agingbench.memory import ALIAS_OPTIONS, MEMORY


def build_memory(name: str, model: Model, **options: Any) -> Memory:
    """The policy of that name. Options a policy does not take are refused by name."""
    policy = MEMORY.load(name)
    merged = {**ALIAS_OPTIONS.get(name, {}), **options}
    takes = inspect.signature(policy).parameters
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in takes.values()):
        for option in merged:
            if option not in takes:
                raise UnknownName(f"option of memory policy {name}", option, [p for p in takes if p != "model"])
    arguments = {"model": model, **merged} if "model" in takes else merged
    try:
        memory = policy(**arguments)
    except (TypeError, ValueError) as error:
        raise InputError(f"memory policy '{name}': {error}") from error
    if not isinstance(memory, Memory):
        raise InputError(f"memory policy '{name}' lacks a part of agingbench.interfaces.Memory")
    return memory
