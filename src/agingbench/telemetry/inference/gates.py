"""Confounders: an effect that days, tasks, models or clients also explain is no answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, joint_score, p_value
from agingbench.metrics.trend import fit_effect, precision_weights, trend_design, zero_filled
from agingbench.telemetry.inference.evidence import ALPHA, Mechanism, Signal
from agingbench.telemetry.inference.null_model import LEAST_DAYS, NullModel
from agingbench.telemetry.inference.phases import BLOCK, Phases
from agingbench.telemetry.inference.serial_correlation import SerialCorrelation
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.signals.details import MaintenanceDetails, RevisionDetails
from agingbench.telemetry.signals.interference import fit_mix_within_strata

LEAST_IN_STRATUM = 2
MOST_CLIENT_CHANGES = 3
HALF = 0.5
# Level within clients: an update changes tools and prompts at once, so that more is asked for.
CLIENT_LEVEL = 0.02


def confounder(
    trace: TraceSessions,
    null: NullModel,
    mechanism: Mechanism,
    phases: Phases,
) -> str | None:
    """Return what else explains the effect of a mechanism that would fire; None if nothing does."""
    if mechanism.leading is None:
        return None

    details = mechanism.details
    if isinstance(details, MaintenanceDetails):
        p = details.p_placebo or 0.0
        return "as much damage is seen at moments without an event" if p > ALPHA else None

    if isinstance(details, RevisionDetails) and details.fired_by == "level":
        return None  # a constant share of stale uses is no trend that time could confound

    gate = _Gate(trace, null, mechanism, phases.serial)
    return gate.by_tasks(phases) or gate.by_versions()


def exchanged_p(
    trace: TraceSessions,
    null: NullModel,
    mechanism: Mechanism,
    phases: Phases,
) -> float | None:
    """Return the p-value of a mechanism; None where nothing was tested.

    Where neighbouring sessions resemble each other it is the largest over all fair exchanges: of
    sessions, of whole days where days are shared, and of blocks of four sessions; events have to
    hurt more than events at other moments would. Too few blocks leave p at 1.
    """
    test = mechanism.test
    p = mechanism.p
    if p is None and test is not None:
        p = test.p
    if p is None or test is None or not phases.serially_correlated:
        return p

    details = mechanism.details
    if isinstance(details, RevisionDetails):
        return p  # its uses are permuted, with sessions as clusters

    p = max(p, test.p_days or 0.0)
    if isinstance(details, MaintenanceDetails):
        return max(p, details.p_placebo or 0.0)

    # The largest blocks of which there are enough.
    n = null.n_sessions
    sizes = [size for size in range(BLOCK, 1, -1) if n / size >= LEAST_DAYS]
    if not sizes or mechanism.leading is None:
        return 1.0

    labels = [i // sizes[0] for i in range(n)]
    gate = _Gate(trace, null, mechanism, phases.serial)
    return max(p, gate.p_under(null.block_orders(labels)))


class _Gate:
    """Tests one mechanism again under other orderings."""

    def __init__(
        self,
        trace: TraceSessions,
        null: NullModel,
        mechanism: Mechanism,
        serial: SerialCorrelation,
    ) -> None:
        self.trace = trace
        self.null = null
        self.mechanism = mechanism
        self.serial = serial

    def by_tasks(self, phases: Phases) -> str | None:
        """Return the reason why a change of tasks explains the effect; None if it does not."""
        if self.mechanism.name == "revision":
            return None

        if phases.count >= LEAST_DAYS:
            if self.p_under(self.null.block_orders(phases.labels)) > ALPHA:
                return "the effect does not hold when whole stretches of like tasks change places"
        elif phases.count > 1 and self.p_within(pooled(phases.labels)) > ALPHA:
            return "the tasks come in stretches, and the effect does not hold within them"

        return None

    def by_versions(self) -> str | None:
        """Return the reason why a new model or client explains the effect; None if it does not."""
        models = pooled(self.null.models)
        if len(set(models)) > 1 and self.p_within(models) > ALPHA:
            return "the effect does not hold within the sessions of one model"

        clients = pooled(self.null.clients)
        changes = sum(a != b for a, b in pairwise(clients))
        if 1 <= changes <= MOST_CLIENT_CHANGES:
            if not self.keeps_half(clients):
                return (
                    "less than half of the effect is left within the sessions of one client version"
                )

            if self.p_within(clients) > CLIENT_LEVEL:
                return "the effect does not hold within the sessions of one client version"

        return None

    def p_within(self, strata: Sequence[int]) -> float:
        """Return the p-value when sessions change places only within their stratum."""
        return self.p_under(self.null.strata_orders(strata), strata)

    def p_under(self, orders: Orders, strata: Sequence[int] | None = None) -> float:
        """Return the p-value of the mechanism under other orderings, one level per stratum."""
        if self.mechanism.name == "interference":
            mix = fit_mix_within_strata(self.trace, strata, orders)
            return p_value(mix.scores)

        rho = self.serial.rho_under(orders, strata)
        design = trend_design(self.null.n_sessions, strata)
        scores = []
        weights = []

        for signal in self.mechanism.signals:
            if signal.test is not None:
                y, w = _values_and_weights(signal)
                fit = fit_effect(design, 0, y, w, orders, rho=rho)
                scores.append(signal.sign * fit.scores)
                weights.append(signal.weight)

        return p_value(joint_score(scores, weights))

    def keeps_half(self, strata: Sequence[int]) -> bool:
        """Return whether at least half of the leading effect is left within the strata."""
        signal = self.mechanism.leading
        assert signal is not None
        assert signal.effect is not None

        if self.mechanism.name == "interference":
            orders = self.null.strata_orders(strata)
            mix = fit_mix_within_strata(self.trace, strata, orders)
            return mix.excess >= HALF * signal.effect

        n = self.null.n_sessions
        y, w = _values_and_weights(signal)
        identity = np.arange(n, dtype=np.intp)[None, :]
        whole = fit_effect(trend_design(n), 0, y, w, identity)
        within = fit_effect(trend_design(n, strata), 0, y, w, identity)

        return signal.sign * within.effect >= HALF * signal.sign * whole.effect


def pooled(strata: Sequence[int]) -> list[int]:
    """Return the strata with single sessions joined to the one before: one odd session is noise."""
    counts = Counter(strata)
    labels: list[int] = []

    for label in strata:
        is_alone = counts[label] < LEAST_IN_STRATUM
        labels.append(labels[-1] if is_alone and labels else label)

    return labels


def _values_and_weights(signal: Signal) -> tuple[Floats, Floats]:
    values = zero_filled(signal.trajectory)
    counts = zero_filled([float(count) for count in signal.counts])
    return values, precision_weights(counts)
