"""The answers: unknown on little, no on healthy, yes and rightly named on planted aging, unknown where confounded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agingbench.telemetry.infer import Inference, infer
from agingbench.telemetry.outcomes import OutcomeEvent, link
from agingbench.telemetry.profile import MECHANISMS, load_profile
from agingbench.telemetry.select import dominant_mechanism
from agingbench.telemetry.sessions import collect
from agingbench.telemetry.simulate import Agent, simulate, variants

PROFILE = load_profile("generic")


def judged(agent: Agent, count: int = 399) -> Inference:
    found = collect(simulate(agent), PROFILE)
    return infer(found, link(found, []), count)


def test_three_sessions_say_nothing() -> None:
    found = judged(Agent(seed=1, sessions=3))
    assert found.aging_detected is None
    assert all(m.answer is None for m in found.mechanisms.values())
    assert "3 sessions" in found.reason


def test_no_session_says_nothing() -> None:
    found = infer(collect([], PROFILE), link(collect([], PROFILE), []))
    assert found.aging_detected is None


def test_many_sessions_on_few_days_say_nothing() -> None:
    events = simulate(Agent(seed=2, sessions=20))
    first = min(e.timestamp for e in events)
    for event in events:
        event.timestamp = first + (event.timestamp - first) / 20
    found = collect(events, PROFILE)
    answer = infer(found, link(found, []), 199)
    assert answer.lay.crowded
    assert answer.aging_detected is None
    assert "days" in answer.reason


def test_healthy_agents_are_not_flagged() -> None:
    answers = [judged(variants(500 + i), 199).aging_detected for i in range(12)]
    assert answers.count(True) <= 2
    assert answers.count(False) >= 4


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_strong_aging_is_found_and_named(mechanism: str) -> None:
    found = [judged(replace(variants(700 + i), aging=mechanism, strength=2.0), 399) for i in range(5)]
    named = [dominant_mechanism(f, PROFILE)["dominant"] for f in found if f.aging_detected]
    assert len(named) >= 4
    assert named.count(mechanism) >= len(named) - 1


def test_weights_choose_the_dominant_one_and_never_act_on_detection() -> None:
    agent = replace(variants(701), aging="compression", strength=2.0)
    found = collect(simulate(agent), PROFILE)
    heavy = load_profile("generic", {"mechanism_weights": {"compression": 50.0}})
    weighted = collect(simulate(agent), heavy)
    a, b = (infer(s, link(s, []), 199) for s in (found, weighted))
    assert {n: m.p for n, m in a.mechanisms.items()} == {n: m.p for n, m in b.mechanisms.items()}
    plain, weighed = dominant_mechanism(a, PROFILE), dominant_mechanism(b, heavy)
    assert weighed["scores"]["compression"] == pytest.approx(50 * plain["scores"]["compression"], rel=1e-4)


def test_no_evidence_has_no_dominant_mechanism() -> None:
    chosen = dominant_mechanism(judged(variants(3), 199), PROFILE)
    assert chosen["dominant"] is None
    assert chosen["reason"] == "no_independent_evidence"


def test_a_model_change_that_explains_the_effect_leaves_it_open() -> None:
    events = simulate(Agent(seed=11))
    sessions = sorted({str(e.session_id) for e in events})
    late = set(sessions[12:])
    for event in events:
        if event.session_id in late:
            event.model = "claude-new-9"
            if event.usage is not None:
                event.usage = None  # a model of which nothing is known but that it calls other tools
            if event.role == "tool_call" and event.tool_name == "Read":
                event.tool_name = "Bash"
    for event in events:  # the new model's name has to be seen
        if event.session_id in late and event.role == "tool_call":
            from agingbench.records import Usage

            event.usage = Usage(output_tokens=1, calls=1)
    found = collect(events, PROFILE)
    mechanism = infer(found, link(found, []), 399).mechanisms["interference"]
    assert mechanism.p is not None
    assert mechanism.p <= 0.0125
    assert mechanism.answer is None
    assert "confounded" in mechanism.reason


def test_the_same_trace_gives_the_same_answer_twice() -> None:
    a, b = judged(variants(8), 199), judged(variants(8), 199)
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
