"""Compares cards of two systems, paired by seed, and tabulates the cards of many."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from agingbench.cards.check import load_card
from agingbench.cards.comparison import (
    CellSummary,
    ComparedCell,
    ComparedFigure,
    Comparison,
    Sides,
    Spread,
)
from agingbench.cards.figures import Figure
from agingbench.cards.model import Card
from agingbench.errors import InputError
from agingbench.metrics.intervals import mean_over_lives, paired_difference
from agingbench.metrics.survival import HalfLives, half_lives
from agingbench.traces.canonical import content_hash

HEADLINE = ("m_final", "time_average", "decay_slope")


class CardGroup(msgspec.Struct, frozen=True):
    """The cards of one system under one condition, by seed."""

    scenario: str
    version: str
    sessions: int
    pressure: dict[str, Any]
    events: tuple[str, ...]
    system: str
    config: str
    cards: dict[int, Card]

    @property
    def base(self) -> tuple[str, str, int, str]:
        """What must be equal on both sides of a comparison, apart from the events."""
        return self.scenario, self.version, self.sessions, content_hash(self.pressure)

    @property
    def condition(self) -> str:
        """The condition in words."""
        preset = self.pressure.get("preset", "own pressure")
        parts = [
            f"{self.scenario} {self.version}",
            str(preset),
            f"{self.sessions} sessions",
            *self.events,
        ]
        return ", ".join(parts)

    def read_all(self, name: str, seeds: Sequence[int]) -> list[float | None]:
        """The value of a figure on the card of each seed."""
        return [_figure_value(self.cards[seed], name) for seed in seeds]


def card_files(path: Path) -> list[Path]:
    """The card files at a card file, a run folder or a folder of lives; raises InputError where
    there is none.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")

    files = [path] if path.is_file() else sorted(path.rglob("aging_card.json"))
    if not files:
        raise InputError(f"{path}: no card here (nothing holds an aging_card.json)")
    return files


def cards_at(path: Path) -> list[Card]:
    """Read the cards of a card file, a run folder or a folder of lives."""
    return [Card.read(load_card(file)) for file in card_files(path)]


def card_groups(cards: Sequence[Card]) -> list[CardGroup]:
    """Group cards by system and condition; of two lives with one seed the later one counts."""

    def order(card: Card) -> tuple[str, str, int, str]:
        return card.scenario, card.sut.sut_id, card.seed, card.generated_at

    groups: dict[str, CardGroup] = {}
    for card in sorted(cards, key=order):
        config_hash = card.sut.config_hash_sha256
        config = config_hash if isinstance(config_hash, str) and config_hash else card.sut.sut_id
        group = CardGroup(
            scenario=card.scenario,
            version=card.scenario_version,
            sessions=card.n_sessions,
            pressure=card.pressure,
            events=tuple(card.others.get("lifecycle_events") or ()),
            system=card.sut.sut_id,
            config=config,
            cards={},
        )
        key = content_hash([group.base, group.events, config])
        groups.setdefault(key, group).cards[card.seed] = card
    return list(groups.values())


# -- two systems


def compare(a: Sequence[Card], b: Sequence[Card]) -> Comparison:
    """Compare two systems in every cell that both have, paired by seed.

    Raises InputError where a side holds several systems or no cell can be compared.
    """
    first = card_groups(a)
    second = card_groups(b)
    _check_one_system("A", first)
    _check_one_system("B", second)

    matches = []
    for x in first:
        for y in second:
            if x.base == y.base and x.events == y.events:
                matches.append((x, y))

    one_each = len(first) == len(second) == 1
    if not matches and one_each and first[0].base == second[0].base:
        matches = [(first[0], second[0])]  # the same life with and without its events
    if not matches:
        raise InputError(f"A and B can't be compared: {what_differs(first[0], second[0])}")

    matched = {id(group) for match in matches for group in match}
    unmatched = [group for group in [*first, *second] if id(group) not in matched]
    return Comparison(
        a=first[0].system,
        b=second[0].system,
        cells=[_compare_cell(x, y) for x, y in matches],
        unmatched=[group.condition for group in unmatched],
    )


