"""Maintenance: errors, effort and outcomes in the sessions after a lifecycle event, events kept
where they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, p_value, standardised
from agingbench.metrics.trend import (
    EffectFit,
    fit_designs,
    fit_effect,
    precision_weights,
    session_times,
    zero_filled,
)
from agingbench.telemetry.inference.evidence import Mechanism, Signal, joint_test, rates
from agingbench.telemetry.inference.null_model import LEAST_SESSIONS, NullModel, PermutationTest
from agingbench.telemetry.sessions.aggregates import LifecycleRecord, TraceSession, TraceSessions
from agingbench.telemetry.signals.placebo import placebo_moments

REACH = (1, 2, 3)  # sessions that an event may hurt
ROUTINE = 1 / 4  # of all sessions: what happens more often is how the agent is used, not a shock
LEAST_EVENTS = 2
LEAST_RESULTS = 40
PLACEBOS = 199
# The new model's or client's own ways cannot be told from damage: they are confounders, shown and
# not tested.
_CONFOUNDERS = ("model_change", "client_change", "resume")
_ROBUST = 1.4826


@dataclass
class DamageSeries:
    """One thing that an event may make worse, per session."""

    signal: Signal
    y: Floats
    m: Floats
    steady: Floats  # `y` with a variance that does not depend on its level: what is tested
    counts_for: float = 1.0  # how long observations go on adding to the weight of a session


def maintenance(
    trace: TraceSessions, null: NullModel, success: Sequence[float | None], outcomes: Sequence[int]
) -> Mechanism:
    """The largest studentised damage over one to three sessions and over all outcomes."""
    sessions = trace.sessions
    place = {id(s): i for i, s in enumerate(sessions)}
    shocks = [s for s in trace.lifecycle if id(s.session) in place]
    tested_kinds = _tested_kinds(shocks, len(sessions))
    chosen = [s for s in shocks if s.kind in tested_kinds]
    shocked = sorted({place[id(s.session)]: None for s in chosen})
    kept = _outcomes(sessions, success, outcomes)
    mechanism = Mechanism(
        "maintenance",
        "errors_and_effort_after_events" + ("+outcomes" if any(outcomes) else ""),
        [o.signal for o in kept],
        None,
    )
    within = {place[id(s.session)] for s in chosen if s.within}
    mechanism.details = _beside(sessions, shocks, tested_kinds, place)
    exposures = _exposures(chosen, place, len(sessions))

    if exposures and null.n_sessions >= LEAST_SESSIONS:
        _test(mechanism, kept, exposures, null)
        mechanism.details["p_placebo"] = _placebo(mechanism, kept, chosen, place, null)

    moments = placebo_moments(sessions, null)
    mechanism.details["placebo_moments"] = moments.block
    mechanism.details |= _damage(kept, shocked, within, len(sessions), mechanism, moments.damage)

    return mechanism


@dataclass
class Exposure:
    """The sessions that one kind of event may have hurt, within a reach, and those that say nothing
    about it.
    """

    kind: str
    reach: int
    post: Floats
    excluded: list[int]


def _exposures(shocks: Sequence[LifecycleRecord], place: dict[int, int], n: int) -> list[Exposure]:
    """Per kind of event that struck often enough; all kinds together where none did."""
    kinds: dict[str, list[LifecycleRecord]] = {}
    for shock in shocks:
        kinds.setdefault(shock.kind, []).append(shock)

    often = {k: v for k, v in kinds.items() if len({id(s.session) for s in v}) >= LEAST_EVENTS}
    if not often and len({id(s.session) for s in shocks}) >= LEAST_EVENTS:
        often = {"+".join(sorted(kinds)): list(shocks)}

    found = []
    for kind, struck in sorted(often.items()):
        at = sorted({place[id(s.session)] for s in struck})
        within = {place[id(s.session)] for s in struck if s.within}
        for reach in REACH:
            post = post_sessions(at, within, n, reach)
            if 2 <= post.sum() <= n - 3:
                found.append(Exposure(kind, reach, post, [i for i in within if not post[i]]))

    return found


def _tested_kinds(shocks: Sequence[LifecycleRecord], n: int) -> set[str]:
    hit: dict[str, set[int]] = {}
    for shock in shocks:
        if shock.kind not in _CONFOUNDERS and shock.session.id:
            hit.setdefault(shock.kind, set()).add(id(shock.session))

    return {kind for kind, where in hit.items() if len(where) <= ROUTINE * n}


def post_sessions(shocked: Sequence[int], within: set[int], n: int, h: int) -> Floats:
    """1 in the h sessions that an event may hurt: from its own on, or from the next for one inside
    a session.
    """
    post = np.zeros(n)
    for at in shocked:
        first = at + 1 if at in within else at
        post[first : first + h] = 1.0

    return post


def _outcomes(
    sessions: Sequence[TraceSession], success: Sequence[float | None], linked: Sequence[int]
) -> list[DamageSeries]:
    results = [s.results for s in sessions]
    found = [
        Signal(
            "error_rate",
            "share of failed results, after events minus before",
            True,
            rates([s.process_errors for s in sessions], results),
            results,
            minimum=0.05,
            moderate=0.10,
        ),
        Signal(
            "effort_per_task",
            "factor of tool calls per task, after events over before",
            True,
            [math.log((s.tool_calls + 1) / s.n_turns) if s.n_turns else None for s in sessions],
            [s.n_turns for s in sessions],
            minimum=math.log(1.25),
            moderate=math.log(2.0),
            unit_of=math.exp,
            ceiling=None,
            floor=None,
        ),
    ]
    if sum(linked) >= 10:
        failed = [None if v is None else 1.0 - v for v in success]
        found.append(
            Signal(
                "failure_rate",
                "share of failed tasks, after events minus before",
                True,
                failed,
                list(linked),
                minimum=0.10,
                moderate=0.20,
            )
        )

    return [_outcome(s) for s in found]


def _outcome(signal: Signal) -> DamageSeries:
    y = zero_filled(signal.trajectory)
    m = zero_filled([float(c) for c in signal.counts])
    if signal.ceiling is None:
        return DamageSeries(signal, y, m, y)

    # Errors are rare: what sessions differ in is mostly chance, so that long ones should count for
    # more.
    return DamageSeries(
        signal, y, m, np.asarray(np.arcsin(np.sqrt((y * m + 0.375) / (m + 0.75)))), 4.0
    )


def _test(
    mechanism: Mechanism, outcomes: list[DamageSeries], exposures: list[Exposure], null: NullModel
) -> None:
    for outcome in outcomes:
        signal = outcome.signal
        if signal.name == "error_rate" and signal.n < LEAST_RESULTS:
            continue

        fits = [(e, _fit(outcome, e, null.orders)) for e in exposures]
        usable = [(e, f) for e, f in fits if f.df >= 2]
        if not usable:
            continue

        best = max(usable, key=lambda ef: float(ef[1].scores[0]))[0]
        scores = _most([f for _, f in usable])
        by_day = None
        if null.day_orders is not None:
            by_day = _most([_fit(outcome, e, null.day_orders) for e, _ in usable])

        plain = _fit(outcome, best, null.orders, raw=True)
        signal.test = PermutationTest(scores, by_day, plain)
        signal.effect = plain.effect
        signal.interval = plain.interval()
        signal.extra |= {"sessions_after_event": best.reach, "event_kind": best.kind}

    mechanism.test = joint_test(mechanism.signals)


def _most(fits: list[EffectFit]) -> Floats:
    return np.asarray(np.max(np.vstack([standardised(f.scores) for f in fits]), axis=0))


def _fit(outcome: DamageSeries, exposure: Exposure, orders: Orders, raw: bool = False) -> EffectFit:
    w = precision_weights(outcome.m, outcome.counts_for)
    # What led to a compaction is not its damage: the session it happened in says nothing.
    w[exposure.excluded] = 0.0
    n = len(w)
    values = outcome.y if raw else outcome.steady
    return fit_effect(
        np.column_stack([exposure.post, np.ones(n), session_times(n)]), 0, values, w, orders
    )


def _placebo(
    mechanism: Mechanism,
    outcomes: list[DamageSeries],
    shocks: Sequence[LifecycleRecord],
    place: dict[int, int],
    null: NullModel,
) -> float | None:
    """How often as many events at random sessions hurt the leading outcome as much as the real ones
    do.
    """
    tested = [o for o in outcomes if o.signal.test is not None]
    if mechanism.test is None or not tested:
        return None

    leading = min(tested, key=lambda o: o.signal.p if o.signal.p is not None else 1.0)
    kind = leading.signal.extra["event_kind"]
    struck = [s for s in shocks if s.kind in kind.split("+")]
    at = sorted({place[id(s.session)] for s in struck})
    inside = sum(place[id(s.session)] in at and s.within for s in struck) * 2 > len(struck)
    rng = null.rng(6)
    n = null.n_sessions
    drawn = [at, *(sorted(rng.choice(n, len(at), replace=False).tolist()) for _ in range(PLACEBOS))]
    w = precision_weights(leading.m, leading.counts_for)
    if inside:
        w[at] = 0.0

    scores = []
    for reach in REACH:
        posts = np.stack([post_sessions(d, set(d) if inside else set(), n, reach) for d in drawn])
        designs = np.stack(
            [posts, np.ones_like(posts), np.tile(session_times(n), (len(drawn), 1))], axis=2
        )
        scores.append(fit_designs(designs, 0, leading.steady, w))

    return p_value(np.max(np.vstack(scores), axis=0))


def _damage(
    outcomes: list[DamageSeries],
    shocked: Sequence[int],
    within: set[int],
    n: int,
    mechanism: Mechanism,
    moments: dict[int, float],
) -> dict[str, Any]:
    """Signed damage per event in robust standard deviations of the placebo, cumulated.

    For a compaction inside a session the placebo are matched moments where there are enough; else
    it is the same difference between sessions without an event.
    """
    errors = outcomes[0]
    placebo = [
        d
        for at in range(1, n)
        if not _near(at, shocked) and (d := _step(errors, at, at)) is not None
    ]
    centre = float(np.median(placebo)) if placebo else 0.0
    spread = (
        _ROBUST * float(np.median(np.abs(np.array(placebo) - centre))) if len(placebo) >= 5 else 0.0
    )
    if spread < 1e-9 and len(placebo) >= 5:
        spread = float(np.std(placebo))

    trajectory: list[float | None] = []
    total = 0.0
    measured = 0
    inside = 0

    for at in range(n):
        if at in shocked and at in within and at in moments:
            total += moments[at]
            measured = measured + 1
            inside = inside + 1
        elif at in shocked and spread > 1e-9:
            damage = _step(errors, at, at + 1 if at in within else at)
            if damage is not None:
                total += (damage - centre) / spread
                measured += 1

        trajectory.append(round(total, 6) if measured else None)

    return {
        "shock_damage_trajectory": trajectory if measured else [],
        "shock_damage_unit": "robust standard deviations of the placebo, cumulated and signed",
        "shock_damage_n": measured,
        "shock_damage_n_by_moments": inside,
        "n_placebo": len(placebo),
        "shock_damage_verdict": _damage_verdict(total, measured, mechanism),
    }


def _damage_verdict(total: float, measured: int, mechanism: Mechanism) -> str:
    if not measured or mechanism.test is None:
        return "no_signal"
    return "rising_degradation" if total > 0 and mechanism.test.p <= 0.05 else "flat"


def _near(at: int, shocked: Sequence[int]) -> bool:
    return any(abs(at - s) < 3 for s in shocked)


def _step(outcome: DamageSeries, before: int, first: int) -> float | None:
    a = _mean(outcome, range(max(0, before - 3), before))
    b = _mean(outcome, range(first, min(len(outcome.y), first + 3)))
    return None if a is None or b is None else b - a


def _mean(outcome: DamageSeries, where: range) -> float | None:
    m = float(outcome.m[list(where)].sum()) if len(where) else 0.0
    return float((outcome.y[list(where)] * outcome.m[list(where)]).sum()) / m if m else None


def _beside(
    sessions: Sequence[TraceSession],
    shocks: Sequence[LifecycleRecord],
    tested: set[str],
    place: dict[int, int],
) -> dict[str, Any]:
    kinds: dict[str, int] = {}
    for shock in shocks:
        kinds[shock.kind] = kinds.get(shock.kind, 0) + 1

    latency = [round(float(np.median(s.durations)), 3) if s.durations else None for s in sessions]
    refused = [sum(s.errors.get(k, 0) for k in ("rejected", "cancelled")) for s in sessions]
    counted = [s for s in shocks if s.kind in tested]

    return {
        "n_shocks": len(counted),
        "n_events": len(shocks),
        "events_by_kind": dict(sorted(kinds.items())),
        "tested_kinds": sorted(tested),
        "shock_sessions": sorted({place[id(s.session)] for s in counted}),
        "shocks": [
            {"session": place[id(s.session)], "kind": s.kind, "confidence": s.confidence}
            for s in counted[:50]
        ],
        "latency_p50_trajectory": latency,
        "intervention_rate_trajectory": rates(refused, [s.tool_calls for s in sessions]),
    }
