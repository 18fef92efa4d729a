"""What one signal and one mechanism say: how large, how sure, how much there was to see, and the
answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agingbench.metrics.permutation import (
    Floats,
    critical_value,
    joint_score,
    standardised,
    toward_bad,
)
from agingbench.metrics.trend import EffectFit, theil_sen, visible_slope
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest

ALPHA = 0.05
POWER = 0.8
# What a signal counts for beside others of its mechanism. Half: it depends on the tasks as much as
# on the agent.
COUNTS_FOR = {"reread_rate": 0.5, "effort_per_task": 0.5}


def plainly(effect: float) -> float:
    """An effect in its own unit already."""
    return effect


@dataclass
class Signal:
    """One trajectory and the test of it. Effects inside are raw; `unit_of` turns them into what is
    shown.
    """

    name: str
    unit: str
    rising_is_bad: bool
    trajectory: list[float | None]
    counts: list[int]
    minimum: float  # smallest raw effect, toward the bad side, that may fire
    moderate: float  # raw effect that has to be visible for an answer "no"
    test: PermutationTest | None = None
    effect: float | None = None
    interval: tuple[float, float] | None = None
    visible: float | None = None
    unit_of: Callable[[float], float] = plainly
    ceiling: float | None = 1.0
    floor: float | None = 0.0
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def sign(self) -> int:
        """+1 where rising is bad, −1 where falling is."""
        return 1 if self.rising_is_bad else -1

    @property
    def p(self) -> float | None:
        """This signal's own p-value."""
        return None if self.test is None else self.test.p

    @property
    def n(self) -> int:
        """Observations over all sessions."""
        return sum(self.counts)

    @property
    def share(self) -> float:
        """What this signal counts for in the one score of its mechanism."""
        return COUNTS_FOR.get(self.name, 1.0)

    def large_enough(self) -> bool:
        """Whether the effect reaches its minimum, on the bad side."""
        return self.effect is not None and self.sign * self.effect >= self.minimum - 1e-12

    def strength(self) -> float:
        """The effect in multiples of a moderate one; what is not bad is 0."""
        return 0.0 if self.effect is None else max(0.0, self.sign * self.effect / self.moderate)

    def figures(self) -> dict[str, Any]:
        """The figures of this signal as they stand on the card."""
        shown = None if self.effect is None else self.unit_of(self.effect)
        ends = None if self.interval is None else sorted(self.unit_of(x) for x in self.interval)
        visible = None if self.visible is None else self.unit_of(self.sign * self.visible)
        return {
            "effect": _finite(shown),
            "effect_ci": None
            if ends is None or not all(map(math.isfinite, ends))
            else [round(e, 6) for e in ends],
            "effect_unit": self.unit,
            "p": self.p,
            "p_days": None if self.test is None else self.test.p_days,
            "n": self.n,
            "n_sessions": sum(c > 0 for c in self.counts),
            "smallest_visible_effect": _finite(visible),
            "minimum_effect": _finite(self.unit_of(self.sign * self.minimum)),
            "moderate_effect": _finite(self.unit_of(self.sign * self.moderate)),
            "theil_sen": _finite(theil_sen(self.trajectory)),
            "verdict": verdict(self),
            **self.extra,
        }


def _finite(value: float | None) -> float | None:
    return round(value, 6) if value is not None and math.isfinite(value) else None


@dataclass
class Mechanism:
    """One mechanism: its signals, its one p-value, and the answer after correction, minimums and
    gates.
    """

    name: str
    derived_from: str
    signals: list[Signal]
    test: PermutationTest | None
    details: dict[str, Any] = field(default_factory=dict)
    p: float | None = None
    p_adjusted: float | None = None
    leading: Signal | None = None
    confounder: str | None = None
    weak: bool = False  # rests on text patterns alone
    answer: bool | None = None
    reason: str = ""
    coverage: str = "no_test_fired"
    testable: bool = False

    def standardised_effect(self) -> float:
        """The leading effect in multiples of a moderate one."""
        return 0.0 if self.leading is None else self.leading.strength()


