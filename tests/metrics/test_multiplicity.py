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


def test_holm_divides_the_level_as_it_is_told() -> None:
    # At a level of 5 % the first has .04 and the second .01.
    shares = {"a": 4.0, "b": 1.0}
    adjusted = holm({"a": 0.04, "b": 0.04}, shares)
    assert adjusted["a"] == pytest.approx(0.05)
    assert adjusted["b"] == pytest.approx(0.05)
    assert holm({"a": 1.0, "b": 0.01}, shares)["b"] == pytest.approx(0.05)
    assert holm({"a": None, "b": 0.04}, shares)["b"] == pytest.approx(0.04)


def test_benjamini_hochberg_is_milder_than_holm() -> None:
    p = {"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.5}
    mild = benjamini_hochberg(p)
    strict = holm(p)
    assert mild["c"] == pytest.approx(0.04)
    assert all((mild[k] or 0) <= (strict[k] or 0) + 1e-12 for k in p)
    assert benjamini_hochberg({"x": None}) == {"x": None}
