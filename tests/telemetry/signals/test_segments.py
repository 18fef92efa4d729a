"""What lies after events is compared only where enough of them came."""

from __future__ import annotations

import pytest

from agingbench.telemetry.signals.segments import Segments, WorkSegment


def cut_at(sessions: list[int], kind: str = "compaction", n: int = 20) -> Segments:
    """Sessions of one unit each, with events at the beginning of some."""
    units = [WorkSegment(i, since={kind: 0} if i in sessions else {}) for i in range(n)]
    return Segments(units, [(session, 0, kind) for session in sessions], n)


@pytest.mark.parametrize(
    ("sessions", "reaches"),
    [([3], []), ([3, 9], []), ([3, 9, 15], [0, 1]), ([2, 7, 12, 17], [0, 1, 2, 3])],
)
def test_sessions_after_an_event_take_more_events_than_its_own(
    sessions: list[int], reaches: list[int]
) -> None:
    exposures, notes = cut_at(sessions).exposures()
    assert [exposure.reach for exposure in exposures if exposure.kind == "compaction"] == reaches
    assert bool(notes) == (not reaches)
    if notes:
        assert notes[0] == f"compaction came in {len(sessions)} sessions, 3 are the least"


def test_several_events_of_one_session_count_once() -> None:
    segments = cut_at([3])
    segments.events += [(3, 2, "compaction"), (3, 4, "clear"), (3, 5, "clear")]
    exposures, _ = segments.exposures()
    assert exposures == []


def test_kinds_that_came_seldom_are_looked_at_together() -> None:
    segments = cut_at([3, 9])
    segments.events += [(12, 0, "clear"), (16, 0, "clear")]
    exposures, _ = segments.exposures()
    assert {exposure.kind for exposure in exposures} == {"clear+compaction"}
