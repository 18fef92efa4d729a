"""Changes that a trace records: client, model, instructions, permissions, tools, kind of work."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from agingbench.telemetry.panel.panel import UNKNOWN, main_model
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions

LEAST_SIDE = 3  # sessions on either side of a change that can be tested
STAYS = 3  # sessions for which a model or a permission mode has to stay
USUAL = 0.5  # share of the sessions after its first use in which a new tool is used
USUAL_DELEGATION = 0.3


class RecordedChange(msgspec.Struct, frozen=True, kw_only=True):
    """Something that changed from one session to the next; `session` is the first after it."""

    session: int
    time: float | None
    kind: str
    what: str


def recorded_changes(trace: TraceSessions, phases: Sequence[int]) -> list[RecordedChange]:
    """Return the changes of a trace in order; `phases` numbers stretches of like tasks."""
    sessions = trace.sessions
    changes: list[RecordedChange] = []

    def add(kind: str, place: int, what: str) -> None:
        if LEAST_SIDE <= place <= len(sessions) - LEAST_SIDE:
            time = None if trace.logical else sessions[place].start
            changes.append(RecordedChange(session=place, time=time, kind=kind, what=what))

    for place, version in _first_seen([session.client for session in sessions]):
        add("client", place, f"client {version}")
    for place, model in _switches([_model(session) for session in sessions]):
        add("model", place, f"model {model}")
    for place, mode in _switches([_mode(session) for session in sessions]):
        add("permissions", place, f"permission mode {mode}")
    for place, session in enumerate(sessions):
        if session.behaviour.instruction_edits:
            add("instructions", place + 1, "instruction file edited")

    for place in _prompt_changes(sessions):
        add("instructions", place, "system prompt changed")
    for place, tool in _new_tools(trace):
        add("tools", place, f"tool {tool} first used")
    delegation = _first_usual(sessions, lambda s: s.behaviour.delegations > 0, USUAL_DELEGATION)
    if delegation is not None:
        add("subagents", delegation, "subagents first used")
    for place in range(1, len(phases)):
        if phases[place] != phases[place - 1]:
            add("work", place, "other kind of work")

    changes.sort(key=lambda change: (change.session, change.kind, change.what))
    return changes


def _model(session: TraceSession) -> str | None:
    model = main_model(session)
    return None if model == UNKNOWN else model


def _mode(session: TraceSession) -> str | None:
    modes = session.behaviour.permission_modes
    return max(modes, key=lambda mode: (modes[mode], mode)) if modes else None


def _first_seen(names: Sequence[str | None]) -> list[tuple[int, str]]:
    """Return where a name stands for the first time, the first name of all left out."""
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if name is not None:
            places.setdefault(name, place)

    return [(place, name) for name, place in places.items()][1:]


def _switches(names: Sequence[str | None]) -> list[tuple[int, str]]:
    """Return where a name takes the place of another and stays for a while."""
    known = [(place, name) for place, name in enumerate(names) if name is not None]
    switches = []
    for number in range(1, len(known) - STAYS + 1):
        place, name = known[number]
        stays = {later for _, later in known[number : number + STAYS]} == {name}
        if name != known[number - 1][1] and stays:
            switches.append((place, name))

    return switches


def _prompt_changes(sessions: Sequence[TraceSession]) -> list[int]:
    """Return where a system prompt that had stood for a while is replaced by one that stays."""
    prompts = [session.behaviour.prompt for session in sessions]
    changes = []
    for place in range(LEAST_SIDE, len(prompts) - LEAST_SIDE + 1):
        before = set(prompts[place - LEAST_SIDE : place])
        after = set(prompts[place : place + LEAST_SIDE])
        if len(before) == len(after) == 1 and before != after and None not in before | after:
            changes.append(place)

    return changes


def _new_tools(trace: TraceSessions) -> list[tuple[int, str]]:
    """Return tools that were never used before a session and usual from then on."""
    sessions = trace.sessions
    names: dict[str, None] = {}
    for session in sessions:
        names.update(dict.fromkeys(session.calls_by_tool))

    places = []
    for tool in names:
        place = _first_usual(sessions, lambda s, tool=tool: tool in s.calls_by_tool, USUAL)  # type: ignore[misc]
        if place is not None and tool.casefold() not in trace.profile.bookkeeping:
            places.append((place, tool))

    return places


def _first_usual(
    sessions: Sequence[TraceSession], has: Callable[[TraceSession], bool], usual: float
) -> int | None:
    """Return the first session that has something, where enough of those after it have it too."""
    marks = [has(session) for session in sessions]
    if True not in marks:
        return None

    first = marks.index(True)
    later = marks[first:]
    return first if sum(later) >= usual * len(later) else None
