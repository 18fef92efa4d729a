"""What a call says by its tool and arguments alone, found once for all that need it.

Agents repeat themselves: they read the same file and run the same command again. What is found in a
short call is remembered, so that a call like an earlier one costs little more than being counted.
"""

from __future__ import annotations

import zlib
from typing import Any

import msgspec

from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.entities import (
    EDIT,
    attribute_of,
    has_locator,
    names_one,
    scalar,
)
from agingbench.telemetry.sessions.facts import CallFields
from agingbench.telemetry.sessions.look_alikes import LONGEST, SHORTEST, named_records
from agingbench.telemetry.sessions.programs import deed_of, meant_to_fail, program_of
from agingbench.telemetry.sessions.rereads import (
    SEARCHES,
    Part,
    asked_of,
    brings_a_new_tree,
    read_targets,
    searched_name,
    target_of,
)
from agingbench.telemetry.sessions.told_log import GivenWords
from agingbench.telemetry.sessions.tool_kinds import (
    EDITING,
    READING,
    SHELL,
    WRITING,
    files_of_call,
    kind_of_call,
)

LONGEST_NAME = 300  # characters of an argument that may name something
LONGEST_KEPT = 400  # bytes of a call that is remembered
MOST_KEPT = 4_096  # calls that are remembered
MOST_CACHED = 50_000  # values whose locator is remembered
DELEGATES = frozenset({"task", "agent", "spawn_agent", "delegate", "new_task"})
# Text that a call carries, and how much of something it asks for: neither is a value that could be
# outdated.
NO_VALUE = frozenset(
    {
        "command", "description", "content", "old_string", "new_string", "prompt", "pattern",
        "query", "text", "code", "old_str", "new_str", "file_text", "message", "thought",
        "input", "cmd", "body", "patch", "diff", "script", "limit", "offset", "timeout",
        "head_limit", "output_mode", "max_results", "page", "page_size", "per_page", "count",
        "top_k", "lines", "start_line", "end_line", "view_range", "multiline", "replace_all",
        "run_in_background", "sort", "yield_time_ms", "max_output_tokens", "timeout_ms",
        "workdir", "security_risk", "n", "a", "b", "c", "i",
    }
)  # fmt: skip

Locator = tuple[int, int]  # hash of a value and that of its folder
NO_LOCATOR: Locator = (0, 0)  # the value has no locator
UNKEPT_LOCATOR: Locator = (0, 1)  # it has one, but is too long to be kept


class ToolNature(msgspec.Struct, frozen=True, gc=False):
    """What the name of a tool says about it."""

    name: str
    is_edit: bool
    is_bookkeeping: bool  # a tool of the harness itself
    is_delegation: bool


def is_delegate(tool: str) -> bool:
    """Return whether a tool hands work to a subagent."""
    return tool.casefold() in DELEGATES


class CallReading(msgspec.Struct, gc=False, eq=False):
    """What one call says, in whichever session it stands."""

    kind: str
    key: int  # tells it from other calls
    files: list[str] | None  # that it reads or changes; None for a call that does neither
    label: str  # tool and, of a shell command, its program: what its errors go by
    deed: str  # tool and, of a shell command, what it does: what it usually names goes by this
    is_check: bool  # a test, a linter or a build
    entity: str | None  # what it is about
    has_name: bool  # it names a locator
    locators: tuple[Locator, ...]
    uses: tuple[tuple[str, str], ...]  # attributes and the values that it gives them
    search_name: str | None  # of the file that it looks for
    is_search: bool
    records: list[str] | None  # that it goes to; None for a call that goes to none by its kind
    lookup: str | None  # what it asks, word for word
    # Targets that it changes; kind, target and part of what it reads. None for any other call.
    changes: list[str] | None
    reads: list[tuple[str, str, Part]] | None
    brings_new_tree: bool  # any file may be another one after it
    # Found when they are first asked for: once enough is kept, no call is asked for them.
    fields: CallFields | None = None
    words: GivenWords | None = None
    values: frozenset[str] | None = None  # words with a digit


