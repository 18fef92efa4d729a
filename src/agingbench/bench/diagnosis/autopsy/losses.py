"""Which writes and events lost how many values, and which kinds of value are lost first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import msgspec

from agingbench.bench.diagnosis.autopsy.histories import (
    LOST,
    NEVER_WRITTEN,
    STILL_THERE,
    Fate,
    History,
    Statement,
    StoreStep,
    versions_of,
)
from agingbench.bench.plan.plan import Plan
from agingbench.cards.figures import Figure
from agingbench.metrics.intervals import clustered_mean
from agingbench.metrics.survival import median
from agingbench.text import matching
from agingbench.text.values import Value
from agingbench.trials.autopsy import KindLosses, StepLosses
from agingbench.trials.run_folder import WRITE

KINDS = (
    "amount",
    "quantity",
    "number",
    "percent",
    "range",
    "date",
    "time",
    "version",
    "name",
    "set",
)
_CURRENCIES = ("usd", "eur", "gbp")


@dataclass(frozen=True)
class FollowedValue:
    """One value of a fact while it held: what became of it, and how many writes it outlived."""

    statement: Statement
    fate: Fate
    last: int  # the last point at which it held

    @property
    def gone(self) -> bool:
        """Whether the store no longer states it."""
        return self.fate.state != STILL_THERE

    @property
    def age(self) -> int:
        """How many writes it outlived: up to its loss for good, or as long as it was followed."""
        if self.fate.state == NEVER_WRITTEN:
            return 0
        loss = self.fate.lost_at
        last = self.last if loss is None else loss.point - 1
        return last - self.statement.session


def kind_of(value: Value) -> str:
    """What people call this kind of value."""
    if value.kind == "number":
        unit = next((number.unit for number in matching.numbers(value.text)), None)
        if unit in _CURRENCIES:
            return "amount"
        return "quantity" if unit else "number"
    return "time" if value.kind == "clock" else value.kind


def followed_values(plan: Plan, history: History) -> Iterator[FollowedValue]:
    """Follow every value of every fact from its telling to the last point at which it held."""
    end = plan.n_sessions
    for fact in plan.graph.facts:
        replaced = [version.session for version in fact.versions[1:]]
        retired = end if fact.retracted_at is None else fact.retracted_at
        last_points = [min(point, end) for point in (*replaced, retired)]
        for statement, last in zip(versions_of(fact), last_points, strict=True):
            # What was replaced within its own session was never to be kept.
            if statement.session < last:
                fate = history.fate(statement, history.step_at(last))
                yield FollowedValue(statement, fate, last)


def losses_by_step(lives: Sequence[Sequence[FollowedValue]]) -> list[StepLosses]:
    """How many values were told, not written, lost and found again at every step; equal steps of
    several lives add up.

    What is not written with its own session may still come back later; only then it was not
    `never_written`.
    """
    steps: dict[StoreStep, Counter[str]] = {}
    for value in chain.from_iterable(lives):
        session = value.statement.session
        own_write = steps.setdefault(StoreStep(WRITE, session + 1, session), Counter())
        own_write["told"] += 1
        first = value.fate.first_stated
        if first is None or first.session != session:
            own_write["not_written"] += 1

        for step in value.fate.losses:
            steps.setdefault(step, Counter())["lost"] += 1
        for step in value.fate.returns:
            steps.setdefault(step, Counter())["came_back"] += 1

    def place(step: StoreStep) -> tuple[int, bool, str]:
        return step.point, step.kind != WRITE, str(step)

    rows = []
    for step in sorted(steps, key=place):
        counts = steps[step]
        rows.append(
            StepLosses(
                **msgspec.structs.asdict(step.row()),
                told=counts["told"],
                not_written=counts["not_written"],
                lost=counts["lost"],
                came_back=counts["came_back"],
            )
        )
    return rows


def losses_by_kind(lives: Sequence[Sequence[FollowedValue]]) -> list[KindLosses]:
    """For every kind of value: the share that is gone when it is last looked for, and when half are
    gone; the kinds that are lost first come first.

    Half survival is by Kaplan and Meier, since a value that stops holding is no longer followed.
    """
    values: dict[str, list[FollowedValue]] = {}
    facts: dict[str, list[str]] = {}
    for number, life in enumerate(lives):
        for value in life:
            kind = kind_of(value.statement.value)
            values.setdefault(kind, []).append(value)
            facts.setdefault(kind, []).append(f"{number}/{value.statement.owner}")

    rows = []
    for kind, members in values.items():
        lost = [member.gone for member in members]
        ages = [float(member.age) for member in members]
        censored = [not gone for gone in lost]
        weights = [1.0] * len(lost)
        share = clustered_mean([float(gone) for gone in lost], weights, facts[kind])
        states = Counter(member.fate.state for member in members)
        row = KindLosses(
            kind=kind,
            n=len(members),
            never_written=states[NEVER_WRITTEN],
            lost=states[LOST],
            still_there=states[STILL_THERE],
            share_lost=Figure.of(share),
            half_survival=Figure.of(median(ages, censored)),
        )
        rows.append((-(share.value or 0.0), KINDS.index(kind), row))
    return [row for _, _, row in sorted(rows, key=lambda entry: entry[:2])]
