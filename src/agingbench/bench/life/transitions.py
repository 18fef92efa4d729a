"""What a life writes transition by transition, and who keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from agingbench.bench.plan.plan import Plan
from agingbench.records import Event
from agingbench.trials.run_folder import AnswerRow, Snapshot

MODEL_SWAP = "model_swap"
REDUCE_BUDGET = "reduce_budget"


class Transition(msgspec.Struct):
    """What a life did between the memory at t and the memory at t + 1; snapshots by file name."""

    t: int
    events: list[Event]
    answers: list[AnswerRow]
    snapshots: dict[str, Snapshot]
    evidence: dict[str, bytes] = {}  # files that the agent left about its session, by path


class Keeper(Protocol):
    """Keeps the record of a life."""

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]:
        """Return the next transition and the agent's state to go on from (None: a new agent)."""
        ...

    def commit(self, transition: Transition) -> None:
        """Keep a whole transition."""
        ...


class InMemory:
    """Keeps a life in memory, for bounds and tests that live thousands."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.answers: list[AnswerRow] = []
        self.states: dict[str, Mapping[str, Any]] = {}  # by snapshot name: "3", "3_before"
        self.diagnosis_answers: list[AnswerRow] = []
        self._texts: dict[int, str] = {}

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]:
        """Return the beginning: a life in memory is not continued."""
        return 0, None

    def commit(self, transition: Transition) -> None:
        """Keep the events, the answers, and state and text of the memory at each point."""
        self.events += transition.events
        self.answers += transition.answers
        for name, snapshot in transition.snapshots.items():
            self.states[name.removesuffix(".json")] = snapshot.state
            if name == f"{snapshot.t}.json":
                self._texts[snapshot.t] = snapshot.text

    @property
    def texts(self) -> list[tuple[int, str]]:
        """Each point with the memory's text there."""
        return sorted(self._texts.items())
