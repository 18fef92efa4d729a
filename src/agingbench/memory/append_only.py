"""The policy that keeps everything and reads the episodes that fit the current query best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.memory.policy import RATIO, Policy, n_oldest, session_text, whole
from agingbench.memory.ranking import new_ranking
from agingbench.records import Event, Unit


class AppendOnly(Policy):
    """An episode is one paragraph of a session. The k best are read in the order they happened.

    `ranking` is bm25 (by words), recency (the latest) or embedding (by meaning, extra `embed`).
    """

    supports = frozenset({"flush_history", "partial_reset", "reduce_budget"})
    options = ("k",)
    k: int

    def __init__(self, k: int = 5, ranking: str = "bm25") -> None:
        self.k = whole("k", k)
        self.ranking = ranking
        self.episodes: list[str] = []
        self._index = new_ranking(ranking)
        self._shared = False

    def read(self, query: str) -> str:
        places = sorted(self._index.top(query, self.k))
        return "\n\n".join(self.episodes[place] for place in places)

    def write(self, events: Sequence[Event]) -> None:
        paragraphs = session_text(events).split("\n\n")
        self.append([paragraph for paragraph in paragraphs if paragraph.strip()])

    def units(self) -> list[Unit] | None:
        return [Unit(str(place), text) for place, text in enumerate(self.episodes)]

    def dump(self) -> dict[str, Any]:
        return {"k": self.k, "episodes": list(self.episodes)}

    def load(self, state: dict[str, Any]) -> None:
        self.k = state["k"]
        size = len(self.episodes)
        episodes = state["episodes"]
        if episodes[:size] == self.episodes:
            # The same store, grown: index only what is new.
            self.append(episodes[size:])
        else:
            self.replace(episodes)

    def copy(self) -> AppendOnly:
        """A twin of the store as it is now; whoever writes first makes the store its own."""
        twin = AppendOnly(self.k, self.ranking)
        twin.episodes = self.episodes
        twin._index = self._index
        twin._shared = True
        self._shared = True
        return twin

    def append(self, episodes: Sequence[str]) -> None:
        """Keep these behind the others."""
        if self._shared:
            self.episodes = list(self.episodes)
            self._index = self._index.copy()
            self._shared = False
        for episode in episodes:
            self.episodes.append(episode)
            self._index.add(episode)

    def replace(self, episodes: Sequence[str]) -> None:
        """Keep these and no others."""
        self.flush_history()
        self.append(episodes)

    def flush_history(self) -> None:
        self.episodes = []
        self._index = new_ranking(self.ranking)
        self._shared = False

    def partial_reset(self, ratio: float = RATIO) -> None:
        """The oldest share of the episodes is lost."""
        start = n_oldest(len(self.episodes), ratio)
        self.replace(self.episodes[start:])

    def reduce_budget(self, k: int) -> None:
        """Fewer episodes are read from here on; all stay in the store."""
        self.k = k
