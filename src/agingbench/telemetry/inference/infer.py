"""From sessions to answers: the four mechanisms tested, corrected, gated, and answered."""

from __future__ import annotations

from dataclasses import dataclass

from agingbench.metrics.multiplicity import holm
from agingbench.telemetry.inference.evidence import ALPHA, Mechanism, Signal, set_visible
from agingbench.telemetry.inference.gates import confounder, exchanged_p
from agingbench.telemetry.inference.null_model import (
    LEAST_DAYS,
    LEAST_SESSIONS,
    PERMUTATIONS,
    NullModel,
    null_model,
)
from agingbench.telemetry.inference.phases import Phases, find_phases
from agingbench.telemetry.inference.serial_correlation import SerialCorrelation
from agingbench.telemetry.profile import MECHANISMS
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import LEAST_OUTCOMES, OutcomeCurve
from agingbench.telemetry.signals.compression import (
    add_trend_test,
    compression,
    compression_signals,
)
from agingbench.telemetry.signals.consistency import Consistency, consistency
from agingbench.telemetry.signals.interference import interference
from agingbench.telemetry.signals.maintenance import maintenance
from agingbench.telemetry.signals.revision import revision

# What a mechanism gets of the level, against 1 for the others. A mix can drift as many ways as
# there are tools, which makes it the hardest to see at the same level.
SHARES = {"interference": 2.5}
# What Holm asks of each, should it be the first.
_ALL_SHARES = sum(SHARES.get(mechanism, 1.0) for mechanism in MECHANISMS)
LEVELS = {mechanism: ALPHA * SHARES.get(mechanism, 1.0) / _ALL_SHARES for mechanism in MECHANISMS}


@dataclass
class Inference:
    """What a trace says about aging; `aging_detected` is None where it cannot be told."""

    null: NullModel
    phases: Phases
    mechanisms: dict[str, Mechanism]
    consistency: Consistency
    outcome: Signal | None
    outcome_fired: bool
    outcome_adjusted: float | None
    aging_detected: bool | None
    reason: str


def infer(
    trace: TraceSessions,
    curve: OutcomeCurve,
    permutations: int = PERMUTATIONS,
) -> Inference:
    """Test every mechanism on the same orderings and answer."""
    null = null_model(trace, permutations)
    growth, locators, rereads = compression_signals(trace)
    after_events = maintenance(trace, null, curve.rates, curve.counts)

    # Whether neighbouring sessions resemble each other is read from all signals but re-reads:
    # whether a read is a repeat depends on the session's tasks more than on its neighbours.
    phases = find_phases(trace, null, [growth, locators, *after_events.signals])
    serial = phases.serial
    by_day = phases.serially_correlated

    mechanisms = {
        "compression": compression(trace, null, [growth, locators, rereads], serial),
        "interference": interference(trace, null, LEVELS["interference"], by_day),
        "revision": revision(trace, null, LEVELS["revision"]),
        "maintenance": after_events,
    }

    for name in ("compression", "maintenance"):
        set_visible(mechanisms[name], null, LEVELS[name], by_day)

    for mechanism in mechanisms.values():
        mechanism.leading = _leading(mechanism)
        mechanism.p = exchanged_p(trace, null, mechanism, phases)

    outcome = _outcome_signal(curve, null, serial)
    p = {name: mechanism.p for name, mechanism in mechanisms.items()}
    p["outcome"] = None if outcome is None else outcome.p
    adjusted = holm(p, SHARES)

    for name, mechanism in mechanisms.items():
        mechanism.p_adjusted = adjusted[name]
        _answer(trace, null, mechanism, phases)

    outcome_fired = (
        outcome is not None
        and null.can_be_answered
        and (adjusted["outcome"] or 1.0) <= ALPHA
        and outcome.large_enough()
    )
    detected, reason = _overall(null, mechanisms, outcome_fired)

    return Inference(
        null=null,
        phases=phases,
        mechanisms=mechanisms,
        consistency=consistency(trace, null),
        outcome=outcome,
        outcome_fired=outcome_fired,
        outcome_adjusted=adjusted["outcome"],
        aging_detected=detected,
        reason=reason,
    )


