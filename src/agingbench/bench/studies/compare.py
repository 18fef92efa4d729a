"""Cards against cards, paired by seed; a table over many; and what differs between a life and its
repetition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.scoring.paired import Card
from agingbench.cards.check import VOLATILE, load_card
from agingbench.cards.figures import Figure, document_of
from agingbench.errors import InputError
from agingbench.metrics.intervals import mean_over_lives, paired_difference
from agingbench.metrics.survival import half_lives
from agingbench.traces.canonical import content_hash

HEADLINE = ("m_final", "time_average", "decay_slope")


# -- cards, paired by seed


@dataclass(frozen=True)
class CardGroup:
    """The lives of one system under one condition."""

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
        return self.scenario, self.version, self.sessions, content_hash(self.pressure)

    def named(self) -> str:
        parts = [
            f"{self.scenario} {self.version}",
            str(self.pressure.get("preset", "own pressure")),
        ]
        return ", ".join([*parts, f"{self.sessions} sessions", *self.events])


def cards_at(path: Path) -> list[Card]:
    """The cards at or below a path: a card, a run folder or a folder of lives."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    files = [path] if path.is_file() else sorted(path.rglob("aging_card.json"))
    if not files:
        raise InputError(f"{path}: no card here (nothing holds an aging_card.json)")
    return [load_card(file) for file in files]


def card_groups(cards: Sequence[Card]) -> list[CardGroup]:
    """Cards grouped by system and condition; of two lives with one seed the later one counts."""
    found: dict[str, CardGroup] = {}
    for card in sorted(
        cards, key=lambda c: (c["scenario"], c["sut"]["sut_id"], c["seed"], c["generated_at"])
    ):
        events = tuple(card.get("lifecycle_events") or ())
        sut = card["sut"]
        config = sut.get("config_hash_sha256") or sut["sut_id"]
        where = (
            card["scenario"],
            card["scenario_version"],
            card["n_sessions"],
            card["pressure"],
            events,
        )
        cell = found.setdefault(
            content_hash([where, config]), CardGroup(*where, sut["sut_id"], config, {})
        )
        cell.cards[int(card["seed"])] = card
    return list(found.values())


def compare(a: Sequence[Card], b: Sequence[Card]) -> dict[str, Any]:
    """A − B, paired by seed, in every cell that both have; cells that can't be compared are
    refused.
    """
    left = card_groups(a)
    right = card_groups(b)
    for side, found in (("A", left), ("B", right)):
        systems = {cell.config: cell.system for cell in found}
        if len(systems) > 1:
            named = ", ".join(sorted(set(systems.values())))
            raise InputError(
                f"{side} holds {len(systems)} systems ({named}); name the folder of one of them"
            )
    matched = [(x, y) for x in left for y in right if (x.base, x.events) == (y.base, y.events)]
    if not matched and len(left) == len(right) == 1 and left[0].base == right[0].base:
        matched = [(left[0], right[0])]  # the same life with and without its events
    if not matched:
        raise InputError(f"A and B can't be compared: {what_differs(left[0], right[0])}")
    known = {id(cell) for pair in matched for cell in pair}
    return {
        "a": left[0].system,
        "b": right[0].system,
        "cells": [_compared(x, y) for x, y in matched],
        "unmatched": [cell.named() for cell in [*left, *right] if id(cell) not in known],
    }


def what_differs(a: CardGroup, b: CardGroup) -> str:
    for what in ("scenario", "version", "sessions"):
        one = getattr(a, what)
        other = getattr(b, what)
        if one != other:
            return f"{'scenario version' if what == 'version' else what} {one} against {other}"
    names = sorted(
        name
        for name in a.pressure.keys() | b.pressure.keys()
        if a.pressure.get(name) != b.pressure.get(name)
    )
    if names:
        told = (f"{name} {a.pressure.get(name)} against {b.pressure.get(name)}" for name in names)
        return f"pressure: {', '.join(told)}"
    return f"events {', '.join(a.events) or 'none'} against {', '.join(b.events) or 'none'}"


