"""Intervals of hazard and half-life hold the truth where the curve lies near the threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agingbench.metrics.curve import CurveStats, curve_stats
from agingbench.validity.simulated_curves import (
    FlatLife,
    expected_half_life,
    expected_hazard,
    simulate,
)

LIVES = 120
# 90 % less two standard errors of a share over 120 lives; measured over 400 lives: 94 to 99 %.
LEAST = 0.90 - 2 * math.sqrt(0.9 * 0.1 / LIVES)


def _stats(life: FlatLife) -> list[CurveStats]:
    rng = np.random.default_rng(11)
    return [curve_stats(simulate(rng, life), n_boot=200) for _ in range(LIVES)]


@pytest.mark.parametrize(
    ("level", "sessions", "persistent"),
    [
        (0.4, 10, False),
        (0.5, 10, True),
        (0.6, 30, True),
        (0.8, 10, False),
        pytest.param(0.4, 10, True, marks=pytest.mark.slow),
        pytest.param(0.5, 10, False, marks=pytest.mark.slow),
        pytest.param(0.6, 30, False, marks=pytest.mark.slow),
        pytest.param(0.8, 10, True, marks=pytest.mark.slow),
    ],
)
def test_intervals_cover_near_the_threshold(level: float, sessions: int, persistent: bool) -> None:
    life = FlatLife(level, persistent, sessions)
    hazard = expected_hazard(life, 0.5)
    half_life = expected_half_life(life)
    hazards = []
    half_lives = []
    for stats in _stats(life):
        estimate = stats.hazard_proxy
        assert estimate.low is not None
        assert estimate.high is not None
        assert stats.half_life_ci is not None
        hazards.append(estimate.low <= hazard <= estimate.high)
        low, high = stats.half_life_ci
        half_lives.append(low <= half_life <= (math.inf if high is None else high))
    print(life, f"hazard {np.mean(hazards):.3f}, half-life {np.mean(half_lives):.3f}")
    assert np.mean(hazards) >= LEAST
    assert np.mean(half_lives) >= LEAST


def test_the_expected_hazard_is_what_lives_show_on_average() -> None:
    life = FlatLife(0.6, True)
    shown = [stats.hazard_proxy.value for stats in _stats(life)]
    # Points of a life go together: the standard error is that of 120 lives, at most .03.
    assert np.mean([value or 0.0 for value in shown]) == pytest.approx(
        expected_hazard(life, 0.5), abs=0.09
    )
