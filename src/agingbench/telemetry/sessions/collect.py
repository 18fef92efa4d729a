"""From a stream of events to sessions: one pass that keeps only the sums that signals need."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from agingbench.records import Event
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import (
    ANCHOR_TEXT,
    MOST_TURNS,
    SEVERAL_TOOLS,
    TraceSession,
    TraceSessions,
    UserTurn,
)
from agingbench.telemetry.sessions.asked_again import ToldValues, asks_the_user
from agingbench.telemetry.sessions.behaviour import (
    read_assistant,
    read_call,
    read_compaction,
    read_interrupt,
    read_result,
    read_user,
)
from agingbench.telemetry.sessions.calls import MOST_MARKED, CallReader
from agingbench.telemetry.sessions.joining import MOST_SESSIONS, holds_anything, join_groups
from agingbench.telemetry.sessions.look_alikes import named_targets
from agingbench.telemetry.sessions.membership import Membership
from agingbench.telemetry.sessions.rereads import target_of
from agingbench.telemetry.sessions.usage import CONTEXT_DROP, UsageReader
from agingbench.traces.error_kinds import is_out_of_reach, is_own_mistake, is_unrecorded

TURN_TEXT = 200  # characters kept of a user turn and of the reply to it
SHORT_RESULT = 1500  # characters of a plain result that is searched for values
LONG_PROMPT = 200  # characters from which a changed system prompt is an event
LARGEST_STEP = 1e11  # a whole number below is a usable time
GARBAGE = 100_000  # new containers after which the garbage collector looks, while reading

# Marks of the bench in its own traces: not events that an agent undergoes.
_BENCH_MARKS = frozenset(
    {"life_start", "life_end", "write", "resume", "session_start", "session_end"}
)


def collect(events: Iterable[Event], profile: Profile) -> TraceSessions:
    """Return the sessions of one agent from one pass over its events."""
    collector = _Collector(profile)
    with patient_gc():
        return collector.finish(collector.read(events))


@contextmanager
def patient_gc() -> Iterator[None]:
    """Let the garbage collector look seldom.

    What is read is freed without it, and what is kept stays: looking through all of that after
    every few hundred records would cost a quarter of the time of a long trace, and of its tests. A
    format that does leave cycles behind costs the memory of at most GARBAGE containers.
    """
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], GARBAGE), *before[1:])

    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Collector:
    """The state of one pass."""

    def __init__(self, profile: Profile) -> None:
        self.trace = TraceSessions(profile)
        self.profile = profile
        self.members = Membership(self.trace, profile)
        self.calls = CallReader(self.trace, profile)
        self.usage = UsageReader(self.trace, profile)

    def read(self, events: Iterable[Event]) -> int:
        """Read all events; return how many there were."""
        handlers = {
            "assistant": self.assistant,
            "tool_call": self.tool_call,
            "tool_result": self.tool_result,
            "user": self.user,
            "meta": self.meta,
            "system": self.system,
        }
        # This loop runs once per record of a trace of any length: bound methods are looked up
        # once, and a run of events with the same id asks for its session once.
        session_of = self.members.session_of
        untimed = self.untimed
        count = 0
        last: object = self
        session: TraceSession | None = None

        for event in events:
            count += 1
            name = event.session_id
            if name is not last or name is None:
                session = session_of(event)
                last = name

            if session is None:
                continue

            session.events += 1
            time = event.timestamp
            if time.__class__ is not float:
                time = untimed(session, time)
            elif session.end is None:
                session.start = session.end = time
            elif time > session.end:
                session.end = time
            elif time < session.start:  # type: ignore[operator]
                session.start = time

            handlers[event.role](event, session, time)

        return count

    @staticmethod
    def untimed(session: TraceSession, timestamp: Any) -> float | None:
        """Return a time for an event without a float one: a whole number, or the session's end."""
        if timestamp.__class__ is int and 0 <= timestamp < LARGEST_STEP:
            time = float(timestamp)
            session.start = time if session.start is None else min(session.start, time)
            session.end = time if session.end is None else max(session.end, time)
            return time

        session.missing_times += 1
        return session.end

    def user(self, event: Event, session: TraceSession, time: float | None) -> None:
        """Begin a turn."""
        if event.thread is not None:
            return

        state = session.behaviour.state
        last_words = "" if state is None else state.last_text
        complains = read_user(session.behaviour, event, time)
        if complains and session.reading.turn is not None:
            session.reading.turn.corrected = True

        text = event.content or ""
        session.close_turn()
        turn = UserTurn(text[:TURN_TEXT], time, event.source, len(text))
        turn.complains = complains
        session.reading.turn = turn
        told = session.reading.told
        if told is None:
            told = session.reading.told = ToldValues()
        turn.asked_again = told.add_turn(text, last_words)
        at = math.nan if time is None else time
        self.trace.facts.add_request(text, session.arrival, at)
        self.trace.told.add_request(text, session.arrival, at)
        session.reading.asked_values = self.trace.slots.add_request(text)
        reading = session.reading
        reading.named = named_targets(text)
        if reading.visits is not None:
            reading.visits.begin(reading.named, turn.text)

        session.n_turns += 1
        session.timeline.add_turn()

        if len(session.turns) < MOST_TURNS:
            session.turns.append(turn)
        if len(session.user_text) < ANCHOR_TEXT:
            session.user_text = f"{session.user_text} {text[:ANCHOR_TEXT]}"

        if text[:1] == "/" and self.members.is_reset(text):
            self.trace.add_lifecycle(session, "clear", time, False, 1.0, event.source)

    def assistant(self, event: Event, session: TraceSession, time: float | None) -> None:
        """Count a model call and keep the beginning of its text."""
        usage = event.usage
        if usage is not None:
            self.usage.add(usage, event, session)

        read_assistant(session.behaviour, event, time)
        text = event.content
        if text and event.thread is None:
            if len(session.agent_text) < ANCHOR_TEXT:
                session.agent_text = f"{session.agent_text} {text[:ANCHOR_TEXT]}"

            turn = session.reading.turn
            if turn is not None:
                turn.reply = text[:TURN_TEXT]
                if event.call_type is None:
                    session.reading.redone.add_text(text)
                    at = math.nan if time is None else time
                    self.trace.told.add_answer(text, event, session.arrival, at)

        _add_duration(event, session)

    def tool_call(self, event: Event, session: TraceSession, time: float | None) -> None:
        """Count a tool call: what it names, uses, reads and edits."""
        usage = event.usage
        if usage is not None:
            # It is the whole reply of a model, whose time is that of the model call.
            self.usage.add(usage, event, session)
            _add_duration(event, session)

        calls = self.calls
        tool = event.tool_name or "unknown"
        given = event.command if event.arguments is None else event.arguments
        call = calls.readings.read(tool, given)
        session.tool_calls += 1
        sums = session.by_tool.get(tool) or calls.first_use(tool, event, session)
        sums.calls += 1
        read_call(session.behaviour, event, call, sums.is_delegation, time)

        # What the context grows by until the next model call belongs to the tools called since.
        reading = session.reading
        name = event.thread
        thread = reading.main if name is None else reading.thread(name)
        since = thread.tool_since
        is_same = since is None or since == sums.name
        thread.tool_since = sums.name if is_same else SEVERAL_TOOLS

        turn = reading.turn
        if turn is not None:
            turn.calls += 1
            if sums.name not in turn.tools:
                turn.tools |= {sums.name}

        calls.add_names(call, event, session, tool, sums, time)
        sums.apart += calls.stands_apart(reading, call)
        if name is None:
            if not sums.is_bookkeeping:
                calls.add_visits(call, event, session, tool)
            calls.add_mentions(call, given, tool, event, session, time)

        call_id = event.tool_call_id
        if call_id is not None:
            values = calls.given_values(call, given, tool, event, session, time)
            reading.pending_calls[call_id] = (call.entity, call.label, values)

        calls.add_targets(call, event, session)

    def tool_result(self, event: Event, session: TraceSession, time: float | None) -> None:
        """Count a result, its error if it failed, and the values it shows."""
        reading = session.reading
        # Where it is not recorded how a call ended, it is neither an error nor a success.
        is_known = event.metadata is None or not is_unrecorded(event.metadata)
        error = None
        if is_known:
            error = event.error_kind or ("process" if event.exit_code else None)
        session.results += is_known
        read_result(session.behaviour, event, error, time, is_known)
        if event.thread is None and is_known:
            session.timeline.add_result(error == "process", reading.main.load)

        entity = None
        label = event.tool_name or "unknown"
        asked: tuple[int, ...] = ()
        call_id = event.tool_call_id
        if call_id is not None:
            entity, label, asked = reading.pending_calls.pop(call_id, (None, label, ()))

        text = event.stdout or event.content
        name = event.thread
        thread = reading.main if name is None else reading.thread(name)
        thread.result_size += len(text or "")
        is_mistake = error == "refused" and is_own_mistake(text or "")
        is_slip = is_mistake or (error == "process" and not is_out_of_reach(text or ""))
        if is_known and (error is None or is_slip):
            session.add_outcome(label, is_slip)

        if error is not None:
            count = session.errors.get(error, 0) + 1
            session.errors[error] = count
            if error == "rejected":
                reading.redone.was_stopped = True
            if error == "process" and count <= MOST_MARKED:
                self.trace.evidence_index.add(session.arrival, "error_rate", event.source)
            if reading.turn is not None:
                reading.turn.errors += 1
            if reading.reads is not None:
                reading.reads.lookup_failed()
            if reading.reads is not None and entity is not None:
                reading.reads.failed = target_of(entity)

            return

        # Values are looked for where they may stand: in JSON, or in a short answer about what the
        # call named.
        if not text:
            return

        if reading.told is not None and reading.turn is not None and asks_the_user(label):
            reading.turn.asked_again |= reading.told.add_put_questions(text)

        is_json = text[0] in "{["
        is_short_answer = entity is not None and len(text) < SHORT_RESULT and ": " in text
        if is_json or is_short_answer:
            tool = event.tool_name or "unknown"
            self.calls.recorder.add_shows(text, entity, tool, event, session, time)

        if is_json or (asked and len(text) < SHORT_RESULT):
            at = math.nan if time is None else time
            self.trace.facts.add_result(text, asked, session.arrival, at)
            self.trace.told.add_result(text, session.arrival, at)
        if event.thread is None:
            at = math.nan if time is None else time
            self.trace.slots.add_result(text, event, session.arrival, at)

    def system(self, event: Event, session: TraceSession, time: float | None) -> None:
        """Note a change of the system prompt."""
        text = event.content
        if event.thread is None and text and event.lifecycle is None:
            reading = session.reading
            previous = reading.system_prompt or ""
            reading.system_prompt = text
            if session.behaviour.prompt is None:
                session.behaviour.prompt = hash(text)

            # Several texts before the first turn are one opening prompt.
            has_begun = session.n_turns + session.model_calls + session.tool_calls > 0
            both_long = len(text) > LONG_PROMPT and len(previous) > LONG_PROMPT
            if has_begun and both_long and previous != text:
                self.trace.add_lifecycle(session, "prompt_change", time, True, 0.8, event.source)

        if event.lifecycle is not None:
            self.meta(event, session, time)

    def meta(self, event: Event, session: TraceSession, time: float | None) -> None:
        """Note a lifecycle event, or an outcome that the trace itself records."""
        if event.usage is not None:
            self.usage.add(event.usage, event, session)

        kind = event.lifecycle
        if kind is not None:
            is_compaction = kind == "compaction"
            if kind not in _BENCH_MARKS:
                has_begun = session.tool_calls + session.model_calls > 0
                within = is_compaction and has_begun
                self.trace.add_lifecycle(session, kind, time, within, 1.0, event.source)

            if is_compaction:
                reading = session.reading
                thread = reading.main if event.thread is None else reading.thread(event.thread)
                read_compaction(session.behaviour, event, thread.load)
                thread.load = None
                if event.thread is None and reading.reads is not None:
                    reading.reads.compacted = True

            return

        if event.call_type == "interrupted":
            read_interrupt(session.behaviour, event.content)

        metadata = event.metadata or event.extra or {}
        candidates = (
            metadata.get("event"),
            metadata.get("outcome"),
            metadata.get("type"),
            event.content,
            event.call_type,
        )
        for name in candidates:
            if isinstance(name, str) and name in self.profile.native_outcomes:
                session.native_outcomes.append((name, time))
                return

    def finish(self, count: int) -> TraceSessions:
        """Return the sessions that hold anything, finished and in their order."""
        trace = self.trace
        trace.n_events = count
        members = self.members
        n = members.count_holding()
        if n > MOST_SESSIONS:
            group = members.columns.groups(MOST_SESSIONS)
            sessions = join_groups(members.all(), group, trace)
            trace.flag("neighbouring_sessions_joined", n - len(sessions))
        else:
            everything = sorted(members.all(), key=lambda session: session.arrival)
            sessions = [session for session in everything if holds_anything(session)]
            for mark in trace.marks:
                trace.add_record(mark, everything[mark.session])
            trace.marks = []

        missing = sum(session.missing_times for session in sessions)
        untimed = sum(session.start is None for session in sessions)
        if missing:
            trace.flag("times_interpolated", missing)
        if untimed:
            trace.flag("sessions_without_times", untimed)

        _interpolate(sessions)
        if n <= MOST_SESSIONS and not any(session.logical for session in sessions):
            sessions.sort(key=lambda s: (-math.inf if s.start is None else s.start, s.arrival))

        # What the trace records itself is better than what its token counts suggest.
        if any(record.kind == "compaction" for record in trace.lifecycle):
            rest = [record for record in trace.lifecycle if record.kind != CONTEXT_DROP]
            trace.lifecycle = rest

        earlier_locators: set[int] = set()
        for session in sessions:
            session.finish(earlier_locators)

        trace.sessions = sessions
        return trace


def _add_duration(event: Event, session: TraceSession) -> None:
    """Keep how long a model call took."""
    if event.duration_ms is not None and len(session.durations) < MOST_TURNS:
        session.durations.append(float(event.duration_ms))


def _interpolate(sessions: list[TraceSession]) -> None:
    """Place a session without any time between its neighbours in the order of arrival."""
    timed = [(i, s.start) for i, s in enumerate(sessions) if s.start is not None]
    if not timed or len(timed) == len(sessions):
        return

    after = 0  # the first of the timed sessions that stands behind
    for i, session in enumerate(sessions):
        if session.start is not None:
            after += 1
            continue

        a, start = timed[max(after - 1, 0)]
        b, end = timed[min(after, len(timed) - 1)]
        share = (i - a) / (b - a) if b > a else 0.0

        time = start + (end - start) * share
        session.start = time
        session.end = time
