"""The policy that keeps the raw log of all sessions and reads a summary of the whole of it, made
anew at each write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.errors import ContextOverflow
from agingbench.interfaces import Model
from agingbench.memory.policy import RATIO, Compacting, cut_to_budget, session_text, without_oldest
from agingbench.records import Event, Unit


class GrowingHistory(Compacting):
    """M(t+1) = model(prompt(all sessions so far)): no summary of a summary, at the price of a
    prompt that grows.

    A log that no longer fits the model is folded: at a write the new session into the summary as it
    stands, after an event session by session from the start. `folded` counts how often that
    happened; it stands in every snapshot. A single session that does not fit raises
    ContextOverflow: there is nothing smaller to ask for.
    """

    supports = frozenset(
        {"flush_history", "recompact", "partial_reset", "reduce_budget", "prompt_update"}
    )
    options = ("prompt", "words")
    keeps_log = True

    def __init__(self, model: Model, prompt: str = "lossy", words: int = 300) -> None:
        super().__init__(model, prompt, words)
        self.log: list[str] = []
        self.summary = ""
        self.folded = 0

    def read(self, query: str) -> str:
        return self.summary

    def write(self, events: Sequence[Event]) -> None:
        session = session_text(events)
        if not session.strip():
            return
        log = [*self.log, session]
        self.summary = self._summarise(log, n_covered=len(self.log))
        self.log = log

    def units(self) -> list[Unit] | None:
        return None

    def dump(self) -> dict[str, Any]:
        return {
            **self.settings(),
            "summary": self.summary,
            "folded": self.folded,
            "log": list(self.log),
        }

    def load(self, state: dict[str, Any]) -> None:
        self.load_settings(state)
        self.summary = state["summary"]
        self.folded = state["folded"]
        self.log = list(state["log"])

    def copy(self) -> GrowingHistory:
        twin = GrowingHistory(self.model, self.prompt, self.words)
        twin.load(self.dump())
        return twin

    def flush_history(self) -> None:
        self.log = []
        self.summary = ""

    def recompact(self) -> None:
        """Replace the log by its summary; what the summary leaves out is lost for good."""
        if self.log:
            self.summary = self._summarise(self.log)
            self.log = [self.summary] if self.summary else []

    def partial_reset(self, ratio: float = RATIO) -> None:
        """Drop the oldest share of the log's sentences and summarise the rest again."""
        log = without_oldest(self.log, ratio)
        self.summary = self._summarise(log) if log else ""
        self.log = log

    def reduce_budget(self, words: int) -> None:
        """A summary beyond the new budget is cut at once; the next write makes it anew under it."""
        self.words = words
        self.summary = cut_to_budget(self.summary, words)

    def _summarise(self, log: Sequence[str], n_covered: int = 0) -> str:
        """A summary of the log, of which the current summary covers the first `n_covered`
        sessions.
        """
        try:
            return self.compact("\n\n".join(log))
        except ContextOverflow:
            if len(log) == 1:
                raise

        summary = self.summary if n_covered else ""
        for session in log[n_covered:]:
            text = "\n\n".join(part for part in (summary, session) if part)
            summary = self.compact(text)
        self.folded += 1
        return summary
