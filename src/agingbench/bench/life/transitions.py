"""What a life leaves behind, unit by unit, and who keeps it: the records that living writes and
scoring reads.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from agingbench.bench.plan.plan import Plan
from agingbench.records import Event, Usage

LIFE_START = "life_start"
LIFE_END = "life_end"
MODEL_SWAP = "model_swap"
REDUCE_BUDGET = "reduce_budget"
WRITE = "write"
SIGNALS, CONTROLLER_ACTION = (
    "signals",
    "control",
)  # what a controller saw after a session, and what it had done
OWNS_WORKSPACE = "owns_workspace"  # an agent says so of itself, and the trace of its life does


class AnswerRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer as it was given; what it is worth is decided later, from files."""

    t: int
    probe: str
    condition: str
    text: str
    status: str = "answered"
    reason: str | None = None
    context: str | None = None
    usage: Usage = Usage()
    latency_ms: float | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """A memory at a point: the agent's state, and the text that memory-text metrics read."""

    t: int
    state: dict[str, Any]
    text: str


class Transition(msgspec.Struct):
    """What one unit of a life left behind. Snapshots go by file name."""

    t: int
    events: list[Event]
    answers: list[AnswerRow]
    snapshots: dict[str, Snapshot]


class Keeper(Protocol):
    """Keeps the record of a life. `resume` says which unit comes next and the state to go on from."""

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]: ...
    def commit(self, transition: Transition) -> None: ...


class InMemory:
    """Keeps a life in memory: for bounds and tests, where thousands are lived."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.answers: list[AnswerRow] = []
        self._texts: dict[int, str] = {}

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]:
        return 0, None

    def commit(self, transition: Transition) -> None:
        self.events += transition.events
        self.answers += transition.answers
        self._texts |= {
            s.t: s.text for name, s in transition.snapshots.items() if name == f"{s.t}.json"
        }

    @property
    def texts(self) -> list[tuple[int, str]]:
        """The memory's text at every point."""
        return sorted(self._texts.items())
