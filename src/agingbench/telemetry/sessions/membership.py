"""Which session an event belongs to: by id, by number, or by idle gaps and reset commands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from agingbench.records import Event
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.sessions.joining import SessionColumns
from agingbench.telemetry.sessions.rereads import MOST_RESTING
from agingbench.telemetry.sessions.resting import RestingSessions

MOST_AWAKE = 1_000  # sessions that are kept as objects while a trace is read
BLOCK = 32  # sessions that are packed together
COMMAND_LENGTH = 40  # characters of a turn in which a reset command is looked for


class Membership:
    """The sessions of one pass, by name and in the order of arrival."""

    def __init__(self, trace: TraceSessions, profile: Profile) -> None:
        self.trace = trace
        self.profile = profile
        self.columns = SessionColumns()
        self._awake: dict[str, TraceSession] = {}  # the one used last stands last
        self._sleepless: dict[str, TraceSession] = {}  # that cannot be packed
        self._resting = RestingSessions()
        self._count = 0
        self._aliases: dict[str, str] = {}
        self._unnamed: TraceSession | None = None  # the current session of a stream without ids
        self._last: TraceSession | None = None

    def session_of(self, event: Event) -> TraceSession | None:
        """Return the session of an event, a new one if need be; None outside of all sessions."""
        session = self._find(event)
        last = self._last

        if session is last:
            return session

        self._last = session
        if session is not None and self._awake.pop(session.id, None) is not None:
            self._awake[session.id] = session
        if len(self._awake) > MOST_AWAKE:
            self._rest_oldest()
        if last is not None:
            # Many sessions wait for their end at once; each keeps only what could still count.
            reads = last.reading.reads
            if reads is not None and len(reads.parts) > 2 * MOST_RESTING:
                reads.forget_beyond(MOST_RESTING)

        return session

    def _find(self, event: Event) -> TraceSession | None:
        name = event.session_id
        if name is not None:
            name = self._aliases.get(name, name)
            if event.lifecycle == "resume":
                name = self._resumed_name(event, name)

            session = self._named(name)
            if session is None:
                session = self._new(name, "explicit_id")

            return session

        if event.session is not None:
            name = f"session-{event.session}"
            session = self._named(name)
            if session is None:
                session = self._new(name, "explicit_id")
                session.logical = True

            return session

        return self._by_gap(event)

    def _named(self, name: str) -> TraceSession | None:
        """Return the session of a name, woken if it rests; None without one."""
        session = self._awake.get(name)
        if session is None and self._count > len(self._awake):
            for woken in self._resting.wake(name):
                self._awake[woken.id] = woken
            session = self._awake.get(name) or self._sleepless.get(name)

        return session

    def _rest_oldest(self) -> None:
        """Pack the sessions that were used longest ago, all but the current ones."""
        block = []
        for session in islice(self._awake.values(), BLOCK):
            if session is not self._last and session is not self._unnamed:
                block.append(session)

        for session in block:
            del self._awake[session.id]
            self.columns.note(session)

        if not self._resting.rest(block):
            for session in block:
                if not self._resting.rest([session]):
                    self._sleepless[session.id] = session

    def count_holding(self) -> int:
        """Return how many sessions hold anything."""
        for session in (*self._awake.values(), *self._sleepless.values()):
            self.columns.note(session)
        return sum(self.columns.holds)

    def all(self) -> Iterator[TraceSession]:
        """Yield every session once, in no order of time; they are no longer here afterwards."""
        for session in chain(self._resting.all(), self._sleepless.values(), self._awake.values()):
            session.end_reading()
            yield session

    def _resumed_name(self, event: Event, name: str) -> str:
        """Return the name of the session that a resumed one continues, if it says which."""
        metadata = event.metadata or {}
        parent = metadata.get("resumed_from") or metadata.get("parent_session")
        if not isinstance(parent, str) or parent == name or self._named(name) is not None:
            return name

        parent = self._aliases.get(parent, parent)
        self._aliases[name] = parent
        self.trace.flag("sessions_joined")

        return parent

    def _by_gap(self, event: Event) -> TraceSession | None:
        """Return the current session; a new one after an idle gap or a reset command."""
        session = self._unnamed
        marks_life = event.lifecycle in ("life_start", "life_end")
        if event.role == "meta" and (session is None or marks_life):
            return None

        begins_new = (
            session is None or self._follows_gap(session, event) or self._resets(session, event)
        )
        if begins_new:
            session = self._new(f"gap-{self._count + 1}", "idle_gap")
            self._unnamed = session

        return session

    def _follows_gap(self, session: TraceSession, event: Event) -> bool:
        time = event.timestamp
        if not isinstance(time, float) or session.end is None:
            return False

        idle_seconds = time - session.end
        return idle_seconds > self.profile.idle_gap_seconds

    def _resets(self, session: TraceSession, event: Event) -> bool:
        """Return whether an event is a reset command in a session that has done anything."""
        if event.role != "user" or not self.is_reset(event.content):
            return False
        return session.tool_calls + session.model_calls > 0

    def is_reset(self, text: str | None) -> bool:
        """Return whether a turn begins with a reset command; a path such as /new/x.py is none."""
        if text is None or text[:1] != "/":
            return False

        first_word = text[:COMMAND_LENGTH].casefold().split()[0]
        return first_word in self.profile.reset_commands

    def _new(self, name: str, mode: str) -> TraceSession:
        session = TraceSession(name, self._count)
        self._count += 1
        self._awake[name] = session
        self.columns.add()

        trace = self.trace
        trace.mode = mode if trace.mode in ("no_records", mode) else "mixed"
        return session
