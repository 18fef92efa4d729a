"""Shares of error by stage: the ladder P1 as lived, P2 oracle retrieval, P3 oracle context.

U = 1 − P3, W = P3 − P2 and R = P2 − P1, signed, over the probes that all conditions answered; they
add up to 1 − P1. Facts with all their probes are the sample and every difference is taken probe by
probe before it is averaged. Coverage of the nominal 95 % intervals over simulated lives (12 to 60
facts with 1 to 6 probes each, shares from 0 to 0.95): variance over facts with Student's t, as used
here, 93–100 %; percentiles over resampled facts 73–95 %, and less than 40 % for shares below 0.05,
where most resamples show no failure at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from agingbench.metrics.intervals import MISSING, Estimate, clustered_mean, linear_half_width
from agingbench.metrics.permutation import Floats

STAGES = {"U": "utilization", "W": "write", "R": "retrieval", "W+R": "write+retrieval"}
STORE = "store"


class Rungs(msgspec.Struct, frozen=True):
    """One probe on the ladder: its value in 0..1 under each condition, None where it failed.

    `abstained`: the memory is one blob, so there is nothing that an oracle could retrieve from it.
    """

    t: int
    cluster: str
    mechanism: str
    as_lived: float | None
    oracle_retrieval: float | None
    oracle_context: float | None
    abstained: bool = False

    @property
    def whole(self) -> bool:
        """Whether it was answered under every condition that exists for it."""
        ends = self.as_lived is not None and self.oracle_context is not None
        return ends and (self.abstained or self.oracle_retrieval is not None)


class StageShares(msgspec.Struct, frozen=True, kw_only=True):
    """What a set of probes says about the stages.

    `shares` holds U, W and R, or U and W+R where P2 abstains. In a diagnostic anomaly the ladder is
    not monotone beyond its noise: `shares` is empty then, since no magnitude can be claimed, and
    `steps` still holds the differences. `lead` is the largest share minus the next one.
    """

    n: int
    n_facts: int
    n_excluded: int
    abstained: bool
    diagnostic_anomaly: bool
    accuracy: dict[str, Estimate]
    steps: dict[str, Estimate]
    lead: Estimate

    @property
    def shares(self) -> dict[str, Estimate]:
        """The steps as shares; empty in a diagnostic anomaly."""
        return {} if self.diagnostic_anomaly else self.steps


class StoreChange(msgspec.Struct, frozen=True, kw_only=True):
    """ΔS of a lifecycle event: the share of W (W+R where P2 abstains) after minus before it."""

    event: str
    at: int
    of: str  # W or W+R
    before: Estimate
    after: Estimate
    delta: Estimate
    excess: Estimate  # delta minus before: did the event take more than was missing already?
    n_excluded: int

    @property
    def supported(self) -> bool:
        """Whether the interval says that the event took something from the store."""
        return _above(self.delta)


def shares(rows: Iterable[Rungs]) -> StageShares:
    """Return the shares over the probes that every condition answered.

    One memory that is a single blob among them makes W and R joint.
    """
    every = list(rows)
    whole = [row for row in every if row.whole]
    excluded = len(every) - len(whole)
    abstained = any(row.abstained for row in (whole or every))

    if not whole:
        return StageShares(
            n=0,
            n_facts=0,
            n_excluded=excluded,
            abstained=abstained,
            diagnostic_anomaly=False,
            accuracy={},
            steps={},
            lead=MISSING,
        )

    cluster = [row.cluster for row in whole]
    p1 = _column(whole, "as_lived")
    p3 = _column(whole, "oracle_context")
    rungs = {"as_lived": p1, "oracle_context": p3}
    errors = {"U": 1 - p3, "W+R": p3 - p1}

    if not abstained:
        p2 = _column(whole, "oracle_retrieval")
        rungs = {"as_lived": p1, "oracle_retrieval": p2, "oracle_context": p3}
        errors = {"U": 1 - p3, "W": p3 - p2, "R": p2 - p1}

    accuracy = {
        name: clustered_mean(values, np.ones(len(whole)), cluster) for name, values in rungs.items()
    }
    steps = {name: paired_mean(values, cluster) for name, values in errors.items()}
    steps["U"] = _complement(accuracy["oracle_context"])
    first, second = sorted(errors, key=lambda name: -float(errors[name].mean()))[:2]

    return StageShares(
        n=len(whole),
        n_facts=len(set(cluster)),
        n_excluded=excluded,
        abstained=abstained,
        diagnostic_anomaly=any(step.high is not None and step.high < 0 for step in steps.values()),
        accuracy=accuracy,
        steps=steps,
        lead=paired_mean(errors[first] - errors[second], cluster),
    )


def store_change(event: str, at: int, pairs: Sequence[tuple[Rungs, Rungs]]) -> StoreChange:
    """Return ΔS from the same probes asked just before and just after an event."""
    kept = [(before, after) for before, after in pairs if before.whole and after.whole]
    joint = any(row.abstained for pair in (kept or pairs) for row in pair)
    below = "as_lived" if joint else "oracle_retrieval"
    cluster = [after.cluster for _, after in kept]
    lost, then = (
        _column(side, "oracle_context") - _column(side, below)
        for side in ([b for b, _ in kept], [a for _, a in kept])
    )

    return StoreChange(
        event=event,
        at=at,
        of="W+R" if joint else "W",
        before=paired_mean(lost, cluster),
        after=paired_mean(then, cluster),
        delta=paired_mean(then - lost, cluster),
        excess=paired_mean(then - 2 * lost, cluster),
        n_excluded=len(pairs) - len(kept),
    )


def named_stage(
    found: StageShares, changes: Sequence[StoreChange] = (), undisturbed: StageShares | None = None
) -> str | None:
    """Return the stage that the evidence supports, or None.

    A stage is named when the interval of its share lies above 0 and so does that of its lead over
    the next one. In a life with lifecycle events, what is missing from the store is the store's
    doing where an event took more than was missing before it. It is the write's where no event is
    known to have taken anything, or less than was missing, and the write lost something before the
    first of them (`undisturbed`); otherwise it is open, and none is named.
    """
    if found.diagnostic_anomaly:
        return None

    damaged = [change for change in changes if change.supported]
    taken = any(_above(change.excess) for change in damaged)
    best = max(found.shares, key=lambda name: found.shares[name].value or 0.0, default=None)
    if best is None or not (_above(found.shares[best]) and _above(found.lead)):
        return STORE if taken else None
    if not best.startswith("W") or not changes:
        return STAGES[best]
    if taken:
        return STORE

    lost = undisturbed is None or any(
        _above(undisturbed.steps[name]) for name in undisturbed.steps if name[0] == "W"
    )
    undecided = any(change.excess.high is None or change.excess.high >= 0 for change in damaged)
    return STAGES[best] if lost and not undecided else None


def _above(estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.low > 0


def paired_mean(values: Floats, cluster: Sequence[str]) -> Estimate:
    """Return the mean of differences in −1..1 with its interval over facts; n counts probes."""
    if values.size == 0:
        return MISSING

    mean = float(values.mean())
    _, index = np.unique(np.asarray(cluster), return_inverse=True)
    even = np.full(values.size, 1 / values.size)
    half = linear_half_width(index, even, values - mean, even)

    return Estimate(mean, max(-1.0, mean - half), min(1.0, mean + half), int(values.size))


def _column(rows: Sequence[Rungs], name: str) -> Floats:
    return np.array([getattr(row, name) for row in rows], dtype=np.float64)


def _complement(estimate: Estimate) -> Estimate:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low, estimate.n)
