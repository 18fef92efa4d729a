"""The gate: whether a life is worse than its baseline by more than is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.scoring.paired import Card, paired_average, pairs
from agingbench.bench.studies.compare import card_groups, what_differs
from agingbench.cards.check import load_card
from agingbench.errors import InputError
from agingbench.metrics.intervals import MISSING, Estimate, newcombe


def gate(candidate: Path, baseline: Path, max_drop: float) -> dict[str, Any]:
    """Whether a life is worse than its baseline by more than `max_drop`, and what drop could have
    been seen at all.

    The drop is baseline minus candidate in the time average. A regression needs both: the drop
    exceeds `max_drop`, and its 95 % interval lies above 0. `detectable` is half of that interval.
    """
    sides = [path / "aging_card.json" if path.is_dir() else path for path in (candidate, baseline)]
    new, old = (load_card(path) for path in sides)
    _refuse_other(new, old)
    runs = [RunDirectory(path.parent) for path in sides]
    if all(map(_holds, runs, (new, old))) and runs[0].plan().hash == runs[1].plan().hash:
        found = pairs(runs[1], runs[0])
        failed = sum(pair.a is None or pair.b is None for pair in found)
        drop = paired_average(found)
        basis = "the same probes in both run folders, paired"
    else:
        failed = 0
        drop = _from_figures(new, old)
        basis = "the figures on the two cards, unpaired (no two run folders with one plan)"
    if drop.value is None or drop.low is None or drop.high is None:
        raise InputError("the gate has nothing to compare: a card has no headline figures")
    detectable = (drop.high - drop.low) / 2
    return {
        "candidate": _said(new),
        "baseline": _said(old),
        "max_drop": max_drop,
        "drop": drop.value,
        "drop_ci": [max(-1.0, drop.low), min(1.0, drop.high)],
        "drop_n": drop.n,
        "detectable": detectable,
        "basis": basis,
        "failed_pairs": failed,
        "regression": drop.value > max_drop and drop.low > 0,
        "powered": detectable <= max_drop,
    }


def _refuse_other(new: Card, old: Card) -> None:
    a = card_groups([new])[0]
    b = card_groups([old])[0]
    if (a.base, a.events) != (b.base, b.events):
        raise InputError(f"candidate and baseline can't be compared: {what_differs(a, b)}")


def _holds(run: RunDirectory, card: Card) -> bool:
    # A card may have been copied next to the files of another life.
    return (
        run.plan_file.exists()
        and run.ended()
        and run.plan().hash == card["provenance"].get("plan_hash")
    )


def _from_figures(new: Card, old: Card) -> Estimate:
    for name in ("time_average", "m_final"):
        sides = [
            (
                c["headline"].get(name),
                c["headline"].get(f"{name}_ci"),
                c["headline"].get(f"{name}_n") or 0,
            )
            for c in (old, new)
        ]
        if all(value is not None and ci and None not in ci for value, ci, _ in sides):
            a, b = ((value, ci[0], ci[1]) for value, ci, _ in sides)
            return Estimate(a[0] - b[0], *newcombe(a, b, 0.0), min(n for _, _, n in sides))
    return MISSING


def _said(card: Card) -> dict[str, Any]:
    return {
        "sut_id": card["sut"]["sut_id"],
        "scenario": card["scenario"],
        "scenario_version": card["scenario_version"],
        "seed": card["seed"],
        "time_average": card["headline"].get("time_average"),
    }
