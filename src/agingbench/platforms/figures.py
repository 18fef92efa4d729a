"""The figures of a life's card as one flat table, the same for every platform."""

from __future__ import annotations

from agingbench.bench.scoring.life_card import (
    LifeCompression,
    LifeInterference,
    LifeMaintenance,
    LifeRevision,
)
from agingbench.cards.figures import Section, figure_names
from agingbench.cards.model import Card

SLOPE = "slope"
HALF_LIFE = "half_life"
AT_LEAST = "half_life_at_least"  # the half-life, or the last point where it lies beyond that
MECHANISM_FIGURES = {
    "compression": figure_names(LifeCompression),
    "interference": figure_names(LifeInterference),
    "revision": figure_names(LifeRevision),
    "maintenance": figure_names(LifeMaintenance),
}


def life_figures(card: Card) -> dict[str, float | None]:
    """The curve m_00 … m_N, slope, half-life and the mechanisms' figures; None where missing.

    Every life of one length has the same names.
    """
    headline = card.headline
    figures: dict[str, float | None] = {f"m_{int(t):02d}": m for t, m in card.checkpoints}
    figures[SLOPE] = headline.decay_slope.value
    figures[HALF_LIFE] = headline.half_life.value
    censored = headline.half_life_censored is True
    figures[AT_LEAST] = float(card.checkpoints[-1][0]) if censored else headline.half_life.value
    for mechanism, names in MECHANISM_FIGURES.items():
        section = _section(card, mechanism)
        for name in names:
            figures[f"{mechanism}_{name}"] = section.figure(name).value
    return figures


def _section(card: Card, mechanism: str) -> Section:
    section: Section = getattr(card.mechanism_metrics, mechanism)
    return section
