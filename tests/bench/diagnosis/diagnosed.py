"""Lives in memory with their diagnosis, for the tests of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agingbench.agents.react import ReactAgent
from agingbench.bench.diagnosis.ladder import Diagnosis, diagnose_life
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import Plan, parse_events
from agingbench.memory.append_only import AppendOnly
from agingbench.models.extractive import Extractive
from agingbench.trials.run_folder import AnswerRow
from tests.bench.lives import SCENARIO


class Lived:
    """A life in memory and its diagnosis."""

    def __init__(
        self, plan: Plan, make: Callable[[], Any], scenario: Any = SCENARIO, **options: Any
    ) -> None:
        self.plan = plan
        self.kept = InMemory()
        self.rows: list[AnswerRow] = []
        live_plan(plan, scenario, make(), self.kept)
        self.found: Diagnosis = diagnose_life(
            plan, make(), self.kept.answers, self.kept.states, keep=self.rows.append, **options
        )

    def contexts(self, condition: str) -> dict[str, str]:
        return {row.probe: row.context or "" for row in self.rows if row.condition == condition}


def s2_plan(events: Sequence[str] = (), sessions: int = 6, seed: int = 0) -> Plan:
    """A life of s2."""
    return plan_for("s2", sessions=sessions, seed=seed, events=parse_events(events, sessions))


def agent(memory: Any = None, model: Any = None) -> Callable[[], ReactAgent]:
    """Makes an agent over a memory and a model, the same one each time."""
    return lambda: ReactAgent(model or Extractive(), (memory or AppendOnly)(), SCENARIO.role)
