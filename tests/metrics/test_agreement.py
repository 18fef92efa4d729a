"""Cohen's kappa: figures by hand, the cases without a value, and what its interval covers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.metrics.agreement import cohen_kappa, kappa_interval
from agingbench.metrics.intervals import MISSING

LABELS = st.sampled_from(["pass", "fail", "defer"])


def test_kappa_by_hand() -> None:
    # 20 both yes, 5 only a, 10 only b, 15 both no: observed 35/50, by chance 1/2.
    a = ["y"] * 25 + ["n"] * 25
    b = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    kappa = cohen_kappa(a, b)
    assert kappa.value == Fraction(2, 5)
    assert kappa.n == 50
    assert kappa.table == {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
    assert kappa.agreement == Fraction(7, 10)


def test_a_gate_is_no_matter_of_rounding() -> None:
    a = [1] * 5 + [0] * 5
    b = [1] * 4 + [0] + [0] * 4 + [1]
    assert cohen_kappa(a, b).value == Fraction(3, 5)


def test_what_has_no_kappa_says_why() -> None:
    assert cohen_kappa([], []).reason == "no pair has both labels"
    same = cohen_kappa(["pass"] * 4, ["pass"] * 4)
    assert same.value is None
    assert same.reason is not None
    assert "throughout" in same.reason
    assert same.n == 4
    assert kappa_interval([], []) == MISSING
    assert kappa_interval(["pass"] * 4, ["pass"] * 4).value is None


def test_a_missing_label_leaves_its_pair_out() -> None:
    assert cohen_kappa(["a", None, "b"], ["a", "a", None]).n == 1


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="equal lengths"):
        cohen_kappa(["a"], [])
    with pytest.raises(ValueError, match="one cluster per pair"):
        kappa_interval(["a", "b", "a"], ["a", "b", "b"], clusters=[1])


def test_few_agreeing_pairs_leave_the_interval_open() -> None:
    estimate = kappa_interval(["a", "b", "a", "b"], ["a", "b", "a", "b"])
    assert estimate.value == 1
    assert estimate.low is not None
    assert estimate.low < 0.5
    opposed = kappa_interval(["a", "b"], ["b", "a"])
    assert opposed.value == -1
    assert opposed.high is not None
    assert opposed.high > 0


def test_a_rater_of_one_label_leaves_the_interval_open() -> None:
    estimate = kappa_interval(["pass", "fail", "pass"], ["fail", "fail", "fail"])
    assert estimate.value == 0
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < -0.3
    assert estimate.high > 0.3


def test_whole_clusters_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    block = rng.integers(0, 2, 12)
    truth = np.repeat(block, 10)
    other = np.repeat(np.where(rng.random(12) < 0.75, block, 1 - block), 10)
    apart = kappa_interval(truth.tolist(), other.tolist())
    whole = kappa_interval(
        truth.tolist(), other.tolist(), clusters=np.repeat(np.arange(12), 10).tolist()
    )
    assert apart.low is not None
    assert whole.low is not None
    assert whole.low < apart.low


def test_the_interval_covers() -> None:
    """95 % nominal: two raters who each read the truth with 85 % certainty; kappa is then 0.49."""
    rng = np.random.default_rng(11)
    hits = 0
    runs = 200
    for _ in range(runs):
        truth = rng.integers(0, 2, 60)
        a, b = (np.where(rng.random(60) < 0.85, truth, 1 - truth).tolist() for _ in range(2))
        estimate = kappa_interval(a, b, n_boot=400)
        assert estimate.low is not None
        assert estimate.high is not None
        hits += estimate.low <= 0.49 <= estimate.high
    assert 0.89 <= hits / runs <= 0.99


@given(st.lists(st.tuples(LABELS, LABELS), max_size=40))
def test_kappa_is_symmetric_and_bounded(pairs: list[tuple[str, str]]) -> None:
    a = [x for x, _ in pairs]
    b = [y for _, y in pairs]
    kappa = cohen_kappa(a, b)
    back = cohen_kappa(b, a)
    assert kappa.value == back.value
    assert (kappa.value is None) == (kappa.reason is not None)
    assert kappa.value is None or -1 <= kappa.value <= 1
    estimate = kappa_interval(a, b, n_boot=50)
    if estimate.low is not None and estimate.high is not None and kappa.value is not None:
        assert -1 <= estimate.low <= float(kappa.value) <= estimate.high <= 1
