"""Signals and mechanisms: effects, their tests, what could have been seen, and the answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from agingbench.metrics.counted import CountedHits
from agingbench.metrics.permutation import (
    STRESS,
    Floats,
    critical_value,
    joint_part,
    joint_score,
    standardised,
)
from agingbench.metrics.trend import (
    EffectFit,
    precision_weights,
    theil_sen,
    visible_slope,
    zero_filled,
)
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest
from agingbench.telemetry.inference.requests import TurnValues
from agingbench.telemetry.signals.details import MechanismDetails, Trajectory

ALPHA = 0.05
POWER = 0.8
CI_LEVEL = 0.90  # two-sided: each end is the bound of a one-sided test at 5 %
CI_QUANTILE = NormalDist().inv_cdf(0.95)
SHOWS = 0.1  # p-value up to which an effect shows beside no covariates
AGREES = 0.15  # p-value up to which a signal bears another one out
# Mechanisms whose signals are symptoms of one loss, so that several bear each other out: what one
# may add, and what they have to reach together, in moderate effects.
SYMPTOMS_OF_ONE = ("compression", "interference")
MOST_OF_ONE = 1.5
TOGETHER = 1.2
# What has to be reached to be called harm, in moderate effects: by the effect itself, or by the
# lower end of its interval.
LEAST_PART = 0.65
SURELY = 0.3
NEAR = 1e-9  # rounding at a floor or a ceiling
# What a signal weighs beside others of its mechanism. Less: it depends on the tasks as much as on
# the agent, or says less about it than what stands beside it.
WEIGHTS = {
    "effort_per_task": 0.35,
    "context_growth": 0.6,
    "corrections": 0.5,
    "rejections": 0.5,
    "tool_argument_specificity": 0.5,
}
MOST_LOG_RATIO = 50.0  # of likelihoods: more would overflow, and says nothing more
# Half width of an interval, in moderate effects: from which a signal hardly shows one, and from
# which only more than a moderate effect is shown.
VAGUE = 1.2
TOO_WIDE = 1.5
CLEAR = 1.4  # standard deviations of chance in a moderate effect: it would hardly be missed


# What moved beside the tool mix where no symptom did: what was asked, or servers and subagents
# that took over calls.
BesideMix = Literal["requests", "servers", "nothing"]


def same_unit(effect: float) -> float:
    """Return the effect unchanged: it is in the unit that is reported."""
    return effect


class SignalFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a signal as they stand on the card."""

    effect: float | None
    effect_ci: tuple[float, float] | None
    effect_ci_level: float
    effect_unit: str
    p: float | None
    p_plain: float | None
    p_days: float | None
    n: int
    n_sessions: int
    smallest_visible_effect: float | None
    minimum_effect: float | None
    moderate_effect: float | None
    theil_sen: float | None
    verdict: str
    too_vague: bool | None = None  # to show a moderate effect; None where nothing was tested
    share: float | UnsetType | None = UNSET
    sessions_after_event: int | UnsetType = UNSET
    event_kind: str | UnsetType = UNSET


