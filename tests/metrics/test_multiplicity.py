"""Corrections for several tests at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.metrics.multiplicity import (
    benjamini_hochberg,
    holm,
    two_stage_benjamini_hochberg,
)


def test_holm_multiplies_and_never_falls() -> None:
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": None})
    assert adjusted["a"] == pytest.approx(0.03)
    assert adjusted["c"] == adjusted["b"] == pytest.approx(0.06)
    assert adjusted["d"] is None


def test_holm_keeps_the_chance_of_a_false_alarm() -> None:
    draws = np.random.default_rng(0).random((4000, 4))
    lowest = [
        min(v or 0.0 for v in holm(dict(zip("abcd", row, strict=True))).values())
        for row in draws.tolist()
    ]
    alarms = sum(value <= 0.05 for value in lowest)
    assert 0.038 <= alarms / 4000 <= 0.056


def test_a_missing_test_costs_nothing() -> None:
    assert holm({"a": 0.02, "b": None})["a"] == pytest.approx(0.02)


def test_benjamini_hochberg_is_milder_than_holm() -> None:
    p = {"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.5}
    mild = benjamini_hochberg(p)
    strict = holm(p)
    assert mild["c"] == pytest.approx(0.04)
    assert all((mild[k] or 0) <= (strict[k] or 0) + 1e-12 for k in p)
    assert benjamini_hochberg({"x": None}) == {"x": None}


def test_what_has_passed_no_longer_counts_among_the_tests() -> None:
    p = {"a": 0.001, "b": 0.001, "c": 0.04, "d": 0.6, "e": None}
    adjusted = two_stage_benjamini_hochberg(p, 0.05)
    # Two of four pass at once: half of the tests are left, at a level of .05/1.05.
    assert benjamini_hochberg(p)["c"] == pytest.approx(0.04 * 4 / 3)
    assert adjusted["c"] == pytest.approx(0.04 * 4 / 3 * 0.5 * 1.05)
    assert adjusted["e"] is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_two_stages_never_ask_for_more_than_one(values: list[float]) -> None:
    p: dict[str, float | None] = {str(i): value for i, value in enumerate(values)}
    one = benjamini_hochberg(p)
    two = two_stage_benjamini_hochberg(p, 0.05)
    assert all((two[k] or 0) <= (one[k] or 0) for k in p)
    if min(value or 0 for value in one.values()) > 0.05:
        assert two == one


@pytest.mark.parametrize("n_true", [0, 6])
def test_two_stages_keep_the_share_of_false_alarms(n_true: int) -> None:
    rng = np.random.default_rng(1)
    shares = []
    for row in rng.random((3000, 16)).tolist():
        p: dict[str, float | None] = {f"false {i}": value for i, value in enumerate(row[n_true:])}
        p |= {f"true {i}": value * 1e-4 for i, value in enumerate(row[:n_true])}
        adjusted = two_stage_benjamini_hochberg(p, 0.05)
        found = [name for name, value in adjusted.items() if (value or 0) <= 0.05]
        false = sum(name.startswith("false") for name in found)
        shares.append(false / max(1, len(found)))

    assert 0.03 <= np.mean(shares) <= 0.06
