"""The aging curve: by hand, by property, and against simulated lives whose truth is known."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.metrics.curve import CurveStats, CurveTable, curve_stats, points
from agingbench.metrics.intervals import MISSING, Estimate, wilson
from agingbench.metrics.mechanisms import lag_bucket
from agingbench.metrics.permutation import Floats
from tests.examples import examples

Row = tuple[int, float | None, float, str]


def _curve(values: dict[int, float], facts: int = 10) -> CurveTable:
    """A table whose m(t) is exactly as given: `facts` root facts that all score the same."""
    return CurveTable.from_rows(
        (t, m, 1.0, f"f{i}") for t, m in values.items() for i in range(facts)
    )


def _finite(thing: Any) -> bool:
    if isinstance(thing, dict):
        return all(map(_finite, thing.values()))
    if isinstance(thing, list | tuple):
        return all(map(_finite, thing))
    return not isinstance(thing, float) or math.isfinite(thing)


# --- By hand
# --------------------------------------------------------------------------------------------------------


def test_points_weigh_each_stratum_by_its_due_facts() -> None:
    # At t = 2 one of three recent facts' probes stands for 3 due facts and is right, one for 1 due
    # fact and is wrong.
    curve = points([1, 1, 2, 2], [1, 0, 1, 0], [1, 1, 3, 1])
    assert [(p.t, p.m, p.n) for p in curve] == [(1, 0.5, 2), (2, 0.75, 2)]
    assert (curve[0].low, curve[0].high) == pytest.approx(wilson(0.5, 2))
    assert (curve[1].low, curve[1].high) == pytest.approx(wilson(0.75, 16 / 10))


def test_a_point_without_rows_does_not_exist() -> None:
    assert [p.t for p in points([5, 1], [1, 1], [1, 1])] == [1, 5]
    assert points([], [], []) == []


def test_failed_rows_are_left_out() -> None:
    rows: list[Row] = [(1, None, 1.0, "a"), (1, 1.0, 1.0, "b"), (2, None, 1.0, "a")]
    table = CurveTable.from_rows(rows)
    assert [(p.t, p.m, p.n) for p in points(table.t, table.value, table.weight)] == [(1, 1.0, 1)]


@pytest.mark.parametrize(
    ("t", "value", "weight"),
    [([-1], [1], [1]), ([1], [1.1], [1]), ([1], [math.nan], [1]), ([1], [1], [0]), ([1], [], [1])],
)
def test_a_table_refuses_what_it_cannot_mean(
    t: list[int], value: list[float], weight: list[float]
) -> None:
    with pytest.raises(ValueError, match="curve table"):
        CurveTable.of(t, value, weight, ["f"])


def test_statistics_by_hand() -> None:
    stats = curve_stats(_curve({0: 1.0, 1: 0.9, 2: 0.7, 3: 0.5, 4: 0.3}))
    assert stats.m0.value == 1.0
    assert stats.m_final.value == pytest.approx(0.3)
    assert stats.decay_slope.value == pytest.approx(-0.2)
    assert stats.time_average.value == pytest.approx(0.6)
    assert stats.first_write_loss.value == pytest.approx(0.1)
    assert stats.hazard_proxy.value == pytest.approx(0.25)
    assert stats.half_life == pytest.approx(3.0)
    assert stats.half_life_first_crossing == pytest.approx(3.0)
    assert (stats.half_life_censored, stats.half_life_reason) == (False, None)
    assert (stats.n_points, stats.n_probes, stats.n_clusters) == (5, 50, 10)
    assert [e.n for e in (stats.m0, stats.m_final, stats.decay_slope, stats.first_write_loss)] == [
        10,
        10,
        4,
        10,
    ]
    assert stats.aging_detected is True


def test_day_one_sets_the_threshold_and_nothing_else() -> None:
    later = {1: 0.6, 2: 0.6, 3: 0.6, 4: 0.6, 5: 0.6}
    with_day_one = curve_stats(_curve({0: 1.0, **later}))
    without = curve_stats(_curve(later))
    for name in ("m_final", "decay_slope", "time_average", "aging_detected", "aging_reason"):
        assert getattr(with_day_one, name) == getattr(without, name)
    assert with_day_one.decay_slope.value == pytest.approx(0.0)
    assert with_day_one.aging_detected is False
    assert with_day_one.first_write_loss.value == pytest.approx(0.4)
    assert without.first_write_loss == MISSING
    assert without.hazard_proxy.value is None
    assert without.half_life_reason == "m(0) was not measured, so there is no half of it"


def test_hazard_takes_the_threshold_of_the_scenario() -> None:
    table = _curve({0: 1.0, 1: 0.9, 2: 0.7, 3: 0.5, 4: 0.3})
    assert curve_stats(table, threshold=0.8).hazard_proxy.value == pytest.approx(0.75)
    # A point exactly on the threshold has not fallen below it.
    assert curve_stats(table, threshold=0.5).hazard_proxy.value == pytest.approx(0.25)


def test_all_values_equal_leaves_the_intervals_open() -> None:
    stats = curve_stats(_curve(dict.fromkeys(range(8), 1.0)))
    assert (stats.m_final.low, stats.m_final.high) == pytest.approx(wilson(1.0, 10))
    for estimate in (
        stats.time_average,
        stats.first_write_loss,
        stats.decay_slope,
    ):
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.high - estimate.low > 0.01
    assert (stats.half_life, stats.half_life_censored, stats.half_life_ci) == (
        None,
        True,
        (7.0, None),
    )
    assert stats.aging_detected is False


def test_first_write_loss_is_paired_over_facts() -> None:
    values = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    rows: list[Row] = [(t, v, 1.0, f"f{i}") for t in (0, 1) for i, v in enumerate(values)]
    paired = curve_stats(CurveTable.from_rows(rows)).first_write_loss
    unpaired = curve_stats(
        CurveTable.from_rows([(t, v, w, f"{t}{f}") for t, v, w, f in rows])
    ).first_write_loss
    assert paired.value == unpaired.value == 0.0
    assert (paired.low, paired.high) == pytest.approx((0.0, 0.0), abs=1e-6)
    assert unpaired.low is not None
    assert unpaired.low < -0.3


def test_detection_needs_four_points() -> None:
    falling = {t: 1.0 - 0.2 * t for t in range(4)}
    three = curve_stats(_curve(falling))
    assert three.aging_detected is None
    assert "at least 4" in three.aging_reason
    assert curve_stats(_curve({**falling, 4: 0.2}, facts=20)).aging_detected is True


def test_detection_needs_an_effect_and_evidence() -> None:
    slight = curve_stats(_curve({t: 0.9 - 0.0009 * t for t in range(41)}, facts=1000), n_boot=2)
    assert slight.decay_slope.high is not None
    assert slight.decay_slope.high < 0
    assert slight.aging_detected is False
    assert "too little" in slight.aging_reason
    thin = curve_stats(_curve({t: 1.0 - 0.1 * (t % 2) - 0.03 * t for t in range(6)}, facts=1))
    assert thin.aging_detected is False
    assert "no evidence" in thin.aging_reason


def test_the_reason_says_where_the_slope_is_one_within_kinds_of_facts() -> None:
    alone = _curve({t: 1.0 - 0.2 * t for t in range(5)}, facts=6)
    assert "within kinds" not in curve_stats(alone).aging_reason
    kinds = ["plain" if fact.endswith(("0", "2", "4")) else "revised" for fact in alone.cluster]
    mixed = CurveTable.of(alone.t, alone.value, alone.weight, alone.cluster, kinds)
    assert "per session within kinds of facts" in curve_stats(mixed).aging_reason


def test_the_final_point_may_be_missing() -> None:
    table = _curve({0: 1.0, 1: 0.5})
    assert curve_stats(table).m_final.value == 0.5
    assert curve_stats(table, final_t=2).m_final == MISSING


def test_small_tables() -> None:
    empty = curve_stats(CurveTable.from_rows([]))
    assert (empty.m0, empty.m_final, empty.time_average, empty.n_points) == (
        MISSING,
        MISSING,
        MISSING,
        0,
    )
    day_one = curve_stats(_curve({0: 1.0}))
    assert (day_one.m0.value, day_one.m_final, day_one.half_life_ci) == (1.0, MISSING, None)
    assert day_one.half_life_reason == "the curve has no point after t = 0"
    one = curve_stats(_curve({1: 0.5}))
    assert one.decay_slope == Estimate(None, None, None, 1)
    assert one.time_average.value == 0.5


def test_scoring_again_changes_nothing() -> None:
    table, _ = _life(np.random.default_rng(4), _Process(10, 0.2, 0.05))
    assert curve_stats(table) == curve_stats(table)


# --- By property
# ----------------------------------------------------------------------------------------------------

_rows = st.lists(
    st.tuples(
        st.integers(0, 12),
        st.sampled_from([0.0, 1.0, 0.5]) | st.floats(0, 1, allow_subnormal=False),
        st.sampled_from([1.0, 1.0, 7.0]) | st.floats(1e-5, 1e5),
        st.sampled_from("abcdefgh"),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(_rows, st.none() | st.floats(0, 1))
def test_nothing_infinite_comes_out_and_intervals_hold_their_value(
    rows: list[Row], threshold: float | None
) -> None:
    table = CurveTable.from_rows(rows)
    stats = curve_stats(table, threshold, n_boot=40)
    assert _finite(msgspec.to_builtins(stats))
    for name in (
        "m0",
        "m_final",
        "decay_slope",
        "hazard_proxy",
        "time_average",
        "first_write_loss",
    ):
        estimate: Estimate = getattr(stats, name)
        if estimate.value is not None:
            assert estimate.low is not None
            assert estimate.high is not None
            assert estimate.low <= estimate.value <= estimate.high
    for half in (stats.half_life, stats.half_life_first_crossing):
        assert half is None or 0 <= half <= max(table.t)
    if stats.half_life_ci is not None:
        low, high = stats.half_life_ci
        assert 0 <= low <= (math.inf if high is None else high)


@settings(deadline=None)
@given(_rows)
def test_points_lie_within_their_values(rows: list[Row]) -> None:
    table = CurveTable.from_rows(rows)
    for point in points(table.t, table.value, table.weight, table.cluster):
        there = table.value[table.t == point.t]
        assert there.min() <= point.m <= there.max()
        assert 0 <= point.low <= point.m <= point.high <= 1


@settings(max_examples=examples(60), deadline=None)
@given(_rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: list[Row], random: Any) -> None:
    shuffled = rows.copy()
    random.shuffle(shuffled)
    stats = [curve_stats(CurveTable.from_rows(each), n_boot=40) for each in (rows, shuffled)]
    assert stats[0] == stats[1]


@settings(max_examples=examples(60), deadline=None)
@given(_rows, st.sampled_from([0.25, 2.0, 1024.0]))
def test_the_scale_of_weights_changes_nothing(rows: list[Row], scale: float) -> None:
    scaled = [(t, value, weight * scale, cluster) for t, value, weight, cluster in rows]
    stats = [curve_stats(CurveTable.from_rows(each), n_boot=40) for each in (rows, scaled)]
    assert stats[0] == stats[1]


# --- Against simulated lives
# ----------------------------------------------------------------------------------------


class _Process(NamedTuple):
    """How a memory loses facts: `loss` at the first write, `hazard` at every later one."""

    sessions: int
    loss: float
    hazard: float
    probes: int = 10


def _life(rng: np.random.Generator, process: _Process) -> tuple[CurveTable, Floats]:
    """One life's probes, sampled within lag strata, and the expected m(t), t ≥ 1, of its plan."""
    sizes = np.concatenate([[10], rng.integers(6, 9, process.sessions - 1)])
    born = np.repeat(np.arange(process.sessions), sizes)
    later_loss = (
        rng.geometric(process.hazard, born.size) if process.hazard else np.full(born.size, 10**6)
    )
    lost_at_lag = np.where(rng.random(born.size) < process.loss, 1, 1 + later_loss)
    rows: list[Row] = [(0, 1.0, 1.0, f"f{fact}") for fact in range(10)]
    expected = np.zeros(process.sessions)
    for t in range(1, process.sessions + 1):
        due = np.flatnonzero(born < t)
        lag = t - born[due]
        expected[t - 1] = ((1 - process.loss) * (1 - process.hazard) ** (lag - 1)).mean()
        for stratum, share in _strata(due, lag, process.probes):
            chosen = rng.choice(stratum, share, replace=False)
            rows += [
                (t, float(t - born[f] < lost_at_lag[f]), stratum.size / share, f"f{f}")
                for f in chosen
            ]
    return CurveTable.from_rows(rows), expected