@dataclass
class Signal:
    """One trajectory over sessions and its test.

    Effects are kept in the unit of the test; `unit_of` turns them into the reported unit.
    """

    name: str
    unit: str
    rising_is_bad: bool
    trajectory: Trajectory
    counts: list[int]
    minimum: float  # smallest effect, toward the bad side, that may fire
    moderate: float  # effect that has to be visible for an answer "no"
    test: PermutationTest | None = None
    effect: float | None = None
    interval: tuple[float, float] | None = None
    visible: float | None = None  # smallest effect that would have been seen
    unit_of: Callable[[float], float] = same_unit
    ceiling: float | None = 1.0
    floor: float | None = 0.0
    turns: TurnValues | None = None  # the same value per request
    plain: PermutationTest | None = None  # the test without regard to what was asked
    alone: PermutationTest | None = None  # the test beside no covariate, where it is not `plain`
    adjusted: Floats | None = None  # the trajectory without what the requests explain
    counted: CountedHits | None = None  # of rare hits: their roots are tested
    emphasis: float = 1.0  # by how precise it is beside the others of its mechanism
    scale: float = 1.0  # how long observations go on adding to the weight of a session
    beside_tools: bool = True  # tested beside new tools; False where taken relative to its tool
    share: float | UnsetType | None = UNSET  # over the whole trace
    sessions_after_event: int | UnsetType = UNSET
    event_kind: str | UnsetType = UNSET

    @property
    def sign(self) -> int:
        """+1 where rising is bad, −1 where falling is."""
        return 1 if self.rising_is_bad else -1

    @property
    def p(self) -> float | None:
        """The p-value of this signal alone."""
        return None if self.test is None else self.test.p

    @property
    def n(self) -> int:
        """Observations over all sessions."""
        return sum(self.counts)

    @property
    def weight(self) -> float:
        """What this signal weighs in the joint score of its mechanism."""
        return WEIGHTS.get(self.name, 1.0) * self.emphasis

    def weights(self) -> Floats:
        """Return the weight of every session."""
        counts = zero_filled([float(count) for count in self.counts])
        return precision_weights(counts, self.scale)

    def values(self) -> Floats:
        """Return the value of every session beyond what its requests explain; 0 where missing."""
        if self.adjusted is not None:
            return self.adjusted
        return zero_filled(self.trajectory)

    def tested_values(self) -> Floats:
        """Return what is tested: the values, or their roots where hits are rare."""
        if self.counted is None:
            return self.values()

        explained = zero_filled(self.trajectory) - self.values()
        return self.counted.beyond(explained)

    def plain_values(self) -> Floats:
        """Return what is tested without regard to what was asked."""
        if self.counted is None:
            return zero_filled(self.trajectory)
        return self.counted.beyond()

    def bounds(self) -> tuple[float, float] | None:
        """Return the interval of the effect with harm as the positive side."""
        if self.interval is None:
            return None

        low, high = sorted(self.sign * end for end in self.interval)
        return low, high

    def is_harmful(self) -> bool:
        """Return whether the effect is large enough to be harm, and its interval beyond zero."""
        bounds = self.bounds()
        if bounds is None or bounds[0] <= 0 or not self.large_enough():
            return False
        if self.is_vague(TOO_WIDE):
            return bounds[0] >= self.moderate

        return self.strength() >= LEAST_PART or bounds[0] >= SURELY * self.moderate

    def likelihood_ratio(self) -> float:
        """Return how much likelier the estimate is under a moderate effect than under none.

        Without an interval nothing is known, and both are as likely.
        """
        bounds = self.bounds()
        if bounds is None:
            return 1.0

        low, high = bounds
        estimate = (low + high) / 2 / self.moderate
        error = max((high - low) / 2 / CI_QUANTILE / self.moderate, 1e-3)
        log_ratio = (estimate - 0.5) / error**2
        return math.exp(min(log_ratio, MOST_LOG_RATIO))

    def is_vague(self, half_width: float = VAGUE) -> bool:
        """Return whether a moderate effect could hardly show in this trace."""
        bounds = self.bounds()
        return bounds is None or bounds[1] - bounds[0] >= 2 * half_width * self.moderate

    def shows_plainly(self) -> bool:
        """Return whether the effect shows beside no covariates, too.

        Beside covariates that move with time a trend can appear that the values do not have.
        """
        test = self.alone or self.plain
        return test is None or test.p <= SHOWS

    def large_enough(self) -> bool:
        """Return whether the effect reaches its minimum, on the bad side."""
        if self.effect is None:
            return False

        toward_worse = self.sign * self.effect
        return toward_worse >= self.minimum - 1e-12

    def strength(self) -> float:
        """Return the effect in multiples of a moderate one; 0 on the good side."""
        if self.effect is None:
            return 0.0

        toward_worse = self.sign * self.effect
        return max(0.0, toward_worse / self.moderate)

    def figures(self) -> SignalFigures:
        """Return the figures of this signal in the reported unit."""
        effect = None if self.effect is None else self.unit_of(self.effect)
        visible = None if self.visible is None else self.unit_of(self.sign * self.visible)

        ends = None
        if self.interval is not None:
            low, high = sorted(self.unit_of(end) for end in self.interval)
            if math.isfinite(low) and math.isfinite(high):
                ends = (round(low, 6), round(high, 6))

        return SignalFigures(
            effect=_finite(effect),
            effect_ci=ends,
            effect_ci_level=CI_LEVEL,
            effect_unit=self.unit,
            p=self.p,
            p_plain=None if self.plain is None else self.plain.p,
            p_days=None if self.test is None else self.test.p_days,
            n=self.n,
            n_sessions=sum(count > 0 for count in self.counts),
            smallest_visible_effect=_finite(visible),
            minimum_effect=_finite(self.unit_of(self.sign * self.minimum)),
            moderate_effect=_finite(self.unit_of(self.sign * self.moderate)),
            theil_sen=_finite(theil_sen(self.trajectory)),
            verdict=verdict(self),
            too_vague=None if self.interval is None else self.is_vague(),
            share=self.share,
            sessions_after_event=self.sessions_after_event,
            event_kind=self.event_kind,
        )


