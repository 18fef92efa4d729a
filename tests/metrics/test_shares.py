"""Properties of the shares over random answer tables: they add up, abstain, flag what falls, and
name stages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.metrics.intervals import Estimate
from agingbench.metrics.shares import Rungs, StageShares, named_stage, shares, store_change
from tests.examples import examples

MARKS = st.sampled_from([None, 0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 1.0])
STAGES = {"write", "retrieval", "utilization", "store", "write+retrieval", None}


@st.composite
def tables(draw: st.DrawFn, blob: bool | None = None) -> list[Rungs]:
    """A table of answers: few facts, any marks, some missing; one blob, units, or both by turns."""
    kind = (
        draw(st.sampled_from(["units", "blob", "mixed"]))
        if blob is None
        else "blob"
        if blob
        else "units"
    )
    rows = []
    for _ in range(draw(st.integers(0, 40))):
        abstained = kind == "blob" or (kind == "mixed" and draw(st.booleans()))
        rows.append(
            Rungs(
                1,
                f"f{draw(st.integers(0, 9))}",
                "compression",
                draw(MARKS),
                None if abstained else draw(MARKS),
                draw(MARKS),
                abstained,
            )
        )
    return rows


def whole(rows: Sequence[Rungs]) -> list[Rungs]:
    """Written out once more, so that the property does not rest on what it tests."""
    return [
        r
        for r in rows
        if r.as_lived is not None
        and r.oracle_context is not None
        and (r.abstained or r.oracle_retrieval is not None)
    ]


def flat(values: Sequence[tuple[float, float, float]], facts: int = 20) -> list[Rungs]:
    return [Rungs(1, f"f{n % facts}", "compression", *marks) for n, marks in enumerate(values)]


@settings(deadline=None, max_examples=examples(60))
@given(tables())
def test_the_shares_add_up_to_the_error_as_lived_over_the_probes_that_all_conditions_answered(
    rows: list[Rungs],
) -> None:
    found = shares(rows)
    kept = whole(rows)
    assert (found.n, found.n_excluded) == (len(kept), len(rows) - len(kept))
    if not kept:
        assert found.steps == {}
        assert found.shares == {}
        return
    wrong = 1 - float(np.mean([r.as_lived for r in kept]))
    assert sum(step.value or 0.0 for step in found.steps.values()) == pytest.approx(
        wrong, abs=1e-12
    )
    assert all(step.n == len(kept) for step in found.steps.values())
    assert found.n_facts == len({r.cluster for r in kept})


@settings(deadline=None, max_examples=examples(60))
@given(tables(), tables())
def test_probes_that_failed_in_one_condition_change_nothing_but_their_count(
    rows: list[Rungs], more: list[Rungs]
) -> None:
    kept = whole(rows)
    broken = [
        r for r in more if r not in whole(more) and (not kept or r.abstained == kept[0].abstained)
    ]
    with_them = shares([*rows, *broken])
    without = shares(rows)
    assert with_them.n_excluded == without.n_excluded + len(broken)
    assert (with_them.steps, with_them.accuracy, with_them.n) == (
        without.steps,
        without.accuracy,
        without.n,
    )


@settings(deadline=None, max_examples=examples(60))
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(rows: list[Rungs], order: Random) -> None:
    again = list(rows)
    order.shuffle(again)
    one = shares(rows)
    other = shares(again)
    assert one.n == other.n
    for name, step in one.steps.items():
        assert step.value == pytest.approx(other.steps[name].value)
        assert step.low == pytest.approx(other.steps[name].low)


@settings(deadline=None, max_examples=examples(60))
@given(tables())
def test_every_interval_is_finite_and_holds_its_figure(rows: list[Rungs]) -> None:
    found = shares(rows)
    for estimate in [*found.steps.values(), *found.accuracy.values()]:
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
        assert all(math.isfinite(x) for x in (estimate.value, estimate.low, estimate.high))
        assert -1 <= estimate.low <= estimate.value + 1e-12
        assert estimate.value - 1e-12 <= estimate.high <= 1


@settings(deadline=None, max_examples=examples(60))
@given(tables(blob=True))
def test_a_blob_abstains_from_p2_and_reports_write_and_retrieval_jointly(rows: list[Rungs]) -> None:
    found = shares(rows)
    if rows:
        assert found.abstained
    assert set(found.steps) <= {"U", "W+R"}
    assert "oracle_retrieval" not in found.accuracy
    assert named_stage(found) in (None, "utilization", "write+retrieval")


@settings(deadline=None, max_examples=examples(60))
@given(tables(blob=False))
def test_units_tell_write_and_retrieval_apart(rows: list[Rungs]) -> None:
    found = shares(rows)
    assert not found.abstained
    assert set(found.steps) == ({"U", "W", "R"} if found.n else set())


def test_one_blob_among_units_makes_the_cell_joint() -> None:
    rows = [
        Rungs(1, f"f{n}", "compression", 0.0, None if n == 0 else 1.0, 1.0, n == 0)
        for n in range(8)
    ]
    found = shares(rows)
    assert set(found.steps) == {"U", "W+R"}
    assert found.steps["W+R"].value == 1.0
    assert found.n == 8


@settings(deadline=None, max_examples=examples(60))
@given(tables())
def test_a_cell_is_an_anomaly_exactly_when_a_step_lies_below_zero_beyond_its_noise(
    rows: list[Rungs],
) -> None:
    found = shares(rows)
    below = any(step.high is not None and step.high < 0 for step in found.steps.values())
    assert found.diagnostic_anomaly == below
    if below:
        assert found.shares == {}
        assert named_stage(found) is None
    else:
        assert found.shares == found.steps


@settings(deadline=None, max_examples=examples(60))
@given(
    st.lists(
        st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 3).map(lambda m: tuple(sorted(m))),
        max_size=40,
    )
)
def test_a_ladder_that_rises_for_every_probe_is_never_flagged(
    marks: list[tuple[float, float, float]],
) -> None:
    assert not shares(flat(marks)).diagnostic_anomaly


@pytest.mark.parametrize("rungs", [(1.0, 0.0, 1.0), (0.5, 1.0, 0.0), (1.0, 0.5, 0.5)])
@pytest.mark.parametrize("n", [12, 60])
def test_a_ladder_that_falls_on_every_fact_is_flagged(
    rungs: tuple[float, float, float], n: int
) -> None:
    found = shares(flat([rungs] * n, facts=n))
    assert found.diagnostic_anomaly
    assert found.accuracy["as_lived"].value == rungs[0]
    assert found.shares == {}


def test_one_step_down_among_many_probes_is_noise_and_stays_signed() -> None:
    found = shares(flat([(1.0, 0.0, 1.0), *[(1.0, 1.0, 1.0)] * 29], facts=30))
    assert not found.diagnostic_anomaly
    assert found.shares["R"].value == pytest.approx(-1 / 30)
    assert found.shares["W"].value == pytest.approx(1 / 30)


@pytest.mark.parametrize(
    ("rungs", "stage"),
    [
        ((0.0, 0.0, 1.0), "write"),
        ((0.0, 1.0, 1.0), "retrieval"),
        ((0.0, 0.0, 0.0), "utilization"),
        ((1.0, 1.0, 1.0), None),
    ],
)
def test_a_stage_that_loses_everything_is_named(
    rungs: tuple[float, float, float], stage: str | None
) -> None:
    assert named_stage(shares(flat([rungs] * 60))) == stage


def test_two_stages_that_lose_alike_are_not_told_apart() -> None:
    half = flat([(0.0, 0.0, 1.0), (0.0, 1.0, 1.0)] * 30)
    assert named_stage(shares(half)) is None


def test_few_probes_name_nothing() -> None:
    assert named_stage(shares(flat([(0.0, 0.0, 1.0)] * 2, facts=2))) is None


# -- ΔS


def pairs(
    before: tuple[float, float, float],
    after: tuple[float, float, float],
    n: int = 15,
    blob: bool = False,
) -> list[tuple[Rungs, Rungs]]:
    def side(m: tuple[float, float, float], f: int) -> Rungs:
        return Rungs(3, f"f{f}", "compression", m[0], None if blob else m[1], m[2], blob)

    return [(side(before, f), side(after, f)) for f in range(n)]


def test_an_event_that_empties_the_store_is_the_stores_doing() -> None:
    change = store_change("flush_history@3", 3, pairs((1.0, 1.0, 1.0), (0.0, 0.0, 1.0)))
    assert (change.of, change.delta.value, change.before.value, change.after.value) == (
        "W",
        1.0,
        0.0,
        1.0,
    )
    assert change.supported
    lost = shares(flat([(0.0, 0.0, 1.0)] * 40))
    assert named_stage(lost, [change]) == "store"
    assert named_stage(lost) == "write"


def test_an_event_that_takes_nothing_leaves_the_write_to_blame() -> None:
    change = store_change("recompact@3", 3, pairs((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)))
    assert change.delta.value == 0.0
    assert not change.supported
    assert named_stage(shares(flat([(0.0, 0.0, 1.0)] * 40)), [change]) == "write"


def test_an_event_that_takes_as_much_as_was_missing_leaves_it_open() -> None:
    half = pairs((1.0, 1.0, 1.0), (0.0, 0.0, 1.0), 8) + pairs((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), 8)
    mixed = [(b, a) for n, (b, a) in enumerate(half) for b, a in [(_named(b, n), _named(a, n))]]
    change = store_change("flush_history@3", 3, mixed)
    assert change.delta.value == pytest.approx(0.5)
    assert named_stage(shares(flat([(0.0, 0.0, 1.0)] * 40)), [change]) is None


def _named(row: Rungs, n: int) -> Rungs:
    return Rungs(
        row.t,
        f"f{n}",
        row.mechanism,
        row.as_lived,
        row.oracle_retrieval,
        row.oracle_context,
        row.abstained,
    )


def test_the_write_is_blamed_only_for_what_was_missing_before_the_first_event() -> None:
    unclear = store_change("partial_reset@3", 3, pairs((1.0, 1.0, 1.0), (0.0, 0.0, 1.0), 2))
    assert not unclear.supported
    lost = shares(flat([(0.0, 0.0, 1.0)] * 40))
    sound = shares(flat([(1.0, 1.0, 1.0)] * 40))
    assert named_stage(lost, [unclear], lost) == "write"
    assert named_stage(lost, [unclear], sound) is None
    assert named_stage(lost, [unclear], shares([])) is None


def test_of_a_blob_the_joint_share_changes() -> None:
    change = store_change("flush_history@3", 3, pairs((1.0, 0.0, 1.0), (0.0, 0.0, 1.0), blob=True))
    assert (change.of, change.delta.value) == ("W+R", 1.0)


@settings(deadline=None, max_examples=examples(60))
@given(tables(), tables())
def test_a_change_counts_only_probes_that_are_whole_on_both_sides(
    one: list[Rungs], two: list[Rungs]
) -> None:
    both = list(zip(one, two, strict=False))
    change = store_change("e@1", 1, both)
    kept = [pair for pair in both if len(whole(pair)) == 2]
    assert (change.delta.n, change.n_excluded) == (len(kept), len(both) - len(kept))
    if kept:
        assert change.delta.value == pytest.approx(
            (change.after.value or 0.0) - (change.before.value or 0.0)
        )
    else:
        assert change.delta == Estimate(None, None, None, 0)


@settings(deadline=None, max_examples=examples(60))
@given(tables(), tables())
def test_a_stage_is_one_of_those_that_exist(rows: list[Rungs], more: list[Rungs]) -> None:
    change = store_change("e@1", 1, list(zip(rows, more, strict=False)))
    assert named_stage(shares(rows), [change]) in STAGES


# -- coverage


@pytest.mark.parametrize(("w", "r", "u"), [(0.3, 0.1, 0.05), (0.9, 0.05, 0.1), (0.0, 0.6, 0.1)])
def test_the_intervals_cover_what_was_planted(w: float, r: float, u: float) -> None:
    rng = np.random.default_rng(7)
    truth = {"U": u, "W": (1 - u) * w, "R": (1 - u) * (1 - w) * r}
    hits = dict.fromkeys(truth, 0)
    lives = 60
    for _ in range(lives):
        found = _planted(rng, w, r, u)
        for name, true in truth.items():
            step = found.steps[name]
            hits[name] += (
                step.low is not None and step.high is not None and step.low <= true <= step.high
            )
    assert all(count / lives >= 0.88 for count in hits.values()), hits


def _planted(rng: np.random.Generator, w: float, r: float, u: float) -> StageShares:
    rows = []
    for fact in range(40):
        lost = rng.random() < w
        missed = rng.random() < r
        misread = rng.random() < u
        for _ in range(1 + rng.poisson(1.5)):
            p3 = float(not (misread if rng.random() < 0.7 else rng.random() < u))
            p2 = p3 * float(not lost)
            p1 = p2 * float(not (missed if rng.random() < 0.7 else rng.random() < r))
            rows.append(Rungs(1, f"f{fact}", "compression", p1, p2, p3))
    return shares(rows)
