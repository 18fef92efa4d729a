"""A memory policy of one's own: it keeps the last k sentences that carry a number, and nothing
else.

Run it from this folder:

    agingbench run --memory own_memory:NumbersOnly --memory-option k=40
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.memory.policy import Policy, session_text, whole
from agingbench.records import Event, Unit
from agingbench.text.wording import sentences


class NumbersOnly(Policy):
    """Bets that what will be asked for has a digit in it."""

    supports = frozenset({"flush_history"})  # each name is a method below
    options = ("k",)
    k: int

    def __init__(self, k: int = 40) -> None:
        self.k = whole("k", k)
        self.kept: list[str] = []

    def write(self, events: Sequence[Event]) -> None:
        """A session is over: what of it stays?"""
        found = [s for s in sentences(session_text(events)) if any(c.isdigit() for c in s)]
        self.kept = [*self.kept, *found][-self.k :]

    def read(self, query: str) -> str:
        """What the agent has in front of it while it answers."""
        return "\n".join(self.kept)

    def units(self) -> list[Unit] | None:
        """Single things that can be retrieved; None for a policy whose memory is one text."""
        return [Unit(str(i), sentence) for i, sentence in enumerate(self.kept)]

    def dump(self) -> dict[str, Any]:
        return {"k": self.k, "kept": list(self.kept)}

    def load(self, state: dict[str, Any]) -> None:
        self.k = state["k"]
        self.kept = list(state["kept"])

    def flush_history(self) -> None:
        self.kept = []
