"""What a shell command gives, as fields like the arguments of a tool.

Options go by their name, other words by their place. What is put together (`core.orders`,
`http://host:8080/x?name=y`) is given as a whole and in its parts, so that no list of programs
decides where a value stands.
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache

LONGEST = 400  # characters of a command that are looked at
MOST_STEPS = 3  # of a command line
MOST_WORDS = 16  # of a step
MOST_PARTS = 8  # of a word
LONGEST_VALUE = 64
_STEP = re.compile(r"&&|\|\||[;\n|]")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(\S+)")
_JOINTS = re.compile(r"[\s/:=?&,'\"()@]+")
_DOTTED = re.compile(r"([A-Za-z_][\w-]*)\.([A-Za-z_][\w-]*)")
_ATTACHED = re.compile(r"(-[A-Za-z])([^-=\s]\S*\d\S*|\d+)")  # -Ddeck-3, -n20
_PREFIXES = frozenset({"sudo", "command", "time", "env", "nice", "nohup", "exec"})

Fields = tuple[tuple[str, str], ...]


def command_fields(command: str) -> tuple[tuple[str, Fields], ...]:
    """Return program and fields of every step of a command line."""
    # Cut before it is remembered: a trace may hold commands of megabytes.
    return _fields_of(command[:LONGEST])


@lru_cache(maxsize=20_000)
def _fields_of(command: str) -> tuple[tuple[str, Fields], ...]:
    found = []
    for step in _STEP.split(command)[:MOST_STEPS]:
        words = _words(step)[: MOST_WORDS + 1]
        fields: dict[str, str] = {}
        while words and (words[0] in _PREFIXES or _ASSIGNMENT.fullmatch(words[0])):
            _add_assignment(fields, words[0])
            words = words[1:]
        if not words or words[0] == "cd":
            continue

        program = words[0].rpartition("/")[2].casefold()
        _add_words(fields, words[1:])
        if fields:
            found.append((program, tuple(fields.items())))

    return tuple(found)


def _words(step: str) -> list[str]:
    """Return the words of a step; quotes that do not close are taken as letters."""
    try:
        return shlex.split(step)
    except ValueError:
        return step.split()


def _add_assignment(fields: dict[str, str], word: str) -> bool:
    """Add a word such as NAME=value; return whether it is one."""
    found = _ASSIGNMENT.fullmatch(word)
    if found is None:
        return False

    _add(fields, found.group(1).casefold(), found.group(2))
    return True


def _add_words(fields: dict[str, str], words: list[str]) -> None:
    place = 0
    option: str | None = None
    for word in words:
        attached = _ATTACHED.fullmatch(word)
        if attached is not None:
            option = None
            _add(fields, attached.group(1), attached.group(2))
        elif word.startswith("-") and len(word) > 1:
            name, has_value, value = word.partition("=")
            option = None if has_value else name
            if has_value:
                _add(fields, name, value)
        elif option is not None:
            _add(fields, option, word)
            option = None
        elif not _add_assignment(fields, word):
            place += 1
            _add(fields, str(place), word)


def _add(fields: dict[str, str], name: str, value: str) -> None:
    """Add a value as a whole and, where it is put together, in its parts."""
    value = value.casefold()
    if 0 < len(value) <= LONGEST_VALUE:
        fields.setdefault(name, value)

    parts = [part for part in _JOINTS.split(value) if part]
    if len(parts) > 1:
        for number, part in enumerate(parts[-MOST_PARTS:]):
            _add_part(fields, f"{name}.{number}", part)
    else:
        _add_part(fields, name, value)


def _add_part(fields: dict[str, str], name: str, part: str) -> None:
    if len(part) <= LONGEST_VALUE:
        fields.setdefault(name, part)

    dotted = _DOTTED.fullmatch(part)
    if dotted is not None:
        fields.setdefault(f"{name}.first", dotted.group(1))
        fields.setdefault(f"{name}.last", dotted.group(2))
