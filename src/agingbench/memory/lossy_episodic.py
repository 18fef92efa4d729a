"""The policy that keeps one short summary per session and reads those that fit the current query
best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.interfaces import Model
from agingbench.memory.append_only import AppendOnly
from agingbench.memory.policy import RATIO, Compacting, cut_to_budget, session_text
from agingbench.records import Event, Unit


class LossyEpisodic(Compacting):
    """Each session is condensed once, by itself, and never touched again; the k best are read in
    their order.
    """

    supports = frozenset(
        {"flush_history", "recompact", "partial_reset", "reduce_budget", "prompt_update"}
    )
    options = ("prompt", "words", "k")

    def __init__(self, model: Model, prompt: str = "lossy", words: int = 60, k: int = 5) -> None:
        super().__init__(model, prompt, words)
        self.store = AppendOnly(k)

    @property
    def k(self) -> int:
        return self.store.k

    @k.setter
    def k(self, value: int) -> None:
        self.store.k = value

    def read(self, query: str) -> str:
        return self.store.read(query)

    def write(self, events: Sequence[Event]) -> None:
        session = session_text(events)
        summary = self.compact(session) if session.strip() else ""
        self._cut()
        if summary:
            self.store.append([summary])

    def units(self) -> list[Unit] | None:
        return self.store.units()

    def dump(self) -> dict[str, Any]:
        return {**self.settings(), **self.store.dump()}

    def load(self, state: dict[str, Any]) -> None:
        self.load_settings(state)
        self.store.load(state)

    def copy(self) -> LossyEpisodic:
        twin = LossyEpisodic(self.model, self.prompt, self.words, self.k)
        twin.overlong = self.overlong
        twin.store = self.store.copy()
        return twin

    def flush_history(self) -> None:
        self.store.flush_history()

    def recompact(self) -> None:
        """Condense every summary once more by itself; one that comes out empty is dropped."""
        summaries = [self.compact(text) for text in self.store.episodes]
        self.store.replace([summary for summary in summaries if summary])

    def partial_reset(self, ratio: float = RATIO) -> None:
        """The oldest share of the summaries is lost."""
        self.store.partial_reset(ratio)

    def reduce_budget(self, words: int | None = None, k: int | None = None) -> None:
        """Read fewer summaries from now on; those over the new budget are cut at the next write."""
        self.words = words or self.words
        self.k = k or self.k

    def _cut(self) -> None:
        """Cut the stored summaries to the budget."""
        summaries = self.store.episodes
        if any(len(summary.split()) > self.words for summary in summaries):
            self.store.replace([cut_to_budget(summary, self.words) for summary in summaries])
