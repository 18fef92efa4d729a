"""Leaving weeks out: every week once, and nothing of it is left."""

from __future__ import annotations

import pytest

from agingbench.telemetry.inference import infer as inference_module
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.validity import windows
from agingbench.validity.simulated_updates import UpdatedAgent
from agingbench.validity.windows import WindowAnswers, leave_out_weeks


def test_each_week_is_left_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = collect(UpdatedAgent(1, sessions=24).events(), load_profile("code_assistant"))
    seen: list[set[str]] = []

    def answer(part: TraceSessions) -> bool | None:
        seen.append({session.id for session in part.sessions})
        return None

    monkeypatch.setattr(windows, "_answer", answer)
    found = leave_out_weeks(trace)
    whole = {session.id for session in trace.sessions}
    assert seen[-1] == whole
    left_out = [whole - part for part in seen[:-1]]
    assert 4 <= len(found.without) <= 5
    assert all(left_out)
    assert set.union(*left_out) == whole
    assert sum(map(len, left_out)) == len(whole)


def test_a_trace_without_a_week_can_be_answered() -> None:
    trace = collect(UpdatedAgent(1, sessions=16).events(), load_profile("code_assistant"))
    rest = windows._without(trace, {0, 1, 2})
    assert len(rest) == 13
    assert inference_module.infer(rest, link(rest, []), 49).aging_detected in (
        True,
        False,
        None,
    )
    assert len(trace) == 16


def test_opposite_answers_are_told_apart_from_open_ones() -> None:
    found = WindowAnswers(True, [True, None, False])
    assert (found.same, found.opposite) == (1, 1)
    assert WindowAnswers(None, [True, None]).opposite == 0
