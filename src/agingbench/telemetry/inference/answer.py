"""The answer per mechanism and overall: yes, no, or cannot be told, with the reason.

Adding evidence of harm never turns "cannot be told" into "no": a no needs all signals together to
speak against a moderate effect, and every mechanism that could show itself to be tested.
"""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.cards.audit import CHANGED_AT_ONCE
from agingbench.metrics.permutation import joint_score, p_value
from agingbench.telemetry.inference.evidence import ALPHA, BesideMix, Mechanism, Signal, Step
from agingbench.telemetry.inference.null_model import LEAST_DAYS, LEAST_SESSIONS, NullModel

# Reasons of "cannot be told", the most telling first.
WORK_CHANGED = "work_changed"
ONE_TOOL = "one_tool"
GROWS_ALONE = "context_grows_alone"
MIX_ALONE = "mix_moves_alone"
EFFORT_ROSE = "effort_rose"
SUSPICIOUS = "suspicious"
IMPRECISE = "too_imprecise"
TOO_SHORT = "too_short"
UNTESTED = "nothing_to_test"
RANKING = (CHANGED_AT_ONCE, WORK_CHANGED, ONE_TOOL, GROWS_ALONE, SUSPICIOUS, MIX_ALONE)
NO_WORDS = (
    "no evidence: what was seen is three times likelier without a moderate effect than with one"
)
# The kind of reason and the words, by what moved beside the tool mix.
_MIX_ALONE: dict[BesideMix, tuple[str, str]] = {
    "requests": (
        WORK_CHANGED,
        "the mix of tools changed, and so did the words of the requests",
    ),
    "servers": (
        WORK_CHANGED,
        "the mix of tools changed while connected servers or subagents took over calls",
    ),
    "nothing": (
        MIX_ALONE,
        "confounded: the mix of tools changed, and nothing else speaks for a mix-up",
    ),
}
STEP_WORDS = "changed at once, not gradually"
LEAST_MECHANISMS = 2  # that could be tested, for a no
# How likely a moderate effect in some signal may be at most, relative to none in any, for a no.
MOST_LIKELY = 0.3
# And how likely it may be at most in any one of them: where that speaks for harm, the others do not
# speak against it.
MOST_LIKELY_IN_ONE = 2.0
BLURRED = 1.5  # standard errors beside the work over those without regard to it


def leading_signal(mechanism: Mechanism) -> Signal | None:
    """Return the signal of the smallest p among the harmful ones, else large ones, else tested."""
    tested = tested_signals(mechanism)
    harmful = [signal for signal in tested if signal.is_harmful()]
    large = [signal for signal in tested if signal.large_enough()]

    def rank(signal: Signal) -> tuple[float, float]:
        p = 1.0 if signal.p is None else signal.p
        return p, -signal.strength()

    return min(harmful or large or tested, key=rank, default=None)


def tested_signals(mechanism: Mechanism) -> list[Signal]:
    """Return the signals that were tested."""
    return [signal for signal in mechanism.signals if signal.test is not None]


def plain_p(mechanism: Mechanism) -> float | None:
    """Return the p-value without regard to the work; None where no signal has a plain test."""
    scores = []
    weights = []
    for signal in mechanism.signals:
        if signal.plain is not None:
            scores.append(signal.plain.scores)
            weights.append(signal.weight)

    return p_value(joint_score(scores, weights)) if scores else None


def would_fire(mechanism: Mechanism, null: NullModel) -> bool:
    """Return whether a mechanism passes its test with a harmful signal, before step or slope."""
    leading = mechanism.leading
    adjusted = mechanism.p_adjusted
    return (
        _can_be_answered(mechanism, null)
        and leading is not None
        and adjusted is not None
        and adjusted <= ALPHA
        and not mechanism.few_cases
        and mechanism.is_harmful()
        and leading.shows_plainly()
    )


def _can_be_answered(mechanism: Mechanism, null: NullModel) -> bool:
    """Return whether there is enough for an answer; a trend over time needs more days."""
    return null.can_compare_events if mechanism.name == "maintenance" else null.can_be_answered


def decide(mechanism: Mechanism, null: NullModel, level: float) -> None:
    """Fill in answer, reason and coverage; `level` is what a plain test has to reach."""
    tested = tested_signals(mechanism)
    mechanism.testable = bool(tested) and all(s.interval is not None for s in tested)
    mechanism.coverage = _coverage(tested)

    if mechanism.p is None or mechanism.leading is None:
        _leave_open(mechanism, UNTESTED, "nothing to test in this trace")
        return
    if not _can_be_answered(mechanism, null):
        mechanism.coverage = "underpowered"
        _leave_open(mechanism, TOO_SHORT, too_short(null))
        return

    if would_fire(mechanism, null):
        _decide_fired(mechanism)
        return

    is_suspicious = mechanism.p <= ALPHA and mechanism.leading.large_enough()
    if not is_suspicious and not mechanism.stands_high and _speak_against(tested):
        mechanism.answer = False
        mechanism.reason = NO_WORDS
        return

    if _hangs_on_work(mechanism, level):
        reason = "the work changed at the same time, and the effect cannot be told from it"
        _leave_open(mechanism, WORK_CHANGED, reason)
    elif is_suspicious and mechanism.few_cases:
        reason = "suspicious: more and more, but of too few cases"
        _leave_open(mechanism, SUSPICIOUS, reason)
    elif is_suspicious:
        reason = "suspicious: large, but not beyond chance after correction"
        _leave_open(mechanism, SUSPICIOUS, reason)
    elif mechanism.stands_high:
        reason = "suspicious: no trend, but outdated values are given more often than is usual"
        _leave_open(mechanism, SUSPICIOUS, reason)
    else:
        reason = "no evidence, and a moderate effect could have been missed"
        _leave_open(mechanism, IMPRECISE, reason)
        mechanism.is_hidden = all(signal.is_vague() for signal in tested)


