"""The answers: unknown on little, no on healthy, yes and rightly named on planted aging, unknown
where confounded.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agingbench.metrics.permutation import joint_score, p_value
from agingbench.telemetry.inference import null_model
from agingbench.telemetry.inference.dominant import dominant_mechanism
from agingbench.telemetry.inference.evidence import Signal, joint_test
from agingbench.telemetry.inference.infer import Inference, infer, levels_for
from agingbench.telemetry.profile import MECHANISMS, load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import OutcomeEvent, link
from agingbench.validity.simulated_agents import SimulatedAgent, simulate, variants

PROFILE = load_profile("generic")


def judged(agent: SimulatedAgent, count: int = 399) -> Inference:
    found = collect(simulate(agent), PROFILE)
    return infer(found, link(found, []), count)


def test_three_sessions_say_nothing() -> None:
    found = judged(SimulatedAgent(seed=1, sessions=3))
    assert found.aging_detected is None
    assert all(m.answer is None for m in found.mechanisms.values())
    assert "3 sessions" in found.reason


def test_no_session_says_nothing() -> None:
    found = infer(collect([], PROFILE), link(collect([], PROFILE), []))
    assert found.aging_detected is None


def test_many_sessions_on_few_days_say_nothing() -> None:
    events = simulate(SimulatedAgent(seed=2, sessions=20))
    first = min(e.timestamp for e in events)
    for event in events:
        event.timestamp = first + (event.timestamp - first) / 20
    found = collect(events, PROFILE)
    answer = infer(found, link(found, []), 199)
    assert answer.null.days_are_shared
    assert answer.aging_detected is None
    assert "days" in answer.reason


def test_healthy_agents_are_not_flagged() -> None:
    answers = [judged(variants(500 + i), 199).aging_detected for i in range(12)]
    assert answers.count(True) <= 2
    assert answers.count(False) >= 1


@pytest.mark.parametrize("mechanism", [name for name in MECHANISMS if name != "interference"])
def test_strong_aging_is_found_and_named(mechanism: str) -> None:
    # Four events have room in so many sessions; damage in the sessions after fewer cannot be told.
    sessions = 32 if mechanism == "maintenance" else 24
    agents = [
        replace(variants(700 + i), aging=mechanism, strength=2.0, sessions=sessions)
        for i in range(5)
    ]
    found = [judged(agent, 399) for agent in agents]
    named = [dominant_mechanism(f, PROFILE).dominant for f in found if f.aging_detected]
    assert len(named) >= 4
    assert named.count(mechanism) >= len(named) - 1


def test_a_strong_drift_of_the_tool_mix_alone_is_no_yes_and_no_no() -> None:
    agents = [replace(variants(700 + i), aging="interference", strength=2.0) for i in range(5)]
    found = [judged(agent, 399) for agent in agents]
    assert {one.aging_detected for one in found} == {None}
    assert sum("mix of tools" in one.mechanisms["interference"].reason for one in found) >= 3


def test_weights_choose_the_dominant_one_and_never_act_on_detection() -> None:
    agent = replace(variants(701), aging="compression", strength=2.0)
    found = collect(simulate(agent), PROFILE)
    heavy = load_profile("generic", {"mechanism_weights": {"compression": 50.0}})
    weighted = collect(simulate(agent), heavy)
    a, b = (infer(s, link(s, []), 199) for s in (found, weighted))
    assert {n: m.p for n, m in a.mechanisms.items()} == {n: m.p for n, m in b.mechanisms.items()}
    plain = dominant_mechanism(a, PROFILE)
    weighed = dominant_mechanism(b, heavy)
    assert weighed.scores["compression"] == pytest.approx(
        50 * plain.scores["compression"], rel=1e-4
    )


def test_no_evidence_has_no_dominant_mechanism() -> None:
    chosen = dominant_mechanism(judged(variants(3), 199), PROFILE)
    assert chosen.dominant is None
    assert chosen.reason == "no_independent_evidence"


def test_a_model_change_that_explains_the_effect_leaves_it_open() -> None:
    events = simulate(SimulatedAgent(seed=11))
    sessions = sorted({str(e.session_id) for e in events})
    late = set(sessions[12:])
    for event in events:
        if event.session_id in late:
            event.model = "claude-new-9"
            if event.usage is not None:
                event.usage = (
                    None  # a model of which nothing is known but that it calls other tools
                )
            if event.role == "tool_call" and event.tool_name == "Read":
                event.tool_name = "Bash"
    for event in events:  # the new model's name has to be seen
        if event.session_id in late and event.role == "tool_call":
            from agingbench.records import Usage

            event.usage = Usage(output_tokens=1, calls=1)
    found = collect(events, PROFILE)
    mechanism = infer(found, link(found, []), 399).mechanisms["interference"]
    plain = mechanism.signals[0].plain
    assert plain is not None
    assert plain.p <= 0.0125
    assert mechanism.p is not None
    assert mechanism.p > 0.05
    assert mechanism.answer is not True


def test_the_same_trace_gives_the_same_answer_twice() -> None:
    a = judged(variants(8), 199)
    b = judged(variants(8), 199)
    assert {n: m.p for n, m in a.mechanisms.items()} == {n: m.p for n, m in b.mechanisms.items()}


def test_falling_outcomes_are_aging_even_without_a_mechanism() -> None:
    found = collect(simulate(variants(9)), PROFILE)
    events = []
    for place, session in enumerate(found.sessions):
        good = 10 - min(9, place // 2)
        events += [OutcomeEvent(session.id, "success" if i < good else "fail") for i in range(10)]
    answer = infer(found, link(found, events), 399)
    assert answer.outcome_fired
    assert answer.aging_detected is True


def scored(first: float, seed: int) -> np.ndarray:
    return np.concatenate([[first], np.random.default_rng(seed).normal(size=999)])


def test_one_score_of_several_signals_finds_one_alone_and_some_together() -> None:
    alone = joint_score([scored(3.6, 1), scored(-0.5, 2), scored(0.1, 3)], [1.0, 1.0, 0.5])
    weak = [scored(2.0, 1), scored(2.0, 2), scored(0.5, 3)]
    assert p_value(alone) <= 0.01
    assert p_value(joint_score(weak, [1.0, 1.0, 0.5])) < 0.8 * min(p_value(w) for w in weak)
    assert p_value(joint_score([scored(-4.0, 1), scored(-4.0, 2)], [1.0, 1.0])) == 1.0


def test_a_signal_that_depends_on_the_tasks_counts_less() -> None:
    def signal(name: str, seed: int) -> Signal:
        return Signal(
            name,
            "",
            True,
            [],
            [],
            0.1,
            0.3,
            test=null_model.PermutationTest(scored(2.0, seed), None),
        )

    main = signal("reread_rate", 1)
    minor = signal("effort_per_task", 2)
    untested = signal("error_rate", 3)
    untested.test = None
    both = joint_test([main, minor, untested])
    assert both is not None
    assert main.test is not None
    assert minor.test is not None
    assert np.allclose(both.scores, joint_score([main.test.scores, minor.test.scores], [1.0, 0.35]))
    assert both.day_scores is None
    assert joint_test([untested]) is None


@pytest.mark.parametrize("agents", [10, pytest.param(24, marks=pytest.mark.slow)])
def test_what_is_called_visible_for_compression_is_found_so_often(agents: int) -> None:
    quiet = [judged(variants(900 + i), 399) for i in range(6)]
    visible = [
        s.visible
        for f in quiet
        for s in f.mechanisms["compression"].signals
        if s.name == "context_growth" and s.visible is not None
    ]
    strength = float(np.median(visible)) / np.log(2.0)
    found = 0
    for i in range(agents):
        agent = replace(variants(950 + i), aging="growth", strength=strength, tools="few")
        compression = judged(agent, 399).mechanisms["compression"]
        assert compression.p_adjusted is not None
        found += compression.p_adjusted <= 0.05

    assert agents / 2 <= found < agents


def test_each_test_has_a_level_that_does_not_hang_on_the_others() -> None:
    for seed in (520, 521):
        found = judged(variants(seed), 199)
        levels = levels_for(found.null.n_sessions)
        for mechanism in found.all_tested:
            if mechanism.p is None:
                assert mechanism.p_adjusted is None
            else:
                expected = min(1.0, mechanism.p * 0.05 / levels.of(mechanism))
                assert mechanism.p_adjusted == pytest.approx(expected)


def test_a_context_that_grows_while_nothing_is_lost_is_no_answer() -> None:
    reasons = []
    for seed in range(940, 950):
        agent = replace(variants(seed), aging="growth", strength=3.0, tools="few")
        reasons.append(judged(agent, 399).mechanisms["compression"].reason)

    # Another signal moves by chance in some.
    assert sum("nothing shows" in reason for reason in reasons) >= 7


def test_short_and_long_traces_need_more_for_a_trend_and_as_much_for_events() -> None:
    usual = levels_for(24)
    assert levels_for(20) == usual
    for sessions, share in ((10, 0.25), (32, 0.75), (48, 0.5), (300, 0.5)):
        levels = levels_for(sessions)
        assert levels.reliability == pytest.approx(usual.reliability * share)
        for name, level in usual.mechanisms.items():
            part = 1.0 if name == "maintenance" else share
            assert levels.mechanisms[name] == pytest.approx(part * level)
