"""Confounders: an effect that days, tasks, a new model or a new client explain as well is no
answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, joint_score, p_value
from agingbench.metrics.trend import fit_effect, precision_weights, trend_design, zero_filled
from agingbench.telemetry.inference.evidence import ALPHA, Mechanism, Signal
from agingbench.telemetry.inference.neighbours import Neighbours
from agingbench.telemetry.inference.null_model import LEAST_DAYS, NullModel
from agingbench.telemetry.inference.phases import BLOCK, Phases
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.signals.interference import within_strata

LEAST_IN_STRATUM = 2
MOST_CLIENT_CHANGES = 3
HALF = 0.5
# level within clients: an update changes tools and prompts at once, so that more is asked for
UPDATED = 0.02


def confounder(
    trace: TraceSessions, null: NullModel, mechanism: Mechanism, phases: Phases
) -> str | None:
    """What else explains the effect of a mechanism that would fire; None when nothing does."""
    if mechanism.leading is None:
        return None

    if mechanism.name == "maintenance":
        p = mechanism.details.get("p_placebo")
        return (
            "as much damage is seen at moments without an event"
            if p is not None and p > ALPHA
            else None
        )

    if mechanism.name == "revision" and mechanism.details.get("fired_by") == "level":
        return None  # a constant share of stale uses is no trend that time could confound

    return _stretches(trace, null, mechanism, phases) or _versions(
        trace, null, mechanism, phases.alike
    )


def exchanged_p(
    trace: TraceSessions, null: NullModel, mechanism: Mechanism, phases: Phases
) -> float | None:
    """The p-value of a mechanism; where neighbours resemble each other, the largest over all fair
    exchanges.

    Then whole days change places where days hold several sessions, and blocks of four sessions;
    events have to hurt more than events at other moments would. Too few blocks leave p at 1.
    """
    tested = mechanism.test
    p = mechanism.p if mechanism.p is not None else None if tested is None else tested.p

    if (
        p is None
        or tested is None
        or not phases.serially_correlated
        or mechanism.name == "revision"
    ):
        return p  # the uses of revision are exchanged, and clustered by session

    parts = [p, tested.p_days or 0.0]
    if mechanism.name == "maintenance":
        return max(*parts, mechanism.details.get("p_placebo") or 0.0)

    size = next((b for b in range(BLOCK, 1, -1) if null.n_sessions / b >= LEAST_DAYS), None)
    if size is None or mechanism.leading is None:
        return 1.0

    return max(
        *parts,
        _p(
            trace,
            null,
            mechanism,
            phases.alike,
            null.block_orders([i // size for i in range(null.n_sessions)]),
        ),
    )


def _stretches(
    trace: TraceSessions, null: NullModel, mechanism: Mechanism, phases: Phases
) -> str | None:
    """Sessions of one stretch of like tasks change places together."""
    if mechanism.name == "revision":
        return None

    if phases.count >= LEAST_DAYS:
        if _p(trace, null, mechanism, phases.alike, null.block_orders(phases.labels)) > ALPHA:
            return "the effect does not hold when whole stretches of like tasks change places"
    elif phases.count > 1 and not _holds_within(
        trace, null, mechanism, pooled(phases.labels), phases.alike
    ):
        return "the tasks come in stretches, and the effect does not hold within them"

    return None


def _versions(
    trace: TraceSessions, null: NullModel, mechanism: Mechanism, alike: Neighbours
) -> str | None:
    models = pooled(null.models)
    clients = pooled(null.clients)
    if len(set(models)) > 1 and not _holds_within(trace, null, mechanism, models, alike):
        return "the effect does not hold within the sessions of one model"

    changes = sum(a != b for a, b in pairwise(clients))
    if 1 <= changes <= MOST_CLIENT_CHANGES:
        if not _keeps_half(trace, null, mechanism, clients):
            return "less than half of the effect is left within the sessions of one client version"
        if _p(trace, null, mechanism, alike, null.strata_orders(clients), clients) > UPDATED:
            return "the effect does not hold within the sessions of one client version"

    return None


def pooled(strata: Sequence[int]) -> list[int]:
    """Strata with a single session count with the stratum before them: one odd session is no
    change.
    """
    counts = {label: list(strata).count(label) for label in set(strata)}
    out: list[int] = []

    for label in strata:
        out.append(label if counts[label] >= LEAST_IN_STRATUM or not out else out[-1])

    return out


def _p(
    trace: TraceSessions,
    null: NullModel,
    mechanism: Mechanism,
    alike: Neighbours,
    orders: Orders,
    strata: Sequence[int] | None = None,
) -> float:
    """The p-value of the mechanism under other orderings."""
    if mechanism.name == "interference":
        return p_value(within_strata(trace, strata, orders).scores)

    tested = [s for s in mechanism.signals if s.test is not None]
    rho = alike.rho_under(orders, strata)
    design = trend_design(null.n_sessions, strata)
    scores = [s.sign * fit_effect(design, 0, *_series(s), orders, rho=rho).scores for s in tested]

    return p_value(joint_score(scores, [s.share for s in tested]))


def _holds_within(
    trace: TraceSessions,
    null: NullModel,
    mechanism: Mechanism,
    strata: Sequence[int],
    alike: Neighbours,
) -> bool:
    return _p(trace, null, mechanism, alike, null.strata_orders(strata), strata) <= ALPHA


def _keeps_half(
    trace: TraceSessions, null: NullModel, mechanism: Mechanism, strata: Sequence[int]
) -> bool:
    signal = mechanism.leading
    assert signal is not None
    assert signal.effect is not None

    if mechanism.name == "interference":
        return (
            within_strata(trace, strata, null.strata_orders(strata)).excess >= HALF * signal.effect
        )

    y, w = _series(signal)
    identity = np.arange(null.n_sessions, dtype=np.intp)[None, :]
    whole = fit_effect(trend_design(null.n_sessions), 0, y, w, identity).effect
    inside = fit_effect(trend_design(null.n_sessions, strata), 0, y, w, identity).effect

    return signal.sign * inside >= HALF * signal.sign * whole


def _series(signal: Signal) -> tuple[Floats, Floats]:
    return zero_filled(signal.trajectory), precision_weights(
        zero_filled([float(c) for c in signal.counts])
    )
