"""Corrections for several tests at once."""

from __future__ import annotations

import numpy as np
import pytest

from agingbench.metrics.multiplicity import benjamini_hochberg, holm


def test_holm_multiplies_and_never_falls() -> None:
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": None})
    assert adjusted["a"] == pytest.approx(0.03)
    assert adjusted["c"] == adjusted["b"] == pytest.approx(0.06)
    assert adjusted["d"] is None


def test_holm_with_shares_divides_the_level_unevenly() -> None:
    adjusted = holm({"a": 0.02, "b": 0.012, "c": 0.3, "d": None}, {"a": 2.0})
    assert adjusted["a"] == pytest.approx(0.01 * 4)
    assert adjusted["b"] == pytest.approx(
        0.04
    )  # 0.012 × 2 for what is left, but never below the one before
    assert adjusted["c"] == pytest.approx(0.3)
    assert holm({"a": 0.01, "b": 0.04}, {}) == holm({"a": 0.01, "b": 0.04})


def test_shares_keep_the_chance_of_a_false_alarm() -> None:
    draws = np.random.default_rng(0).random((4000, 4))
    alarms = sum(
        min(
            v or 0.0
            for v in holm(dict(zip("abcd", map(float, row), strict=True)), {"b": 2.0}).values()
        )
        <= 0.05
        for row in draws
    )
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
