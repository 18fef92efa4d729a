"""Two lives of one plan, probe by probe: a life against another, and an event against the life
without it.

A difference over the probes of two lives is that of their headlines, averaged over points and
weighted as the headline is. Its interval treats root facts as the sample, with the variance over
facts that the time average of one life has too. Over simulated pairs of lives (10 or 30 sessions,
12 probes a point) it covers 97 to 100 %; percentiles over resampled facts cover 87 to 100 %, call
two unrelated equal lives different in 13 % of cases against 3 %, and where no probe differs show no
spread at all and so claim to see any drop.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from msgspec import UnsetType

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.life_card import LifeCard
from agingbench.bench.scoring.memory_text import MEMORY_METRICS, memory_shares
from agingbench.bench.scoring.score import headline_rows, judged
from agingbench.cards.figures import Figure
from agingbench.errors import InputError
from agingbench.metrics.curve import CurvePoint, CurveRow, CurveTable, points
from agingbench.metrics.intervals import MISSING, Estimate, linear_half_width, sum_by
from agingbench.traces.files import read_json


@dataclass(frozen=True)
class Pair:
    """One thing that both lives were asked: the value on each side, None where the call failed."""

    t: int
    a: float | None
    b: float | None
    weight: float
    fact: str


def headline_of(run: RunDirectory) -> list[CurveRow]:
    """The rows of a life's headline, from its files."""
    plan = run.plan()
    outcomes = []
    for probe, _, outcome in judged(plan, run.answer_rows()):
        outcomes.append((probe, outcome))

    if plan.headline not in MEMORY_METRICS:
        return headline_rows(plan, outcomes, {})

    shares = memory_shares(plan, run.texts(plan.n_sessions))
    return headline_rows(plan, outcomes, shares)


def pairs(a: RunDirectory, b: RunDirectory) -> list[Pair]:
    """Pair what two lives were both asked from point 1 on; raises InputError where their plans
    differ in more than lifecycle events.
    """
    if _without_events(a.plan()) != _without_events(b.plan()):
        raise InputError(f"{a.path} and {b.path} were not asked the same: their plans differ")

    sample = []
    for row, other in zip(headline_of(a), headline_of(b), strict=True):
        if row.t >= 1:
            pair = Pair(row.t, row.value, other.value, row.weight, row.cluster)
            sample.append(pair)
    return sample


def _without_events(plan: Plan) -> str:
    return msgspec.structs.replace(plan, events=[]).hash


def paired_average(sample: Sequence[Pair]) -> Estimate:
    """The mean over points of the weighted difference a − b; n counts the pairs without a failed
    side.
    """
    whole = [pair for pair in sample if pair.a is not None and pair.b is not None]
    if not whole:
        return MISSING

    a = np.array([pair.a or 0.0 for pair in whole])
    b = np.array([pair.b or 0.0 for pair in whole])
    difference = a - b
    weight = np.array([pair.weight for pair in whole])
    times = [float(pair.t) for pair in whole]
    ts, at = np.unique(times, return_inverse=True)
    facts = [pair.fact for pair in whole]
    _, fact = np.unique(facts, return_inverse=True)

    mass = weight / sum_by(at, weight)[at]
    by_point = sum_by(at, mass * difference)
    value = float(by_point.mean())

    # Around the line through the points, as for the time average of one life: a loss that grows is
    # no noise.
    x = ts - ts.mean()
    slope = 0.0
    if ts.size > 1:
        slope = float(x @ by_point) / float(x @ x)
    line = value + slope * x
    residual = difference - line[at]
    half = linear_half_width(fact, mass / ts.size, residual, mass)
    return Estimate(value, value - half, value + half, len(whole))


# -- an event against the life without it


class ControlLink(msgspec.Struct, frozen=True):
    """control.json: where the seed-matched life without events is, and the hash of its plan."""

    control: str
    plan_hash: str


def link_control(run: RunDirectory, control: RunDirectory) -> ControlLink:
    """The link from a life to its control, relative to the folder of the life."""
    way = os.path.relpath(control.path.resolve(), run.path.resolve())
    return ControlLink(Path(way).as_posix(), control.plan().hash)


def read_control_link(run: RunDirectory) -> ControlLink | None:
    """The link to the control of a life, None where it has none; raises InputError for another
    file of that name.
    """
    if not run.control_file.exists():
        return None
    try:
        return msgspec.convert(read_json(run.control_file), ControlLink)
    except msgspec.ValidationError as error:
        raise InputError(f"{run.control_file}: not the link to a control life: {error}") from error


class ShockCost(msgspec.Struct, frozen=True, kw_only=True):
    """What the lifecycle events cost: this life minus its control, from the first event on.

    `near_floor`: the last point before the event lies within half its interval of 0, so nothing
    could be lost.
    """

    shock_delta: Figure
    shock_delta_final: Figure
    shock_delta_basis: str
    near_floor: bool | None


def shock(run: RunDirectory, control: RunDirectory) -> ShockCost:
    """Compare a life with its control from the first lifecycle event on."""
    first = min(event.at for event in run.plan().events)
    after = [pair for pair in pairs(run, control) if pair.t >= first]
    last = max((pair.t for pair in after), default=first)
    final = [pair for pair in after if pair.t == last]

    before = _point_before(headline_of(run), first)
    near_floor = None
    if before is not None:
        near_floor = before.m <= (before.high - before.low) / 2

    return ShockCost(
        shock_delta=Figure.of(_within(paired_average(after))),
        shock_delta_final=Figure.of(_within(paired_average(final))),
        shock_delta_basis=(
            f"this life minus its seed-matched control, points {first} to {last}, paired by probe"
        ),
        near_floor=near_floor,
    )


def _within(estimate: Estimate) -> Estimate:
    """The estimate with its interval cut to what a difference of shares can be."""
    if estimate.low is None or estimate.high is None:
        return estimate
    low = max(-1.0, estimate.low)
    high = min(1.0, estimate.high)
    return Estimate(estimate.value, low, high, estimate.n)


def _point_before(rows: Sequence[CurveRow], at: int) -> CurvePoint | None:
    earlier = [row for row in rows if row.t < at]
    table = CurveTable.from_rows(earlier)
    curve = points(table.t, table.value, table.weight, table.cluster)
    return curve[-1] if curve else None


def in_context(path: Path, card: LifeCard) -> LifeCard:
    """Add what the files beside a card say: the suite it belongs to, and its control life."""
    run = RunDirectory(path)
    suite = run.suite()
    if suite is not None:
        card = msgspec.structs.replace(card, suite_id=suite)
    link = read_control_link(run)
    if link is None:
        return card

    other = RunDirectory(path / link.control)
    same_plan = other.plan_file.exists() and other.plan().hash == link.plan_hash

    maintenance = card.mechanism_metrics.maintenance
    paper = card.paper
    warnings = card.warnings
    if same_plan and other.ended():
        cost = shock(run, other)
        maintenance = msgspec.structs.replace(
            maintenance,
            **msgspec.structs.asdict(cost),
            control_plan_hash=link.plan_hash,
        )
        if not isinstance(paper, UnsetType):
            paper = msgspec.structs.replace(paper, shock_delta=cost.shock_delta_final)
    else:
        maintenance = msgspec.structs.replace(maintenance, shock_delta=Figure(None, n=0))
        warnings = [
            *warnings,
            "control_missing: the life without events that control.json names is not there",
        ]

    mechanisms = msgspec.structs.replace(card.mechanism_metrics, maintenance=maintenance)
    return msgspec.structs.replace(
        card,
        mechanism_metrics=mechanisms,
        paper=paper,
        warnings=warnings,
    )
