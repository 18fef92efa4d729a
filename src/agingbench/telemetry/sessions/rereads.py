"""Which reads show what the agent has had before it in the same session.

A read is a *chance* to repeat once anything was read before. It repeats when the same part of the
same file was read earlier, by tool or by shell, and not changed since. A look at what was changed,
a read that a failure asks for, and a closer look that prepares a change are neither.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from agingbench.telemetry.sessions.shell_reads import shell_command
from agingbench.telemetry.sessions.tool_kinds import EDITING, READING, SHELL, WRITING

MOST_TARGETS = 1_000  # of a session, that are remembered
MOST_RESTING = 200  # that are remembered while another session goes on
LOOK_AFTER = 4  # calls after a change within which reading it is a look at the change
PREPARES = 8  # calls before a change within which a closer look at the file prepares it
CLOSER = 3.0  # times the lines of a look that were read before at once, for it to be a closer one
MOST_PARTS = 6  # of a file, that are remembered
COVERED = 0.5  # share of a part that was seen before, from which it is seen again
LONGEST_PART = 2_000.0  # lines that a read without a limit is taken for
FILE = "file"
LOOKUP = "lookup"
MOST_LOOKUPS = 1_000  # of a session, that are remembered
LONGEST_ASKED = 300  # characters of a lookup that tell it from another
# Arguments of a search, the one that says most first: it goes to no one thing.
SEARCH_ARGUMENTS = ("pattern", "query", "regex", "glob", "search")
SEARCHES = frozenset(SEARCH_ARGUMENTS)
# Folders that stand in every part of a project: only with the one above do they tell files apart.
EVERYWHERE = frozenset(
    {
        "src", "lib", "libs", "main", "app", "pkg", "internal", "include", "source", "sources",
        "test", "tests", "java", "kotlin", "python", "docs",
    }
)  # fmt: skip
MOST_FOLDERS = 4  # that tell a file from others of its name
_WILD = re.compile(r"\\[bB.]?|\*\*/|[*^$]+")
_FILE_NAME = re.compile(r"[\w-]{3,}(?:\.[\w-]+)*\.[A-Za-z]\w{0,4}|[A-Za-z]\w*[_-]\w{2,}")
_FIND = re.compile(r"\b(?:find|fd|locate)\b.*?[\s/*'\"]([\w-]{3,}\.[A-Za-z]\w{0,4})['\"*]*(?:\s|$)")
_SEARCH = re.compile(r"(?:^|&&|;)\s*(?:rg|grep|ag|ack|git grep|find|fd)\s")
# Commands after which any file may be another one: by hands of others, or of another branch.
_NEW_TREE = re.compile(
    r"\bgit (?:-\S+ \S+ )*(?:pull|merge|rebase|checkout|switch|reset|restore|revert|cherry-pick|am"
    r"|apply|stash (?:pop|apply))\b|\b(?:hg (?:pull|update)|svn up(?:date)?)\b"
)
_SED = re.compile(r"-n\s+[\"']?(\d+),(\d+)p")


class Part(msgspec.Struct, frozen=True, gc=False):
    """The lines of a file that a read shows."""

    start: float
    end: float

    @property
    def lines(self) -> float:
        """How many lines are shown at most."""
        return min(self.end - self.start, LONGEST_PART)


WHOLE = Part(0.0, math.inf)


class Repeat(msgspec.Struct, frozen=True, gc=False):
    """A closer look that was counted as a repeat: number of the call, file, and label."""

    number: int
    target: str
    label: str


class FileNames(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """Files as they were first named: a shell names by fewer folders than a tool does."""

    first: dict[str, str] = {}  # by name and folder alone

    def same(self, target: str) -> str:
        """Return the name by which a file is known."""
        end = target
        if target.count("/") > 1:
            end = "/".join(target.rsplit("/", 2)[-2:])
        known = self.first.get(end)
        if known is None:
            if len(self.first) < MOST_TARGETS:
                self.first[end] = target
            return target

        return known if end in (target, known) else target


class ReadHistory(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What one session has read and written so far."""

    parts: dict[str, list[Part]] = {}
    read_at: dict[str, int] = {}  # target -> number of the call
    written_at: dict[str, int] = {}
    failed: str | None = None  # what the last call was about, where that failed
    compacted: bool = False
    tree_at: int = -1  # number of the last call after which any file may be another one
    asked: dict[int, None] = {}  # lookups of the session
    last_asked: int | None = None
    files: FileNames = msgspec.field(default_factory=FileNames)
    recent: list[Repeat] = []  # closer looks that a change may still turn out to need

    def is_closer_look(self, target: str, part: Part) -> bool:
        """Return whether a read shows a small part of what was read at large."""
        known = self.parts.get(target, ())
        covering = [before for before in known if _covers(before, part)]
        return bool(covering) and all(b.lines > CLOSER * part.lines for b in covering)

    def add_closer_look(self, number: int, target: str, label: str) -> None:
        """Note a closer look that was counted as a repeat."""
        self.recent = [repeat for repeat in self.recent if number - repeat.number <= PREPARES]
        self.recent.append(Repeat(number, target, label))

    def take_prepared(self, target: str, number: int) -> list[str]:
        """Return the labels of the closer looks that prepared a change, and forget them."""
        if not self.recent:
            return []

        oldest = number - PREPARES
        prepared = [r.label for r in self.recent if r.target == target and r.number >= oldest]
        self.recent = [repeat for repeat in self.recent if repeat.target != target]
        return prepared

    def add_lookup(self, asked: str) -> bool | None:
        """Note a lookup; return whether it repeats one, None where there was none before."""
        number = hash(asked)
        repeats = number in self.asked if self.asked else None
        if len(self.asked) < MOST_LOOKUPS:
            self.asked[number] = None
        self.last_asked = None if repeats else number
        return repeats

    def lookup_failed(self) -> None:
        """Forget the last lookup: to ask again what brought nothing is no repeat."""
        if self.last_asked is not None:
            self.asked.pop(self.last_asked, None)
            self.last_asked = None

    def lookup_exposure(self) -> str:
        """Return how much there is to look up again, as for reads."""
        size = min(5, len(self.asked).bit_length())
        return f"{size}c" if self.compacted else str(size)

    def add_change(self, target: str, number: int, is_file: bool) -> None:
        """Note that the agent changed something; of a file it knows what stands there."""
        self.written_at[target] = number
        if is_file:
            self._remember(target, WHOLE, self.read_at.get(target, 0))

    def add_read(self, target: str, part: Part, number: int, about: str | None) -> bool | None:
        """Note a read; return whether it repeats, None where it could not or has a reason."""
        known = self.parts.get(target)
        repeats = known is not None and any(_covers(before, part) for before in known)
        is_chance = bool(self.parts)
        if about is not None:
            written = self.written_at.get(about, -LOOK_AFTER - 1)
            changed_since = written > self.read_at.get(target, 0)
            changed_since |= self.tree_at > self.read_at.get(target, number)
            has_reason = number - written <= LOOK_AFTER or self.failed == about
            is_chance = is_chance and not (changed_since or has_reason)

        self._remember(target, part, number)
        return repeats if is_chance else None

    def exposure(self) -> str:
        """Return how much there is to read again: by the files known, and after a compaction."""
        size = min(5, len(self.parts).bit_length())
        return f"{size}c" if self.compacted else str(size)

    def _remember(self, target: str, part: Part, number: int) -> None:
        parts = self.parts.pop(target, [])
        if part not in parts:
            parts.append(part)

        self.parts[target] = parts[-MOST_PARTS:]
        self.read_at[target] = number
        if len(self.parts) > MOST_TARGETS:
            self.forget_beyond(MOST_TARGETS)

    def forget_beyond(self, most: int) -> None:
        """Drop what was read longest ago, down to so many things."""
        for target in list(self.parts)[: max(0, len(self.parts) - most)]:
            del self.parts[target], self.read_at[target]

        for target in list(self.written_at)[: max(0, len(self.written_at) - most)]:
            del self.written_at[target]


