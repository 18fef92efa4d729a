"""The policy that folds every session into one summary under a word budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.interfaces import Model
from agingbench.memory.policy import Policy, cut_words, session_text, whole
from agingbench.memory.prompts import compaction_prompt, prompt_hash
from agingbench.records import Event, Message, Unit


class SummarizeStore(Policy):
    """M(t+1) = model(prompt(M(t) + session)), cut to the budget whatever the model says."""

    supports = frozenset({"flush_history", "recompact"})
    options = ("prompt", "words")

    def __init__(self, model: Model, prompt: str = "lossy", words: int = 300) -> None:
        compaction_prompt(prompt)
        self.model, self.prompt, self.words = model, prompt, whole("words", words)
        self.summary = ""

    def read(self, query: str) -> str:
        return self.summary

    def write(self, events: Sequence[Event]) -> None:
        self._fold("\n\n".join(filter(None, [self.summary, session_text(events)])))

    def units(self) -> list[Unit] | None:
        return None

    def dump(self) -> dict[str, Any]:
        return {"prompt": self.prompt, "words": self.words, "summary": self.summary}

    def load(self, state: dict[str, Any]) -> None:
        self.prompt, self.words, self.summary = state["prompt"], state["words"], state["summary"]

    def copy(self) -> SummarizeStore:
        twin = SummarizeStore(self.model, self.prompt, self.words)
        twin.summary = self.summary
        return twin

    @property
    def prompt_hashes(self) -> dict[str, str]:
        return {"compaction": prompt_hash(compaction_prompt(self.prompt))}

    def flush_history(self) -> None:
        self.summary = ""

    def recompact(self) -> None:
        if self.summary:
            self._fold(self.summary)

    def _fold(self, text: str) -> None:
        request = compaction_prompt(self.prompt).format(words=self.words, text=text)
        reply = self.model.complete([Message("user", request)], max_tokens=max(256, 3 * self.words))
        self.summary = cut_words(reply.text, self.words)