def _finite(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return round(value, 6)


@dataclass(frozen=True)
class Step:
    """A change that came at once: the first session after it, and how a line fares against it."""

    session: int
    p_line: float


@dataclass
class Mechanism:
    """One mechanism: its signals, its joint p-value, and the answer after correction and gates."""

    name: str
    derived_from: str
    signals: list[Signal]
    test: PermutationTest | None
    details: MechanismDetails
    p: float | None = None
    p_adjusted: float | None = None
    leading: Signal | None = None
    confounder: str | None = None
    grows_alone: bool = False  # the context, while nothing shows that anything is lost
    mix_alone: BesideMix | None = None  # nothing but the tool mix moved, and this beside it
    step: Step | None = None  # where the change came at once
    weak: bool = False  # rests on text patterns alone
    few_cases: bool = False  # rests on so few cases that one more or less decides
    shows_itself: bool = False  # the trace holds what it would show in, whether tested or not
    stands_high: bool = False  # what it counts is common throughout, trend or not
    is_hidden: bool = False  # tested, but no signal is precise enough to show a moderate effect
    answer: bool | None = None
    reason: str = ""
    open_because: str | None = None  # the kind of reason where the answer is open
    coverage: str = "no_test_fired"
    testable: bool = False

    def is_harmful(self) -> bool:
        """Return whether the leading signal is harmful, or several symptoms together are."""
        if self.leading is None:
            return False
        return self.leading.is_harmful() or self._symptoms_agree()

    def _symptoms_agree(self) -> bool:
        """Return whether two or more symptoms of one loss move, and together by enough.

        What each adds is bounded: a vague signal that happens to lie high shall not carry another.
        """
        if self.name not in SYMPTOMS_OF_ONE:
            return False
        moving = [
            signal.strength()
            for signal in self.signals
            if signal.large_enough() and signal.p is not None and signal.p <= AGREES
        ]
        together = sum(min(strength, MOST_OF_ONE) for strength in moving)
        return len(moving) > 1 and together >= TOGETHER

    def standardised_effect(self) -> float:
        """Return the effect of the leading signal in multiples of a moderate one."""
        if self.leading is None:
            return 0.0
        return self.leading.strength()


def emphasise(signals: Sequence[Signal]) -> None:
    """Let a signal that could well show a moderate effect count in full, and a vaguer one less.

    The spread over random orderings says so, and does not depend on the observed order. A signal
    that hardly ever occurs is precise without end, and would outweigh all others.
    """
    for signal in signals:
        if signal.test is not None and signal.test.fit is not None:
            spread = float(signal.test.fit.effects[1:].std())
            precision = signal.moderate / max(spread, 1e-9)
            signal.emphasis = min(1.0, (precision / CLEAR) ** 2)


def joint_test(signals: Sequence[Signal]) -> PermutationTest | None:
    """Return one test of several signals on the same orderings; None where none was tested."""
    scores: list[Floats] = []
    weights: list[float] = []
    day_scores: list[Floats] = []
    day_weights: list[float] = []

    for signal in signals:
        test = signal.test
        if test is None:
            continue

        scores.append(test.scores)
        weights.append(signal.weight)
        if test.day_scores is not None:
            day_scores.append(test.day_scores)
            day_weights.append(signal.weight)

    if not scores:
        return None

    by_day = joint_score(day_scores, day_weights) if day_scores else None
    return PermutationTest(joint_score(scores, weights), by_day)


def set_visible(mechanism: Mechanism, null: NullModel, alpha: float, by_day: bool) -> None:
    """Fill in the smallest effect that each trend could have shown at the level `alpha`.

    `by_day` says that whole days have to be exchanged as well.
    """
    joint = mechanism.test
    if joint is None or not null.can_be_answered:
        return

    for signal in mechanism.signals:
        test = signal.test
        if test is None or test.fit is None:
            continue

        effects = [_visible(signal, test.fit, test.scores, joint.scores, alpha)]
        if by_day and joint.day_scores is not None and test.day_scores is not None:
            effects.append(_visible(signal, test.fit, test.day_scores, joint.day_scores, alpha))

        finite = [effect for effect in effects if effect is not None]
        signal.visible = None
        if len(finite) == len(effects):
            signal.visible = max(max(finite), signal.minimum)


def _visible(
    signal: Signal,
    fit: EffectFit,
    own: Floats,
    joint: Floats,
    alpha: float,
) -> float | None:
    """Return the smallest visible effect, given what the other signals show in each ordering."""
    # The joint score is a sum: without the signal's own part it is what the others add up to, and
    # the rest up to the critical value is what this signal has to bring.
    others = joint[1:] - joint_part(own, signal.weight)[1:]
    shortfall = np.maximum(critical_value(joint, alpha) - others, 0.0)
    standard_score = np.sqrt(shortfall ** (1 / STRESS) / signal.weight)

    # Scores are standardised over the random orderings; undo that.
    random_scores = signal.sign * fit.scores[1:]
    mean = float(np.mean(random_scores))
    spread = float(np.std(random_scores))
    needed = mean + spread * standard_score

    toward_worse = EffectFit(
        effects=fit.effects,
        scores=signal.sign * fit.scores,
        errors=fit.errors,
        rho=fit.rho,
        n=fit.n,
        df=fit.df,
    )
    return visible_slope(toward_worse, needed, POWER)


def verdict(signal: Signal) -> str:
    """Return the shape of a trajectory in the words of the card.

    Rising and falling are said only where the null model is rejected.
    """
    values = [value for value in signal.trajectory if value is not None]
    if len(values) < 3:
        return "no_signal"

    low_end = "healthy" if signal.rising_is_bad else "degradation"
    high_end = "degradation" if signal.rising_is_bad else "healthy"
    last_quarter = max(3, round(0.25 * len(values)))
    late = float(np.mean(values[-last_quarter:]))

    if signal.floor is not None and late <= signal.floor + NEAR:
        # At the floor from the start, nothing was lost: that is flat.
        always = max(values) <= signal.floor + NEAR
        return "flat" if signal.sign < 0 and always else f"floor_{low_end}"

    if signal.ceiling is not None and late >= signal.ceiling - NEAR:
        always = min(values) >= signal.ceiling - NEAR
        return "flat" if signal.sign > 0 and always else f"ceiling_{high_end}"

    test = signal.test
    if test is None or signal.effect is None:
        return "flat"

    toward_worse = signal.sign * signal.effect
    if max(test.p, test.p_days or 0.0) <= ALPHA and toward_worse > 0:
        return "rising_degradation" if signal.rising_is_bad else "falling_degradation"
    if _p_of_improvement(test) <= ALPHA and toward_worse < 0:
        return "falling_healthy" if signal.rising_is_bad else "rising_healthy"

    return "flat"


def _p_of_improvement(test: PermutationTest) -> float:
    """Return the p-value on the good side, the larger of sessions and days."""
    p_values = []
    for scores in (test.scores, test.day_scores):
        if scores is not None:
            at_most = scores <= scores[0] + NEAR
            p_values.append(float(at_most.mean()))

    return max(p_values)


def standardised_score(test: PermutationTest | None) -> float:
    """Return the observed score in units of the spread over orderings; 0 without a test."""
    if test is None:
        return 0.0

    scores = standardised(test.scores)
    return float(scores[0])


def rates(hits: Sequence[int], trials: Sequence[int]) -> Trajectory:
    """Return the share of hits per session; None where there were no trials."""
    pairs = zip(hits, trials, strict=True)
    return [count / n if n else None for count, n in pairs]
