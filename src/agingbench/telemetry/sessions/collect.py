"""From a stream of events to sessions: one pass, and per session only the sums and few values that
signals need.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from agingbench.records import Event
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import (
    TraceSession,
    TraceSessions,
    UserTurn,
)
from agingbench.telemetry.sessions.calls import MARKED, CallReader
from agingbench.telemetry.sessions.membership import Membership
from agingbench.telemetry.sessions.usage import CONTEXT_DROP, UsageReader

TURN_TEXT = 200  # characters kept of a user turn and of the reply to it
ANCHOR_TEXT = 512  # characters of a session's user and agent text kept for goal-anchor drift
MOST_TURNS = 200  # kept per session; beyond that they are counted
SHORT_RESULT = 1500  # characters of a plain result that is searched for values
GARBAGE = 100_000  # new containers after which the garbage collector looks, while reading

# Marks of the bench in its own traces: no event that an agent suffers.
_NO_SHOCK = frozenset({"life_start", "life_end", "write", "resume", "session_start", "session_end"})


def collect(events: Iterable[Event], profile: Profile) -> TraceSessions:
    """One pass over the events of one agent."""
    reader = _Collector(profile)
    with _patient_gc():
        return reader.finish(reader.read(events))


@contextmanager
def _patient_gc() -> Iterator[None]:
    """Let the garbage collector look seldom.

    What is read is let go of without it, and what is kept stays: looking through all of that after
    every few hundred records would cost a quarter of the time of a long trace. A format that does
    leave cycles behind costs the memory of at most GARBAGE containers.
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
        self.out = TraceSessions(profile)
        self.profile = profile
        self.members = Membership(self.out, profile)
        self.calls = CallReader(self.out, profile)
        self.context = UsageReader(self.out, profile)

    def read(self, events: Iterable[Event]) -> int:
        """Take all events; how many there were."""
        handle = {
            "assistant": self.assistant,
            "tool_call": self.tool_call,
            "tool_result": self.tool_result,
            "user": self.user,
            "meta": self.meta,
            "system": self.system,
        }
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

            handle[event.role](event, session, time)

        return count

    @staticmethod
    def untimed(session: TraceSession, given: Any) -> float | None:
        """The time of an event without a usable one: where the session stands."""
        if given.__class__ is int and 0 <= given < 1e11:
            time = float(given)
            session.start = time if session.start is None else min(session.start, time)
            session.end = time if session.end is None else max(session.end, time)
            return time

        session.missing_times += 1
        return session.end

    def user(self, event: Event, session: TraceSession, time: float | None) -> None:
        if event.thread is not None:
            return

        text = event.content or ""
        turn = session.reading.turn = UserTurn(text[:TURN_TEXT], time, event.source)
        session.n_turns += 1
        session.timeline.turn()
        if len(session.turns) < MOST_TURNS:
            session.turns.append(turn)
        if len(session.user_text) < ANCHOR_TEXT:
            session.user_text = f"{session.user_text} {text[:ANCHOR_TEXT]}"
        if text[:1] == "/" and self.members.is_reset(text):
            self.out.add_lifecycle(session, "clear", time, False, 1.0, event.source)

    def assistant(self, event: Event, session: TraceSession, time: float | None) -> None:
        usage = event.usage
        text = event.content
        if usage is not None:
            self.context.usage(usage, event, session)

        if text and event.thread is None:
            if len(session.agent_text) < ANCHOR_TEXT:
                session.agent_text = f"{session.agent_text} {text[:ANCHOR_TEXT]}"
            turn = session.reading.turn
            if turn is not None:
                turn.reply = text[:TURN_TEXT]

        if event.duration_ms is not None and len(session.durations) < MOST_TURNS:
            session.durations.append(float(event.duration_ms))

    def tool_call(self, event: Event, session: TraceSession, time: float | None) -> None:
        usage = event.usage
        tool = event.tool_name or "unknown"
        name = event.thread
        here = session.reading
        if usage is not None:
            self.context.usage(usage, event, session)

        session.tool_calls += 1
        sums = session.by_tool.get(tool) or self.calls.first(tool, event, session)
        sums.calls += 1
        thread = here.main if name is None else here.thread(name)
        since = thread.since
        thread.since = sums if since is None or since is sums else session.mixed
        turn = here.turn

        if turn is not None:
            turn.calls += 1
            turn.tools.add(sums.name)

        entity = self.calls.arguments(event, session, tool, sums, time)
        call_id = event.tool_call_id
        if call_id is not None:
            here.pending[call_id] = entity

        if sums.reads:
            self.calls.read(event, session, tool, entity, sums)
        elif sums.edits and entity is not None:
            here.edits[hash(entity)] = session.tool_calls

    def tool_result(self, event: Event, session: TraceSession, time: float | None) -> None:
        session.results += 1
        failed = event.error_kind or ("process" if event.exit_code else None)
        here = session.reading
        entity = None
        if event.thread is None:
            session.timeline.result(failed == "process", here.main.load)

        if failed is not None:
            count = session.errors[failed] = session.errors.get(failed, 0) + 1
            if failed == "process" and count <= MARKED:
                self.out.evidence_index.note(session.arrival, "error_rate", event.source)
            if here.turn is not None:
                here.turn.errors += 1

        call_id = event.tool_call_id
        if call_id is not None:
            entity = here.pending.pop(call_id, None)

        if failed is None:
            text = event.stdout or event.content
            # Values are looked for where they may stand: in JSON, or in a short answer about what
            # the call named.
            if text and (
                text[0] in "{["
                or (entity is not None and len(text) < SHORT_RESULT and ": " in text)
            ):
                self.calls.notes.shows(
                    text, entity, event.tool_name or "unknown", event, session, time
                )

    def system(self, event: Event, session: TraceSession, time: float | None) -> None:
        text = event.content
        here = session.reading
        if event.thread is None and text and event.lifecycle is None:
            previous = here.prompt
            here.prompt = text
            if (
                previous is not None
                and previous != text
                and len(text) > 200
                and len(previous) > 200
            ):
                self.out.add_lifecycle(session, "prompt_change", time, True, 0.8, event.source)

        if event.lifecycle is not None:
            self.meta(event, session, time)

    def meta(self, event: Event, session: TraceSession, time: float | None) -> None:
        if event.usage is not None:
            self.context.usage(event.usage, event, session)

        kind = event.lifecycle
        if kind is not None:
            if kind not in _NO_SHOCK:
                within = kind == "compaction" and session.tool_calls + session.model_calls > 0
                self.out.add_lifecycle(session, kind, time, within, 1.0, event.source)

            if kind == "compaction":
                here = session.reading
                (here.main if event.thread is None else here.thread(event.thread)).load = None

            return

        about = event.metadata or event.extra
        named = [about.get("event"), about.get("outcome"), about.get("type")] if about else []
        rules = self.profile.native_outcomes
        name = next(
            (
                n
                for n in (*named, event.content, event.call_type)
                if isinstance(n, str) and n in rules
            ),
            None,
        )
        if name is not None:
            session.native.append((name, time))

    def finish(self, count: int) -> TraceSessions:
        """The sessions that hold anything, closed and in their order."""
        out = self.out
        out.n_events = count
        kept = [s for s in self.members.order if s.tool_calls or s.model_calls or s.n_turns]
        missing = sum(s.missing_times for s in kept)
        untimed = sum(s.start is None for s in kept)
        if missing:
            out.flag("times_interpolated", missing)
        if untimed:
            out.flag("sessions_without_times", untimed)

        _interpolate(kept)
        if not any(s.logical for s in kept):
            kept.sort(key=lambda s: (-math.inf if s.start is None else s.start, s.arrival))
        # What the trace records itself is better than what its token counts suggest.
        if any(s.kind == "compaction" for s in out.lifecycle):
            out.lifecycle = [s for s in out.lifecycle if s.kind != CONTEXT_DROP]

        known: set[int] = set()
        for session in kept:
            session.close(known)

        out.sessions = kept
        return out


def _interpolate(sessions: list[TraceSession]) -> None:
    """A session without any time stands between its neighbours in the order of arrival."""
    known = [(i, s.start) for i, s in enumerate(sessions) if s.start is not None]
    if not known or len(known) == len(sessions):
        return

    after = 0  # the first of the known that stands behind
    for i, session in enumerate(sessions):
        if session.start is not None:
            after += 1
            continue

        (a, start), (b, end) = known[max(after - 1, 0)], known[min(after, len(known) - 1)]
        share = (i - a) / (b - a) if b > a else 0.0
        session.start = session.end = start + (end - start) * share