def _strata(due: Any, lag: Any, probes: int) -> list[tuple[Any, int]]:
    """Due facts by lag bucket with their number of probes: one each, the rest in proportion."""
    gaps, places = np.unique(lag, return_inverse=True)
    buckets = np.array([lag_bucket(int(gap)) for gap in gaps])[places]
    strata = [due[buckets == bucket] for bucket in np.unique(buckets)]
    sizes = np.array([stratum.size for stratum in strata])
    shares = 1 + (probes - sizes.size) * sizes // sizes.sum()
    shares[np.argsort(-sizes)[: probes - shares.sum()]] += 1
    return list(zip(strata, np.minimum(shares, sizes).tolist(), strict=True))


def _lives(process: _Process, lives: int, seed: int) -> list[tuple[CurveStats, CurveTable, Floats]]:
    rng = np.random.default_rng(seed)
    simulated = [_life(rng, process) for _ in range(lives)]
    return [(curve_stats(table, n_boot=2), table, expected) for table, expected in simulated]


def _slope(expected: Floats) -> float:
    return float(np.polyfit(np.arange(1, expected.size + 1), expected, 1)[0])


def _holds(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    # In a life that lost nothing the truth may be a bound of the figure itself.
    return estimate.low - 1e-12 <= truth <= estimate.high + 1e-12


def _check_flat(sessions: int, loss: float, lives: int, seed: int) -> None:
    simulated = _lives(_Process(sessions, loss, 0.0), lives, seed)
    rate = np.mean([stats.aging_detected is True for stats, _, _ in simulated])
    first = np.mean([stats.first_write_loss.value for stats, _, _ in simulated])
    print(
        f"flat, loss {loss} at the first write, {sessions} sessions: called aging {rate:.3f}, first"
        f" write {first:.3f}"
    )
    assert rate <= 0.05
    assert first == pytest.approx(loss, abs=0.04)


@pytest.mark.parametrize(
    ("sessions", "loss"),
    [
        (10, 0.4),
        pytest.param(30, 0.2, marks=pytest.mark.slow),
        pytest.param(30, 0.7, marks=pytest.mark.slow),
    ],
)
def test_a_flat_lossy_memory_is_not_aging(sessions: int, loss: float) -> None:
    _check_flat(sessions, loss, lives=200, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [8, 10, 30])
@pytest.mark.parametrize("loss", [0.0, 0.05, 0.2, 0.4, 0.7, 0.9])
def test_a_flat_lossy_memory_is_not_aging_in_many_lives(sessions: int, loss: float) -> None:
    _check_flat(sessions, loss, lives=1500, seed=2)


def _check_coverage(process: _Process, lives: int, seed: int, at_most: float) -> None:
    simulated = _lives(process, lives, seed)
    covers = {
        "m_final": np.mean(
            [_holds(stats.m_final, expected[-1]) for stats, _, expected in simulated]
        ),
        "decay_slope": np.mean(
            [_holds(stats.decay_slope, _slope(expected)) for stats, _, expected in simulated]
        ),
        "time_average": np.mean(
            [_holds(stats.time_average, expected.mean()) for stats, _, expected in simulated]
        ),
    }
    print(process, {name: round(float(cover), 3) for name, cover in covers.items()})
    for cover in covers.values():
        assert 0.90 <= cover <= at_most


@pytest.mark.parametrize(
    "process",
    [
        pytest.param(_Process(10, 0.4, 0.0), marks=pytest.mark.slow),
        pytest.param(_Process(30, 0.4, 0.0), marks=pytest.mark.slow),
        _Process(10, 0.08, 0.08),
        pytest.param(_Process(30, 0.08, 0.08), marks=pytest.mark.slow),
    ],
)
def test_intervals_cover(process: _Process) -> None:
    _check_coverage(process, lives=300, seed=3, at_most=0.99)


@pytest.mark.slow
@pytest.mark.parametrize("loss", [0.0, 0.05, 0.2, 0.4, 0.7])
@pytest.mark.parametrize("hazard", [0.0, 0.02, 0.08, 0.15])
@pytest.mark.parametrize("sessions", [10, 30])
def test_intervals_cover_in_many_lives(loss: float, hazard: float, sessions: int) -> None:
    # Where hardly any fact is ever lost, an interval that stays open must cover more than its
    # level.
    _check_coverage(_Process(sessions, loss, hazard), lives=800, seed=4, at_most=1.0)


def test_taking_probes_for_the_sample_would_not_cover() -> None:
    # Over 300 lives: slope 85 % and time average 74 % with single probes as the sample, 96 % and 95
    # % with root facts.
    simulated = _lives(_Process(30, 0.4, 0.0), 150, seed=5)
    by_probe = [
        (
            curve_stats(
                CurveTable.of(table.t, table.value, table.weight, range(table.t.size)), n_boot=2
            ),
            expected,
        )
        for _, table, expected in simulated
    ]
    assert (
        np.mean([_holds(stats.time_average, expected.mean()) for stats, expected in by_probe])
        < 0.85
    )
    assert (
        np.mean([_holds(stats.time_average, expected.mean()) for stats, _, expected in simulated])
        >= 0.90
    )


@pytest.mark.parametrize(
    ("process", "at_least"),
    [
        (_Process(10, 0.0, 0.08, 12), 0.6),
        (_Process(15, 0.08, 0.08, 12), 0.6),
        (_Process(20, 0.08, 0.08, 12), 0.8),
    ],
)
def test_a_steady_loss_is_found_in_most_lives(process: _Process, at_least: float) -> None:
    found = np.mean([stats.aging_detected is True for stats, _, _ in _lives(process, 100, seed=6)])
    print(process, f"found {found:.2f}")
    assert found >= at_least


def test_half_life_interval_covers_and_flat_lives_are_censored() -> None:
    rng = np.random.default_rng(7)
    hits = []
    for _ in range(80):
        table, expected = _life(rng, _Process(10, 0.1, 0.25))
        ci = curve_stats(table, n_boot=200).half_life_ci
        truth = float(np.interp(-0.5, -expected, np.arange(1, 11)))
        assert ci is not None
        hits.append(ci[0] <= truth <= (math.inf if ci[1] is None else ci[1]))
    assert np.mean(hits) >= 0.90
    flat = [stats for stats, _, _ in _lives(_Process(10, 0.2, 0.0), 100, seed=8)]
    assert np.mean([stats.half_life_censored is True for stats in flat]) >= 0.90


def test_a_thousand_points_stay_within_memory() -> None:
    import tracemalloc

    rng = np.random.default_rng(9)
    t = np.repeat(np.arange(1001), 12)
    facts = rng.integers(0, 5000, t.size)
    table = CurveTable.of(
        t, rng.random(t.size) < 0.9 - 0.0008 * t, rng.uniform(0.1, 20, t.size), facts
    )
    tracemalloc.start()
    stats = curve_stats(table, n_boot=500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
    assert stats.aging_detected is True
    assert stats.half_life == pytest.approx(550, abs=60)
