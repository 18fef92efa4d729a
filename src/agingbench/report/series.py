"""Which lives belong together, and their conditions, curves and half-lives in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agingbench.report.text import plain
from agingbench.traces.canonical import content_hash

Card = dict[str, Any]


@dataclass(frozen=True)
class Series:
    """The lives of one system under one condition: what may be averaged."""

    label: str
    key: str
    condition: str
    cards: list[Card]


def pressure_name(card: Card) -> str:
    """The preset of a life, or its dials where it names none."""
    pressure = card["pressure"]
    return plain(pressure["preset"]) if "preset" in pressure else dials(card)


def dials(card: Card) -> str:
    """Every dial that was used, by name."""
    used = [(name, value) for name, value in card["pressure"].items() if name != "preset"]
    return ", ".join(
        f"{plain(name)} {'–' if value is None else plain(value)}" for name, value in used
    )


def turned(card: Card) -> str:
    """The dials that differ from the preset; every dial where the card does not say."""
    if "pressure_turned" not in card:
        return dials(card)
    return ", ".join(
        f"{plain(name)} {plain(value)}" for name, value in card["pressure_turned"].items()
    )


def events(card: Card) -> list[str]:
    """The lifecycle events of a life, as `name@point`."""
    found = card.get("lifecycle_events")
    return [plain(event) for event in found] if isinstance(found, list) else []


def condition(card: Card) -> str:
    """Scenario, pressure, length and events of a life in words."""
    parts = [plain(card["scenario"]), plain(card["scenario_version"]), pressure_name(card)]
    parts = [" ".join(parts[:2]), *parts[2:], f"{card['n_sessions']} sessions", *events(card)]
    return ", ".join(part for part in parts if part)


def by_series(cards: Sequence[Card]) -> list[Series]:
    """Lives grouped by system and condition, in the order in which they appear.

    The whole pressure and the system's configuration count, not their names alone; the card of one
    and the same life given twice counts once.
    """
    groups: dict[tuple[str, str], list[Card]] = {}
    seen: set[str] = set()
    for card in cards:
        key = (_system(card), condition_key(card))
        life = content_hash([card["run_id"], card["seed"], key])
        if life not in seen:
            seen.add(life)
            groups.setdefault(key, []).append(card)
    systems = {system: plain(lives[0]["sut"]["sut_id"]) for (system, _), lives in groups.items()}
    names = list(systems.values())
    return [
        Series(
            label=(
                systems[system]
                if names.count(systems[system]) == 1
                else f"{systems[system]} #{system[:6]}"
            ),
            key=key,
            condition=condition(lives[0]),
            cards=sorted(lives, key=lambda card: int(card["seed"])),
        )
        for (system, key), lives in groups.items()
    ]


def condition_key(card: Card) -> str:
    """Equal for lives that differ in system and seed only."""
    return content_hash(
        [
            card["scenario"],
            card["scenario_version"],
            card["n_sessions"],
            card["pressure"],
            card.get("lifecycle_events"),
        ]
    )


def _system(card: Card) -> str:
    return content_hash([card["sut"]["sut_id"], card["sut"].get("config_hash_sha256")])


def mean_curve(cards: Sequence[Card]) -> list[tuple[float, float | None]]:
    """m(t) averaged over the lives that were measured at t; None where none was."""
    found: dict[float, list[float]] = {}
    for card in cards:
        for t, m in card["checkpoints"]:
            found.setdefault(t, []).extend([] if m is None else [m])
    return [(t, sum(ms) / len(ms) if ms else None) for t, ms in sorted(found.items())]


def half_life_words(card: Card) -> str:
    """The half-life of a life in words: its session, that it was not reached, or why there is none."""
    headline = card["headline"]
    if headline.get("half_life") is not None:
        return f"{headline['half_life']:.1f} sessions"
    if headline.get("half_life_censored"):
        return f"not reached by session {last_point(card):g} (censored)"
    return plain(headline.get("half_life_reason") or "–")


def last_point(card: Card) -> float:
    """The last point that was measured; the length of a life that has none."""
    return max(
        (float(t) for t, m in card["checkpoints"] if m is not None),
        default=float(card["n_sessions"]),
    )
