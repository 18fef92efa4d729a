"""The flat table of a card's figures: the same names for every life, and missing stays missing."""

from __future__ import annotations

from typing import Any

from agingbench.cards.model import Card
from agingbench.platforms.figures import MECHANISM_FIGURES, life_figures
from tests.report.lives import life


def figures(**changes: Any) -> dict[str, float | None]:
    document = life("m+keeps", ms=[0.8, 0.4, 0.2])
    document["headline"] |= changes
    return life_figures(Card.read(document))


def test_the_curve_is_told_point_by_point() -> None:
    table = figures()
    assert [table[f"m_{t:02d}"] for t in range(3)] == [0.8, 0.4, 0.2]


def test_a_half_life_beyond_the_end_is_at_least_the_last_point() -> None:
    table = figures(half_life=None, half_life_censored=True)
    assert (table["half_life"], table["half_life_at_least"]) == (None, 2.0)
    table = figures(half_life=1.25, half_life_censored=False)
    assert (table["half_life"], table["half_life_at_least"]) == (1.25, 1.25)
    table = figures(half_life=None, half_life_censored=None)
    assert (table["half_life"], table["half_life_at_least"]) == (None, None)


def test_every_figure_of_every_mechanism_is_named() -> None:
    table = figures()
    for mechanism, names in MECHANISM_FIGURES.items():
        assert names, mechanism
        assert all(f"{mechanism}_{name}" in table for name in names)
    assert table["maintenance_shock_delta"] is None  # no event, so nothing was measured
