"""What a paper puts side by side: one panel per condition, systems under short names."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.cards.model import Card
from agingbench.metrics.intervals import Estimate, mean_over_lives
from agingbench.report.series import (
    Series,
    by_series,
    events,
    over_lives,
    pressure_name,
    turned_dials,
)
from agingbench.report.text import plain

LONGEST = 32  # characters of a name


class Panel(msgspec.Struct, frozen=True):
    """The systems that lived under one condition, each under its short name."""

    title: str
    systems: dict[str, Series]


def panels_of(cards: Sequence[Card]) -> list[Panel]:
    """One panel per scenario and condition, in the order in which the cards name them."""
    series = by_series(cards)
    names = short_names([one.label for one in series])
    groups: dict[str, dict[str, Series]] = {}
    for one in series:
        groups.setdefault(one.key, {})[names[one.label]] = one
    firsts = [next(iter(systems.values())).cards[0] for systems in groups.values()]
    titles = condition_titles(firsts)
    return [Panel(title, systems) for title, systems in zip(titles, groups.values(), strict=True)]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Each name without the parts that all have in common; whole where that would mix two up."""
    distinct = list(dict.fromkeys(names))
    shared = shared_parts(distinct)
    short = {}
    for name in distinct:
        own = name.split("+")
        rest = [part for part in own if part not in shared] or own[-1:]
        short[name] = _cut(" + ".join(rest).replace("_", " "))
    if len(set(short.values())) < len(distinct):
        return {name: name for name in distinct}
    return short


def shared_parts(names: Sequence[str]) -> list[str]:
    """The parts, between plus signs, that all of several different names have."""
    distinct = list(dict.fromkeys(names))
    if len(distinct) < 2:
        return []
    others = [set(name.split("+")) for name in distinct[1:]]
    return [part for part in distinct[0].split("+") if all(part in other for other in others)]


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def condition_titles(cards: Sequence[Card]) -> list[str]:
    """A title for each condition: its scenario, and of the rest only what tells them apart."""
    alike: dict[str, list[int]] = {}
    for place, card in enumerate(cards):
        alike.setdefault(scenario_title(card.scenario), []).append(place)

    titles = [""] * len(cards)
    for scenario, places in alike.items():
        endings = _endings([cards[place] for place in places])
        for place, ending in zip(places, endings, strict=True):
            titles[place] = ", ".join([scenario, *ending])
    return titles


def _endings(cards: Sequence[Card]) -> list[list[str]]:
    """What tells conditions of one scenario apart, for each of them."""
    aspects = [
        [pressure_name(card) for card in cards],
        [f"{card.n_sessions} sessions" for card in cards],
        [", ".join(events(card)) or "no events" for card in cards],
        [turned_dials(card) or "no dial turned" for card in cards],
        [f"version {plain(card.scenario_version)}" for card in cards],
        [plain(card.others.get("probes_asked") or "all probes") for card in cards],
    ]
    endings: list[list[str]] = [[] for _ in cards]
    for values in aspects:
        is_told_apart = len({tuple(ending) for ending in endings}) == len(cards)
        if is_told_apart:
            return endings
        if len(set(values)) > 1:
            for ending, value in zip(endings, values, strict=True):
                ending.append(value)
    if len({tuple(ending) for ending in endings}) < len(cards):
        for place, ending in enumerate(endings, 1):
            ending.append(f"condition {place}")
    return endings


def scenario_title(scenario: str) -> str:
    """The name of a scenario as a heading: S2 lifestyle assistant."""
    words = plain(scenario).replace("_", " ")
    return words[:1].upper() + words[1:]


def point_estimates(series: Series) -> list[tuple[float, Estimate]]:
    """m(t) with its interval: of one life as its card has it, of several over the lives."""
    if len(series.cards) == 1:
        return _own_estimates(series.cards[0])
    points: dict[float, list[float | None]] = {}
    for card in series.cards:
        for t, m in card.checkpoints:
            points.setdefault(t, []).append(m)
    return [(t, mean_over_lives(values, proportion=True)) for t, values in sorted(points.items())]


def _own_estimates(card: Card) -> list[tuple[float, Estimate]]:
    bounds = {}
    for t, low, high, n in card.others.get("checkpoint_intervals") or []:
        bounds[t] = (low, high, n)
    rows = []
    for t, m in card.checkpoints:
        low, high, n = bounds.get(t, (None, None, 0))
        rows.append((t, Estimate(m, low, high, n)))
    return rows


def headline_estimate(series: Series, name: str) -> Estimate:
    """A headline figure: of one life with the interval of its card, of several over the lives."""
    figures = [card.headline.figure(name) for card in series.cards]
    return over_lives(figures, proportion=name != "decay_slope")
