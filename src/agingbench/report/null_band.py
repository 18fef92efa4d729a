"""Where the running mean of a signal lies when its days are put in random order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import numpy as np

ORDERS = 400
LEAST = 6  # sessions with a value below which no band says anything
SHARE = 0.95
DAY_FORMAT = "%Y-%m-%d"


class BandPoint(msgspec.Struct, frozen=True):
    """The running mean at one session, and the band of the same under chance."""

    t: int
    mean: float
    low: float
    high: float


def null_band(series: Sequence[object], times: Sequence[float | None]) -> list[BandPoint]:
    """The running mean of a series with its band; empty where too little is known.

    Sessions of one day stay together, as in the tests of an audit. The band is drawn from the card
    alone and knows nothing of models and kinds of work, which the tests hold fixed.
    """
    places = []
    values = []
    for place, value in enumerate(series):
        if isinstance(value, int | float) and not isinstance(value, bool):
            places.append(place)
            values.append(float(value))
    if len(values) < LEAST:
        return []
    blocks = _blocks(places, times)
    if len(blocks) < LEAST:
        return []

    known = np.array(values)
    window = max(3, len(values) // 5)
    means = _running_mean(known, window)
    random = np.random.default_rng(0)
    chance = np.empty((ORDERS, len(values)))
    for row in range(ORDERS):
        order = random.permutation(len(blocks))
        shuffled = np.concatenate([known[blocks[place]] for place in order])
        chance[row] = _running_mean(shuffled, window)
    edge = (1 - SHARE) / 2
    low, high = np.quantile(chance, [edge, 1 - edge], axis=0)
    points = []
    for place, mean, one_low, one_high in zip(places, means, low, high, strict=True):
        points.append(BandPoint(place, float(mean), float(one_low), float(one_high)))
    return points


def _blocks(places: Sequence[int], times: Sequence[float | None]) -> list[list[int]]:
    """The positions of sessions, those of one day together; without times each is its own."""
    blocks: list[list[int]] = []
    last = ""
    for position, place in enumerate(places):
        time = times[place] if place < len(times) else None
        day = "" if time is None else datetime.fromtimestamp(time, UTC).strftime(DAY_FORMAT)
        if blocks and day and day == last:
            blocks[-1].append(position)
        else:
            blocks.append([position])
        last = day
    return blocks


def _running_mean(values: np.ndarray, window: int) -> np.ndarray:
    """The mean of the values around each; at the ends of as many as there are."""
    weights = np.ones(window)
    sums = np.convolve(values, weights, mode="same")
    counts = np.convolve(np.ones(len(values)), weights, mode="same")
    return np.asarray(sums / counts)
