"""Likeness of neighbouring sessions: pooled over series, noticed where it is and not elsewhere."""

from __future__ import annotations

import numpy as np

from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.inference.serial_correlation import (
    SerialCorrelation,
    Series,
    pool_serial_correlation,
)

SESSIONS = 24


def null(days: list[int] | None = None, n: int = SESSIONS) -> NullModel:
    return NullModel(
        n_sessions=n, days=days, models=[0] * n, clients=[0] * n, seed=5, permutations=199
    )


def wandering(phi: float, rng: np.random.Generator, parts: int = 1) -> Series:
    values = np.zeros((SESSIONS, parts))
    values[0] = rng.normal(size=parts)
    for i in range(1, SESSIONS):
        values[i] = phi * values[i - 1] + np.sqrt(1 - phi * phi) * rng.normal(size=parts)
    return values, np.ones(SESSIONS)


def test_many_series_tell_what_one_does_not() -> None:
    alone = []
    together = []
    chance = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        series = [wandering(0.5, rng) for _ in range(6)]
        alone.append(pool_serial_correlation(null(), series[:1]).p or 0.0)
        together.append(pool_serial_correlation(null(), series).p or 0.0)
        chance.append(
            pool_serial_correlation(null(), [wandering(0.0, rng) for _ in range(6)]).p or 0.0
        )
    seen = [sum(p <= 0.05 for p in each) for each in (alone, together, chance)]
    assert seen[1] >= 36
    assert seen[0] < seen[1] - 5
    assert seen[2] <= 6


def test_the_pooled_likeness_is_near_the_true_one() -> None:
    found = []
    for seed in range(30):
        rng = np.random.default_rng(100 + seed)
        rho = pool_serial_correlation(null(), [wandering(0.5, rng) for _ in range(6)]).rho
        assert rho is not None
        found.append(float(rho[0]))
    assert 0.35 < float(np.mean(found)) < 0.6
    assert float(np.std(found)) < 0.15


def test_a_series_of_many_parts_counts_for_more() -> None:
    rng = np.random.default_rng(1)
    pooled = pool_serial_correlation(null(), [wandering(0.0, rng), wandering(0.0, rng, parts=8)])
    assert pooled.weights[1] > 3 * pooled.weights[0]


def test_days_have_orderings_of_their_own() -> None:
    days = [i // 2 for i in range(SESSIONS)]
    rng = np.random.default_rng(2)
    values = np.repeat(rng.normal(size=(12, 1)), 2, axis=0) + 0.3 * rng.normal(size=(SESSIONS, 1))
    pooled = pool_serial_correlation(null(days), [(values, np.ones(SESSIONS))])
    assert pooled.rho is not None
    assert pooled.day_rho is not None
    # Sessions of one day stay together when days change places: the likeness stays as well.
    assert pooled.day_rho[1:].mean() > pooled.rho[1:].mean() + 0.1


def test_too_few_sessions_and_constant_series_say_nothing() -> None:
    few = np.r_[np.ones(5), np.zeros(SESSIONS - 5)]
    nothing = pool_serial_correlation(
        null(), [(np.random.default_rng(0).normal(size=(SESSIONS, 1)), few)]
    )
    constant = pool_serial_correlation(null(), [(np.ones((SESSIONS, 1)), np.ones(SESSIONS))])
    for pooled in (
        nothing,
        constant,
        pool_serial_correlation(null(), []),
        SerialCorrelation(SESSIONS),
    ):
        assert pooled.p is None
        assert pooled.rho is None
        assert pooled.rho_under(null().orders) is None
