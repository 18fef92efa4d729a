"""How much an answer hangs on single weeks: the same trace without each of its weeks."""

from __future__ import annotations

import copy
from dataclasses import dataclass

from agingbench.telemetry.inference.infer import infer
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import link

WEEK = 7 * 86_400.0
FIRST_MONDAY = 4 * 86_400.0  # the first one after 1970 began


@dataclass(frozen=True)
class WindowAnswers:
    """The answer on a whole trace, and on the trace without each week."""

    whole: bool | None
    without: list[bool | None]

    @property
    def same(self) -> int:
        """How many windows are answered like the whole trace."""
        return sum(answer is self.whole for answer in self.without)

    @property
    def opposite(self) -> int:
        """How many windows turn a yes into a no, or a no into a yes."""
        if self.whole is None:
            return 0
        return sum(answer is not None and answer is not self.whole for answer in self.without)


def leave_out_weeks(trace: TraceSessions) -> WindowAnswers:
    """Answer a trace as a whole, then without each of its weeks; sessions need their times."""
    weeks: dict[int, set[int]] = {}
    for place, session in enumerate(trace.sessions):
        if session.start is not None:
            weeks.setdefault(int((session.start - FIRST_MONDAY) // WEEK), set()).add(place)

    without = [_answer(_without(trace, weeks[week])) for week in sorted(weeks)]
    return WindowAnswers(_answer(trace), without)


def _answer(trace: TraceSessions) -> bool | None:
    return infer(trace, link(trace, [])).aging_detected


def _without(trace: TraceSessions, places: set[int]) -> TraceSessions:
    """Return the trace without some sessions; what they told and showed is passed over too."""
    rest = copy.copy(trace)
    rest.sessions = [one for place, one in enumerate(trace.sessions) if place not in places]
    kept = {id(session) for session in rest.sessions}
    rest.lifecycle = [record for record in trace.lifecycle if id(record.session) in kept]
    return rest
