"""A memory policy of your own: it keeps the last k sentences that hold a number, and nothing
else.

Run it from this folder:

    agingbench run --memory own_memory.py:NumbersOnly --memory-option k=40
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
        self.facts: list[str] = []

    def write(self, events: Sequence[Event]) -> None:
        """Take in a session that is over: keep what holds a number."""
        for sentence in sentences(session_text(events)):
            if any(character.isdigit() for character in sentence):
                self.facts.append(sentence)
        self.facts = self.facts[-self.k :]

    def read(self, query: str) -> str:
        """The text that the agent sees while it answers."""
        return "\n".join(self.facts)

    def units(self) -> list[Unit] | None:
        """What can be retrieved one by one; a policy whose memory is one text returns None."""
        return [Unit(str(i), sentence) for i, sentence in enumerate(self.facts)]

    def dump(self) -> dict[str, Any]:
        return {"k": self.k, "facts": list(self.facts)}

    def load(self, state: dict[str, Any]) -> None:
        self.k = state["k"]
        self.facts = list(state["facts"])

    def flush_history(self) -> None:
        self.facts = []
