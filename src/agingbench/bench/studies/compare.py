"""Compares cards of two or more systems, paired by seed, and tabulates them."""

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
    Comparisons,
    Sides,
    Spread,
    differing_dials,
)
from agingbench.cards.figures import Figure
from agingbench.cards.model import Card
from agingbench.errors import InputError
from agingbench.metrics.intervals import mean_over_lives, paired_difference, smallest_p
from agingbench.metrics.multiplicity import holm
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
    probes: str  # which were asked; empty: all
    system: str
    config: str
    cards: dict[int, Card]

    @property
    def base(self) -> tuple[str, str, int, str, str]:
        """What must be equal on both sides of a comparison, apart from the events."""
        pressure = content_hash(self.pressure)
        return self.scenario, self.version, self.sessions, self.probes, pressure

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
        if self.probes:
            parts.append(f"probes {self.probes}")
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
            probes=str(card.others.get("probes_asked") or ""),
            system=card.sut.sut_id,
            config=config,
            cards={},
        )
        key = content_hash([group.base, group.events, config])
        groups.setdefault(key, group).cards[card.seed] = card
    return list(groups.values())


def condition_names(groups: Sequence[CardGroup]) -> dict[int, str]:
    """The condition of each group (by its id) in words; those that read alike are told apart by the
    dials in which they differ.
    """
    alike: dict[str, list[CardGroup]] = {}
    for group in groups:
        alike.setdefault(group.condition, []).append(group)

    names = {}
    for condition, members in alike.items():
        dials = differing_dials([group.pressure for group in members])
        for group in members:
            values = [f"{dial} {group.pressure.get(dial)}" for dial in dials]
            names[id(group)] = ", ".join([condition, *values])
    return names


# -- two systems


class NamedCards(msgspec.Struct, frozen=True):
    """The cards of one system, under the name that the user knows it by."""

    name: str
    cards: list[Card]


def compare(a: Sequence[Card], b: Sequence[Card]) -> Comparison:
    """Compare two systems in every cell that both have, paired by seed.

    Raises InputError where a side holds several systems or no cell can be compared.
    """
    (comparison,) = _corrected([_compare_sides("A", a, "B", b)])
    return comparison


def compare_all(systems: Sequence[NamedCards]) -> Comparisons:
    """Compare every system with every other one; p-values are corrected for all of it."""
    comparisons = []
    for i, a in enumerate(systems):
        for b in systems[i + 1 :]:
            comparison = _compare_sides(a.name, a.cards, b.name, b.cards)
            named = msgspec.structs.replace(comparison, a=a.name, b=b.name)
            comparisons.append(named)
    return Comparisons([system.name for system in systems], _corrected(comparisons))


def systems_of(cards: Sequence[Card]) -> list[NamedCards]:
    """The systems that these cards are of, each with its cards; equal names get a part of the
    system's hash.
    """
    by_config: dict[str, list[Card]] = {}
    names: dict[str, str] = {}
    for group in card_groups(cards):
        by_config.setdefault(group.config, []).extend(group.cards.values())
        names[group.config] = group.system
    listed = list(names.values())
    systems = []
    for config, members in by_config.items():
        name = names[config]
        label = f"{name} ({config[:6]})" if listed.count(name) > 1 else name
        systems.append(NamedCards(label, members))
    return systems


def name_systems(sides: Sequence[tuple[str | None, Sequence[Card]]]) -> list[NamedCards]:
    """The systems of all sides; a side with a name holds one system, which goes by that name.

    Raises InputError where two systems would have one name, or there are fewer than two.
    """
    systems = []
    for name, cards in sides:
        found = systems_of(cards)
        if name is not None and len(found) > 1:
            held = ", ".join(system.name for system in found)
            raise InputError(f"{name} holds {len(found)} systems ({held}); name one folder each")
        systems += [NamedCards(name or system.name, system.cards) for system in found]

    names = [system.name for system in systems]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two systems are called {name}; give them names, as NAME=PATH")
    if len(systems) < 2:
        raise InputError(f"compare takes two systems or more, not {len(systems)}; or give --table")
    return systems


def _compare_sides(name_a: str, a: Sequence[Card], name_b: str, b: Sequence[Card]) -> Comparison:
    first = card_groups(a)
    second = card_groups(b)
    _check_one_system(name_a, first)
    _check_one_system(name_b, second)

    matches = []
    for x in first:
        for y in second:
            if x.base == y.base and x.events == y.events:
                matches.append((x, y))

    one_each = len(first) == len(second) == 1
    if not matches and one_each and first[0].base == second[0].base:
        matches = [(first[0], second[0])]  # the same life with and without its events
    if not matches:
        differs = what_differs(first[0], second[0])
        raise InputError(f"{name_a} and {name_b} can't be compared: {differs}")

    matched = {id(group) for match in matches for group in match}
    unmatched = [group for group in [*first, *second] if id(group) not in matched]
    names = condition_names([*first, *second])
    return Comparison(
        a=first[0].system,
        b=second[0].system,
        cells=[_compare_cell(x, y, names[id(x)]) for x, y in matches],
        unmatched=[names[id(group)] for group in unmatched],
    )


def _corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with every p-value corrected for all of them together."""
    p_values: dict[str, float | None] = {}
    for i, comparison in enumerate(comparisons):
        for j, cell in enumerate(comparison.cells):
            for row in cell.figures:
                p_values[f"{i} {j} {row.figure}"] = row.p_value
    adjusted = holm(p_values)
    tests = sum(p is not None for p in p_values.values())

    corrected = []
    for i, comparison in enumerate(comparisons):
        cells = []
        for j, cell in enumerate(comparison.cells):
            rows = []
            for row in cell.figures:
                p_holm = adjusted[f"{i} {j} {row.figure}"]
                rows.append(msgspec.structs.replace(row, p_holm=p_holm))
            cells.append(msgspec.structs.replace(cell, figures=rows))
        corrected.append(msgspec.structs.replace(comparison, cells=cells, tests=tests))
    return corrected


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
        "probes": (a.probes or "all", b.probes or "all"),
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


def _compare_cell(a: CardGroup, b: CardGroup, condition: str) -> ComparedCell:
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
        smallest_p=smallest_p(len(seeds)),
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
    groups = card_groups(cards)
    names = condition_names(groups)
    for group in groups:
        row = CellSummary(
            condition=names[id(group)],
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