def _leading(mechanism: Mechanism) -> Signal | None:
    """Return the signal of the smallest p among those large enough, else among those tested."""
    tested = [signal for signal in mechanism.signals if signal.test is not None]
    large = [signal for signal in tested if signal.large_enough()]

    def rank(signal: Signal) -> tuple[float, float]:
        p = 1.0 if signal.p is None else signal.p
        return p, -signal.strength()

    return min(large or tested, key=rank, default=None)


def _answer(trace: TraceSessions, null: NullModel, mechanism: Mechanism, phases: Phases) -> None:
    """Fill in the answer, its reason, and how much could have been seen."""
    tested = [signal for signal in mechanism.signals if signal.test is not None]

    # The smallest visible effect of any signal, in multiples of a moderate one.
    visible = [s.visible / s.moderate for s in tested if s.visible is not None]
    best = min(visible, default=None)
    mechanism.testable = best is not None and best <= 1.0 + 1e-9
    mechanism.coverage = _coverage(best, bool(tested))

    leading = mechanism.leading
    adjusted = mechanism.p_adjusted

    if mechanism.p is None or leading is None:
        mechanism.reason = "nothing to test in this trace"
    elif not null.can_be_answered:
        mechanism.reason = _too_short(null)
        mechanism.coverage = "underpowered"
    elif adjusted is not None and adjusted <= ALPHA and leading.large_enough():
        mechanism.confounder = confounder(trace, null, mechanism, phases)
        if mechanism.confounder is None:
            mechanism.answer = True
            mechanism.reason = "fired"
        else:
            mechanism.reason = f"confounded: {mechanism.confounder}"
    elif mechanism.testable:
        mechanism.answer = False
        mechanism.reason = "no evidence, and a moderate effect would have been seen"
    else:
        mechanism.reason = "no evidence, and a moderate effect could have been missed"


def _too_short(null: NullModel) -> str:
    n = null.n_sessions
    if n < LEAST_SESSIONS:
        return f"{n} session{'' if n == 1 else 's'}; {LEAST_SESSIONS} are the least"
    return f"several sessions a day on fewer than {LEAST_DAYS} days: days cannot be told from time"


def _coverage(best: float | None, tested: bool) -> str:
    """Return how much there was to see, by the smallest effect that would have been seen."""
    if not tested:
        return "no_test_fired"
    if best is None or best > 2.0:
        return "underpowered"
    if best <= 0.5:
        return "strong"

    return "adequate" if best <= 1.0 + 1e-9 else "weak"


def _outcome_signal(
    curve: OutcomeCurve, null: NullModel, serial: SerialCorrelation
) -> Signal | None:
    """Return the tested signal of the success rate; None where there are too few outcomes."""
    if sum(curve.counts) < LEAST_OUTCOMES:
        return None

    signal = Signal(
        name="outcome_rate",
        unit="share of successes, last minus first session",
        rising_is_bad=False,
        trajectory=list(curve.rates),
        counts=list(curve.counts),
        minimum=0.10,
        moderate=0.20,
    )
    add_trend_test(signal, null, serial)
    return signal if signal.test is not None else None


def _overall(
    null: NullModel,
    mechanisms: dict[str, Mechanism],
    outcome_fired: bool,
) -> tuple[bool | None, str]:
    """Return whether the agent ages (None where it cannot be told) and the reason."""
    fired = [m.name for m in mechanisms.values() if m.answer]
    if outcome_fired:
        fired.append("outcomes")
    if fired:
        return True, "fired: " + ", ".join(fired)
    if not null.can_be_answered:
        return None, _too_short(null)

    testable = [m for m in mechanisms.values() if m.testable]
    undecided = [m.name for m in testable if m.answer is None]
    if undecided:
        return None, f"confounded: {', '.join(undecided)}"

    if len(testable) >= 2:
        names = ", ".join(m.name for m in testable)
        return False, f"no evidence; moderate aging would have been seen in {names}"

    return None, "too little to see: fewer than two mechanisms could have shown a moderate effect"
