"""Means per tool, and look-alikes that are too few to be tested."""

from __future__ import annotations

import pytest

from agingbench.telemetry.inference.infer import infer
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.telemetry.signals.compression import beyond_tool
from agingbench.validity.simulated_work import WorkAgent, simulate_work


def test_a_tool_without_any_value_counts_for_nothing() -> None:
    sessions = [{"Read": (0.0, 0.0), "Edit": (2.0, 4.0)}, {"Read": (0.0, 0.0)}]
    values, counts = beyond_tool(sessions)
    assert values == [pytest.approx(0.0), None]
    assert counts == [2, 0]


@pytest.mark.parametrize(("sessions", "is_tested"), [(6, False), (24, True)])
def test_look_alikes_are_tested_from_ten_mistakes_on(sessions: int, is_tested: bool) -> None:
    trace = collect(simulate_work(WorkAgent(seed=3, sessions=sessions)), load_profile("generic"))
    mistakes = sum(hits for s in trace.sessions for _, hits in s.target_visits.values())
    assert (mistakes >= 10) == is_tested

    signals = infer(trace, link(trace, []), 199).mechanisms["interference"].signals
    visits = next(signal for signal in signals if signal.name == "look_alike_visits")
    assert (visits.test is not None) == is_tested