def joint_test(signals: Sequence[Signal]) -> PermutationTest | None:
    """One test of several signals, on the same orderings; None where none was tested."""
    tested = [(s.test, s.share) for s in signals if s.test is not None]
    if not tested:
        return None

    by_day = [(t.day_scores, share) for t, share in tested if t.day_scores is not None]
    return PermutationTest(
        joint_score([t.scores for t, _ in tested], [share for _, share in tested]),
        joint_score([d for d, _ in by_day], [share for _, share in by_day]) if by_day else None,
    )


def set_visible(mechanism: Mechanism, null: NullModel, alpha: float, by_day: bool) -> None:
    """Fill in the smallest effect each trend could have shown, at the level `alpha`.

    `by_day` says that whole days have to be exchanged as well.
    """
    joint = mechanism.test
    if joint is None or not null.may_fire:
        return

    for signal in mechanism.signals:
        tested = signal.test
        if tested is None or tested.fit is None:
            continue

        found = [_visible(signal, tested.fit, tested.scores, joint.scores, alpha)]
        if by_day and joint.day_scores is not None and tested.day_scores is not None:
            found.append(_visible(signal, tested.fit, tested.day_scores, joint.day_scores, alpha))

        known = [f for f in found if f is not None]
        signal.visible = max(max(known), signal.minimum) if len(known) == len(found) else None


def _visible(
    signal: Signal, fit: EffectFit, own: Floats, joint: Floats, alpha: float
) -> float | None:
    """What this signal has to add, ordering by ordering, to what the others of its mechanism show
    there.
    """
    others = joint[1:] - signal.share * toward_bad(own)[1:] ** 2
    lacking = np.sqrt(np.maximum(critical_value(joint, alpha) - others, 0.0) / signal.share)
    needed = float(np.mean(own[1:])) + float(np.std(own[1:])) * lacking
    moved = EffectFit(fit.effects, signal.sign * fit.scores, fit.errors, fit.rho, fit.n, fit.df)

    return visible_slope(moved, needed, POWER)


def verdict(signal: Signal) -> str:
    """The shape of a trajectory in the words of the card; rising and falling only where the null is
    rejected.
    """
    known = [v for v in signal.trajectory if v is not None]
    if len(known) < 3:
        return "no_signal"

    late = float(np.mean(known[-max(3, round(0.25 * len(known))) :]))
    health = ("healthy", "degradation") if signal.rising_is_bad else ("degradation", "healthy")
    if signal.floor is not None and late <= signal.floor + 1e-9:
        # At the floor from the start, nothing was lost: that is flat.
        return (
            "flat"
            if signal.sign < 0 and max(known) <= signal.floor + 1e-9
            else f"floor_{health[0]}"
        )

    if signal.ceiling is not None and late >= signal.ceiling - 1e-9:
        return (
            "flat"
            if signal.sign > 0 and min(known) >= signal.ceiling - 1e-9
            else f"ceiling_{health[1]}"
        )

    if signal.test is None or signal.effect is None or signal.p is None:
        return "flat"
    if max(signal.p, signal.test.p_days or 0.0) <= ALPHA and signal.sign * signal.effect > 0:
        return "rising_degradation" if signal.rising_is_bad else "falling_degradation"
    if _other_side(signal.test) <= ALPHA and signal.sign * signal.effect < 0:
        return "falling_healthy" if signal.rising_is_bad else "rising_healthy"

    return "flat"


def _other_side(tested: PermutationTest) -> float:
    sides = [s for s in (tested.scores, tested.day_scores) if s is not None]
    return max(float((s <= s[0] + 1e-9).mean()) for s in sides)


def standardised_score(tested: PermutationTest | None) -> float:
    """Where the trace stands among its orderings, in their spread: for ranking and for the area
    under the curve.
    """
    return 0.0 if tested is None else float(standardised(tested.scores)[0])


def rates(hits: Sequence[int], of: Sequence[int]) -> list[float | None]:
    """Shares per session; None where there was nothing."""
    return [h / n if n else None for h, n in zip(hits, of, strict=True)]
