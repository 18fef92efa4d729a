"""Runs against each other: paired by episode, with what the number of episodes could have shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.errors import InputError, nearest
from agingbench.metrics.bootstrap import Difference, difference, mean_of
from agingbench.resumption.runs.store import RunFolder, read_parquet
from agingbench.resumption.runs.summary import FIGURES

NO_EFFECT = "no detectable effect at this power"


class ScoredRun(msgspec.Struct, frozen=True):
    """A run as scores.parquet has it."""

    name: str
    config: dict[str, Any]
    rows: dict[str, dict[str, Any]]
    calibrated: bool


def load_run(path: Path) -> ScoredRun:
    """A run by its folder; one that did not end, or is of something else, is refused."""
    if not path.is_dir():
        others = [p.parent.name for p in path.parent.glob("*/run.json")]
        close = nearest(path.name, others)
        hint = (
            f"did you mean {' or '.join(close)}?"
            if close
            else f"{len(others)} runs lie in {path.parent}"
        )
        raise InputError(f"{path}: no such run; {hint}")
    folder = RunFolder(path)
    config = folder.config()
    rows = {row["episode"]: row for row in read_parquet(folder.scores)}
    return ScoredRun(path.name, config, rows, all(row["calibrated"] for row in rows.values()))


def select_source(run: ScoredRun, source: str | None) -> ScoredRun:
    """The run with only the episodes of one source (trace, life, session); all of them for None."""
    if source is None:
        return run
    return msgspec.structs.replace(
        run, rows={n: row for n, row in run.rows.items() if row["source"] == source}
    )


def effect_verdict(found: Difference) -> str:
    """What the evidence says, in the spec's words when it says nothing."""
    effect = found.effect
    if effect.value is None or effect.low is None or effect.high is None:
        return "too few episodes to say anything"
    if effect.low > 0:
        return "A is better"
    return "B is better" if effect.high < 0 else NO_EFFECT


def compare(a: ScoredRun, b: ScoredRun, *, handover: bool = False) -> dict[str, Any]:
    """A − B on every figure over the episodes both scored, in all, long and short trajectories."""
    _comparable(a, b)
    shared = [
        name
        for name in a.rows
        if name in b.rows
        and both_scored(a.rows[name], b.rows[name])
        and a.rows[name]["handover"] == handover
    ]
    changed = [n for n in shared if a.rows[n]["episode_hash"] != b.rows[n]["episode_hash"]]
    if changed:
        raise InputError(f"episode {changed[0]} is not the same in {a.name} and {b.name}")
    groups = {
        "all": shared,
        "long": [n for n in shared if a.rows[n]["stratum"] == "long"],
        "short": [n for n in shared if a.rows[n]["stratum"] == "short"],
    }
    return {
        "a": a.name,
        "b": b.name,
        "budget": [a.config["budget"], b.config["budget"]],
        "matched_budget": a.config["budget"] == b.config["budget"],
        "tokenizer": a.config["tokenizer"],
        "calibrated": a.calibrated and b.calibrated,
        "gate": "passed" if a.calibrated and b.calibrated else "uncalibrated",
        "shared": len(shared),
        "unpaired": sorted(
            set(a.rows) ^ set(b.rows) | {n for n in a.rows if n in b.rows and n not in shared}
        ),
        "groups": {
            group: [_figure(a, b, names, figure) for figure in FIGURES]
            for group, names in groups.items()
            if names
        },
    }


def both_scored(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Do both runs have a score for the episode?"""
    return {a["status"], b["status"]} == {"scored"}


def paired_effect(
    a: ScoredRun, b: ScoredRun, names: Sequence[str], figure: str = "quality"
) -> Difference:
    """The paired difference of one figure over these episodes."""
    return difference([a.rows[n][figure] for n in names], [b.rows[n][figure] for n in names])


def _figure(a: ScoredRun, b: ScoredRun, names: Sequence[str], figure: str) -> dict[str, Any]:
    found = paired_effect(a, b, names, figure)
    return {
        "figure": figure,
        "a": mean_of([a.rows[n][figure] for n in names]).value,
        "b": mean_of([b.rows[n][figure] for n in names]).value,
        **effect_json(found),
        "verdict": effect_verdict(found),
    }


def effect_json(found: Difference) -> dict[str, Any]:
    """A difference for scripts, with its n and what could have been detected."""
    effect = found.effect
    return {
        "effect": effect.value,
        "effect_ci": None if effect.low is None else [effect.low, effect.high],
        "p_value": found.p_value,
        "n": effect.n,
        "sd": found.sd,
        "minimum_detectable_difference": found.detectable,
    }


def _comparable(a: ScoredRun, b: ScoredRun) -> None:
    for key, what in (("tokenizer", "tokenizer"), ("judge", "judge"), ("agent", "resuming agent")):
        if a.config[key] != b.config[key]:
            raise InputError(
                f"{a.name} and {b.name} were scored with another {what}; they cannot be compared"
            )
