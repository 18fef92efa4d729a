"""Figures by mechanism, by hand, and the readings of them that would be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.metrics.intervals import MISSING
from agingbench.metrics.mechanisms import (
    LAG_BUCKETS,
    AccountReading,
    ProbeOutcome,
    WindowDelta,
    accumulator_errors,
    compounding,
    lag_bucket,
    lag_recall,
    mean_by_depth,
    mean_by_span,
    mean_value,
    verdict_shares,
    window_delta,
)


def _row(value: float | None, cluster: str = "f", verdict: str = "", **where: int) -> ProbeOutcome:
    ruled = verdict or ("failed" if value is None else "correct" if value == 1 else "wrong")
    return ProbeOutcome(where.pop("t", 1), cluster, ruled, value, **where)


def test_mean_value_leaves_failed_probes_out() -> None:
    rows = [
        _row(1.0, "a"),
        _row(0.0, "b"),
        _row(0.5, "c"),
        _row(None, "d"),
        _row(1.0, "e", verdict="failed"),
    ]
    estimate = mean_value(rows)
    assert estimate.value == pytest.approx(0.5)
    assert estimate.n == 3
    assert mean_value([]) == MISSING
    assert mean_value([_row(None)]) == MISSING


def test_mean_value_counts_facts_not_probes() -> None:
    many_facts = mean_value([_row(float(i < 6), f"f{i}") for i in range(12)])
    two_facts = mean_value([_row(float(i < 6), f"f{i // 6}") for i in range(12)])
    assert many_facts.value == two_facts.value == 0.5
    assert two_facts.low is not None
    assert many_facts.low is not None
    assert two_facts.low < many_facts.low


def test_by_depth_in_numeric_order() -> None:
    rows = [
        _row(1.0, depth=10),
        _row(0.0, depth=2),
        _row(1.0, depth=2),
        _row(1.0),
        _row(None, depth=3),
    ]
    table = mean_by_depth(rows)
    assert list(table) == ["2", "10"]
    assert (table["2"].value, table["2"].n) == (0.5, 2)
    assert mean_by_span(rows) == {}


@pytest.mark.parametrize(
    ("lag", "bucket"),
    [
        (1, "1"),
        (2, "2-3"),
        (3, "2-3"),
        (4, "4-5"),
        (5, "4-5"),
        (7, "6-7"),
        (8, "8-10"),
        (10, "8-10"),
        (11, ">10"),
    ],
)
def test_lag_bucket(lag: int, bucket: str) -> None:
    assert lag_bucket(lag) == bucket


def test_lag_zero_is_no_lag() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        lag_bucket(0)


@given(st.integers(1, 10_000))
def test_every_lag_has_a_bucket(lag: int) -> None:
    assert lag_bucket(lag) in LAG_BUCKETS


def test_lag_recall_names_every_bucket() -> None:
    table = lag_recall(
        [
            _row(1.0, lag=1),
            _row(0.0, lag=12),
            _row(1.0, lag=900),
            _row(1.0, lag=0),
            _row(None, lag=4),
        ]
    )
    assert tuple(table) == LAG_BUCKETS
    assert table["1"].value == 1.0
    assert (table[">10"].value, table[">10"].n) == (0.5, 2)
    assert table["4-5"] == MISSING


def test_verdict_shares() -> None:
    verdicts = ["correct", "correct", "stale", "unanswered", "failed"]
    shares = verdict_shares([_row(0.0, verdict=verdict) for verdict in verdicts])
    assert shares.shares == {"correct": 0.5, "stale": 0.25, "unanswered": 0.25}
    assert (shares.n, shares.n_failed) == (4, 1)
    empty = verdict_shares([])
    assert (empty.shares, empty.n) == ({}, 0)


def test_accumulator_errors_by_hand() -> None:
    errors = accumulator_errors(
        [
            AccountReading(2, "dining", 100.0, 90.0),
            AccountReading(1, "dining", 50.0, 50.0),
            AccountReading(2, "travel", 0.0, 20.0),
            AccountReading(3, "dining", 80.0, None),
        ]
    )
    assert errors.absolute == pytest.approx(10.0)
    assert errors.relative == pytest.approx(0.05)
    assert (errors.n, errors.n_unanswered) == (3, 1)
    assert [(p.t, p.absolute, p.relative, p.n, p.n_unanswered) for p in errors.trajectory] == [
        (1, 0.0, 0.0, 1, 0),
        (2, 15.0, pytest.approx(0.1), 2, 0),
        (3, None, None, 0, 1),
    ]


def test_no_reading_is_no_error() -> None:
    errors = accumulator_errors([])
    assert (errors.absolute, errors.relative, errors.n, errors.trajectory) == (None, None, 0, [])


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([0.0, 0.0, 0.0, 0.0], False),
        ([5.0, 5.0, 5.0], False),
        ([0.0, 1.0], None),
        ([], None),
        ([1.0, None, 2.0], None),
        ([0.0, 1.0, 2.0], True),
        ([-1.0, 2.0, -3.0], True),
        ([1.0, None, 2.0, 3.0], True),
        ([9.0, 1.0, 1.0, 2.0], True),
        ([3.0, 2.0, 3.0, 2.0, 3.0], False),
        ([3.0, 2.0, 1.0], False),
    ],
)
def test_compounding(errors: list[float | None], expected: bool | None) -> None:
    assert compounding(errors) is expected


def test_window_delta_by_hand() -> None:
    points = {0: 1.0, 1: 0.9, 2: 0.8, 3: 0.7, 4: 0.4, 5: 0.2, 6: 0.0}
    window = window_delta(points, 4)
    assert (window.pre, window.post, window.delta) == pytest.approx((0.75, 0.3, -0.45))
    assert (window.n_pre, window.n_post) == (2, 2)


def test_window_delta_leaves_day_one_and_missing_points_out() -> None:
    points = {0: 1.0, 1: 0.5, 4: 0.25}
    assert window_delta(points, 1) == WindowDelta(None, 0.5, None, 0, 1)
    assert window_delta(points, 2) == WindowDelta(0.5, None, None, 1, 0)
    assert window_delta(points, 3, width=2) == WindowDelta(0.5, 0.25, -0.25, 1, 1)
