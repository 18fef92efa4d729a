"""Neighbouring sessions joined into one, where a trace has more sessions than can be tested.

Every ordering of the null model and every trajectory of the card holds one number per session. So
a trace of a million sessions is read as groups of neighbours, each of which counts as one session.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from agingbench.telemetry.sessions.aggregates import (
    ANCHOR_TEXT,
    MOST_FOLDERS,
    TraceSession,
    TraceSessions,
    add_counts,
)
from agingbench.telemetry.sessions.behaviour import TraceBehaviour, finish_behaviour
from agingbench.telemetry.sessions.facts import Display, FactLog, GivenCall, Telling
from agingbench.telemetry.sessions.observations import Places, moved
from agingbench.telemetry.sessions.slot_log import SlotShow, SlotUse
from agingbench.telemetry.sessions.timeline import MOST as LONGEST_TIMELINE
from agingbench.telemetry.sessions.timeline import ResultTimeline
from agingbench.telemetry.sessions.told_log import Mention, Statement

MOST_SESSIONS = 10_000  # that are tested one by one
MOST_TURNS = 5  # of a group, that are kept; a session alone may have more
NOWHERE = -1

_SUMS = (
    "missing_times", "events", "model_calls", "tool_calls", "results", "n_turns", "input_tokens",
    "output_tokens", "cache_tokens", "saturation_sum", "calls_without_load",
    "calls_without_window", "calls_without_locator", "reads", "rereads",
)  # fmt: skip
_BEHAVIOUR_SUMS = tuple(
    field.name for field in msgspec.structs.fields(TraceBehaviour) if field.type in (int, float)
)
Row = TypeVar("Row", GivenCall, Display, Telling, Statement, Mention, SlotShow, SlotUse)
K = TypeVar("K")


class SessionColumns:
    """What decides the place of every session, by its number of arrival."""

    def __init__(self) -> None:
        self.starts = array("d")  # NaN where no time is known
        self.holds = bytearray()  # 1 for a session in which anything happened
        self.logical = False  # any session is numbered by the trace itself

    def add(self) -> None:
        """Make room for one more session."""
        self.starts.append(math.nan)
        self.holds.append(0)

    def note(self, session: TraceSession) -> None:
        """Note how a session stands now."""
        at = session.arrival
        self.starts[at] = math.nan if session.start is None else session.start
        self.holds[at] = holds_anything(session)
        self.logical = self.logical or session.logical

    def groups(self, most: int) -> Places:
        """Return the group of every session in the order of time, NOWHERE for an empty one.

        A session without a time stands between its neighbours of arrival.
        """
        group = np.full(len(self.holds), NOWHERE)
        kept = np.flatnonzero(np.frombuffer(self.holds, dtype=np.uint8))
        starts = np.frombuffer(self.starts, dtype=np.float64)[kept]
        known = np.flatnonzero(~np.isnan(starts))
        if not self.logical and len(known):
            places = np.arange(len(kept))
            times = np.interp(places, known, starts[known])
            kept = kept[np.argsort(times, kind="stable")]

        size = math.ceil(len(kept) / most)
        group[kept] = np.arange(len(kept)) // max(1, size)
        return group


def holds_anything(session: TraceSession) -> bool:
    """Return whether a session has a call or a request."""
    return bool(session.tool_calls or session.model_calls or session.n_turns)


def join_groups(
    sessions: Iterable[TraceSession], group: Places, trace: TraceSessions
) -> list[TraceSession]:
    """Return one session per group, and let everything else of the trace name these.

    A group goes by the name of the first of its sessions that was read; `trace.joined` tells the
    groups of the others.
    """
    units: dict[int, TraceSession] = {}
    for session in sessions:
        place = int(group[session.arrival])
        if place == NOWHERE:
            continue

        session.close_turn()
        finish_behaviour(session.behaviour)
        unit = units.get(place)
        if unit is None:
            session.arrival = place
            units[place] = session
        else:
            _absorb(unit, session)
            trace.joined.put(session.id, place)

    _move(trace, group)
    result = [units[place] for place in sorted(units)]
    for unit in result:
        unit.turns.sort(key=lambda turn: math.inf if turn.time is None else turn.time)
    for mark in trace.marks:
        place = int(group[mark.session])
        if place != NOWHERE:
            trace.add_record(mark, units[place])

    trace.marks = []
    return result


def _absorb(unit: TraceSession, other: TraceSession) -> None:
    """Add everything of a session to the first of its group."""
    for name in _SUMS:
        setattr(unit, name, getattr(unit, name) + getattr(other, name))

    if other.start is not None:
        unit.start = other.start if unit.start is None else min(unit.start, other.start)
    if other.end is not None:
        unit.end = other.end if unit.end is None else max(unit.end, other.end)
    if other.cost is not None:
        unit.cost = other.cost + (unit.cost or 0.0)
    if other.peak_load > unit.peak_load:
        unit.peak_load = other.peak_load
        unit.peak_saturation = other.peak_saturation
        unit.peak_time = other.peak_time

    steepest = other.steepest_growth
    if steepest is not None:
        own = unit.steepest_growth
        unit.steepest_growth = steepest if own is None or steepest[0] > own[0] else own

    for totals, added in (
        (unit.models, other.models),
        (unit.clients, other.clients),
        (unit.errors, other.errors),
    ):
        _add_numbers(totals, added)
    for counts, more in (
        (unit.outcomes, other.outcomes),
        (unit.target_visits, other.target_visits),
        (unit.reads_by_exposure, other.reads_by_exposure),
    ):
        add_counts(counts, more)

    _add_texts(unit, other)
    _add_tools(unit, other)
    _add_timeline(unit.timeline, other.timeline)
    _add_behaviour(unit.behaviour, other.behaviour)


def _add_numbers(totals: dict[K, int], more: Mapping[K, int]) -> None:
    for label, n in more.items():
        totals[label] = totals.get(label, 0) + n


def _add_texts(unit: TraceSession, other: TraceSession) -> None:
    """Add what is kept of single turns, up to what one session may hold."""
    unit.native_outcomes += other.native_outcomes
    unit.turns += other.turns[: max(0, MOST_TURNS - len(unit.turns))]
    unit.durations += other.durations[: max(0, MOST_TURNS - len(unit.durations))]
    if len(unit.user_text) < ANCHOR_TEXT:
        unit.user_text += other.user_text
    if len(unit.agent_text) < ANCHOR_TEXT:
        unit.agent_text += other.agent_text


def _add_tools(unit: TraceSession, other: TraceSession) -> None:
    for key, bill in other.bill.items():
        own_bill = unit.bill.get(key)
        if own_bill is None:
            unit.bill[key] = bill
        else:
            own_bill.add_sums(bill)

    for tool, sums in other.by_tool.items():
        own_sums = unit.by_tool.get(tool)
        if own_sums is None:
            unit.by_tool[tool] = sums
        else:
            own_sums.add(sums)

    if other.several_tools is not None:
        unit.over_several().add(other.several_tools)

    unit.locators.update(other.locators)
    for folder, n in other.folders.items():
        if folder in unit.folders or len(unit.folders) < MOST_FOLDERS:
            unit.folders[folder] = unit.folders.get(folder, 0) + n


def _add_timeline(timeline: ResultTimeline, other: ResultTimeline) -> None:
    before = len(timeline.failed)
    if before + len(other.failed) > LONGEST_TIMELINE:
        return

    timeline.failed += other.failed
    timeline.loads += other.loads
    timeline.turns += [before + at for at in other.turns]
    timeline.events += [(kind, before + at) for kind, at in other.events]


def _add_behaviour(behaviour: TraceBehaviour, other: TraceBehaviour) -> None:
    for name in _BEHAVIOUR_SUMS:
        setattr(behaviour, name, getattr(behaviour, name) + getattr(other, name))

    add_counts(behaviour.results_by_kind, other.results_by_kind)
    _add_numbers(behaviour.permission_modes, other.permission_modes)
    if behaviour.prompt is None:
        behaviour.prompt = other.prompt


def _move(trace: TraceSessions, group: Places) -> None:
    """Let observations, evidence and facts name the groups of their sessions."""
    trace.values.session = moved(trace.values.session, group)
    trace.evidence_index.move(group)
    facts: FactLog = trace.facts
    facts.calls = _moved_rows(facts.calls, group)
    facts.displays = _moved_rows(facts.displays, group)
    facts.tellings = _moved_rows(facts.tellings, group)
    told = trace.told
    told.statements = _moved_rows(told.statements, group)
    told.mentions = _moved_rows(told.mentions, group)
    slots = trace.slots
    slots.shows = _moved_rows(slots.shows, group)
    slots.uses = _moved_rows(slots.uses, group)


def _moved_rows(rows: Sequence[Row], group: Places) -> list[Row]:
    return [msgspec.structs.replace(row, session=int(group[row.session])) for row in rows]