def _covers(before: Part, part: Part) -> bool:
    """Return whether an earlier part holds half of a later one."""
    end = min(part.end, part.start + LONGEST_PART)
    common = min(before.end, end) - max(before.start, part.start)
    return common >= COVERED * (end - part.start) and common > 0


@lru_cache(maxsize=4_096)
def target_of(path: str) -> str:
    """Return a file's name with its folder, by which tools and shell name the same file."""
    parts = path.replace("\\", "/").casefold().rstrip("/").rsplit("/", MOST_FOLDERS + 1)
    first = max(0, len(parts) - 2)
    lowest = max(0, len(parts) - 1 - MOST_FOLDERS)
    while first > lowest and parts[first] in EVERYWHERE and parts[first - 1]:
        first -= 1

    return "/".join(parts[first:])


def part_of(arguments: Mapping[str, Any]) -> Part:
    """Return the lines that the arguments of a read ask for."""
    span = arguments.get("view_range")
    if isinstance(span, list) and len(span) == 2:
        return _part(span[0], span[1])
    if "start_line" in arguments:
        return _part(arguments["start_line"], arguments.get("end_line"))

    offset = arguments.get("offset")
    limit = arguments.get("limit")
    if isinstance(offset, int) and isinstance(limit, int):
        return _part(offset, offset + limit)
    if isinstance(limit, int):
        return _part(0, limit)

    return _part(offset, None)


