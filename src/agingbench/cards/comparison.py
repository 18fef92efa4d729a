"""The results of comparing cards: pairs of systems, tables of cells, and the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from agingbench.cards.figures import Interval
from agingbench.metrics.survival import HalfLives

T = TypeVar("T")


def differing_dials(pressures: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of the dials in which pressures differ."""
    names = sorted({name for pressure in pressures for name in pressure})
    differing = []
    for name in names:
        values = {repr(pressure.get(name)) for pressure in pressures}
        if len(values) > 1:
            differing.append(name)
    return differing


class Sides(msgspec.Struct, Generic[T], frozen=True):
    """The same thing for system A and for system B."""

    a: T
    b: T


class ComparedFigure(msgspec.Struct, frozen=True):
    """The means of one figure on both sides, and A − B over the paired lives.

    `p_holm` is the p-value corrected for every test of the same command.
    """

    figure: str
    a: float | None
    b: float | None
    effect: float | None
    effect_ci: Interval | None
    p_value: float | None
    n: int
    p_holm: float | None = None


class ComparedCell(msgspec.Struct, frozen=True):
    """Two systems under one condition; `unpaired` holds the seeds that one side alone has, and
    `smallest_p` is the smallest p-value that so many pairs can give.
    """

    condition: str
    seeds: list[int]
    unpaired: Sides[list[int]]
    figures: list[ComparedFigure]
    half_life: Sides[HalfLives]
    smallest_p: float | None = None


class Comparison(msgspec.Struct, frozen=True):
    """Two systems in every cell that both have; `unmatched` names the other cells, and `tests`
    counts the p-values that each `p_holm` is corrected for.
    """

    a: str
    b: str
    cells: list[ComparedCell]
    unmatched: list[str]
    tests: int = 0


class Comparisons(msgspec.Struct, frozen=True):
    """Several systems by name, each compared with every other."""

    systems: list[str]
    comparisons: list[Comparison]


class Spread(msgspec.Struct, frozen=True):
    """Mean and standard deviation of a figure over n lives."""

    mean: float | None
    std: float | None
    n: int


class CellSummary(msgspec.Struct, frozen=True):
    """The headline figures of one system under one condition, over its lives."""

    condition: str
    system: str
    n: int
    m0: Spread
    m_final: Spread
    time_average: Spread
    decay_slope: Spread
    half_life: HalfLives


class GatedLife(msgspec.Struct, frozen=True):
    """Which life one side of the gate is; without a seed, the mean over several."""

    sut_id: str
    scenario: str
    scenario_version: str
    seed: int | None
    time_average: float | None


class GateResult(msgspec.Struct, frozen=True, kw_only=True):
    """The drop of the time average, and what the gate makes of it.

    `detectable` is the smallest drop that could have been seen, `seeds_needed` how many seeds would
    see one of `max_drop`. `seeds` are paired; `unpaired` are on one side only (a: the candidate's,
    b: the baseline's). `checks` holds the reason of every
    failed check and None for one that passed; `failures` lists those reasons.
    """

    candidate: GatedLife
    baseline: GatedLife
    max_drop: float
    drop: float
    drop_ci: tuple[float, float]
    drop_n: int
    detectable: float
    basis: str
    failed_pairs: int
    regression: bool
    powered: bool
    seeds: list[int]
    unpaired: Sides[list[int]]
    seeds_needed: int | None
    checks: dict[str, str | None]
    failures: list[str]
