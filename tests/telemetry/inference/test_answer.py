"""When signals allow a "no", and what stands against one."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from agingbench.telemetry.inference.answer import decide, overall
from agingbench.telemetry.inference.evidence import Mechanism, Signal
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest
from agingbench.telemetry.signals.compression import as_large
from agingbench.telemetry.signals.details import ReliabilityDetails

NULL = NullModel(24, None, [0] * 24, [0] * 24, 1)


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


def with_test(effect: float, half_width: float) -> Signal:
    made = signal(effect, half_width)
    made.test = PermutationTest(np.array([0.0, 1.0, -1.0]), None)
    return made


def mechanism(name: str, made: Signal, hidden: bool = False) -> Mechanism:
    details = ReliabilityDetails(errors_that_rose=[], corrections_at=[])
    answer = None if hidden else False
    return Mechanism(name, "", [made], None, details, p=0.6, answer=answer, is_hidden=hidden)


@pytest.mark.parametrize(
    ("effect", "half_width", "is_unlikely"),
    [(0.0, 0.1, True), (-0.2, 0.1, True), (0.04, 0.1, True), (0.08, 0.1, False), (0.3, 0.1, False)],
)
def test_an_estimate_nearer_to_none_speaks_against_a_moderate_effect(
    effect: float, half_width: float, is_unlikely: bool
) -> None:
    assert (signal(effect, half_width).likelihood_ratio() < 1) == is_unlikely
    assert (signal(-effect, half_width, False).likelihood_ratio() < 1) == is_unlikely


def test_the_likelihood_ratio_is_that_of_two_normal_distributions() -> None:
    error = 0.03
    half_width = error * NormalDist().inv_cdf(0.95)
    for effect in (-0.05, 0.0, 0.02, 0.05, 0.12):
        expected = NormalDist(0.1, error).pdf(effect) / NormalDist(0.0, error).pdf(effect)
        assert signal(effect, half_width).likelihood_ratio() == pytest.approx(expected)


def test_what_says_nothing_is_as_likely_either_way() -> None:
    assert signal(0.0, 1e6).likelihood_ratio() == pytest.approx(1.0)
    unknown = signal(0.0, 0.1)
    unknown.interval = None
    assert unknown.likelihood_ratio() == 1.0


def test_a_wide_interval_shows_nothing() -> None:
    assert signal(0.0, 0.13).is_vague()
    assert not signal(0.0, 0.11).is_vague()


@pytest.mark.parametrize(
    ("effect", "half_width", "is_harmful"),
    [
        (0.075, 0.06, True),  # large, and beyond zero
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
    ratios = [signal(0.01 * step, 0.1).likelihood_ratio() for step in range(-20, 40)]
    assert ratios == sorted(ratios)


@pytest.mark.parametrize("level", [0.0, 0.1, 0.43, 0.9, 1.0])
def test_a_rise_from_a_higher_level_is_never_smaller(level: float) -> None:
    assert as_large(0.12, 0.1, level) >= 0.12
    assert as_large(0.12, 0.1, 0.43) == pytest.approx(0.166, abs=0.001)


def test_what_could_hardly_be_seen_is_named_and_does_not_stand_against_a_no() -> None:
    clear = [mechanism(name, with_test(0.0, 0.05)) for name in ("compression", "interference")]
    hidden = mechanism("reliability", with_test(0.0, 0.3), hidden=True)
    detected, reason, _ = overall(NULL, [*clear, hidden], [], with_test(0.0, 0.05), None)
    assert detected is False
    assert "reliability could hardly show one" in reason


def test_a_no_needs_all_signals_together_to_speak_against_a_moderate_effect() -> None:
    clear = [mechanism(name, with_test(0.0, 0.05)) for name in ("compression", "interference")]
    silent = with_test(0.0, 0.05)
    assert overall(NULL, clear, [], silent, None)[0] is False

    # One signal that is more likely harmed than not outweighs two that are clear.
    rising = mechanism("reliability", with_test(0.07, 0.1), hidden=False)
    rising.answer = None
    rising.reason = "a moderate effect could have been missed"
    rising.open_because = "too_imprecise"
    detected, reason, kind = overall(NULL, [*clear, rising], [], silent, None)
    assert (detected, kind) == (None, "too_imprecise")
    assert reason.startswith("reliability")

    detected, reason, kind = overall(NULL, clear, [], with_test(0.07, 0.1), None)
    assert (detected, kind) == (None, "too_imprecise")
    assert reason.startswith("calls per request")


def test_one_signal_that_speaks_for_harm_keeps_the_answer_open() -> None:
    names = [f"clear {number}" for number in range(12)]
    clear = [mechanism(name, with_test(0.0, 0.05)) for name in names]
    silent = with_test(0.0, 0.05)
    doubtful = mechanism("reliability", with_test(0.07, 0.15))
    likely = mechanism("reliability", with_test(0.08, 0.1))
    assert with_test(0.07, 0.15).likelihood_ratio() < 2 < with_test(0.08, 0.1).likelihood_ratio()
    assert overall(NULL, [*clear, doubtful], [], silent, None)[0] is False
    assert overall(NULL, [*clear, likely], [], silent, None)[0] is None


def ordered(observed_rank: int) -> PermutationTest:
    """Return a test whose observed score is the one of this rank among twenty."""
    scores = np.arange(20.0, 0.0, -1.0)
    scores[[0, observed_rank - 1]] = scores[[observed_rank - 1, 0]]
    return PermutationTest(scores, None)


@pytest.mark.parametrize(
    ("plain", "beside", "half_width", "kind"),
    [
        (1, 8, 0.11, "work_changed"),  # gone beside the work
        (1, 1, 0.09, "suspicious"),  # there beside the work too, and too vague to be sure
    ],
)
def test_only_what_is_gone_beside_the_work_is_laid_to_it(
    plain: int, beside: int, half_width: float, kind: str
) -> None:
    made = signal(0.06, half_width)
    made.plain = ordered(plain)
    made.test = ordered(beside)
    one = mechanism("compression", made)
    one.test = made.test
    one.p = made.test.p
    one.p_adjusted = made.test.p
    one.leading = made
    decide(one, NULL, 0.05)
    assert (one.answer, one.open_because) == (None, kind)


def symptom(strength: float, p: float, half_width: float = 0.09) -> Signal:
    """Return a signal with an effect in moderate ones and, to a hundredth, a p-value."""
    made = signal(0.1 * strength, half_width)
    above = round(100 * p)
    scores = np.array([0.0] + [1.0] * (above - 1) + [-1.0] * (100 - above))
    made.test = PermutationTest(scores, None)
    return made


@pytest.mark.parametrize(
    ("first", "second", "is_harmful"),
    [
        ((0.65, 0.02), (0.65, 0.1), True),  # neither is large alone
        ((0.65, 0.02), (0.5, 0.1), False),  # too little together
        ((0.65, 0.02), (0.9, 0.3), False),  # the second does not move
        ((0.65, 0.02), (-0.9, 0.1), False),
    ],
)
def test_symptoms_of_one_loss_bear_each_other_out(
    first: tuple[float, float], second: tuple[float, float], is_harmful: bool
) -> None:
    leading = symptom(*first)
    for name, agrees in (("interference", is_harmful), ("reliability", False)):
        made = mechanism(name, leading)
        made.signals.append(symptom(*second, half_width=0.2))
        made.leading = leading
        assert not leading.is_harmful()
        assert made.is_harmful() == agrees


def test_a_harmful_signal_needs_no_other() -> None:
    made = mechanism("reliability", signal(0.2, 0.05))
    made.leading = made.signals[0]
    assert made.is_harmful()


def fired_but_for(**flags: bool | str) -> Mechanism:
    strong = symptom(2.0, 0.01, 0.05)
    made = mechanism("revision", strong)
    made.test = strong.test
    made.leading = strong
    made.p = made.p_adjusted = 0.001
    for name, value in flags.items():
        setattr(made, name, value)
    decide(made, NULL, 0.01)
    return made


def test_a_trend_of_too_few_cases_is_suspicious_and_no_more() -> None:
    assert fired_but_for().answer is True
    rare = fired_but_for(few_cases=True)
    assert (rare.answer, rare.open_because) == (None, "suspicious")
    assert "too few cases" in rare.reason


def test_what_is_common_throughout_is_no_clean_bill() -> None:
    for high, expected in ((False, False), (True, None)):
        flat = mechanism("revision", with_test(0.0, 0.02))
        flat.leading = flat.signals[0]
        flat.test = flat.signals[0].test
        flat.p = flat.p_adjusted = 0.6
        flat.stands_high = high
        decide(flat, NULL, 0.01)
        assert flat.answer is expected


def test_a_mix_of_tools_that_moves_with_the_words_of_requests_is_laid_to_the_work() -> None:
    moved = fired_but_for(mix_alone="requests")
    assert (moved.answer, moved.open_because) == (None, "work_changed")


def test_a_mix_of_tools_that_moves_alone_is_left_open() -> None:
    moved = fired_but_for(mix_alone="nothing")
    assert (moved.answer, moved.open_because) == (None, "mix_moves_alone")