def _part(start: Any, end: Any) -> Part:
    first = float(start) if isinstance(start, int | float) else 0.0
    last = float(end) if isinstance(end, int | float) and end > first else math.inf
    return Part(first, last)


def brings_a_new_tree(kind: str, arguments: Any) -> bool:
    """Return whether any file may be another one after a call."""
    command = shell_command(arguments) if kind == SHELL else None
    return command is not None and _NEW_TREE.search(command[:LONGEST_ASKED]) is not None


def searched_name(arguments: Any) -> str | None:
    """Return the name of a file that a search looks for; None where it looks for something else."""
    if isinstance(arguments, dict):
        first = next((name for name in SEARCH_ARGUMENTS if name in arguments), None)
        if first is not None:
            pattern = arguments[first]
            text = _WILD.sub("", pattern) if isinstance(pattern, str) else ""
            name = text.rpartition("/")[2].casefold()
            return name if _FILE_NAME.fullmatch(name) else None

    command = shell_command(arguments)
    found = _FIND.search(command[:LONGEST_ASKED]) if command else None
    return None if found is None else found.group(1).casefold()


def asked_of(kind: str, tool: str, arguments: Any, files: Sequence[str] | None) -> str | None:
    """Return what a lookup asks, word for word; None for a call that is none.

    A lookup is a search, or a call of a tool that neither reads nor changes files.
    """
    if kind == SHELL:
        command = shell_command(arguments) or ""
        return f"{tool} {command[:LONGEST_ASKED]}" if _SEARCH.search(command) else None
    if not isinstance(arguments, dict) or not arguments:
        return None

    is_search = not SEARCHES.isdisjoint(arguments)
    if (
        kind in (EDITING, WRITING)
        or (kind == READING and not is_search)
        or (files and not is_search)
    ):
        return None

    return f"{tool} {repr(sorted(arguments.items(), key=str))[:LONGEST_ASKED]}"


def read_targets(
    kind: str, tool: str, arguments: Any, files: Sequence[str]
) -> list[tuple[str, str, Part]]:
    """Return (what kind of thing, which one, which part) of what a call reads.

    A lookup is one thing by all that it asks for. A search is none: its words vary.
    """
    if kind == SHELL:
        command = shell_command(arguments) or ""
        if _SEARCH.search(command):
            return []
        found = _SED.search(command)
        part = WHOLE if found is None else _part(int(found.group(1)), int(found.group(2)))
        named = [file for file in files if "." in file.rpartition("/")[2]]
        return [(FILE, target_of(file), part) for file in named]

    if not isinstance(arguments, dict) or not SEARCHES.isdisjoint(arguments):
        return []
    if files:
        part = part_of(arguments)
        return [(FILE, target_of(file), part) for file in files]

    asked = repr(arguments)
    return [(tool, f"{tool} {asked[:LONGEST_ASKED]}", WHOLE)]
