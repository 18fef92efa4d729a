"""Parts that tests hand over to the front door."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from agingbench.interfaces import Model
from agingbench.records import Event, Message, Reply, Tool, Unit, Usage


class LastTexts:
    """A plain class: it keeps the last k texts."""

    def __init__(self, k: int = 20) -> None:
        self.k = k
        self.texts: list[str] = []

    def write(self, events: Sequence[Event]) -> None:
        self.texts += [event.content or "" for event in events]

    def read(self, query: str) -> str:
        return "\n".join(self.texts[-self.k :])

    def units(self) -> list[Unit] | None:
        return None

    def dump(self) -> dict[str, Any]:
        return {"texts": list(self.texts)}

    def load(self, state: dict[str, Any]) -> None:
        self.texts = list(state["texts"])


class Locked(LastTexts):
    """It cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


class Shared(LastTexts):
    """It copies to itself."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Shared:
        return self


class Failing(LastTexts):
    """It breaks at the first write."""

    def write(self, events: Sequence[Event]) -> None:
        raise RuntimeError("no room")


class Parrot(Model):
    """A model that says one word, and counts how often in each copy."""

    def __init__(self, word: str = "Polly.") -> None:
        self.name = "parrot"
        self.word = word
        self.said = 0

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        self.said += 1
        return Reply(self.word, usage=Usage(1, 1, calls=1), model=self.name)
