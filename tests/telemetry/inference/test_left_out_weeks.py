"""Leaving weeks out: every week once, and nothing of it is left."""

from __future__ import annotations

from itertools import pairwise

import pytest

from agingbench.telemetry.inference import left_out_weeks
from agingbench.telemetry.inference.infer import infer
from agingbench.telemetry.inference.left_out_weeks import (
    WindowAnswers,
    WindowCounts,
    leave_out_weeks,
)
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.validity.simulated_updates import UpdatedAgent


def sessions_of(agent: UpdatedAgent) -> TraceSessions:
    return collect(agent.events(), load_profile("code_assistant"))


def test_each_week_is_left_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = sessions_of(UpdatedAgent(1, sessions=24))
    parts: list[set[str]] = []

    def watched(part: TraceSessions, *rest: object) -> object:
        parts.append({session.id for session in part.sessions})
        return infer(part, link(part, []), 19)

    monkeypatch.setattr(left_out_weeks, "infer", watched)
    answers = leave_out_weeks(trace, None)
    assert answers is not None

    whole = {session.id for session in trace.sessions}
    left_out = [whole - part for part in parts]
    assert 4 <= len(answers.without) == answers.weeks <= 5
    assert all(left_out)
    assert set.union(*left_out) == whole
    assert sum(map(len, left_out)) == len(whole)


def test_many_weeks_are_left_out_several_at_a_time() -> None:
    weeks = [{place} for place in range(20)]
    windows = left_out_weeks._joined(weeks, 8)
    assert len(windows) == 8
    assert set.union(*windows) == set(range(20))
    assert {len(window) for window in windows} == {2, 3}
    assert all(max(one) < min(two) for one, two in pairwise(windows))


def test_three_weeks_are_too_few() -> None:
    assert leave_out_weeks(sessions_of(UpdatedAgent(1, sessions=16)), True) is None


def test_a_trace_without_a_week_can_be_answered() -> None:
    trace = sessions_of(UpdatedAgent(1, sessions=16))
    rest = left_out_weeks._without(trace, {0, 1, 2})
    assert len(rest) == 13
    assert infer(rest, link(rest, []), 49).null.n_sessions == 13
    assert len(trace) == 16


def test_opposite_answers_are_told_apart_from_open_ones() -> None:
    assert WindowAnswers(True, [True, None, False], 3).counts() == WindowCounts(3, 3, 1, 1)
    assert WindowAnswers(False, [True, None, False], 3).counts() == WindowCounts(3, 3, 1, 1)
    assert WindowAnswers(None, [True, None], 2).counts() == WindowCounts(2, 2, 1, 0)
