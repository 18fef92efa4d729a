"""Builds a memory policy from its name, its model and its options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import Memory, Model
from agingbench.memory import ALIAS_OPTIONS, MEMORY

INNER = "lossy_compress"  # what an overlay is put around when nobody says


def layers(name: str, options: Mapping[str, Any]) -> tuple[str, str | None, dict[str, Any]]:
    """A policy's name, the policy inside it where it is an overlay, and the options that are left
    for the innermost.

    `typed_state+append_only` is short for `typed_state` with the option inner=append_only.
    """
    outer, plus, rest = name.partition("+")
    outer = MEMORY.canonical(outer) if plus else name
    left = dict(options)
    if not getattr(MEMORY.load(outer), "wraps", False):
        if plus:
            raise InputError(
                f"memory policy '{name}': {outer} is no overlay and takes no policy inside"
            )
        return outer, None, left
    inner = left.pop("inner", None)
    if plus and inner not in (None, rest):
        raise InputError(f"memory policy '{name}': the option inner={inner} names another policy")
    inner = str(rest if plus else inner or INNER)
    if getattr(MEMORY.load(inner.partition("+")[0]), "wraps", False) or "+" in inner:
        raise InputError(f"memory policy '{name}': an overlay cannot be put around an overlay")
    return outer, inner, left


def alias_options(name: str, options: Mapping[str, Any]) -> dict[str, object]:
    """What the name adds to the options by itself, the name of a policy inside an overlay included."""
    outer, inner, _ = layers(name, options)
    return ALIAS_OPTIONS.get(inner or outer, {})


def accepted_options(name: str, options: Mapping[str, Any]) -> set[str]:
    """The options by name that a policy, or the one inside an overlay, takes."""
    outer, inner, _ = layers(name, options)
    return set(inspect.signature(MEMORY.load(inner or outer)).parameters) - {"model"}


def build_memory(name: str, model: Model, **options: Any) -> Memory:
    """The policy of that name. Options a policy does not take are refused by name."""
    outer, inner, left = layers(name, options)
    if inner is None:
        return _build(outer, model, left)
    overlay: Memory = MEMORY.load(outer)(_build(inner, model, left))
    return overlay


def _build(name: str, model: Model, options: Mapping[str, Any]) -> Memory:
    policy = MEMORY.load(name)
    merged = {**ALIAS_OPTIONS.get(name, {}), **options}
    takes = inspect.signature(policy).parameters
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in takes.values()):
        for option in merged:
            if option not in takes:
                raise UnknownName(
                    f"option of memory policy {name}", option, [p for p in takes if p != "model"]
                )
    arguments = {"model": model, **merged} if "model" in takes else merged
    try:
        memory = policy(**arguments)
    except (TypeError, ValueError) as error:
        raise InputError(f"memory policy '{name}': {error}") from error
    if not isinstance(memory, Memory):
        raise InputError(f"memory policy '{name}' lacks a part of agingbench.interfaces.Memory")
    return memory
