"""Agents whose work changes while they stay healthy, and harm planted into the same work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agingbench.cards.telemetry_validity import WorkSet
from agingbench.metrics.detection import clopper_pearson
from agingbench.telemetry.inference.dominant import dominant_mechanism
from agingbench.telemetry.inference.infer import Inference, infer
from agingbench.telemetry.inference.null_model import PERMUTATIONS
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.validity.simulated_work import (
    HARMS,
    HEALTHY,
    UNRECORDED,
    WorkAgent,
    simulate_work,
)
from agingbench.validity.workers import run_jobs

FIRST_SEED = 500_000  # within the agents of one validation
AGENTS_APART = 1_000  # seeds between two cells
STEADY = "steady"
# Harms that have to be found where nothing else happens. The others are parts of these, or occur so
# seldom that a month of sessions does not show them.
FOUND_ALONE = ("compression", "interference", "revision", "maintenance", "reliability")
STEP_STRENGTH = 1.5  # in multiples of a moderate effect


class WorkCell(NamedTuple):
    """One kind of agent: what happens to its work, what harms it, and whether at once."""

    variant: str
    harm: str | None = None
    step: bool = False

    def agent(self, seed: int, sessions: int) -> WorkAgent:
        """Return one agent of this kind."""
        strength = STEP_STRENGTH if self.step else 1.0
        return WorkAgent(seed, sessions, self.variant, self.harm, strength, self.step)


def cells() -> list[WorkCell]:
    """Return every healthy variant, every harm, harm while the work shifts, and hidden steps.

    The last one is a step without harm: other habits from one session on.
    """
    healthy = [WorkCell(variant) for variant in HEALTHY]
    harmed = [WorkCell(STEADY, harm) for harm in HARMS]
    shifted = [WorkCell("mix_shift", harm) for harm in ("compression", "interference")]
    at_once = ("compression", "interference", "reliability")
    steps = [WorkCell(STEADY, harm, True) for harm in at_once]
    habits = WorkCell(UNRECORDED, None, True)
    return [*healthy, *harmed, *shifted, *steps, habits]


def work_sets(
    profile: Profile,
    agents: int,
    lengths: Sequence[int],
    first: int,
    permutations: int = PERMUTATIONS,
    workers: int = 1,
) -> Iterator[WorkSet]:
    """Yield how each kind of agent was judged at each length; every cell has seeds of its own."""
    places = [(sessions, cell) for sessions in lengths for cell in cells()]
    jobs = []
    for place, (sessions, cell) in enumerate(places):
        start = first + FIRST_SEED + AGENTS_APART * place
        jobs.append((profile, cell, sessions, range(start, start + agents), permutations))

    yield from run_jobs(judge_cell, jobs, workers)


def judge_cell(
    profile: Profile, cell: WorkCell, sessions: int, seeds: Sequence[int], permutations: int
) -> WorkSet:
    """Simulate and audit the agents of one kind."""
    found = []
    for seed in seeds:
        trace = collect(simulate_work(cell.agent(seed, sessions)), profile)
        found.append(infer(trace, link(trace, []), permutations))

    return _work_set(cell, sessions, found, profile)


def _work_set(
    cell: WorkCell, sessions: int, found: Sequence[Inference], profile: Profile
) -> WorkSet:
    flagged = [inference for inference in found if inference.aging_detected]
    named = Counter(_name(inference, profile) for inference in flagged)
    reasons = Counter(one.open_because for one in found if one.open_because is not None)
    n = len(found)

    return WorkSet(
        variant=cell.variant,
        harm=cell.harm,
        at_once=cell.step,
        sessions=sessions,
        n=n,
        flagged=len(flagged),
        ci=clopper_pearson(len(flagged), n),
        answered_no=sum(one.aging_detected is False for one in found),
        undecided=sum(one.aging_detected is None for one in found),
        named=dict(sorted(named.items())),
        open_because=dict(sorted(reasons.items())),
    )


def _name(inference: Inference, profile: Profile) -> str:
    """Return the leading mechanism, or what else fired."""
    dominant = dominant_mechanism(inference, profile).dominant
    if dominant is not None:
        return dominant
    return "reliability" if inference.reliability.answer else "outcomes"
