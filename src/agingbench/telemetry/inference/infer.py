"""From sessions to answers: the four mechanisms tested together, corrected, gated, and answered
yes, no or unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agingbench.metrics.multiplicity import holm
from agingbench.telemetry.inference.evidence import ALPHA, Mechanism, Signal, set_visible
from agingbench.telemetry.inference.gates import confounder, exchanged_p
from agingbench.telemetry.inference.neighbours import Neighbours
from agingbench.telemetry.inference.null_model import (
    LEAST_DAYS,
    LEAST_SESSIONS,
    PERMUTATIONS,
    NullModel,
    null_model,
)
from agingbench.telemetry.inference.phases import Phases, find_phases
from agingbench.telemetry.profile import MECHANISMS
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeCurve
from agingbench.telemetry.signals.compression import compression, compression_signals
from agingbench.telemetry.signals.compression import test as test_signal
from agingbench.telemetry.signals.consistency import consistency
from agingbench.telemetry.signals.interference import interference
from agingbench.telemetry.signals.maintenance import maintenance
from agingbench.telemetry.signals.revision import revision

# What a mechanism gets of the level, against 1 for the others. A mix can drift as many ways as
# there are tools, which makes it the hardest to see at the same level.
SHARES = {"interference": 2.5}
# What Holm asks of each, should it be the first.
LEVELS = {
    m: ALPHA * SHARES.get(m, 1.0) / sum(SHARES.get(x, 1.0) for x in MECHANISMS) for m in MECHANISMS
}


@dataclass
class Inference:
    """What a trace says about aging."""

    null: NullModel
    phases: Phases
    mechanisms: dict[str, Mechanism]
    consistency: dict[str, Any]
    outcome: Signal | None
    outcome_fired: bool
    outcome_adjusted: float | None
    aging_detected: bool | None
    reason: str


def infer(trace: TraceSessions, curve: OutcomeCurve, count: int = PERMUTATIONS) -> Inference:
    """Test every mechanism on the same orderings and answer."""
    null = null_model(trace, count)
    growth, locators, rereads = compression_signals(trace)
    worn = maintenance(trace, null, curve.rates, curve.counts)
    # Whether a read is a repeat depends on the session's tasks more than on its neighbours.
    phases = find_phases(trace, null, [growth, locators, *worn.signals])
    alike = phases.alike
    by_day = phases.serially_correlated
    mechanisms = {
        m.name: m
        for m in (
            compression(trace, null, [growth, locators, rereads], alike),
            interference(trace, null, LEVELS["interference"], by_day),
            revision(trace, null, LEVELS["revision"]),
            worn,
        )
    }

    for name in ("compression", "maintenance"):
        set_visible(mechanisms[name], null, LEVELS[name], by_day)

    for mechanism in mechanisms.values():
        mechanism.leading = _leading(mechanism)
        mechanism.p = exchanged_p(trace, null, mechanism, phases)

    outcome = _outcome_signal(curve, null, alike)
    p: dict[str, float | None] = {name: m.p for name, m in mechanisms.items()}
    adjusted = holm(p | {"outcome": None if outcome is None else outcome.p}, SHARES)

    for name, mechanism in mechanisms.items():
        mechanism.p_adjusted = adjusted[name]
        _answer(trace, null, mechanism, phases)

    fired = (
        outcome is not None
        and null.may_fire
        and (adjusted["outcome"] or 1.0) <= ALPHA
        and outcome.large_enough()
    )
    detected, reason = _overall(null, mechanisms, fired)
    return Inference(
        null,
        phases,
        mechanisms,
        consistency(trace, null),
        outcome,
        fired,
        adjusted["outcome"],
        detected,
        reason,
    )


def _leading(mechanism: Mechanism) -> Signal | None:
    """The signal that speaks loudest among those large enough, else among those tested."""
    tested = [s for s in mechanism.signals if s.test is not None]
    large = [s for s in tested if s.large_enough()]
    return min(
        large or tested,
        key=lambda s: (s.p if s.p is not None else 1.0, -s.strength()),
        default=None,
    )


def _answer(trace: TraceSessions, null: NullModel, mechanism: Mechanism, phases: Phases) -> None:
    signals = [s for s in mechanism.signals if s.test is not None]
    visible = [s.visible / s.moderate for s in signals if s.visible is not None]
    best = min(visible, default=None)
    mechanism.testable = best is not None and best <= 1.0 + 1e-9
    mechanism.coverage = _coverage(best, bool(signals))
    leading = mechanism.leading

    if mechanism.p is None or leading is None:
        mechanism.reason = "nothing to test in this trace"
    elif not null.may_fire:
        mechanism.reason = _too_short(null)
        mechanism.coverage = "underpowered"
    elif (
        mechanism.p_adjusted is not None
        and mechanism.p_adjusted <= ALPHA
        and leading.large_enough()
    ):
        mechanism.confounder = confounder(trace, null, mechanism, phases)
        mechanism.answer = None if mechanism.confounder else True
        mechanism.reason = (
            f"confounded: {mechanism.confounder}" if mechanism.confounder else "fired"
        )
    elif mechanism.testable:
        mechanism.answer = False
        mechanism.reason = "no evidence, and a moderate effect would have been seen"
    else:
        mechanism.reason = "no evidence, and a moderate effect could have been missed"


def _too_short(null: NullModel) -> str:
    if null.n_sessions < LEAST_SESSIONS:
        return f"{null.n_sessions} session{'' if null.n_sessions == 1 else 's'}; {LEAST_SESSIONS} are the least"
    return f"several sessions a day on fewer than {LEAST_DAYS} days: days cannot be told from time"


def _coverage(best: float | None, tested: bool) -> str:
    """How much there was to see, by the smallest effect that would have been seen."""
    if not tested:
        return "no_test_fired"
    if best is None:
        return "underpowered"

    return (
        "strong"
        if best <= 0.5
        else "adequate"
        if best <= 1.0 + 1e-9
        else "weak"
        if best <= 2.0
        else "underpowered"
    )


def _outcome_signal(curve: OutcomeCurve, null: NullModel, alike: Neighbours) -> Signal | None:
    if sum(curve.counts) < 10:
        return None

    signal = Signal(
        "outcome_rate",
        "share of successes, last minus first session",
        False,
        list(curve.rates),
        list(curve.counts),
        minimum=0.10,
        moderate=0.20,
    )
    test_signal(signal, null, alike)
    return signal if signal.test is not None else None


def _overall(
    null: NullModel, mechanisms: dict[str, Mechanism], outcome_fired: bool
) -> tuple[bool | None, str]:
    fired = [m.name for m in mechanisms.values() if m.answer]
    if fired or outcome_fired:
        return True, "fired: " + ", ".join([*fired, *(["outcomes"] if outcome_fired else [])])
    if not null.may_fire:
        return None, _too_short(null)

    testable = [m for m in mechanisms.values() if m.testable]
    open_ones = [m.name for m in testable if m.answer is None]
    if open_ones:
        return None, f"confounded: {', '.join(open_ones)}"

    if len(testable) >= 2:
        return (
            False,
            (
                "no evidence; moderate aging would have been seen in"
                f" {', '.join(m.name for m in testable)}"
            ),
        )

    return None, "too little to see: fewer than two mechanisms could have shown a moderate effect"
