"""What a tool call names, uses and repeats: locators, its subject, values, re-reads."""

from __future__ import annotations

import math
import zlib
from typing import Any

from agingbench.records import Event
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import (
    MOST_FOLDERS,
    ReadingState,
    ToolSums,
    TraceSession,
    TraceSessions,
)
from agingbench.telemetry.sessions.entities import EDIT, READ, has_locator, scalar
from agingbench.telemetry.sessions.look_alikes import (
    LONGEST,
    SHORTEST,
    FoldersOfNames,
    TargetVisits,
    named_records,
)
from agingbench.telemetry.sessions.programs import meant_to_fail, program_of
from agingbench.telemetry.sessions.rereads import (
    FILE,
    LOOKUP,
    SEARCHES,
    ReadHistory,
    asked_of,
    read_targets,
    searched_name,
    target_of,
)
from agingbench.telemetry.sessions.tool_kinds import EDITING, READING, SHELL, WRITING
from agingbench.telemetry.sessions.values import ValueRecorder

LONGEST_NAME = 300  # characters of an argument that may name something
MOST_CACHED = 50_000  # values whose locator is remembered
MOST_MARKED = 3  # records of a kind whose place is kept per session

NO_LOCATOR = (0, 0)  # the value has no locator
UNKEPT_LOCATOR = (0, 1)  # it has one, but is too long to be kept


