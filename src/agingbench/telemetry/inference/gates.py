"""Confounders: an effect that days, tasks, a new model or a new client explain as well is no
answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from agingbench.metrics.trend import (
    Floats,
    Orders,
    fit_effect,
    p_value,
    precision_weights,
    trend_design,
)
from agingbench.telemetry.inference.evidence import ALPHA, Mechanism, Signal
from agingbench.telemetry.inference.neighbours import Neighbours
from agingbench.telemetry.inference.nulls import LEAST_DAYS, Layout, column, joined
from agingbench.telemetry.inference.phases import BLOCK, Phases
from agingbench.telemetry.sessions.collect import Sessions
from agingbench.telemetry.signals.interference import within_strata

LEAST_IN_STRATUM = 2
MOST_CLIENT_CHANGES = 3
HALF = 0.5
# level within clients: an update changes tools and prompts at once, so that more is asked for
UPDATED = 0.02


def confounder(found: Sessions, lay: Layout, mechanism: Mechanism, phases: Phases) -> str | None:
    """What else explains the effect of a mechanism that would fire; None when nothing does."""
    if mechanism.leading is None:
        return None
    if mechanism.name == "maintenance":
        p = mechanism.shown.get("p_placebo")
        return (
            "as much damage is seen at moments without an event"
            if p is not None and p > ALPHA
            else None
        )
    if mechanism.name == "revision" and mechanism.shown.get("fired_by") == "level":
        return None  # a constant share of stale uses is no trend that time could confound
    return _stretches(found, lay, mechanism, phases) or _versions(
        found, lay, mechanism, phases.alike
    )


def exchanged_p(found: Sessions, lay: Layout, mechanism: Mechanism, phases: Phases) -> float | None:
    """The p-value of a mechanism; where neighbours resemble each other, the largest over all fair
    exchanges.

    Then whole days change places where days hold several sessions, and blocks of four sessions;
    events have to hurt more than events at other moments would. Too few blocks leave p at 1.
    """
    tested = mechanism.tested
    p = mechanism.p if mechanism.p is not None else None if tested is None else tested.p
    if p is None or tested is None or not phases.wanders or mechanism.name == "revision":
        return p  # the uses of revision are exchanged, and clustered by session
    parts = [p, tested.p_days or 0.0]
    if mechanism.name == "maintenance":
        return max(*parts, mechanism.shown.get("p_placebo") or 0.0)
    size = next((b for b in range(BLOCK, 1, -1) if lay.n / b >= LEAST_DAYS), None)
    if size is None or mechanism.leading is None:
        return 1.0
    return max(
        *parts,
        _p(
            found, lay, mechanism, phases.alike, lay.block_orders([i // size for i in range(lay.n)])
        ),
    )


def _stretches(found: Sessions, lay: Layout, mechanism: Mechanism, phases: Phases) -> str | None:
    """Sessions of one stretch of like tasks change places together."""
    if mechanism.name == "revision":
        return None
    if phases.count >= LEAST_DAYS:
        if _p(found, lay, mechanism, phases.alike, lay.block_orders(phases.labels)) > ALPHA:
            return "the effect does not hold when whole stretches of like tasks change places"
    elif phases.count > 1 and not _holds_within(
        found, lay, mechanism, pooled(phases.labels), phases.alike
    ):
        return "the tasks come in stretches, and the effect does not hold within them"
    return None


def _versions(found: Sessions, lay: Layout, mechanism: Mechanism, alike: Neighbours) -> str | None:
    models = pooled(lay.models)
    clients = pooled(lay.clients)
    if len(set(models)) > 1 and not _holds_within(found, lay, mechanism, models, alike):
        return "the effect does not hold within the sessions of one model"
    changes = sum(a != b for a, b in pairwise(clients))
    if 1 <= changes <= MOST_CLIENT_CHANGES:
        if not _keeps_half(found, lay, mechanism, clients):
            return "less than half of the effect is left within the sessions of one client version"
        if _p(found, lay, mechanism, alike, lay.strata_orders(clients), clients) > UPDATED:
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
    found: Sessions,
    lay: Layout,
    mechanism: Mechanism,
    alike: Neighbours,
    orders: Orders,
    strata: Sequence[int] | None = None,
) -> float:
    """The p-value of the mechanism under other orderings."""
    if mechanism.name == "interference":
        return p_value(within_strata(found, strata, orders).scores)
    tested = [s for s in mechanism.signals if s.tested is not None]
    rho = alike.rho_under(orders, strata)
    design = trend_design(lay.n, strata)
    scores = [s.sign * fit_effect(design, 0, *_series(s), orders, rho=rho).scores for s in tested]
    return p_value(joined(scores, [s.share for s in tested]))


def _holds_within(
    found: Sessions, lay: Layout, mechanism: Mechanism, strata: Sequence[int], alike: Neighbours
) -> bool:
    return _p(found, lay, mechanism, alike, lay.strata_orders(strata), strata) <= ALPHA


def _keeps_half(found: Sessions, lay: Layout, mechanism: Mechanism, strata: Sequence[int]) -> bool:
    signal = mechanism.leading
    assert signal is not None
    assert signal.effect is not None
    if mechanism.name == "interference":
        return (
            within_strata(found, strata, lay.strata_orders(strata)).excess >= HALF * signal.effect
        )
    y, w = _series(signal)
    identity = np.arange(lay.n, dtype=np.intp)[None, :]
    whole = fit_effect(trend_design(lay.n), 0, y, w, identity).effect
    inside = fit_effect(trend_design(lay.n, strata), 0, y, w, identity).effect
    return signal.sign * inside >= HALF * signal.sign * whole


def _series(signal: Signal) -> tuple[Floats, Floats]:
    return column(signal.trajectory), precision_weights(column([float(c) for c in signal.counts]))
