"""Change points: what is recorded, which figures move there, and what is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.models.prices import load_prices
from agingbench.records import Event
from agingbench.telemetry.inference.null_model import null_model
from agingbench.telemetry.panel.changes import TraceChanges
from agingbench.telemetry.panel.receipts import make_receipts
from agingbench.telemetry.panel.recorded import recorded_changes
from agingbench.telemetry.panel.steps import (
    corrected_p_values,
    effects,
    line_column,
    misfits,
    step_columns,
)
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.validity.simulated_updates import NEW_CLIENT, UpdatedAgent, plant_update
from tests.examples import examples


def changes_of(agent: UpdatedAgent) -> TraceChanges:
    trace = collect(agent.events(), load_profile("code_assistant"))
    null = null_model(trace, 499)
    return make_receipts(trace, load_prices(), null, [0] * len(trace)).changes


def test_an_update_with_an_effect_is_a_change_point_at_its_version() -> None:
    agent = UpdatedAgent(7)
    points = changes_of(agent).points

    assert [point.session for point in points] == [agent.update]
    assert f"client {agent.version}" in [change.what for change in points[0].recorded]
    moved = {figure.figure: figure for figure in points[0].moved}
    assert {"tool_errors", "reads_per_change"} <= set(moved)
    assert moved["tool_errors"].worse
    assert moved["reads_per_change"].worse
    assert "read_errors" not in moved  # it is part of tool_errors


def test_the_same_update_without_an_effect_is_none() -> None:
    changes = changes_of(UpdatedAgent(7, has_effect=False))

    assert changes.tested
    assert changes.points == []
    assert [change.kind for change in changes.recorded] == ["client"] * len(changes.recorded)


def test_too_few_sessions_are_not_tested() -> None:
    changes = changes_of(UpdatedAgent(3, sessions=7))

    assert not changes.tested
    assert changes.reason is not None
    assert "8 are the least" in changes.reason


def session(number: int, model: str, tool: str = "Read", **user: object) -> list[Event]:
    time = 1_700_000_000.0 + 86_400 * number
    common = {"session_id": f"s{number}", "timestamp": time, "model": model}
    return [
        Event(step=1, role="user", content=f"task {number}", **common, **user),  # type: ignore[arg-type]
        Event(step=2, role="tool_call", tool_name=tool, arguments={"file_path": "x"}, **common),  # type: ignore[arg-type]
    ]


def recorded(events: list[Event]) -> list[tuple[int, str]]:
    trace = collect(events, load_profile("code_assistant"))
    return [(change.session, change.what) for change in recorded_changes(trace, [])]


def test_an_edited_instruction_file_counts_from_the_next_session() -> None:
    events = []
    for number in range(8):
        events += session(number, "m")
        if number == 3:
            edit = session(number, "m", "Edit")[1]
            edit.arguments = {"file_path": "/repo/CLAUDE.md"}
            events.append(edit)

    assert recorded(events) == [(4, "instruction file edited")]


def test_a_permission_mode_that_stays_is_recorded_and_one_that_flips_is_not() -> None:
    modes = ["plan", "plan", "plan", "plan", "auto", "auto", "auto", "auto", "plan", "auto"]
    events = []
    for number, mode in enumerate(modes):
        events += session(number, "m", metadata={"permission_mode": mode})

    assert recorded(events) == [(4, "permission mode auto")]


def test_a_tool_that_becomes_usual_is_recorded() -> None:
    events = []
    for number in range(10):
        events += session(number, "m", "Read" if number < 5 else "Grep")

    assert recorded(events) == [(5, "tool Grep first used")]


@pytest.mark.parametrize("place", [3, 5, 8])
def test_a_step_without_noise_fits_only_at_its_place(place: int) -> None:
    y = np.where(np.arange(12) >= place, 1.0, 0.0)
    places = list(range(3, 10))
    fits = misfits(step_columns(12, places), y, np.ones(12))

    assert int(np.argmin(fits)) == places.index(place)
    assert fits.min() == pytest.approx(0, abs=1e-9)


def test_a_line_fits_better_than_any_step() -> None:
    y = np.linspace(0, 1, 20)
    steps = misfits(step_columns(20, range(3, 18)), y, np.ones(20))
    line = misfits(line_column(20), y, np.ones(20))

    assert line[0] < steps.min()


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.floats(-5, 5, allow_nan=False), min_size=8, max_size=20), st.data())
def test_effects_are_those_of_least_squares(values: list[float], data: st.DataObject) -> None:
    n = len(values)
    place = data.draw(st.integers(3, n - 3))
    y = np.array(values)
    ratios, _ = effects(step_columns(n, [place]), y, np.ones(n), np.arange(n)[None, :])

    before, after = y[:place], y[place:]
    squares = ((before - before.mean()) ** 2).sum() + ((after - after.mean()) ** 2).sum()
    error = np.sqrt(squares / (n - 2) * (1 / len(before) + 1 / len(after)))
    difference = after.mean() - before.mean()
    if error > 1e-3:
        assert ratios[0, 0] == pytest.approx(difference / error, rel=1e-6, abs=1e-6)


def test_the_strongest_of_four_orderings_has_p_one_quarter() -> None:
    strength = np.array([3.0, 1.0, 2.0, 0.0])
    assert corrected_p_values([strength]) == [0.25]
    assert corrected_p_values([strength[::-1]]) == [1.0]


def test_a_clear_step_is_seen_among_many_figures() -> None:
    """One of 30 figures is the strongest of its orderings in three of a hundred orderings."""
    strengths = list(np.abs(np.random.default_rng(3).normal(size=(30, 1000))))
    strengths[4][0] = 12.0
    p_values = corrected_p_values(strengths)

    assert p_values[4] == 0.001
    assert sum(p <= 0.02 for p in p_values) == 1


def test_a_corrected_p_is_as_rare_as_it_says() -> None:
    rng = np.random.default_rng(5)
    smallest = []
    for _ in range(400):
        shared = rng.normal(size=200)
        strengths = [np.abs(shared + rng.normal(size=200)) for _ in range(6)]
        smallest.append(min(corrected_p_values(strengths)))

    assert 0.06 <= np.mean(np.array(smallest) <= 0.1) <= 0.14


def test_a_planted_update_takes_reads_by_the_shell_as_well() -> None:
    """Codex reads by the shell alone; nothing else of its sessions may go."""
    commands = ["cat a.py", "make test"] * 150
    calls = []
    for number, command in enumerate(commands):
        common = {"session_id": "s", "tool_call_id": f"c{number}", "tool_name": "shell"}
        call = {"command": command}
        calls.append(Event(step=number, role="tool_call", arguments=call, **common))  # type: ignore[arg-type]
        calls.append(Event(step=number, role="tool_result", **common))  # type: ignore[arg-type]

    planted = list(plant_update([calls], 0, 3, has_effect=True))
    left = [(event.arguments or {})["command"] for event in planted if event.role == "tool_call"]

    assert left.count("make test") == 150
    assert 30 <= left.count("cat a.py") <= 70
    assert sum(event.role == "tool_result" for event in planted) == len(left)
    assert {event.client for event in planted} == {NEW_CLIENT}
