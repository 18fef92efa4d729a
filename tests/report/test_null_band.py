"""The band of chance around a signal: wide for noise, left behind by a steep trend."""

from __future__ import annotations

import random

import pytest

from agingbench.report.null_band import null_band

DAY = 86_400.0


def daily(n: int) -> list[float | None]:
    return [place * DAY for place in range(n)]


def test_a_trend_leaves_the_band_at_both_ends() -> None:
    points = null_band([float(place) for place in range(24)], daily(24))
    assert points[0].mean < points[0].low
    assert points[-1].mean > points[-1].high


def test_noise_stays_within_the_band_nearly_everywhere() -> None:
    source = random.Random(3)
    outside = total = 0
    for _ in range(10):
        points = null_band([source.random() for _ in range(24)], daily(24))
        outside += sum(not point.low <= point.mean <= point.high for point in points)
        total += len(points)
    assert outside / total < 0.15


def test_the_same_series_has_the_same_band() -> None:
    series = [0.1, 0.5, None, 0.2, 0.9, 0.4, 0.3, 0.8]
    assert null_band(series, daily(8)) == null_band(series, daily(8))
    assert [point.t for point in null_band(series, daily(8))] == [0, 1, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("series", "times"),
    [
        ([1.0, 2.0, 3.0], daily(3)),
        ([float(place) for place in range(12)], [0.0] * 12),  # all on one day
        ([True] * 12, daily(12)),
    ],
)
def test_too_little_has_no_band(series: list[object], times: list[float | None]) -> None:
    assert null_band(series, times) == []


def test_sessions_without_times_are_moved_one_by_one() -> None:
    assert len(null_band([float(place) for place in range(12)], [])) == 12
