"""Rare hits on the scale of roots."""

from __future__ import annotations

import numpy as np
import pytest

from agingbench.metrics.counted import CountedHits


def counted(rate: float, trials: int, rng: np.random.Generator) -> CountedHits:
    n = 4000
    hits = rng.binomial(trials, rate, n).astype(np.float64)
    return CountedHits(hits, np.full(n, rate * trials), np.full(n, float(trials)))


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2])
def test_chance_is_as_large_at_every_level(rate: float) -> None:
    roots = counted(rate, 60, np.random.default_rng(3)).beyond()
    # The spread of a root of Poisson counts is a half; a binomial one is a little less.
    assert roots.std() * np.sqrt(60) == pytest.approx(0.5 * np.sqrt(1 - rate), rel=0.1)
    assert abs(roots.mean()) < 0.01


def test_what_was_expected_lies_at_zero_and_what_is_explained_is_expected_too() -> None:
    made = CountedHits(np.array([6.0, 6.0]), np.array([6.0, 3.0]), np.array([60.0, 60.0]))
    plain = made.beyond()
    assert plain[0] == pytest.approx(0.0, abs=0.02)
    assert plain[1] > 0.05
    explained = made.beyond(np.array([0.0, 0.05]))
    assert explained[1] == pytest.approx(explained[0])
    assert made.excess().tolist() == pytest.approx([0.0, 0.05])


def test_a_session_without_trials_says_nothing() -> None:
    made = CountedHits(np.zeros(1), np.zeros(1), np.zeros(1))
    assert made.beyond().tolist() == [0.0]
    assert made.excess().tolist() == [0.0]
