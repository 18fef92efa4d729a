"""From a stream of events to sessions: one pass, and per session only the sums and few values that signals need."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from typing import Any

from agingbench.records import Event, Source, Usage
from agingbench.telemetry.aggregates import (
    CALLS,
    GROWN,
    GROWTH,
    HITS,
    READS,
    REREADS,
    SQUARES,
    Observations,
    Session,
    Sessions,
    Shock,
    Turn,
)
from agingbench.telemetry.entities import EDIT, READ, has_locator, scalar
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.values import ValueNotes

__all__ = ["Observations", "Session", "Sessions", "Shock", "Turn", "collect"]

TURN_TEXT = 200  # characters kept of a user turn and of the reply to it
ANCHOR_TEXT = 512  # characters of a session's user and agent text kept for goal-anchor drift
RECENT_CALLS = 30  # how far back a read counts as read already
NEAR_CEILING = 0.9  # of the window: what grows here is about to be cut, not growing freely
MOST_TURNS = 200  # kept per session; beyond that they are counted
MOST_PLACES = 100  # folders kept per session
LONGEST_NAME = 300  # characters of an argument that may name something
SHORT_RESULT = 1500  # characters of a plain result that is searched for values
DROPPED, LARGE = 0.5, 20_000  # a context that loses half of so many tokens was cut, even if nothing says so
CONTEXT_DROP = "context_drop"
CACHED = 50_000  # values whose class is remembered
MARKED = 3  # records of a kind whose place is kept per session
NOWHERE = -1

# Marks of the bench in its own traces: no event that an agent suffers.
_NO_SHOCK = frozenset({"life_start", "life_end", "write", "resume", "session_start", "session_end"})


def collect(events: Iterable[Event], profile: Profile) -> Sessions:
    """One pass over the events of one agent."""
    reader = _Collector(profile)
    handle = {
        "assistant": reader.assistant,
        "tool_call": reader.tool_call,
        "tool_result": reader.tool_result,
        "user": reader.user,
        "meta": reader.meta,
        "system": reader.system,
    }
    session_of, untimed, count = reader.session_of, reader.untimed, 0
    last: object = reader
    session: Session | None = None
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
    return reader.finish(count)


class _Collector:
    """The state of one pass."""

    def __init__(self, profile: Profile) -> None:
        self.out = Sessions(profile)
        self.profile = profile
        self.by_name: dict[str, Session] = {}
        self.aliases: dict[str, str] = {}
        self.gap: Session | None = None  # the session that is open in a stream without ids
        self.order: list[Session] = []
        self.kind_of: dict[str, tuple[bool, bool, bool]] = {}  # reads, edits, keeps the harness's books
        self.locator_cache: dict[str, int] = {}
        self.windows: dict[str | None, int | None] = {None: None}
        self.notes = ValueNotes(self.out.values, self.out.attributes, profile.subject_linkage)
        self.known = self.notes.arguments

    # -- which session

    def session_of(self, event: Event) -> Session | None:
        name = event.session_id
        if name is not None:
            name = self.aliases.get(name, name)
            if event.lifecycle == "resume":
                name = self._resumed(event, name)
            return self.by_name.get(name) or self._new(name, "explicit_id")
        if event.session is not None:
            name = f"session-{event.session}"
            found = self.by_name.get(name)
            if found is None:
                found = self._new(name, "explicit_id")
                found.logical = True
            return found
        return self._by_gap(event)

    def _resumed(self, event: Event, name: str) -> str:
        """A session that says which one it continues is that one."""
        about = event.metadata or {}
        parent = about.get("resumed_from") or about.get("parent_session")
        if isinstance(parent, str) and parent != name and name not in self.by_name:
            parent = self.aliases.get(parent, parent)
            self.aliases[name] = parent
            self.flag("sessions_joined")
            return parent
        return name

    def _by_gap(self, event: Event) -> Session | None:
        time, session = event.timestamp, self.gap
        if event.role == "meta" and (session is None or event.lifecycle in ("life_start", "life_end")):
            return None
        late = (
            session is not None
            and isinstance(time, float)
            and session.end is not None
            and time - session.end > self.profile.idle_gap_seconds
        )
        reset = event.role == "user" and session is not None and self._is_reset(event.content)
        if session is None or late or (reset and session.tool_calls + session.model_calls > 0):
            session = self.gap = self._new(f"gap-{len(self.order) + 1}", "idle_gap")
        return session

    def _is_reset(self, text: str | None) -> bool:
        # The turn begins with the command as a word of its own; a path such as src/new/x.py is not one.
        return text is not None and text[:1] == "/" and text[:40].casefold().split()[0] in self.profile.reset_commands

    def _new(self, name: str, mode: str) -> Session:
        session = self.by_name[name] = Session(name, len(self.order))
        self.order.append(session)
        self.out.mode = mode if self.out.mode in ("no_records", mode) else "mixed"
        return session

    def flag(self, name: str, by: int = 1) -> None:
        self.out.flags[name] = self.out.flags.get(name, 0) + by

    def untimed(self, session: Session, given: Any) -> float | None:
        """The time of an event without a usable one: where the session stands."""
        if given.__class__ is int and 0 <= given < 1e11:
            time = float(given)
            session.start = time if session.start is None else min(session.start, time)
            session.end = time if session.end is None else max(session.end, time)
            return time
        session.missing_times += 1
        return session.end

    # -- roles

    def user(self, event: Event, session: Session, time: float | None) -> None:
        if event.thread is not None:
            return
        text = event.content or ""
        turn = session.open.turn = Turn(session, text[:TURN_TEXT], time, event.source)
        session.n_turns += 1
        if len(session.turns) < MOST_TURNS:
            session.turns.append(turn)
        if len(session.user_text) < ANCHOR_TEXT:
            session.user_text = f"{session.user_text} {text[:ANCHOR_TEXT]}"
        if text[:1] == "/" and self._is_reset(text):
            self._shock(session, "clear", time, False, 1.0, event)

    def assistant(self, event: Event, session: Session, time: float | None) -> None:
        usage, text = event.usage, event.content
        if usage is not None:
            self._usage(usage, event, session)
        if text and event.thread is None:
            if len(session.agent_text) < ANCHOR_TEXT:
                session.agent_text = f"{session.agent_text} {text[:ANCHOR_TEXT]}"
            turn = session.open.turn
            if turn is not None:
                turn.reply = text[:TURN_TEXT]
        if event.duration_ms is not None and len(session.durations) < MOST_TURNS:
            session.durations.append(float(event.duration_ms))

    def tool_call(self, event: Event, session: Session, time: float | None) -> None:
        usage, tool, thread, here = event.usage, event.tool_name or "unknown", event.thread, session.open
        if usage is not None:
            self._usage(usage, event, session)
        session.tool_calls += 1
        here.number += 1
        sums = session.by_tool.get(tool)
        if sums is None:
            sums = session.by_tool[tool] = [0.0] * 7
            self._mark(session, f"tool:{tool}", event.source)
        sums[CALLS] += 1.0
        since = here.since
        since[thread] = sums if since.get(thread, sums) is sums else session.mixed
        turn = here.turn
        if turn is not None:
            turn.calls += 1
            turn.tools.add(tool)
        found, entity = self._arguments(event, session, tool, time)
        if found:
            sums[HITS] += 1.0
        else:
            self._mark(session, "tool_argument_specificity", event.source)
        call_id = event.tool_call_id
        if call_id is not None:
            here.pending[call_id] = entity
        kind = self.kind_of.get(tool) or self._kind(tool)
        if kind[0]:
            self._read(event, session, tool, entity, sums)
        elif kind[1] and entity is not None:
            here.edits[entity] = here.number

    def tool_result(self, event: Event, session: Session, time: float | None) -> None:
        session.results += 1
        failed = event.error_kind or ("process" if event.exit_code else None)
        here, entity = session.open, None
        if failed is not None:
            session.errors[failed] = session.errors.get(failed, 0) + 1
            if failed == "process":
                self._mark(session, "error_rate", event.source)
            if here.turn is not None:
                here.turn.errors += 1
        call_id = event.tool_call_id
        if call_id is not None:
            entity = here.pending.pop(call_id, None)
        if failed is None:
            text = event.stdout or event.content
            # Values are looked for where they may stand: in JSON, or in a short answer about what the call named.
            if text and (text[0] in "{[" or (entity is not None and len(text) < SHORT_RESULT and ": " in text)):
                self.notes.shows(text, entity, event.tool_name or "unknown", event, session, time)

    def system(self, event: Event, session: Session, time: float | None) -> None:
        text, here = event.content, session.open
        if event.thread is None and text and event.lifecycle is None:
            previous, here.prompt = here.prompt, text
            if previous is not None and previous != text and len(text) > 200 and len(previous) > 200:
                self._shock(session, "prompt_change", time, True, 0.8, event)
        if event.lifecycle is not None:
            self.meta(event, session, time)

    def meta(self, event: Event, session: Session, time: float | None) -> None:
        if event.usage is not None:
            self._usage(event.usage, event, session)
        kind = event.lifecycle
        if kind is not None:
            if kind not in _NO_SHOCK:
                within = kind == "compaction" and session.tool_calls + session.model_calls > 0
                self._shock(session, kind, time, within, 1.0, event)
            if kind == "compaction":
                session.open.last_load.pop(event.thread, None)
            return
        about = event.metadata or event.extra
        named = [about.get("event"), about.get("outcome"), about.get("type")] if about else []
        rules = self.profile.native_outcomes
        name = next((n for n in (*named, event.content, event.call_type) if isinstance(n, str) and n in rules), None)
        if name is not None:
            session.native.append((name, time))

    # -- parts

    def _shock(
        self, session: Session, kind: str, time: float | None, within: bool, confidence: float, event: Event
    ) -> None:
        self.out.shocks.append(Shock(session, kind, time, within, confidence, event.source))

    @staticmethod
    def _mark(session: Session, kind: str, source: Source | None) -> None:
        """Keep where the first records of a kind stand, as evidence should its signal fire."""
        kept = session.marked.get(kind)
        if kept is None:
            kept = session.marked[kind] = []
        if source is not None and len(kept) < MARKED:
            kept.append(source)

    def _usage(self, usage: Usage, event: Event, session: Session) -> None:
        session.model_calls += 1
        if usage.output_tokens:
            session.output_tokens += usage.output_tokens
        if usage.cost_usd is not None:
            session.cost = (session.cost or 0.0) + usage.cost_usd
        model, client, here = event.model, event.client, session.open
        if model is not None:
            models = session.models
            models[model] = models.get(model, 0) + 1
        if client is not None:
            clients = session.clients
            clients[client] = clients.get(client, 0) + 1
        fresh = usage.input_tokens
        if fresh is None:
            return
        cached = (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
        load = fresh + cached
        session.input_tokens += fresh
        session.cache_tokens += cached
        session.load_sum += load
        session.load_n += 1
        window = self.windows[model] if model in self.windows else self._window(model)
        if window:
            session.saturated += load / window if load < window else 1.0
            session.window_n += 1
        thread, last = event.thread, here.last_load
        before = last.get(thread)
        last[thread] = load
        sums = here.since.pop(thread, None)
        if before is None:
            return
        if load < before * DROPPED and before > LARGE and thread is None:
            self._shock(session, CONTEXT_DROP, session.end, True, 0.5, event)
        elif sums is not None and load > before:
            if window and load > NEAR_CEILING * window:
                return
            size = math.log(load - before)
            sums[GROWN] += 1.0
            sums[GROWTH] += size
            sums[SQUARES] += size * size
            if event.source is not None and (session.steepest is None or size > session.steepest[0]):
                session.steepest = (size, event.source)

    def _window(self, model: str | None) -> int | None:
        window = self.windows[model] = self.profile.window(model)
        return window

    def _kind(self, tool: str) -> tuple[bool, bool, bool]:
        low = tool.casefold() if "_" in tool or tool.islower() else _snake(tool)
        edits = EDIT.search(low) is not None
        reads = READ.search(low) is not None and not edits
        kind = self.kind_of[tool] = (reads, edits, tool.casefold() in self.profile.bookkeeping)
        return kind

    def _arguments(self, event: Event, session: Session, tool: str, time: float | None) -> tuple[bool, str | None]:
        """Whether the call names a locator, and what it is about; its other values are noted as uses."""
        given = event.arguments
        if given is None:
            given = event.command
        if given.__class__ is not dict:
            return (self._locator(given, session) if given.__class__ is str else False), None
        found, entity = False, None
        uses: list[tuple[str, str]] | None = None
        known = self.known
        for name, value in given.items():
            names, attribute = known.get(name) or self.notes.argument(name)
            if value.__class__ is str:
                if not found or entity is None:
                    found = self._locator(value, session) or found
                if names and entity is None and len(value) <= LONGEST_NAME:
                    entity = value.casefold()
                    continue
            elif names and entity is None and value.__class__ is int:
                entity, found = str(value), True
                continue
            if attribute is not None:
                text = scalar(value)
                if text is not None:
                    if uses is None:
                        uses = []
                    uses.append((attribute, text))
        if uses is not None and not (self.kind_of.get(tool) or self._kind(tool))[2]:
            self.notes.uses(uses, entity, tool, event, session, time)
        return found, entity

    def _locator(self, value: str, session: Session) -> bool:
        cache = self.locator_cache
        place = cache.get(value)
        if place is None:
            if len(cache) >= CACHED:
                cache.clear()
            place = _place(value) if has_locator(value) else NOWHERE
            if len(value) <= LONGEST_NAME:
                cache[value] = place
        if place == NOWHERE:
            return False
        name = hash(value)
        if name not in session.locators and len(value) <= LONGEST_NAME:
            session.locators.add(name)
            places = session.places
            if place in places:
                places[place] += 1
            elif len(places) < MOST_PLACES:
                places[place] = 1
        return True

    def _read(self, event: Event, session: Session, tool: str, entity: str | None, sums: list[float]) -> None:
        given, here = event.arguments, session.open
        try:
            key = hash((event.thread, tool, *given.values())) if given.__class__ is dict else hash((tool, given))
        except TypeError:
            key = hash(repr(given))
        number, seen = here.number, here.seen
        sums[READS] += 1.0
        before = seen.get(key)
        seen[key] = number
        if before is not None and number - before <= RECENT_CALLS and here.edits.get(entity or "", -1) < before:
            sums[REREADS] += 1.0
            self._mark(session, "reread_rate", event.source)
        if len(seen) > 8 * RECENT_CALLS:
            here.seen = {k: v for k, v in seen.items() if number - v <= RECENT_CALLS}

    # -- the end

    def finish(self, count: int) -> Sessions:
        out = self.out
        out.n_events = count
        kept = [s for s in self.order if s.tool_calls or s.model_calls or s.n_turns]
        missing, untimed = sum(s.missing_times for s in kept), sum(s.start is None for s in kept)
        if missing:
            self.flag("times_interpolated", missing)
        if untimed:
            self.flag("sessions_without_times", untimed)
        _interpolate(kept)
        if not any(s.logical for s in kept):
            kept.sort(key=lambda s: (-math.inf if s.start is None else s.start, s.first_seen))
        # What the trace records itself is better than what its token counts suggest.
        if any(s.kind == "compaction" for s in out.shocks):
            out.shocks = [s for s in out.shocks if s.kind != CONTEXT_DROP]
        known: set[int] = set()
        for session in kept:
            session.close(known)
        out.sessions = kept
        return out


def _interpolate(sessions: list[Session]) -> None:
    """A session without any time stands between its neighbours in the order of arrival."""
    known = [(i, s.start) for i, s in enumerate(sessions) if s.start is not None]
    if not known or len(known) == len(sessions):
        return
    for i, session in enumerate(sessions):
        if session.start is None:
            left = max((k for k in known if k[0] < i), default=None)
            right = min((k for k in known if k[0] > i), default=None)
            (a, start), (b, end) = left or right or known[0], right or left or known[0]
            share = (i - a) / (b - a) if b > a else 0.0
            session.start = session.end = start + (end - start) * share


def _place(value: str) -> int:
    """The folder that a locator lies in, by a hash that is the same in every process."""
    words = value.split(maxsplit=8)
    path = next((w for w in words if "/" in w or "\\" in w), words[0] if words else "")
    return zlib.crc32(path.replace("\\", "/").rpartition("/")[0].encode("utf-8", "replace"))


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
