"""Scenarios and plans by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from agingbench.bench.plan.plan import (
    TOLD_EVENTS,
    LifecycleEvent,
    Plan,
    Scenario,
    make_plan,
    parse_events,
)
from agingbench.bench.plan.pressure import pressure
from agingbench.bench.scenarios import SCENARIOS
from agingbench.registry import path_of


def load_scenario(name: str) -> Scenario:
    """Build a scenario from its name, its alias, `module:Class` or `file.py:Class`."""
    return SCENARIOS.build(name, Scenario)


def shared_scenario(name: str) -> Scenario:
    """The one instance of a scenario that the lives of this process share."""
    return _instance(SCENARIOS.canonical(name))


@cache
def _instance(name: str) -> Scenario:
    return load_scenario(name)


def spec_of(scenario: Scenario) -> str:
    """The name that loads a scenario again: its id, or where its class lies if it is not ours."""
    if scenario.id in SCENARIOS.table or scenario.id in SCENARIOS.names():
        return scenario.id
    return path_of(type(scenario))


def plan_for(
    scenario: Scenario | str = "s2",
    preset: str = "medium",
    dials: Mapping[str, Any] | None = None,
    sessions: int | None = None,
    seed: int = 0,
    events: Sequence[LifecycleEvent] | None = None,
) -> Plan:
    """Make the plan of a life by names: what `agingbench plan` prints.

    Without events it has those that the scenario itself tells of.
    """
    if isinstance(scenario, str):
        scenario = shared_scenario(scenario)
    dialled = pressure(preset, dials, scenario.own_dials)
    length = sessions or scenario.default_sessions
    if events is None:
        usual = parse_events(scenario.default_events(length), length)
        events = [event for event in usual if event.name in TOLD_EVENTS]
    return make_plan(
        scenario,
        dialled,
        length,
        seed,
        events,
        preset,
    )