def _check_one_system(side: str, groups: Sequence[CardGroup]) -> None:
    systems = {group.config: group.system for group in groups}
    if len(systems) > 1:
        names = ", ".join(sorted(set(systems.values())))
        raise InputError(
            f"{side} holds {len(systems)} systems ({names}); name the folder of one of them"
        )


def what_differs(a: CardGroup, b: CardGroup) -> str:
    """Say in words in what the conditions of two groups differ first."""
    fields = {
        "scenario": (a.scenario, b.scenario),
        "scenario version": (a.version, b.version),
        "sessions": (a.sessions, b.sessions),
    }
    for name, (one, other) in fields.items():
        if one != other:
            return f"{name} {one} against {other}"

    dials = []
    for name in sorted(a.pressure.keys() | b.pressure.keys()):
        one = a.pressure.get(name)
        other = b.pressure.get(name)
        if one != other:
            dials.append(f"{name} {one} against {other}")
    if dials:
        return f"pressure: {', '.join(dials)}"

    return f"events {', '.join(a.events) or 'none'} against {', '.join(b.events) or 'none'}"


def _compare_cell(a: CardGroup, b: CardGroup) -> ComparedCell:
    seeds = sorted(a.cards.keys() & b.cards.keys())
    if not seeds:
        raise InputError(f"A and B share no seed in {a.condition}")

    figures = []
    for name in _figure_names([*a.cards.values(), *b.cards.values()]):
        values_a = a.read_all(name, seeds)
        values_b = b.read_all(name, seeds)
        result = paired_difference(values_a, values_b)
        if not result.n:
            continue
        effect = Figure.of(result.effect)
        figure = ComparedFigure(
            figure=name,
            a=mean_over_lives(values_a, proportion=False).value,
            b=mean_over_lives(values_b, proportion=False).value,
            effect=effect.value,
            effect_ci=effect.interval,
            p_value=result.p_value,
            n=result.n,
        )
        figures.append(figure)

    condition = a.condition
    if a.events != b.events:
        condition += f" against {', '.join(b.events) or 'no events'}"
    return ComparedCell(
        condition=condition,
        seeds=seeds,
        unpaired=Sides(
            a=sorted(a.cards.keys() - set(seeds)),
            b=sorted(b.cards.keys() - set(seeds)),
        ),
        figures=figures,
        half_life=Sides(a=_half_lives_of(a), b=_half_lives_of(b)),
    )


# -- the figures of a card


def _figure_names(cards: Sequence[Card]) -> list[str]:
    """The names of all figures on the cards: three of the headline, then each mechanism's."""
    names = set()
    for card in cards:
        for mechanism, section in card.mechanism_metrics.document().items():
            for key in section:
                if f"{key}_n" in section:
                    names.add(f"{mechanism}.{key}")
    return [*HEADLINE, *sorted(names)]


def _figure_value(card: Card, name: str) -> float | None:
    mechanism, _, key = name.rpartition(".")
    if not mechanism:
        return card.headline.figure(key).value

    value = card.mechanism_metrics.document().get(mechanism, {}).get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _half_lives_of(group: CardGroup) -> HalfLives:
    lives = []
    for card in group.cards.values():
        points = [float(t) for t, m in card.checkpoints if m is not None]
        last = max(points, default=float(card.n_sessions))
        censored = card.headline.half_life_censored is True
        lives.append((card.headline.half_life.value, censored, last))
    return half_lives(lives)


# -- many systems


def table(cards: Sequence[Card]) -> list[CellSummary]:
    """Summarise every system under every condition over its lives."""
    rows = []
    for group in card_groups(cards):
        row = CellSummary(
            condition=group.condition,
            system=group.system,
            n=len(group.cards),
            m0=_spread(group, "m0"),
            m_final=_spread(group, "m_final"),
            time_average=_spread(group, "time_average"),
            decay_slope=_spread(group, "decay_slope"),
            half_life=_half_lives_of(group),
        )
        rows.append(row)
    return rows


def _spread(group: CardGroup, name: str) -> Spread:
    figures = group.read_all(name, list(group.cards))
    values = [value for value in figures if value is not None]
    mean = float(np.mean(values)) if values else None
    std = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Spread(mean, std, len(values))
