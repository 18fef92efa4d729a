"""Which session an event belongs to: by explicit ids, by numbers, or by idle gaps and reset
commands.
"""

from __future__ import annotations

from agingbench.records import Event
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import RECENT_CALLS, TraceSession, TraceSessions


class Membership:
    """The sessions of one pass, by name and in the order of arrival."""

    def __init__(self, out: TraceSessions, profile: Profile) -> None:
        self.out = out
        self.profile = profile
        self.order: list[TraceSession] = []
        self._by_name: dict[str, TraceSession] = {}
        self._aliases: dict[str, str] = {}
        self._gap: TraceSession | None = None  # the session that is open in a stream without ids
        self._last: TraceSession | None = None

    def session_of(self, event: Event) -> TraceSession | None:
        """The session of an event, a new one if need be; None for what stands outside of all
        sessions.
        """
        session = self._find(event)
        left = self._last

        if session is not left:
            self._last = session
            # Many sessions wait for their end at once; each keeps only what could still count.
            if (
                left is not None
                and len(left.reading.seen) + len(left.reading.edits) > 2 * RECENT_CALLS
            ):
                left.reading.forget(left.tool_calls)

        return session

    def _find(self, event: Event) -> TraceSession | None:
        name = event.session_id
        if name is not None:
            name = self._aliases.get(name, name)
            if event.lifecycle == "resume":
                name = self._resumed(event, name)
            return self._by_name.get(name) or self._new(name, "explicit_id")

        if event.session is not None:
            name = f"session-{event.session}"
            found = self._by_name.get(name)
            if found is None:
                found = self._new(name, "explicit_id")
                found.logical = True

            return found

        return self._by_gap(event)

    def _resumed(self, event: Event, name: str) -> str:
        """A session that says which one it continues is that one."""
        about = event.metadata or {}
        parent = about.get("resumed_from") or about.get("parent_session")

        if isinstance(parent, str) and parent != name and name not in self._by_name:
            parent = self._aliases.get(parent, parent)
            self._aliases[name] = parent
            self.out.flag("sessions_joined")
            return parent

        return name

    def _by_gap(self, event: Event) -> TraceSession | None:
        time = event.timestamp
        session = self._gap
        if event.role == "meta" and (
            session is None or event.lifecycle in ("life_start", "life_end")
        ):
            return None

        late = (
            session is not None
            and isinstance(time, float)
            and session.end is not None
            and time - session.end > self.profile.idle_gap_seconds
        )
        reset = event.role == "user" and session is not None and self.is_reset(event.content)
        if session is None or late or (reset and session.tool_calls + session.model_calls > 0):
            session = self._gap = self._new(f"gap-{len(self.order) + 1}", "idle_gap")

        return session

    def is_reset(self, text: str | None) -> bool:
        """Whether a turn begins with a reset command as a word of its own; a path such as
        src/new/x.py is none.
        """
        return (
            text is not None
            and text[:1] == "/"
            and text[:40].casefold().split()[0] in self.profile.reset_commands
        )

    def _new(self, name: str, mode: str) -> TraceSession:
        session = self._by_name[name] = TraceSession(name, len(self.order))
        self.order.append(session)
        self.out.mode = mode if self.out.mode in ("no_records", mode) else "mixed"
        return session
