"""Builds a memory policy from its name, its model and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agingbench.errors import InputError
from agingbench.interfaces import Memory, Model
from agingbench.memory import ALIAS_OPTIONS, MEMORY
from agingbench.memory.policy import Overlay

INNER = "lossy_compress"  # the policy inside an overlay that names none


def layers(name: str, options: Mapping[str, Any]) -> tuple[str, str | None, dict[str, Any]]:
    """A policy's name, the name of the policy inside an overlay, and the innermost one's options.

    `typed_state+append_only` is short for `typed_state` with the option inner=append_only.
    """
    outer, rest = _split(name)
    if rest is not None:
        outer = MEMORY.canonical(outer)

    inner_options = dict(options)
    if not _is_overlay(outer):
        if rest is not None:
            raise InputError(
                f"memory policy '{name}': {outer} is no overlay and takes no policy inside"
            )
        return outer, None, inner_options

    option = inner_options.pop("inner", None)
    if rest is not None and option not in (None, rest):
        raise InputError(f"memory policy '{name}': the option inner={option} names another policy")

    inner = str(option or INNER) if rest is None else rest
    if _split(inner)[1] is not None or _is_overlay(inner):
        raise InputError(f"memory policy '{name}': an overlay cannot be put around an overlay")
    return outer, inner, inner_options


def accepted_options(name: str, options: Mapping[str, Any]) -> set[str]:
    """The options by name that a policy, or the one inside an overlay, takes."""
    outer, inner, _ = layers(name, options)
    return MEMORY.parameters(inner or outer) - {"model"}


def build_memory(name: str, model: Model, **options: Any) -> Memory:
    """The policy of that name; an option it does not take is refused by name."""
    outer, inner, rest = layers(name, options)
    policy = inner or outer
    merged = {**ALIAS_OPTIONS.get(policy, {}), **rest}
    memory = MEMORY.build(policy, Memory, {"model": model}, merged)
    if inner is None:
        return memory
    return MEMORY.build(outer, Memory, {"inner": memory})


def _split(name: str) -> tuple[str, str | None]:
    """A name at its first "+" that is not part of a file's path; None when there is no such one."""
    outer, plus, inner = name.partition("+")
    if ".py:" in inner and not _is_policy(outer):
        path, _, rest = name.partition(".py:")
        attribute, plus, inner = rest.partition("+")
        outer = f"{path}.py:{attribute}"
    return outer, inner if plus else None


def _is_policy(name: str) -> bool:
    return ":" in name or name in MEMORY.aliases or name in MEMORY.names()


def _is_overlay(name: str) -> bool:
    policy = MEMORY.load(name)
    return isinstance(policy, type) and issubclass(policy, Overlay)
