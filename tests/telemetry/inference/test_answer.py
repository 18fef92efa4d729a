"""When signals allow a "no", and what stands against one."""

from __future__ import annotations

import pytest

from agingbench.telemetry.inference.answer import overall
from agingbench.telemetry.inference.evidence import Mechanism, Signal
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.signals.compression import as_large
from agingbench.telemetry.signals.details import ReliabilityDetails


def signal(effect: float, half_width: float, rising_is_bad: bool = True) -> Signal:
    return Signal(
        name="reread_rate",
        unit="share",
        rising_is_bad=rising_is_bad,
        trajectory=[],
        counts=[],
        minimum=0.05,
        moderate=0.1,
        effect=effect,
        interval=(effect - half_width, effect + half_width),
    )


def mechanism(name: str, answer: bool | None, hidden: bool = False) -> Mechanism:
    details = ReliabilityDetails(errors_that_rose=[], corrections_at=[])
    made = Mechanism(name, "", [], None, details, p=0.6, answer=answer, is_hidden=hidden)
    made.open_because = None if answer is False else "too_imprecise"
    return made


@pytest.mark.parametrize(
    ("effect", "half_width", "rules_out"),
    [(0.0, 0.1, True), (-0.2, 0.1, True), (0.04, 0.1, True), (0.08, 0.1, False), (0.3, 0.1, False)],
)
def test_an_estimate_nearer_to_none_speaks_against_a_moderate_effect(
    effect: float, half_width: float, rules_out: bool
) -> None:
    assert signal(effect, half_width).rules_out_moderate() == rules_out
    assert signal(-effect, half_width, False).rules_out_moderate() == rules_out


def test_a_wide_interval_shows_nothing() -> None:
    assert signal(0.0, 0.13).is_vague()
    assert not signal(0.0, 0.11).is_vague()


@pytest.mark.parametrize(
    ("effect", "half_width", "is_harmful"),
    [
        (0.07, 0.06, True),  # large, and beyond zero
        (0.07, 0.08, False),  # not beyond zero
        (0.055, 0.05, False),  # small, and not surely more than nothing
        (0.055, 0.02, True),  # small, and surely more than nothing
        (0.04, 0.001, False),  # below the least that counts
        (0.3, 0.25, False),  # so wide that it says nothing
        (0.5, 0.25, True),  # as wide, and surely more than moderate
    ],
)
def test_harm_is_large_or_sure(effect: float, half_width: float, is_harmful: bool) -> None:
    assert signal(effect, half_width).is_harmful() == is_harmful
    assert signal(-effect, half_width, False).is_harmful() == is_harmful


def test_more_harm_never_turns_an_open_answer_into_a_no() -> None:
    answers = [signal(0.01 * step, 0.1).rules_out_moderate() for step in range(-20, 40)]
    assert answers == sorted(answers, reverse=True)


@pytest.mark.parametrize("level", [0.0, 0.1, 0.43, 0.9, 1.0])
def test_a_rise_from_a_higher_level_is_never_smaller(level: float) -> None:
    assert as_large(0.12, 0.1, level) >= 0.12
    assert as_large(0.12, 0.1, 0.43) == pytest.approx(0.166, abs=0.001)


def test_what_could_hardly_be_seen_is_named_and_does_not_stand_against_a_no() -> None:
    null = NullModel(24, None, [0] * 24, [0] * 24, 1)
    effort = signal(0.0, 0.1)
    clear = [mechanism("compression", False), mechanism("interference", False)]
    hidden = mechanism("reliability", None, hidden=True)
    detected, reason, _ = overall(null, [*clear, hidden], [], effort, None)
    assert detected is False
    assert "reliability could hardly show one" in reason

    hidden.is_hidden = False
    detected, _, kind = overall(null, [*clear, hidden], [], effort, None)
    assert (detected, kind) == (None, "too_imprecise")
