"""What tool calls add to a session: locators, values, re-reads, lookups and visits."""

from __future__ import annotations

import math
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
from agingbench.telemetry.sessions.call_readings import CallReading, CallReadings, Locator
from agingbench.telemetry.sessions.look_alikes import FoldersOfNames, TargetVisits
from agingbench.telemetry.sessions.rereads import FILE, LOOKUP, ReadHistory, target_of
from agingbench.telemetry.sessions.slot_log import value_words
from agingbench.telemetry.sessions.told_log import given_words
from agingbench.telemetry.sessions.tool_kinds import SHELL, WRITING
from agingbench.telemetry.sessions.values import ValueRecorder

MOST_MARKED = 3  # records of a kind whose place is kept per session


class CallReader:
    """Adds what tool calls say to a session's sums."""

    def __init__(self, trace: TraceSessions, profile: Profile) -> None:
        self.trace = trace
        self.readings = CallReadings(profile)
        self.recorder = ValueRecorder(trace.values, trace.attributes)
        self._folders: FoldersOfNames = {}
        self._n_calls = 0

    def first_use(self, tool: str, event: Event, session: TraceSession) -> ToolSums:
        """Return the sums of a tool that the session uses for the first time."""
        nature = self.readings.nature(tool)
        sums = ToolSums(nature.name, nature.is_bookkeeping, nature.is_delegation)
        session.by_tool[sums.name] = sums
        self.trace.evidence_index.add(session.arrival, f"tool:{tool}", event.source)
        return sums

    @staticmethod
    def stands_apart(reading: ReadingState, call: CallReading) -> bool:
        """Return whether a call says nothing of the mix of tools.

        It goes on with the call before it (a long file in parts, a command once more), or it is a
        test, a linter or a build, which come with the kind of work.
        """
        last = reading.last_call
        this = (call.label, call.entity)
        reading.last_call = this
        goes_on = call.entity is not None and last == this
        return goes_on or call.is_check

    def given_values(
        self,
        call: CallReading,
        given: Any,
        tool: str,
        event: Event,
        session: TraceSession,
        time: float | None,
    ) -> tuple[int, ...]:
        """Keep the short arguments of a call; return the numbers of what they name."""
        facts = self.trace.facts
        fields = call.fields
        if not given and given.__class__ is not dict:
            fields = facts.read_fields(event.command, tool)  # empty arguments beside a command
        elif fields is None:
            fields = call.fields = facts.read_fields(given, tool)

        facts.add_call(fields, event, session.arrival, math.nan if time is None else time)
        return fields.values

    def add_mentions(
        self,
        call: CallReading,
        given: Any,
        tool: str,
        event: Event,
        session: TraceSession,
        time: float | None,
    ) -> None:
        """Keep what a call gives of words and values that were told or shown before."""
        at = math.nan if time is None else time
        arrival = session.arrival
        self._n_calls += 1
        told = self.trace.told
        if told.takes_mentions():
            words = call.words
            if words is None:
                words = call.words = given_words(tool, given)
            told.add_call(words, event, arrival, at, self._n_calls)

        values = call.values
        if values is None:
            values = call.values = value_words(given)
        looks_up = call.is_search or (call.kind == SHELL and call.files is not None)
        named = session.reading.asked_values
        turn = told.turn_of(arrival)
        self.trace.slots.add_call(values, named, looks_up, event, arrival, at, turn, self._n_calls)

    def add_names(
        self,
        call: CallReading,
        event: Event,
        session: TraceSession,
        tool: str,
        sums: ToolSums,
        time: float | None,
    ) -> None:
        """Count whether a call names a locator, and record its values."""
        for locator in call.locators:
            _add_locator(locator, session)
        if call.uses and not sums.is_bookkeeping:
            self.recorder.add_uses(call.uses, call.entity, tool, event, session, time)

        if not sums.is_bookkeeping:
            session.add_naming(call.deed, call.has_name)
        if not call.has_name:
            session.calls_without_locator += 1
            if session.calls_without_locator <= MOST_MARKED:
                kind = "tool_argument_specificity"
                self.trace.evidence_index.add(session.arrival, kind, event.source)

    def add_targets(self, call: CallReading, event: Event, session: TraceSession) -> None:
        """Count what a call reads, and whether it was before the agent already."""
        if call.lookup is not None:
            self._add_lookup(call.lookup, event, session)

        reading = session.reading
        history = reading.reads
        if call.brings_new_tree and history is not None:
            history.tree_at = session.tool_calls
        if call.changes is None and call.reads is None:
            if history is not None:
                history.failed = None
            return

        if history is None:
            history = reading.reads = ReadHistory()

        if call.changes is not None:
            self._add_changes(call, call.changes, session, history)
        elif call.reads is not None:
            self._add_reads(call, event, session, history)

        history.failed = None

    def _add_changes(
        self, call: CallReading, changes: list[str], session: TraceSession, history: ReadHistory
    ) -> None:
        number = session.tool_calls
        redone = session.reading.redone
        for file in changes:
            target = history.files.same(file)
            for label in history.take_prepared(target, number):
                if session.rereads <= MOST_MARKED:
                    self.trace.evidence_index.drop_last(session.arrival, "reread_rate")
                session.take_back_repeat(label)

            history.add_change(target, number, True)
            redone.add_change(target)
        if call.entity is not None and not changes:
            target = target_of(call.entity)
            history.add_change(target, number, False)
            redone.add_change(target)

    def _add_reads(
        self, call: CallReading, event: Event, session: TraceSession, history: ReadHistory
    ) -> None:
        thread = event.thread or ""
        thing = None if call.entity is None else target_of(call.entity)
        redone = session.reading.redone
        for what, target, part in call.reads or ():
            about = thing
            if what == FILE:
                about = target = history.files.same(target)
            own = thread + target
            label = f"{what} {history.exposure()}"
            redone.has_new |= own not in history.parts
            is_closer = what == FILE and history.is_closer_look(own, part)
            repeats = history.add_read(own, part, session.tool_calls, about)
            session.reads += 1
            if repeats is not None:
                self._count_read(event, session, label, repeats)
                if repeats and is_closer:
                    history.add_closer_look(session.tool_calls, target, label)

    def _add_lookup(self, asked: str, event: Event, session: TraceSession) -> None:
        """Count a search or another lookup, and whether the same was asked before."""
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

    def add_visits(self, call: CallReading, event: Event, session: TraceSession, tool: str) -> None:
        """Count the files or the record that a call goes to."""
        reading = session.reading
        visits = reading.visits
        if visits is None:
            visits = reading.visits = TargetVisits()
            visits.begin(reading.named, reading.turn.text if reading.turn else "")

        visits.calls += 1
        name = call.search_name
        if name is not None and visits.knows_name(name) and reading.reads is not None:
            # To look for a file that was visited is as much a repeat as to read it again.
            label = f"{FILE} {reading.reads.exposure()}"
            self._count_read(event, session, label, True)

        if call.is_search or call.kind == WRITING:
            return

        if call.files:
            for file in call.files:
                session.add_visit(visits.add_file(file, self._folders))
        elif call.records is not None:
            for visit in visits.add_record(tool, call.records, self._folders):
                session.add_visit(visit)

    def _count_read(self, event: Event, session: TraceSession, label: str, repeats: bool) -> None:
        session.add_read(label, repeats)
        session.rereads += repeats
        if repeats and session.rereads <= MOST_MARKED:
            self.trace.evidence_index.add(session.arrival, "reread_rate", event.source)


def _add_locator(locator: Locator, session: TraceSession) -> None:
    """Add what a call names to the session, and count its folder."""
    name, folder = locator
    if name in session.locators:
        return

    session.locators[name] = None
    folders = session.folders
    if folder in folders:
        folders[folder] += 1
    elif len(folders) < MOST_FOLDERS:
        folders[folder] = 1
