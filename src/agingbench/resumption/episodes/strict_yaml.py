"""Reads YAML of untrusted files: no aliases, no duplicate names, no object tags, bounded depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from agingbench.errors import InputError

DEEPEST = 60  # an episode has five levels, a tool's arguments a few more
# Read in C where the library is there; both give the same.
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(data: bytes, path: Path) -> Any:
    """Return the content; raises InputError with file and line for anything wrong."""
    try:
        _refuse_bombs(data)
        return yaml.load(data, Loader=_StrictLoader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise InputError(f"{path}: {_problem(error)}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not readable as YAML ({error})") from error


def _refuse_bombs(data: bytes) -> None:
    """Refuse aliases and depth before anything is built: a few aliases can stand for gigabytes."""
    depth = 0
    for event in yaml.parse(data, Loader=_Base):
        mark: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases are not used in episodes", mark)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise yaml.composer.ComposerError(None, None, f"nested more than {DEEPEST} deep", mark)


class _StrictLoader(_Base):  # type: ignore[misc]  # which of the two it is, is known only here
    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        # YAML lets the second of two equal names win: a list of facts would vanish silently.
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        seen = set()
        for key, _ in pairs:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value!r} occurs twice", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _problem(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{where}not YAML ({getattr(error, 'problem', None) or error})"
