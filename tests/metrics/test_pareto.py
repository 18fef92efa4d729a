"""The Pareto front: better in one and no worse in the other beats; equal points do not."""

from __future__ import annotations

from agingbench.metrics.pareto import pareto_front


def test_the_front_holds_the_points_that_nothing_beats() -> None:
    points = [(0.5, 100.0), (0.9, 400.0), (0.4, 400.0), (0.5, 200.0)]
    assert pareto_front(points) == [True, True, False, False]


def test_equal_points_do_not_beat_each_other() -> None:
    assert pareto_front([(0.5, 100.0), (0.5, 100.0)]) == [True, True]
    assert pareto_front([]) == []