def _compared(a: CardGroup, b: CardGroup) -> dict[str, Any]:
    seeds = sorted(a.cards.keys() & b.cards.keys())
    if not seeds:
        raise InputError(f"A and B share no seed in {a.named()}")
    figures = []
    for name, read in _figures(list(a.cards.values()) + list(b.cards.values())):
        left, right = ([read(cell.cards[seed]) for seed in seeds] for cell in (a, b))
        result = paired_difference(left, right)
        if result.n:
            means = [mean_over_lives(side, proportion=False).value for side in (left, right)]
            effect = Figure.of(result.effect)
            figures.append(
                {
                    "figure": name,
                    "a": means[0],
                    "b": means[1],
                    "effect": effect.value,
                    "effect_ci": document_of(effect.ci),
                    "p_value": result.p_value,
                    "n": result.n,
                }
            )
    return {
        "condition": a.named()
        if a.events == b.events
        else f"{a.named()} against {', '.join(b.events) or 'no events'}",
        "seeds": seeds,
        "unpaired": {
            "a": sorted(a.cards.keys() - set(seeds)),
            "b": sorted(b.cards.keys() - set(seeds)),
        },
        "figures": figures,
        "half_life": {
            side: msgspec.to_builtins(_survival(list(cell.cards.values())))
            for side, cell in (("a", a), ("b", b))
        },
    }


def _figures(cards: Sequence[Card]) -> list[tuple[str, Callable[[Card], float | None]]]:
    """Name and reader of every figure that some card holds: three of the headline, then each
    mechanism's.
    """

    def reader(*path: str) -> Callable[[Card], float | None]:
        def read(card: Card) -> float | None:
            value: Any = card
            for key in path:
                value = value.get(key) if isinstance(value, dict) else None
            return (
                float(value)
                if isinstance(value, int | float) and not isinstance(value, bool)
                else None
            )

        return read

    found = [(name, reader("headline", name)) for name in HEADLINE]
    named: dict[str, Callable[[Card], float | None]] = {}
    for card in cards:
        for block, held in card["mechanism_metrics"].items():
            for key in held:
                if f"{key}_n" in held:
                    named.setdefault(f"{block}.{key}", reader("mechanism_metrics", block, key))
    return [*found, *sorted(named.items())]


def _survival(cards: Sequence[Card]) -> Any:
    lives = []
    for card in cards:
        last = max(
            (float(t) for t, m in card["checkpoints"] if m is not None),
            default=float(card["n_sessions"]),
        )
        lives.append(
            (card["headline"].get("half_life"), card["headline"].get("half_life_censored"), last)
        )
    return half_lives(lives)


def table(cards: Sequence[Card]) -> list[dict[str, Any]]:
    """One row per cell: mean ± std and n of each headline figure, and the half-lives with the
    number censored.
    """
    rows = []
    for cell in card_groups(cards):
        lives = list(cell.cards.values())
        row: dict[str, Any] = {"condition": cell.named(), "system": cell.system, "n": len(lives)}
        for name in ("m0", *HEADLINE):
            values = [
                card["headline"][name] for card in lives if card["headline"].get(name) is not None
            ]
            spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
            row[name] = {
                "mean": float(np.mean(values)) if values else None,
                "std": spread,
                "n": len(values),
            }
        rows.append({**row, "half_life": msgspec.to_builtins(_survival(lives))})
    return rows


# -- one life and its repetition


def differences(one: Card, other: Card) -> list[dict[str, Any]]:
    """Where two cards of the same evidence differ, by path, apart from what may: times, machine,
    revision.
    """
    skipped = (
        *VOLATILE,
        "provenance.git_sha",
        "provenance.agingbench_version",
        "cost_and_efficiency.latency_ms_p50",
        "cost_and_efficiency.latency_ms_p95",
    )
    out: list[dict[str, Any]] = []

    def walk(a: Any, b: Any, path: str) -> None:
        if path in skipped or a == b:
            return
        if isinstance(a, dict) and isinstance(b, dict):
            for key in sorted(a.keys() | b.keys()):
                walk(a.get(key), b.get(key), f"{path}.{key}" if path else key)
        else:
            out.append({"path": path, "recorded": a, "now": b})

    walk(one, other, "")
    return out


def answer_differences(one: RunDirectory, other: RunDirectory) -> list[dict[str, Any]]:
    """The probes that were answered otherwise."""
    now = {row.probe: row for row in other.answer_rows()}
    return [
        {"probe": row.probe, "t": row.t, "recorded": row.text, "now": now[row.probe].text}
        for row in one.answer_rows()
        if row.probe in now
        and (row.text, row.status) != (now[row.probe].text, now[row.probe].status)
    ]