class CallReader:
    """Reads the arguments of tool calls into a session's sums."""

    def __init__(self, trace: TraceSessions, profile: Profile) -> None:
        self.trace = trace
        self.profile = profile
        self.recorder = ValueRecorder(trace.values, trace.attributes, profile.subject_linkage)
        self._arguments = self.recorder.arguments
        self._folders: FoldersOfNames = {}
        self._kinds: dict[str, tuple[str, bool, bool, bool]] = {}
        self._locators: dict[str, tuple[int, int]] = {}  # value -> its hash and that of its folder

    def first_use(self, tool: str, event: Event, session: TraceSession) -> ToolSums:
        """Return the sums of a tool that the session uses for the first time."""
        kind = self._kinds.get(tool) or self._kind(tool)
        sums = ToolSums(*kind)
        session.by_tool[sums.name] = sums
        self.trace.evidence_index.add(session.arrival, f"tool:{tool}", event.source)
        return sums

    def label(self, event: Event, tool: str) -> str:
        """Return the tool and, of a shell command, its program: what its errors go by."""
        arguments = event.arguments
        command: object = arguments
        if arguments is None:
            command = event.command
        elif arguments.__class__ is dict:
            command = arguments.get("command") or arguments.get("cmd")

        if command.__class__ is list:
            command = " ".join(str(word) for word in command)

        if command.__class__ is not str or not command:
            return tool

        program = program_of(str(command)[:LONGEST_NAME])
        return f"{tool} {program}" if program else tool

    @staticmethod
    def stands_apart(reading: ReadingState, label: str, entity: str | None) -> bool:
        """Return whether a call says nothing of the mix of tools.

        It goes on with the call before it (a long file in parts, a command once more), or it is a
        test, a linter or a build, which come with the kind of work.
        """
        last = reading.last_call
        reading.last_call = (label, entity)
        goes_on = entity is not None and last == (label, entity)
        return goes_on or meant_to_fail(label)

    def given_values(
        self, event: Event, session: TraceSession, tool: str, time: float | None
    ) -> tuple[int, ...]:
        """Keep the short arguments of a call; return the numbers of what they name."""
        arguments = event.arguments
        facts = self.trace.facts
        at = math.nan if time is None else time
        if arguments.__class__ is dict:
            values = facts.add_call(arguments, event, session.arrival, at, tool)
            command = arguments.get("command") or arguments.get("cmd")
        else:
            values = ()
            command = arguments or event.command

        if command.__class__ is not str:
            return values

        # What a command names is what its result is about.
        return (*values, *facts.add_command(command, event, session.arrival, at, tool))

    def _kind(self, tool: str) -> tuple[str, bool, bool, bool]:
        """Return the arguments of `ToolSums`: name, whether it reads, edits, keeps books."""
        name = tool.casefold() if "_" in tool or tool.islower() else _snake(tool)
        is_edit = EDIT.search(name) is not None
        is_read = READ.search(name) is not None and not is_edit
        is_bookkeeping = tool.casefold() in self.profile.bookkeeping

        kind = (tool, is_read, is_edit, is_bookkeeping)
        self._kinds[tool] = kind
        return kind

    def read_arguments(
        self,
        event: Event,
        session: TraceSession,
        tool: str,
        sums: ToolSums,
        time: float | None,
    ) -> str | None:
        """Return what the call is about; count whether it names a locator, record its values."""
        arguments = event.arguments
        if arguments is None:
            arguments = event.command

        entity: str | None = None
        has_name = False
        if arguments.__class__ is dict:
            entity, has_name, uses = self._read_dict(arguments, session)
            if uses and not sums.is_bookkeeping:
                self.recorder.add_uses(uses, entity, tool, event, session, time)
        elif arguments.__class__ is str:
            has_name = self._add_locator(arguments, session)

        if has_name:
            sums.locator_calls += 1
        else:
            session.calls_without_locator += 1
            if session.calls_without_locator <= MOST_MARKED:
                kind = "tool_argument_specificity"
                self.trace.evidence_index.add(session.arrival, kind, event.source)

        return entity

    def _read_dict(
        self,
        arguments: dict[str, Any],
        session: TraceSession,
    ) -> tuple[str | None, bool, list[tuple[str, str]]]:
        """Return the entity, whether a locator is named, and the (attribute, value) uses."""
        entity: str | None = None
        has_name = False
        uses: list[tuple[str, str]] = []
        meanings = self._arguments

        for name, value in arguments.items():
            names_entity, attribute = meanings.get(name) or self.recorder.argument(name)

            # The first argument that may name the thing does; the others give values to it.
            if value.__class__ is str:
                if not has_name or entity is None:
                    has_name = self._add_locator(value, session) or has_name
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

        return entity, has_name, uses

    def _add_locator(self, value: str, session: TraceSession) -> bool:
        """Add the locator of a value to the session; return whether it has one."""
        locator = self._locators.get(value) or self._find_locator(value)
        if locator is NO_LOCATOR:
            return False

        name, folder = locator
        if name not in session.locators and locator is not UNKEPT_LOCATOR:
            session.locators[name] = None
            folders = session.folders
            if folder in folders:
                folders[folder] += 1
            elif len(folders) < MOST_FOLDERS:
                folders[folder] = 1

        return True

    def _find_locator(self, value: str) -> tuple[int, int]:
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

    def add_targets(
        self,
        event: Event,
        session: TraceSession,
        tool: str,
        entity: str | None,
        sums: ToolSums,
        kind: str,
        files: list[str] | None,
    ) -> None:
        """Count what a call reads, and whether it was before the agent already."""
        reading = session.reading
        self._add_lookup(event, session, tool, sums, kind, files)
        is_change = kind in (EDITING, WRITING) or sums.is_edit
        is_read = kind in (READING, SHELL) and files is not None
        if not is_change and not is_read:
            if reading.reads is not None:
                reading.reads.failed = None
            return

        history = reading.reads
        if history is None:
            history = reading.reads = ReadHistory()

        number = session.tool_calls
        if is_change:
            for file in files or ():
                target = history.files.same(target_of(file))
                history.add_change(target, number, True)
                reading.redone.add_change(target)
            if entity is not None and not files:
                history.add_change(target_of(entity), number, False)
                reading.redone.add_change(target_of(entity))
        else:
            arguments = event.command if event.arguments is None else event.arguments
            thread = event.thread or ""
            thing = None if entity is None else target_of(entity)
            for what, target, part in read_targets(kind, tool, arguments, files or ()):
                about = thing
                if what == FILE:
                    about = target = history.files.same(target)
                own = thread + target
                label = f"{what} {history.exposure()}"
                reading.redone.has_new |= own not in history.parts
                repeats = history.add_read(own, part, number, about)
                session.reads += 1
                if repeats is not None:
                    self._count_read(event, session, label, repeats)

        history.failed = None

    def _add_lookup(
        self,
        event: Event,
        session: TraceSession,
        tool: str,
        sums: ToolSums,
        kind: str,
        files: list[str] | None,
    ) -> None:
        """Count a search or another lookup, and whether the same was asked before."""
        if sums.is_edit or sums.is_bookkeeping:
            return

        arguments = event.command if event.arguments is None else event.arguments
        asked = asked_of(kind, tool, arguments, files)
        if asked is None:
            return

        history = session.reading.reads
        if history is None:
            history = session.reading.reads = ReadHistory()

        label = f"{LOOKUP} {history.lookup_exposure()}"
        repeats = history.add_lookup((event.thread or "") + asked)
        if repeats is not None:
            session.add_read(label, repeats)
            if repeats:
                session.repeats += 1
                if session.repeats <= MOST_MARKED:
                    kind_of_evidence = "repeated_lookups"
                    index = self.trace.evidence_index
                    index.add(session.arrival, kind_of_evidence, event.source)

    def add_visits(
        self,
        event: Event,
        session: TraceSession,
        tool: str,
        entity: str | None,
        kind: str,
        files: list[str] | None,
    ) -> None:
        """Count the files or the record that a call goes to."""
        arguments = event.arguments
        reading = session.reading
        visits = reading.visits
        if visits is None:
            visits = reading.visits = TargetVisits()
            visits.begin(reading.named)

        visits.calls += 1
        name = searched_name(event.command if arguments is None else arguments)
        if name is not None and visits.knows_name(name) and reading.reads is not None:
            # To look for a file that was visited is as much a repeat as to read it again.
            label = f"{FILE} {reading.reads.exposure()}"
            self._count_read(event, session, label, True)

        is_search = arguments.__class__ is dict and not SEARCHES.isdisjoint(arguments)
        if is_search or kind == WRITING:
            return

        if files:
            for file in files:
                session.add_visit(visits.add_file(file, self._folders))
        elif kind != SHELL and arguments.__class__ is dict and arguments:
            records = named_records(arguments)
            if entity is not None and SHORTEST <= len(entity) <= LONGEST and entity not in records:
                records.append(entity)
            for visit in visits.add_record(tool, records, self._folders):
                session.add_visit(visit)

    def _count_read(self, event: Event, session: TraceSession, label: str, repeats: bool) -> None:
        session.add_read(label, repeats)
        session.rereads += repeats
        if repeats and session.rereads <= MOST_MARKED:
            self.trace.evidence_index.add(session.arrival, "reread_rate", event.source)


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