class CallReadings:
    """Reads calls, and remembers what is in short ones."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._natures: dict[str, ToolNature] = {}
        self._meanings: dict[str, tuple[bool, str | None]] = {}
        self._locators: dict[str, Locator] = {}
        self._kept: dict[bytes, CallReading] = {}
        self._encoder = msgspec.msgpack.Encoder()

    def read(self, tool: str, arguments: Any) -> CallReading:
        """Return what a call says."""
        try:
            key = self._encoder.encode((tool, arguments))
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
            return self._read(tool, arguments)  # such as half a surrogate pair
        if len(key) > LONGEST_KEPT:
            return self._read(tool, arguments)

        kept = self._kept
        call = kept.get(key)
        if call is None:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            call = kept[key] = self._read(tool, arguments)

        return call

    def nature(self, tool: str) -> ToolNature:
        """Return what a tool is by its name."""
        return self._natures.get(tool) or self._new_nature(tool)

    def _new_nature(self, tool: str) -> ToolNature:
        plain = tool.casefold()
        name = plain if "_" in tool or tool.islower() else _snake(tool)
        is_edit = EDIT.search(name) is not None
        is_bookkeeping = plain in self._profile.bookkeeping
        nature = ToolNature(tool, is_edit, is_bookkeeping, is_delegate(tool))
        self._natures[tool] = nature
        return nature

    def _read(self, tool: str, arguments: Any) -> CallReading:
        nature = self.nature(tool)
        kind = kind_of_call(tool, arguments)
        files = _files(kind, arguments)
        label, deed = _labels(tool, arguments)
        entity, has_name, locators, uses = self._names(arguments)
        is_search = arguments.__class__ is dict and not SEARCHES.isdisjoint(arguments)

        lookup = None
        if not nature.is_edit and not nature.is_bookkeeping:
            lookup = asked_of(kind, tool, arguments, files)

        changes: list[str] | None = None
        reads: list[tuple[str, str, Part]] | None = None
        if kind in (EDITING, WRITING) or nature.is_edit:
            changes = [target_of(file) for file in files or ()]
        elif kind in (READING, SHELL) and files is not None:
            reads = read_targets(kind, tool, arguments, files)

        records = None
        if not is_search and not files and kind not in (WRITING, SHELL):
            records = _records(arguments, entity)

        return CallReading(
            kind,
            _call_key(tool, arguments),
            files,
            label,
            deed,
            meant_to_fail(label),
            entity,
            has_name,
            locators,
            uses,
            searched_name(arguments),
            is_search,
            records,
            lookup,
            changes,
            reads,
            brings_a_new_tree(kind, arguments),
        )

    def _names(
        self, arguments: Any
    ) -> tuple[str | None, bool, tuple[Locator, ...], tuple[tuple[str, str], ...]]:
        """Return the entity, whether a locator is named, those to keep, and the values given."""
        if arguments.__class__ is str:
            locator = self._locator(arguments)
            has_name = locator is not NO_LOCATOR
            is_kept = has_name and locator is not UNKEPT_LOCATOR
            return None, has_name, (locator,) if is_kept else (), ()
        if arguments.__class__ is not dict:
            return None, False, (), ()

        entity: str | None = None
        has_name = False
        locators: list[Locator] = []
        uses: list[tuple[str, str]] = []
        for name, value in arguments.items():
            names_entity, attribute = self._meanings.get(name) or self._meaning(name)

            # The first argument that may name the thing does; the others give values to it.
            if value.__class__ is str:
                if not has_name or entity is None:
                    locator = self._locator(value)
                    has_name = has_name or locator is not NO_LOCATOR
                    if locator is not NO_LOCATOR and locator is not UNKEPT_LOCATOR:
                        locators.append(locator)
                if names_entity and entity is None and len(value) <= LONGEST_NAME:
                    entity = value.casefold()
                    continue
            elif names_entity and entity is None and value.__class__ is int:
                entity = str(value)
                has_name = True
                continue

            if attribute is not None:
                text = scalar(value)
                if text is not None:
                    uses.append((attribute, text))

        return entity, has_name, tuple(locators), tuple(uses)

    def _meaning(self, argument: str) -> tuple[bool, str | None]:
        """Return whether an argument says which thing is meant, and the attribute it may set."""
        attribute = attribute_of(argument)
        is_value = attribute.strip("_") not in NO_VALUE
        names_entity = names_one(argument) or argument in self._profile.subject_linkage
        meaning = (names_entity, attribute if is_value else None)
        self._meanings[argument] = meaning

        return meaning

    def _locator(self, value: str) -> Locator:
        return self._locators.get(value) or self._find_locator(value)

    def _find_locator(self, value: str) -> Locator:
        has_name = has_locator(value)
        if len(value) > LONGEST_NAME:
            return UNKEPT_LOCATOR if has_name else NO_LOCATOR

        cache = self._locators
        if len(cache) >= MOST_CACHED:
            cache.clear()

        locator = NO_LOCATOR
        if has_name:
            locator = (hash(value), _folder_hash(value))

        cache[value] = locator
        return locator


def _files(kind: str, arguments: Any) -> list[str] | None:
    """Return the files that a call reads or changes; an empty name for one that is not told."""
    if kind in (READING, SHELL):
        return files_of_call(kind, arguments)
    if kind in (EDITING, WRITING):
        return files_of_call(kind, arguments) or [""]
    return None


def _labels(tool: str, arguments: Any) -> tuple[str, str]:
    """Return the tool and, of a shell command, its program; and the tool and what that does."""
    command = arguments
    if arguments.__class__ is dict:
        command = arguments.get("command") or arguments.get("cmd")
    if command.__class__ is list:
        command = " ".join(str(word) for word in command)
    if command.__class__ is not str or not command:
        return tool, tool

    command = str(command)[:LONGEST_NAME]
    program = program_of(command)
    if not program:
        return tool, tool
    return f"{tool} {program}", f"{tool} {deed_of(command)}"


def _records(arguments: Any, entity: str | None) -> list[str] | None:
    """Return the records that a call names, what it is about among them."""
    if arguments.__class__ is not dict or not arguments:
        return None

    records = named_records(arguments)
    if entity is not None and SHORTEST <= len(entity) <= LONGEST and entity not in records:
        records.append(entity)

    return records


def _call_key(tool: str, arguments: Any) -> int:
    try:
        if arguments.__class__ is dict:
            return hash((tool, *arguments.values()))
        return hash((tool, arguments))
    except TypeError:  # a list or an object among them
        return hash((tool, repr(arguments)))


def _folder_hash(value: str) -> int:
    """Return a hash of a locator's folder that is the same in every process."""
    words = value.split(maxsplit=8)
    path = words[0] if words else ""

    for word in words:
        if "/" in word or "\\" in word:
            path = word
            break

    folder = path.replace("\\", "/").rpartition("/")[0]
    return zlib.crc32(folder.encode("utf-8", "replace"))


def _snake(name: str) -> str:
    """Return a name such as ReadFile as _read_file."""
    letters = [f"_{letter.lower()}" if letter.isupper() else letter for letter in name]
    return "".join(letters)
