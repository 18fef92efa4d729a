"""Random levels of simulated sessions: days, correlated noise, tool mixes and events."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.permutation import Floats

SHOCKS = 4
LEAST_GAP = 4  # sessions between two shocks
WIDEST_SPREAD = 1.5  # of the logit of a share between sessions


def session_days(rng: np.random.Generator, n: int, per_day: float) -> NDArray[np.int64]:
    """Return the day of each session; days with any session hold `per_day` of them on average."""
    gaps = rng.poisson(-math.log(1 - 1 / per_day), n)
    return np.cumsum(gaps).astype(np.int64)


def correlated_levels(rng: np.random.Generator, n: int, sd: float, correlation: float) -> Floats:
    """Return one level per session with this spread and this correlation at lag 1."""
    draws = rng.normal(0, 1, n)
    own_part = math.sqrt(1 - correlation * correlation)
    levels = np.empty(n)
    levels[0] = draws[0]

    for i in range(1, n):
        levels[i] = correlation * levels[i - 1] + own_part * draws[i]

    return levels * sd


def drifting_mixes(
    rng: np.random.Generator,
    centre: Floats,
    mix: Floats,
    variation: float,
) -> Floats:
    """Return the mixes of `centre`, moved from about half of the tools to the others over time.

    `variation` is the total variation between the first and the last session.
    """
    is_fading = np.zeros(len(mix), dtype=bool)
    enough = min(0.65, max(0.4, variation + 0.1))

    for i in rng.permutation(len(mix)):
        mass = float(mix[is_fading].sum())
        if mass < enough and mass + mix[i] <= 0.8:
            is_fading[i] = True

    fading_mass = mix[is_fading].sum()
    growing_mass = max(1e-9, mix[~is_fading].sum())
    direction = np.where(is_fading, -mix / fading_mass, mix / growing_mass)

    distance = min(variation, 0.95 * float(fading_mass))
    time = np.linspace(0, 1, len(centre))[:, None]

    return np.asarray(np.maximum(centre + time * distance * direction, 1e-4))


def noisy_mixes(centre: Floats, levels: Floats, concentration: float) -> Floats:
    """Return mixes around `centre` whose logit noise has about the spread of a Dirichlet."""
    spread = np.sqrt((1 - centre) / np.maximum(centre, 1e-3) / (concentration + 1))
    spread = np.minimum(spread, WIDEST_SPREAD)

    logits = np.log(np.maximum(centre, 1e-4)) + spread * levels - 0.5 * spread**2
    mixes = np.exp(logits)

    return np.asarray(mixes / mixes.sum(axis=1, keepdims=True))


def shock_sessions(rng: np.random.Generator, n: int) -> set[int]:
    """Return the sessions that begin after a lifecycle event: some, well apart from each other."""
    sessions: set[int] = set()

    for spot in rng.permutation(np.arange(3, n - 3)):
        if all(abs(int(spot) - other) > LEAST_GAP for other in sessions):
            sessions.add(int(spot))
        if len(sessions) == SHOCKS:
            break

    return sessions


def logit(share: float) -> float:
    """Return the log odds of a share."""
    return math.log(share / (1 - share))


def logistic(log_odds: float) -> float:
    """Return the share with these log odds."""
    return float(1 / (1 + np.exp(-np.float64(log_odds))))
