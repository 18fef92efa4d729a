"""Checks of a program that an agent keeps in its workspace: starts of it and what they print."""

from __future__ import annotations

from typing import Any

import msgspec


class ProgramStart(msgspec.Struct, frozen=True, omit_defaults=True):
    """One start of the program with its words, or a look at what it stored.

    `prints` holds the JSON values that it is to print, one a line; None: what it prints does not
    matter. With `refuses` it is to end with an exit code other than 0. With `looks_at`, nothing is
    started: `stores` is how many records that file or folder is to hold, None where it is not to
    exist.
    """

    words: list[str] = []
    prints: list[Any] | None = None
    refuses: bool = False
    looks_at: str = ""
    tables: list[str] = []  # of a database; the first holds the records
    stores: int | None = None


class ProgramCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """Starts of the program one after the other, in a copy of the workspace of its own.

    `files` are laid over the workspace before, `clears` are emptied. The check passes when every
    start does what it is to do. `fact` is what it depends on.
    """

    id: str
    t: int
    fact: str
    entry: str
    starts: list[ProgramStart]
    files: dict[str, str] = {}
    clears: list[str] = []
