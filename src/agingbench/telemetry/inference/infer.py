"""From sessions to answers: mechanisms and reliability tested, corrected, and answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agingbench.cards.audit import MOVES
from agingbench.metrics.mix import roots
from agingbench.metrics.trend import precision_weights
from agingbench.telemetry.inference.answer import decide, leading_signal, overall, would_fire
from agingbench.telemetry.inference.evidence import (
    ALPHA,
    BesideMix,
    Mechanism,
    Signal,
    Step,
    set_visible,
)
from agingbench.telemetry.inference.gates import adjust, exchanged_p, grows_alone, single_tool
from agingbench.telemetry.inference.null_model import PERMUTATIONS, NullModel, null_model
from agingbench.telemetry.inference.phases import Phases, find_phases
from agingbench.telemetry.inference.serial_correlation import SerialCorrelation
from agingbench.telemetry.inference.steps import (
    LEVEL,
    LEVEL_OF_ERRORS,
    StepSeries,
    find_step,
    step_at_change,
)
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.panel.recorded import recorded_changes
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import LEAST_OUTCOMES, OutcomeCurve
from agingbench.telemetry.signals.compression import (
    add_trend_test,
    compression,
    compression_signals,
)
from agingbench.telemetry.signals.consistency import Consistency, consistency
from agingbench.telemetry.signals.details import RevisionDetails
from agingbench.telemetry.signals.effort import effort_signal
from agingbench.telemetry.signals.interference import interference, mix_beyond_work, tool_mix
from agingbench.telemetry.signals.maintenance import maintenance
from agingbench.telemetry.signals.reliability import reliability, reliability_signals
from agingbench.telemetry.signals.revision import revision

# Levels of the tests. Each has its own, so that having or not having one changes no other.
# Together they are more than 5 %: what passes its test has to be large, gradual and plain to see
# as well, and less than 5 % of healthy agents pass all of that (measured).
RELIABILITY_LEVEL = 0.034
OUTCOME_LEVEL = 0.003
# Events need more: there are few of them.
MECHANISM_LEVELS = {
    "compression": 0.006,
    "interference": 0.024,
    "revision": 0.020,
    "maintenance": 0.034,
}
# In fewer sessions a trend has to be larger to be seen, so that being large holds less chance back.
# In more of them a trend shows so plainly that less chance need be let through. So the levels of
# trends are lower at both ends.
ENOUGH_SESSIONS = 20
MANY_SESSIONS = 24
LEAST_OF_LEVEL = 0.5  # among many sessions: a lower level would take more orderings to reach
# Effects of events have a test of their own.
NO_STEPS = ("maintenance",)
MIX = "tool_mix_drift"
SURELY_MOVES = 0.02
HINTS = 0.4  # p-value up to which another symptom hints at the same loss
WORDING_MOVES = 0.1  # p-value up to which the words of requests say that the work moved
VERSIONS = ("client", "model")  # kinds of recorded changes


@dataclass(frozen=True)
class Levels:
    """What each test has to reach in a trace of so many sessions."""

    mechanisms: dict[str, float]
    reliability: float

    def of(self, mechanism: Mechanism) -> float:
        """Return the level of one mechanism or of reliability."""
        return self.mechanisms.get(mechanism.name, self.reliability)


def levels_for(sessions: int) -> Levels:
    """Return the levels of a trace of so many sessions."""
    caution = min(1.0, sessions / ENOUGH_SESSIONS) ** 2
    if sessions > MANY_SESSIONS:
        caution = max(LEAST_OF_LEVEL, MANY_SESSIONS / sessions)
    mechanisms = {}
    for name, level in MECHANISM_LEVELS.items():
        mechanisms[name] = level if name in NO_STEPS else level * caution

    return Levels(mechanisms, RELIABILITY_LEVEL * caution)


@dataclass
class Inference:
    """What a trace says about aging; `aging_detected` is None where it cannot be told."""

    null: NullModel
    work: Work
    phases: Phases
    mechanisms: dict[str, Mechanism]
    reliability: Mechanism
    consistency: Consistency
    effort: Signal  # calls per request: fires nothing, and stands against a "no"
    step: Step | None  # where all that moved changed at once
    outcome: Signal | None
    outcome_fired: bool
    outcome_adjusted: float | None
    aging_detected: bool | None
    reason: str
    open_because: str | None  # the kind of reason where it cannot be told

    @property
    def all_tested(self) -> list[Mechanism]:
        """The mechanisms and reliability."""
        return [*self.mechanisms.values(), self.reliability]


def infer(
    trace: TraceSessions,
    curve: OutcomeCurve,
    permutations: int = PERMUTATIONS,
) -> Inference:
    """Test every mechanism on the same orderings and answer."""
    null = null_model(trace, permutations)
    levels = levels_for(null.n_sessions)
    work = Work(trace, null)
    behaviour = compression_signals(trace)
    errors = reliability_signals(trace)
    effort = effort_signal(trace.sessions)
    for signal in [*behaviour, *errors, effort]:
        adjust(signal, work)

    after_events = maintenance(trace, null, curve.rates, curve.counts, work)

    # Whether neighbouring sessions resemble each other is read from all signals but re-reads:
    # whether a read is a repeat depends on the session's tasks more than on its neighbours.
    phases = find_phases(trace, null, [*behaviour[:2], errors[0]], work)
    serial = phases.serial
    by_day = phases.serially_correlated

    mechanisms = {
        "compression": compression(trace, null, behaviour, serial, work),
        "interference": interference(
            trace, null, levels.mechanisms["interference"], by_day, work, serial
        ),
        "revision": revision(trace, null, levels.mechanisms["revision"]),
        "maintenance": after_events,
    }
    unreliable = reliability(trace, null, errors, serial, work)

    for name in ("compression", "maintenance"):
        set_visible(mechanisms[name], null, levels.mechanisms[name], by_day)
    set_visible(unreliable, null, levels.reliability, by_day)

    for mechanism in [*mechanisms.values(), unreliable]:
        mechanism.leading = leading_signal(mechanism)
        mechanism.p = exchanged_p(trace, null, mechanism, phases, work)

    add_trend_test(effort, null, serial, work)
    all_tested = [*mechanisms.values(), unreliable]
    _correct(all_tested, levels)
    step = _common_step(trace, null, all_tested, effort, work)
    if step is None and not any(would_fire(mechanism, null) for mechanism in all_tested):
        step = _step_with_version(trace, null, all_tested, work)
    if step is not None and would_fire(after_events, null):
        on_top = maintenance(trace, null, curve.rates, curve.counts, work, step.session)
        if on_top.test is None or on_top.test.p > levels.mechanisms["maintenance"]:
            after_events.step = step

    for mechanism in all_tested:
        if would_fire(mechanism, null):
            if mechanism.name not in NO_STEPS and not _holds_level(mechanism):
                mechanism.step = step
            mechanism.grows_alone = grows_alone(mechanism)
            if _moves_by_mix_alone(mechanism):
                mechanism.mix_alone = _beside_mix(work)
            mechanism.confounder = _confounder(trace, null, mechanism, work)

        decide(mechanism, null, levels.of(mechanism))

    outcome = _outcome_signal(curve, null, serial, work)
    outcome_adjusted = _rescaled(None if outcome is None else outcome.p, OUTCOME_LEVEL)
    outcome_fired = (
        outcome is not None
        and null.can_be_answered
        and (outcome_adjusted or 1.0) <= ALPHA
        and outcome.is_harmful()
    )

    fired = [m.name for m in all_tested if m.answer]
    if outcome_fired:
        fired.append("outcomes")
    detected, reason, open_because = overall(null, all_tested, fired, effort, step)

    return Inference(
        null=null,
        work=work,
        phases=phases,
        mechanisms=mechanisms,
        reliability=unreliable,
        consistency=consistency(trace, null),
        effort=effort,
        step=step,
        outcome=outcome,
        outcome_fired=outcome_fired,
        outcome_adjusted=outcome_adjusted,
        aging_detected=detected,
        reason=reason,
        open_because=open_because,
    )


def _correct(mechanisms: Sequence[Mechanism], levels: Levels) -> None:
    """Fill in p-values that are compared with 5 %: each mechanism has a level of its own.

    Holm's method would give what missing or rejected tests leave over to the others. They would be
    tested at several times their level then, in traces that show one thing only.
    """
    for mechanism in mechanisms:
        mechanism.p_adjusted = _rescaled(mechanism.p, levels.of(mechanism))


def _rescaled(p: float | None, level: float) -> float | None:
    """Return a p-value that is at most 5 % where it was at most `level`."""
    return None if p is None else min(1.0, p * ALPHA / level)


def _common_step(
    trace: TraceSessions,
    null: NullModel,
    mechanisms: Sequence[Mechanism],
    effort: Signal,
    work: Work,
) -> Step | None:
    """Return the step that fits all that moves to the bad side clearly better than lines do."""
    moving: list[Signal] = []
    level = LEVEL
    for mechanism in mechanisms:
        if mechanism.name in NO_STEPS:
            continue
        own = [signal for signal in mechanism.signals if _moves(signal)]
        moving += own
        if own and mechanism.name == "reliability":
            level = LEVEL_OF_ERRORS

    if not any(signal.p is not None and signal.p <= SURELY_MOVES for signal in moving):
        return None
    if _moves(effort):
        moving.append(effort)

    series = _series(trace, moving, work)
    return find_step(null, work.plain_nuisance, series, _recorded(trace), level)


def _step_with_version(
    trace: TraceSessions, null: NullModel, mechanisms: Sequence[Mechanism], work: Work
) -> Step | None:
    """Return the step of what moves only until client and model stand beside it.

    It is no slope that is left over then, and no other work either: it came with the version.
    """
    at = {change.session for change in recorded_changes(trace, []) if change.kind in VERSIONS}
    if not at:
        return None

    moving: list[Signal] = []
    for mechanism in mechanisms:
        if mechanism.name not in NO_STEPS:
            moving += [signal for signal in mechanism.signals if _moved_before(signal)]
    if not moving:
        return None

    return step_at_change(null, _series(trace, moving, work), at)


def _moved_before(signal: Signal) -> bool:
    """Return whether a signal surely moves to the bad side, and beside the covariates does not."""
    plain = signal.plain
    if plain is None or plain.fit is None or _moves(signal):
        return False
    return plain.p <= SURELY_MOVES and signal.sign * plain.fit.effect >= signal.minimum


def _series(trace: TraceSessions, signals: Sequence[Signal], work: Work) -> list[StepSeries]:
    """Return what is looked at for a step, on the scales on which trends are tested."""
    series = []
    for signal in signals:
        if signal.name == MIX:
            series.append(_mix_series(trace, work))
        else:
            series.append(StepSeries(signal.tested_values()[:, None], signal.weights()))

    return series


def _mix_series(trace: TraceSessions, work: Work) -> StepSeries:
    mix = mix_beyond_work(trace, tool_mix(trace), work)
    return StepSeries(roots(mix.shares, mix.calls), precision_weights(mix.calls))


def _moves_by_mix_alone(mechanism: Mechanism) -> bool:
    """Return whether nothing but the tool mix moved.

    That is no evidence of a loss: what is asked, habits and new tools move it as well, and not all
    of that can be told from a trace.
    """
    leading = mechanism.leading
    if leading is None or leading.name != MIX:
        return False
    others = [signal.p for signal in mechanism.signals if signal is not leading]
    return not any(p is not None and p <= HINTS for p in others)


def _beside_mix(work: Work) -> BesideMix:
    """Return what else moved where the tool mix did."""
    if (work.p_wording or 1.0) <= WORDING_MOVES:
        return "requests"
    return "servers" if work.is_taken_over else "nothing"


def _recorded(trace: TraceSessions) -> set[int]:
    """Return the first sessions after changes that the trace records."""
    return {change.session for change in recorded_changes(trace, [])}


def _holds_level(mechanism: Mechanism) -> bool:
    """Return whether outdated values fired by a share that stands over the whole trace."""
    details = mechanism.details
    if not isinstance(details, RevisionDetails) or details.fired_by != "level":
        return False
    return not any(_moves(signal) for signal in mechanism.signals)


def _moves(signal: Signal) -> bool:
    return signal.p is not None and signal.p <= MOVES and signal.large_enough()


def _confounder(
    trace: TraceSessions, null: NullModel, mechanism: Mechanism, work: Work
) -> str | None:
    tool = single_tool(trace, mechanism, null, work)
    return None if tool is None else f"it hangs on one tool, {tool}"


def _outcome_signal(
    curve: OutcomeCurve, null: NullModel, serial: SerialCorrelation, work: Work
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
    add_trend_test(signal, null, serial, work)
    return signal if signal.test is not None else None
