"""How much an answer hangs on single weeks: the same trace without each of its weeks."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from agingbench.telemetry.inference.infer import infer
from agingbench.telemetry.inference.null_model import PERMUTATIONS
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeEvent, link

WEEK = 7 * 86_400.0
FIRST_MONDAY = 4 * 86_400.0  # the first one after 1970 began
# With fewer windows, each of them takes a third of the trace or more: too little is left to answer.
LEAST_WINDOWS = 4
# Each window costs a test of its own, which takes longer the more sessions there are: where there
# are many, several weeks are left out at a time.
MOST_WINDOWS = 8
MOST_TESTED = 600  # sessions, added up over all windows
MOST_SESSIONS = 300  # more are not tested again


class WindowCounts(msgspec.Struct, frozen=True):
    """How the trace without a week is answered, counted over weeks; as it stands on the card."""

    weeks: int  # that hold sessions
    windows: int  # a window leaves out one week, or several in a row where there are many
    same: int
    opposite: int


@dataclass(frozen=True)
class WindowAnswers:
    """The answer on a whole trace, and on the trace without each week."""

    whole: bool | None
    without: list[bool | None]
    weeks: int

    def counts(self) -> WindowCounts:
        """Count the windows with the same answer, and those with a yes for a no or the reverse."""
        same = sum(answer is self.whole for answer in self.without)
        opposite = 0
        if self.whole is not None:
            opposite = sum(answer is (not self.whole) for answer in self.without)

        return WindowCounts(self.weeks, len(self.without), same, opposite)


def leave_out_weeks(
    trace: TraceSessions,
    whole: bool | None,
    outcomes: Sequence[OutcomeEvent] = (),
    permutations: int = PERMUTATIONS,
) -> WindowAnswers | None:
    """Answer a trace without each of its weeks, beside `whole`, the answer on all of it.

    Returns None where there are too few weeks with sessions, or too many sessions.
    """
    weeks: dict[int, set[int]] = {}
    for place, session in enumerate(trace.sessions):
        if session.start is not None:
            weeks.setdefault(int((session.start - FIRST_MONDAY) // WEEK), set()).add(place)

    if len(weeks) < LEAST_WINDOWS or len(trace) > MOST_SESSIONS:
        return None

    affordable = max(LEAST_WINDOWS, MOST_TESTED // len(trace))
    windows = _joined([weeks[week] for week in sorted(weeks)], min(MOST_WINDOWS, affordable))

    without = []
    for places in windows:
        rest = _without(trace, places)
        without.append(infer(rest, link(rest, outcomes), permutations).aging_detected)
    return WindowAnswers(whole, without, len(weeks))


def _joined(weeks: list[set[int]], most: int) -> list[set[int]]:
    """Return the sessions of at most so many windows: of a week, or of several in a row."""
    n = min(len(weeks), most)
    windows: list[set[int]] = [set() for _ in range(n)]
    for i, places in enumerate(weeks):
        windows[i * n // len(weeks)] |= places

    return windows


def _without(trace: TraceSessions, places: set[int]) -> TraceSessions:
    """Return the trace without some sessions; what they told and showed is passed over too."""
    rest = copy.copy(trace)
    rest.sessions = [one for place, one in enumerate(trace.sessions) if place not in places]
    kept = {id(session) for session in rest.sessions}
    rest.lifecycle = [record for record in trace.lifecycle if id(record.session) in kept]
    return rest
