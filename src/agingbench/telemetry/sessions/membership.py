"""Which session an event belongs to: by id, by number, or by idle gaps and reset commands."""

from __future__ import annotations

from agingbench.records import Event
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.sessions.rereads import MOST_RESTING

COMMAND_LENGTH = 40  # characters of a turn in which a reset command is looked for


class Membership:
    """The sessions of one pass, by name and in the order of arrival."""

    def __init__(self, trace: TraceSessions, profile: Profile) -> None:
        self.trace = trace
        self.profile = profile
        self.order: list[TraceSession] = []
        self._by_name: dict[str, TraceSession] = {}
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

            session = self._by_name.get(name)
            if session is None:
                session = self._new(name, "explicit_id")

            return session

        if event.session is not None:
            name = f"session-{event.session}"
            session = self._by_name.get(name)
            if session is None:
                session = self._new(name, "explicit_id")
                session.logical = True

            return session

        return self._by_gap(event)

    def _resumed_name(self, event: Event, name: str) -> str:
        """Return the name of the session that a resumed one continues, if it says which."""
        metadata = event.metadata or {}
        parent = metadata.get("resumed_from") or metadata.get("parent_session")
        if not isinstance(parent, str) or parent == name or name in self._by_name:
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
            session = self._new(f"gap-{len(self.order) + 1}", "idle_gap")
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
        session = TraceSession(name, len(self.order))
        self._by_name[name] = session
        self.order.append(session)

        trace = self.trace
        trace.mode = mode if trace.mode in ("no_records", mode) else "mixed"
        return session