def _hangs_on_work(mechanism: Mechanism, level: float) -> bool:
    """Return whether the effect passes its test plainly, and no longer beside the work."""
    plain = plain_p(mechanism)
    if plain is None or mechanism.test is None:
        return False
    return plain <= level < mechanism.test.p


def _speak_against(signals: Sequence[Signal]) -> bool:
    """Return whether signals speak against a moderate effect in any one of them.

    Each of them may be the one that shows it, and none is likelier to than another: so the mean of
    their likelihood ratios counts. A signal that shows nothing has a ratio of 1, and one that is
    clearly likelier with an effect keeps the answer open by itself.
    """
    ratios = [signal.likelihood_ratio() for signal in signals]
    if not ratios or max(ratios) >= MOST_LIKELY_IN_ONE:
        return False
    return sum(ratios) / len(ratios) < MOST_LIKELY


def _decide_fired(mechanism: Mechanism) -> None:
    if mechanism.step is not None:
        _leave_open(mechanism, CHANGED_AT_ONCE, STEP_WORDS)
    elif mechanism.grows_alone:
        reason = "the context grows, and nothing shows that anything is lost"
        _leave_open(mechanism, GROWS_ALONE, f"confounded: {reason}")
    elif mechanism.mix_alone is not None:
        _leave_open(mechanism, *_MIX_ALONE[mechanism.mix_alone])
    elif mechanism.confounder is not None:
        _leave_open(mechanism, ONE_TOOL, f"confounded: {mechanism.confounder}")
    else:
        mechanism.answer = True
        mechanism.reason = "fired"


def _leave_open(mechanism: Mechanism, kind: str, reason: str) -> None:
    mechanism.answer = None
    mechanism.open_because = kind
    mechanism.reason = reason


def too_short(null: NullModel) -> str:
    """Return why a trace cannot be answered at all."""
    n = null.n_sessions
    if n < LEAST_SESSIONS:
        return f"{n} session{'' if n == 1 else 's'}; {LEAST_SESSIONS} are the least"
    return f"several sessions a day on fewer than {LEAST_DAYS} days: days cannot be told from time"


def _coverage(tested: list[Signal]) -> str:
    """Return how much there was to see, by the smallest effect that would have been seen."""
    if not tested:
        return "no_test_fired"

    visible = [s.visible / s.moderate for s in tested if s.visible is not None]
    best = min(visible, default=None)
    if best is None or best > 2.0:
        return "underpowered"
    if best <= 0.5:
        return "strong"

    return "adequate" if best <= 1.0 + 1e-9 else "weak"


def overall(
    null: NullModel,
    mechanisms: Sequence[Mechanism],
    fired: list[str],
    effort: Signal,
    step: Step | None,
) -> tuple[bool | None, str, str | None]:
    """Return whether the agent ages, the reason in words, and the kind of reason where open.

    `fired` names what fired, outcomes among them; `step` is where all that moved changed at once.
    """
    if fired:
        return True, "fired: " + ", ".join(fired), None
    if not null.can_be_answered:
        return None, too_short(null), TOO_SHORT

    if step is not None:
        return None, STEP_WORDS, CHANGED_AT_ONCE

    tested = [m for m in mechanisms if m.p is not None]
    undecided = [m for m in tested if m.answer is None]
    for kind in RANKING:
        if kind == SUSPICIOUS and _effort_rose(effort):
            if _is_blurred(effort):
                reason = "calls per request: the work changed at the same time"
                return None, reason, WORK_CHANGED
            return None, "the agent needs more and more calls per request", EFFORT_ROSE

        named = [m for m in undecided if m.open_because == kind]
        if named:
            return None, f"{_names(named)}: {named[0].reason}", kind

    unseen = [m for m in mechanisms if m.shows_itself and (m.p is None or m.weak or m.is_hidden)]
    if unseen:
        reason = f"{_names(unseen)}: there was something to see, and too little of it"
        return None, reason, IMPRECISE

    visible = [m for m in tested if not m.is_hidden]
    own = [m for m in visible if m.name != "reliability"]
    if len(own) < LEAST_MECHANISMS:
        return None, "too little to see: fewer than two mechanisms could be tested", IMPRECISE

    signals = [signal for m in tested for signal in tested_signals(m)]
    if effort.test is not None:
        signals.append(effort)
    if not _speak_against(signals):
        likeliest = max(signals, key=Signal.likelihood_ratio)
        return None, _missed(undecided, likeliest is effort), IMPRECISE

    reason = f"{NO_WORDS} ({_names(visible)})"
    hidden = [m for m in tested if m.is_hidden]
    if hidden:
        reason += f"; {_names(hidden)} could hardly show one"
    return False, reason, None


def _missed(undecided: Sequence[Mechanism], is_effort: bool) -> str:
    """Say in what a moderate effect could have been missed."""
    if is_effort or not undecided:
        return "calls per request: a moderate rise could have been missed"
    return f"{_names(undecided)}: {undecided[0].reason}"


def _names(mechanisms: Sequence[Mechanism]) -> str:
    return ", ".join(mechanism.name for mechanism in mechanisms)


def _effort_rose(effort: Signal) -> bool:
    """Return whether calls per request rise beyond chance."""
    return effort.p is not None and effort.p <= ALPHA and effort.is_harmful()


def _is_blurred(effort: Signal) -> bool:
    """Return whether the work moved so much with time that effort can hardly be told from it."""
    if effort.test is None or effort.test.fit is None:
        return False
    if effort.plain is None or effort.plain.fit is None:
        return False

    return effort.test.fit.se >= BLURRED * effort.plain.fit.se
