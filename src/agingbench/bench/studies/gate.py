"""The gate: whether lives are worse than their baseline by more than is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.scoring.paired import paired_average, pairs
from agingbench.bench.studies.compare import CardGroup, card_files, card_groups, what_differs
from agingbench.cards.check import load_card
from agingbench.cards.comparison import GatedLife, GateResult, Sides
from agingbench.cards.figures import Figure
from agingbench.cards.model import Card
from agingbench.errors import InputError
from agingbench.metrics.intervals import MISSING, Estimate, newcombe
from agingbench.metrics.pooling import lives_needed, pooled_difference

PAIRED = "the same probes in both run folders, paired"
UNPAIRED = "the figures on the two cards, unpaired (no two run folders with one plan)"


@dataclass(frozen=True)
class _Side:
    """The lives of one side: their cards as one group, and the run folder of each seed."""

    group: CardGroup
    folders: dict[int, Path]


@dataclass(frozen=True)
class _Drop:
    """Baseline minus candidate for one seed."""

    estimate: Estimate
    failed_pairs: int
    paired: bool


def gate(
    candidate: Path, baseline: Path, max_drop: float, *, allow_unseen: bool = False
) -> GateResult:
    """Judge whether lives are worse than their baseline by more than `max_drop`, paired by seed.

    The drop is baseline minus candidate in the time average. A regression needs both: the drop
    exceeds `max_drop`, and its 95 % interval lies above 0. `detectable` is half of that interval.
    Unless `allow_unseen`, the gate does not pass where it exceeds `max_drop`.
    """
    new = _side("the candidate", candidate)
    old = _side("the baseline", baseline)
    if new.group.base != old.group.base or new.group.events != old.group.events:
        differs = what_differs(new.group, old.group)
        raise InputError(f"candidate and baseline can't be compared: {differs}")
    seeds = sorted(new.group.cards.keys() & old.group.cards.keys())
    drops = [_drop_between(new, seed, old, seed) for seed in seeds]
    if not seeds:
        drops = [_drop_of_two(new, old)]
    estimates = [drop.estimate for drop in drops]
    drop = estimates[0] if len(estimates) == 1 else pooled_difference(estimates)
    if drop.value is None or drop.low is None or drop.high is None:
        raise InputError("the gate has nothing to compare: a card has no headline figures")

    detectable = (drop.high - drop.low) / 2
    regression = drop.value > max_drop and drop.low > 0
    seen = detectable <= max_drop
    needed = lives_needed(estimates, max_drop)
    checks: dict[str, str | None] = {"regression": None}
    if regression:
        checks["regression"] = f"regression: the time average fell by {drop.value:.3f}"
    if not allow_unseen:
        told = seen or regression
        checks["power"] = None if told else _unseen(detectable, len(estimates), needed)

    return GateResult(
        candidate=_gated_life(new, seeds or list(new.group.cards)),
        baseline=_gated_life(old, seeds or list(old.group.cards)),
        max_drop=max_drop,
        drop=drop.value,
        drop_ci=(max(-1.0, drop.low), min(1.0, drop.high)),
        drop_n=drop.n,
        detectable=detectable,
        basis=PAIRED if all(one.paired for one in drops) else UNPAIRED,
        failed_pairs=sum(one.failed_pairs for one in drops),
        regression=regression,
        powered=seen,
        seeds=seeds,
        unpaired=Sides(
            a=sorted(new.group.cards.keys() - set(seeds)),
            b=sorted(old.group.cards.keys() - set(seeds)),
        ),
        seeds_needed=needed,
        checks=checks,
        failures=[reason for reason in checks.values() if reason is not None],
    )


def _unseen(detectable: float, seeds: int, needed: int | None) -> str:
    advice = "; no number of seeds would do"
    if needed is not None and needed > seeds:
        advice = f"; about {needed} seeds would do, these are {seeds}"
    return f"no power: a drop below {detectable:.3f} could not have been seen{advice}"


def _side(name: str, path: Path) -> _Side:
    files = card_files(path)
    cards = [Card.read(load_card(file)) for file in files]
    groups = card_groups(cards)
    if len(groups) > 1:
        conditions = "; ".join(sorted({f"{group.system} {group.condition}" for group in groups}))
        raise InputError(
            f"{name} holds lives of several systems or conditions ({conditions}); name the folder"
            " of one of them"
        )
    group = groups[0]
    folders = {}
    for card, file in zip(cards, files, strict=True):
        if group.cards[card.seed] is card:
            folders[card.seed] = file.parent
    return _Side(group, folders)


def _drop_of_two(new: _Side, old: _Side) -> _Drop:
    """The drop between two single lives of different seeds; raises InputError for more lives."""
    if len(new.group.cards) > 1 or len(old.group.cards) > 1:
        raise InputError("candidate and baseline share no seed, so nothing can be paired")
    return _drop_between(new, next(iter(new.group.cards)), old, next(iter(old.group.cards)))


def _drop_between(new: _Side, new_seed: int, old: _Side, old_seed: int) -> _Drop:
    new_card = new.group.cards[new_seed]
    old_card = old.group.cards[old_seed]
    new_run = RunDirectory(new.folders[new_seed])
    old_run = RunDirectory(old.folders[old_seed])
    whole = _belongs_to(new_card, new_run) and _belongs_to(old_card, old_run)
    if whole and new_run.plan().hash == old_run.plan().hash:
        probes = pairs(old_run, new_run)
        failed_pairs = sum(pair.a is None or pair.b is None for pair in probes)
        return _Drop(paired_average(probes), failed_pairs, paired=True)
    return _Drop(_drop_of_figures(new_card, old_card), 0, paired=False)


def _belongs_to(card: Card, run: RunDirectory) -> bool:
    """Whether the files of a folder are those of the card, which may be a copy from elsewhere."""
    if not run.plan_file.exists() or not run.ended():
        return False
    return bool(run.plan().hash == card.provenance.others.get("plan_hash"))


def _drop_of_figures(new: Card, old: Card) -> Estimate:
    for name in ("time_average", "m_final"):
        before = old.headline.figure(name)
        after = new.headline.figure(name)
        a = _value_and_bounds(before)
        b = _value_and_bounds(after)
        if a is not None and b is not None:
            low, high = newcombe(a, b, 0.0)
            return Estimate(a[0] - b[0], low, high, min(before.count, after.count))
    return MISSING


def _value_and_bounds(figure: Figure) -> tuple[float, float, float] | None:
    low, high = figure.interval or (None, None)
    if figure.value is None or low is None or high is None:
        return None
    return figure.value, low, high


def _gated_life(side: _Side, seeds: Sequence[int]) -> GatedLife:
    group = side.group
    averages = [group.cards[seed].headline.figure("time_average").value for seed in seeds]
    values = [value for value in averages if value is not None]
    return GatedLife(
        sut_id=group.system,
        scenario=group.scenario,
        scenario_version=group.version,
        seed=seeds[0] if len(seeds) == 1 else None,
        time_average=float(np.mean(values)) if values else None,
    )
