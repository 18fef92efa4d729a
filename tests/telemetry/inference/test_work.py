"""Work first: a change of work is not aging, a drift beside it is seen, a step is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agingbench.metrics.conditioning import independent, residual_beside
from agingbench.records import Event
from agingbench.telemetry.inference.infer import Inference, infer
from agingbench.telemetry.inference.null_model import NullModel, null_model
from agingbench.telemetry.inference.requests import TurnValues, read_requests
from agingbench.telemetry.inference.steps import StepSeries, find_step
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.telemetry.sessions.tool_mix import SERVERS, request_shares, tool_shares
from agingbench.validity.simulated_work import UNRECORDED, WorkAgent, simulate_work

PROFILE = load_profile("generic")


def judged(agent: WorkAgent) -> Inference:
    trace = collect(simulate_work(agent), PROFILE)
    return infer(trace, link(trace, []), 199)


def test_requests_explain_values_within_sessions_and_no_drift_enters() -> None:
    trace = collect(simulate_work(WorkAgent(seed=1, variant="gradual_shift")), PROFILE)
    requests = read_requests(trace.sessions)
    column = requests.words.index("document")
    asked = (requests.features[:, column] > 0).astype(float)
    drift = requests.session * 0.5
    values = 2.0 * asked + drift
    explained = requests.explained(TurnValues(values[:, None], np.ones(len(values))))[:, 0]
    share = np.bincount(requests.session, weights=asked) / np.bincount(requests.session)
    assert np.corrcoef(explained, share)[0, 1] > 0.9
    assert np.ptp(explained) < 2.5


def test_kinds_of_work_explain_the_tools_better_than_words() -> None:
    left = {"words": 0.0, "kinds": 0.0}
    for seed in range(6):
        agent = WorkAgent(seed=seed, variant="gradual_shift")
        trace = collect(simulate_work(agent), PROFILE)
        work = Work(trace, null_model(trace, 199))
        shares, _, names = tool_shares(trace)
        rows, calls = request_shares(trace, names)
        turns = TurnValues(rows, calls)
        centred = shares - shares.mean(axis=0)
        left["words"] += float(((centred - work.requests.explained(turns)) ** 2).sum())
        left["kinds"] += float(((centred - work.kinds.explained(turns)) ** 2).sum())

    assert left["kinds"] < left["words"]


def test_an_edited_instruction_file_stands_beside_the_tool_mix() -> None:
    recorded, unrecorded = (
        collect(simulate_work(WorkAgent(seed=2, variant=variant)), PROFILE)
        for variant in ("instruction_file", UNRECORDED)
    )
    with_step = Work(recorded, null_model(recorded, 199))
    without = Work(unrecorded, null_model(unrecorded, 199))
    assert with_step.mix_nuisance.shape[1] == with_step.nuisance.shape[1] + 1
    assert without.mix_nuisance.shape[1] == without.nuisance.shape[1]


def test_residuals_do_not_depend_on_what_stands_beside() -> None:
    rng = np.random.default_rng(3)
    beside = np.column_stack([np.ones(20), rng.normal(size=20)])
    y = rng.normal(size=20) + 5 * beside[:, 1]
    rest = residual_beside(beside, y, np.ones(20))
    assert np.allclose(beside.T @ rest, 0)
    doubled = np.column_stack([beside, 2 * beside[:, 1]])
    assert independent(doubled).shape == (20, 2)


def test_a_step_is_told_from_a_line() -> None:
    rng = np.random.default_rng(4)
    n = 24
    null = NullModel(n, None, [0] * n, [0] * n, 7, 199)
    level = np.ones((n, 1))
    step = (np.arange(n) >= 9).astype(float) + rng.normal(0, 0.2, n)
    line = np.linspace(0, 1, n) + rng.normal(0, 0.2, n)
    found = find_step(null, level, [StepSeries(step[:, None], np.ones(n))])
    assert found is not None
    assert abs(found.session - 9) <= 1
    assert find_step(null, level, [StepSeries(line[:, None], np.ones(n))]) is None


def test_growing_files_are_no_compression() -> None:
    found = judged(WorkAgent(seed=300, variant="growing_files", sessions=16))
    growth = found.mechanisms["compression"].signals[0]
    assert growth.effect is not None
    assert growth.effect < 0.4
    assert found.mechanisms["compression"].answer is not True


def test_more_errors_are_found_and_never_turn_open_into_no() -> None:
    trace = collect(simulate_work(WorkAgent(seed=500, sessions=16)), PROFILE)
    answers = []
    for rate in (0.0, 0.1, 0.2, 0.4, 0.7):
        for place, session in enumerate(trace.sessions):
            share = rate * place / 15
            session.outcomes = {
                label: [n, max(failed, round(share * n))]
                for label, (n, failed) in session.outcomes.items()
            }
        answers.append(infer(trace, link(trace, []), 199))

    first_open = next(
        (i for i, answer in enumerate(answers) if answer.aging_detected is not False), len(answers)
    )
    assert False not in [answer.aging_detected for answer in answers[first_open:]]
    assert answers[-1].reliability.answer
    assert answers[-1].aging_detected
    assert "reliability" not in answers[-1].mechanisms


def days_of(requests: list[str], tools: list[str]) -> TraceSessions:
    """Return sessions of three requests, a day each, that all call one tool fifteen times."""
    events = []
    for day, (text, tool) in enumerate(zip(requests, tools, strict=True)):
        name = f"s{day}"
        for number in range(3):
            time = 86_400.0 * day + 100.0 * number
            asked: dict[str, Any] = {"session_id": name, "timestamp": time}
            events.append(Event(step=0, role="user", content=f"{text} part {number}", **asked))
            for _ in range(5):
                events.append(Event(step=0, role="tool_call", tool_name=tool, **asked))

    return collect(events, PROFILE)


def test_words_that_move_with_time_are_told_from_words_that_do_not() -> None:
    topics = ["write the importer", "review the release notes"]
    shift = days_of([topics[day >= 12] for day in range(24)], ["Read"] * 24)
    steady = days_of([topics[day % 2] for day in range(24)], ["Read"] * 24)
    p_shift = Work(shift, null_model(shift, 199)).p_wording
    p_steady = Work(steady, null_model(steady, 199)).p_wording
    assert p_shift is not None
    assert p_steady is not None
    assert p_shift <= 0.01 < 0.2 < p_steady


def test_a_tool_that_is_gone_stands_beside_a_trend_like_one_that_came_up() -> None:
    for tools in (["Grep"] * 12 + ["Read"] * 12, ["Read"] * 12 + ["Grep"] * 12):
        trace = days_of(["look into it"] * 24, tools)
        steps = Work(trace, null_model(trace, 199)).steps
        assert {step.name for step in steps} == {"tool:Grep", "tool:Read"}
        for step in steps:
            assert step.values.tolist() == [0.0] * 12 + [1.0] * 12


def calls_of(session: str, tools: dict[str, int]) -> list[Event]:
    """Return one session that calls each tool so often."""
    events = [Event(step=0, role="user", session_id=session, content="Look into it, please.")]
    for tool, n in tools.items():
        for i in range(n):
            given = {"file_path": f"src/part_{i}.py"}
            event = Event(step=0, role="tool_call", session_id=session, arguments=given)
            event.tool_name = tool
            events.append(event)

    return events


def daily_trace(by_session: list[dict[str, int]]) -> TraceSessions:
    """Return sessions that call each tool so often."""
    events = []
    for number, tools in enumerate(by_session):
        events += calls_of(f"s{number:02d}", tools)
    for step, event in enumerate(events):
        event.step = step
        event.timestamp = 1_700_000_000.0 + 7_200 * step
    return collect(events, PROFILE)


@pytest.mark.parametrize("tools", [("mcp__db__query", "mcp__tickets__get"), ("Task",)])
def test_tools_that_are_taken_up_more_and_more_stand_beside_the_tool_mix(
    tools: tuple[str, ...],
) -> None:
    rising = daily_trace([{"Read": 20, **dict.fromkeys(tools, i // 2)} for i in range(24)])
    work = Work(rising, null_model(rising, 199))
    assert len(work.adopted) == 1
    assert np.all(np.diff(work.adopted[0]) >= 0)
    assert work.mix_nuisance.shape[1] > work.nuisance.shape[1]
    assert work.is_taken_over

    few = daily_trace([{"Read": 400, **dict.fromkeys(tools, i // 2)} for i in range(24)])
    assert len(Work(few, null_model(few, 199)).adopted) == 1
    assert not Work(few, null_model(few, 199)).is_taken_over

    level = daily_trace([{"Read": 20, **dict.fromkeys(tools, 5 + i % 2)} for i in range(24)])
    assert Work(level, null_model(level, 199)).adopted == []
    assert not Work(level, null_model(level, 199)).is_taken_over


def test_agents_of_our_own_that_drift_have_taken_up_nothing() -> None:
    for seed in range(4):
        trace = collect(simulate_work(WorkAgent(seed=seed, harm="tool_mix")), PROFILE)
        assert Work(trace, null_model(trace, 199)).adopted == []


def test_tools_of_servers_are_one_part_unless_they_are_most_of_all() -> None:
    few = daily_trace([{"Read": 20, "mcp__db__query": 3, "mcp__db__list": 3}] * 8)
    assert tool_shares(few)[2] == ["Read", SERVERS]
    rows, calls = request_shares(few, tool_shares(few)[2])
    assert rows.sum(axis=1).tolist() == pytest.approx([1.0] * 8)
    assert calls.tolist() == [26.0] * 8

    most = daily_trace([{"Read": 4, "mcp__db__query": 12, "mcp__db__list": 8}] * 8)
    assert tool_shares(most)[2] == ["mcp__db__query", "mcp__db__list", "Read"]
