"""Which lives belong together, and their conditions, curves and half-lives in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agingbench.cards.figures import Figure
from agingbench.cards.model import Card
from agingbench.metrics.intervals import MISSING as NO_ESTIMATE
from agingbench.metrics.intervals import Estimate, mean_over_lives
from agingbench.metrics.survival import half_lives, median
from agingbench.report.text import plain
from agingbench.traces.canonical import content_hash


@dataclass(frozen=True)
class Series:
    """The lives of one system under one condition: what may be averaged."""

    label: str
    key: str
    condition: str
    cards: list[Card]


def read_cards(documents: Sequence[Mapping[str, Any]]) -> list[Card]:
    """The cards of these documents, typed."""
    return [Card.read(document) for document in documents]


def pressure_name(card: Card) -> str:
    """The preset of a life, or its dials where it names none."""
    if "preset" in card.pressure:
        return plain(card.pressure["preset"])
    return dials(card)


def dials(card: Card) -> str:
    """Every dial of a life with its value."""
    parts = []
    for name, value in card.pressure.items():
        if name != "preset":
            parts.append(f"{plain(name)} {'–' if value is None else plain(value)}")
    return ", ".join(parts)


def turned_dials(card: Card) -> str:
    """The dials that differ from the preset; every dial where the card does not say."""
    turned = card.others.get("pressure_turned")
    if not isinstance(turned, dict):
        return dials(card)
    return ", ".join(f"{plain(name)} {plain(value)}" for name, value in turned.items())


def events(card: Card) -> list[str]:
    """The lifecycle events of a life, as `name@point`."""
    names = card.others.get("lifecycle_events")
    if not isinstance(names, list):
        return []
    return [plain(name) for name in names]


def condition(card: Card) -> str:
    """Scenario, pressure, length and events of a life in words."""
    scenario = f"{plain(card.scenario)} {plain(card.scenario_version)}"
    parts = [
        scenario,
        pressure_name(card),
        f"{card.n_sessions} sessions",
        *events(card),
    ]
    selection = card.others.get("probes_asked")
    if selection:
        parts.append(f"probes {plain(selection)}")
    return ", ".join(part for part in parts if part)


def by_series(cards: Sequence[Card]) -> list[Series]:
    """Group lives by system and condition, in the order in which they appear.

    The whole pressure and the system's configuration count, not their names alone. The card of one
    life given twice counts once.
    """
    groups: dict[tuple[str, str], list[Card]] = {}
    lives: set[str] = set()
    for card in cards:
        key = (_system_key(card), condition_key(card))
        life = content_hash([card.run_id, card.seed, key])
        if life not in lives:
            lives.add(life)
            groups.setdefault(key, []).append(card)

    # The configuration names the scenario, so one name may stand for one system in each of them.
    systems: dict[tuple[str, str], set[str]] = {}
    for (system, _), group in groups.items():
        name = (group[0].scenario, plain(group[0].sut.sut_id))
        systems.setdefault(name, set()).add(system)
    series = []
    for (system, key_of_condition), group in groups.items():
        label = plain(group[0].sut.sut_id)
        if len(systems[group[0].scenario, label]) > 1:
            label = f"{label} #{system[:6]}"
        in_order = sorted(group, key=lambda card: card.seed)
        series.append(Series(label, key_of_condition, condition(group[0]), in_order))
    return series


def condition_key(card: Card) -> str:
    """Equal for lives that differ in system and seed only."""
    return content_hash(
        [
            card.scenario,
            card.scenario_version,
            card.n_sessions,
            card.pressure,
            card.others.get("lifecycle_events"),
            card.others.get("probes_asked"),
        ]
    )


def _system_key(card: Card) -> str:
    return content_hash([card.sut.sut_id, card.sut.config_hash_sha256 or None])


def mean_curve(cards: Sequence[Card]) -> list[tuple[float, float | None]]:
    """m(t) averaged over the lives that were measured at t; None where none was."""
    points: dict[float, list[float]] = {}
    for card in cards:
        for t, m in card.checkpoints:
            values = points.setdefault(t, [])
            if m is not None:
                values.append(m)

    curve: list[tuple[float, float | None]] = []
    for t, values in sorted(points.items()):
        curve.append((t, sum(values) / len(values) if values else None))
    return curve


def system_names(series: Sequence[Series]) -> list[str]:
    """The systems of several series, each once, in their order."""
    return list(dict.fromkeys(one.label for one in series))


def is_lost_at_once(half_life: float | None, aging: bool | None) -> bool:
    """Tell whether half was gone after the first write and no trend is seen after it.

    That is no aging, and no health either.
    """
    return half_life is not None and half_life <= 1 and aging is False


_BELOW_NOTHING = re.compile(r"fitted change -(?:1[0-9]{2}|[2-9][0-9]{2}|[0-9]{4,9}) %")


def aging_reason(card: Card) -> str:
    """Why a life is said to age or not; a line that ends below nothing falls to nothing."""
    reason = plain(card.headline.others.get("aging_reason") or "").removeprefix("aging: ")
    return _BELOW_NOTHING.sub("a fitted line that falls to nothing", reason)


def half_life_words(card: Card) -> str:
    """The half-life in words: its session, that it was not reached, or why there is none."""
    headline = card.headline
    if headline.half_life.value is not None:
        return f"{headline.half_life.value:.1f} sessions"
    if headline.half_life_censored:
        return f"not reached by session {last_point(card):g} (censored)"
    return plain(headline.half_life_reason or "–")


def last_point(card: Card) -> float:
    """The last point that was measured; the length of a life that has none."""
    points = [t for t, m in card.checkpoints if m is not None]
    return max(points, default=float(card.n_sessions))


def over_lives(figures: Sequence[Figure], *, proportion: bool) -> Estimate:
    """The mean of a figure over lives; that of one life keeps its own interval and count."""
    if len(figures) == 1:
        only = figures[0]
        low, high = only.interval or (None, None)
        return Estimate(only.value, low, high, only.count)
    return mean_over_lives([figure.value for figure in figures], proportion=proportion)


def median_half_life(series: Series) -> tuple[Estimate, str]:
    """The median half-life with its words; lives that never lost half are censored."""
    lives = []
    for card in series.cards:
        censored = card.headline.half_life_censored is True
        lives.append((card.headline.half_life.value, censored, last_point(card)))
    summary = half_lives(lives)
    if not summary.listed:
        return NO_ESTIMATE, "–"
    times = [t for t, _ in summary.listed]
    middle = median(times, [censored for _, censored in summary.listed])
    if middle.value is None:
        return middle, f"> {summary.tau:g}"
    return middle, f"{middle.value:.1f}"
