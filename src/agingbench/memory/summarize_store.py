"""The policy that folds every session into one summary under a word budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.interfaces import Model
from agingbench.memory.policy import RATIO, Compacting, cut_to_budget, session_text, without_oldest
from agingbench.records import Event, Unit


class SummarizeStore(Compacting):
    """M(t+1) = model(prompt(M(t) + session)), cut to the budget whatever the model says."""

    supports = frozenset(
        {"flush_history", "recompact", "partial_reset", "reduce_budget", "prompt_update"}
    )
    options = ("prompt", "words")

    def __init__(self, model: Model, prompt: str = "lossy", words: int = 300) -> None:
        super().__init__(model, prompt, words)
        self.summary = ""

    def read(self, query: str) -> str:
        return self.summary

    def write(self, events: Sequence[Event]) -> None:
        parts = [self.summary, session_text(events)]
        text = "\n\n".join(part for part in parts if part)
        self.summary = self.compact(text)

    def units(self) -> list[Unit] | None:
        return None

    def dump(self) -> dict[str, Any]:
        return {**self.settings(), "summary": self.summary}

    def load(self, state: dict[str, Any]) -> None:
        self.load_settings(state)
        self.summary = state["summary"]

    def copy(self) -> SummarizeStore:
        twin = SummarizeStore(self.model, self.prompt, self.words)
        twin.load(self.dump())
        return twin

    def flush_history(self) -> None:
        self.summary = ""

    def recompact(self) -> None:
        if self.summary:
            self.summary = self.compact(self.summary)

    def partial_reset(self, ratio: float = RATIO) -> None:
        """The oldest share of the summary's sentences is lost."""
        self.summary = "".join(without_oldest([self.summary], ratio))

    def reduce_budget(self, words: int) -> None:
        """A summary beyond the new budget is cut at once; the next write condenses to it."""
        self.words = words
        self.summary = cut_to_budget(self.summary, words)
