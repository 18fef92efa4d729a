"""What every submission lives: the default suite, its seeds, and the limits that nobody turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from agingbench.bench.life.planning import plan_for, shared_scenario
from agingbench.bench.plan.plan import parse_events
from agingbench.bench.scenarios import SCENARIOS

# Options that say how long or how often something may be tried. A system under test may choose
# everything else.
LIMIT_OPTIONS = {
    "agent_options": ("seconds", "max_turns", "confine"),
    "model_options": ("timeout", "max_seconds", "max_retries"),
}


@dataclass(frozen=True)
class BoardSuite:
    """The condition that every entry of a scenario has lived; without `sessions` the default."""

    seeds: tuple[int, ...] = (0, 1, 2)
    preset: str = "medium"
    sessions: int | None = None

    def plan_hash(self, scenario: str, seed: int) -> str:
        """The hash of the plan that a card of this scenario and seed must name."""
        return _plan_hash(self, scenario, seed)


DEFAULT_SUITE = BoardSuite()


@cache
def _plan_hash(suite: BoardSuite, scenario: str, seed: int) -> str:
    loaded = shared_scenario(scenario)
    length = suite.sessions or loaded.default_sessions
    events = parse_events(loaded.default_events(length), length)
    return plan_for(loaded, suite.preset, None, length, seed, events).hash


def is_scenario(name: str) -> bool:
    """Whether a scenario of this package has this id."""
    return name in SCENARIOS.table


def scenario_version(name: str) -> str:
    """The version of a scenario as it is now."""
    return shared_scenario(name).version


def turned_limits(configuration: Mapping[str, Any]) -> list[str]:
    """The limits that a configuration sets, as `agent_options.seconds=900`."""
    turned = []
    for section, names in LIMIT_OPTIONS.items():
        options = configuration.get(section)
        if not isinstance(options, Mapping):
            continue
        for name in names:
            if name in options:
                turned.append(f"{section}.{name}={options[name]}")
    return turned
