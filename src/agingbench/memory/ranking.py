"""Which units of a store fit a query best: by words (BM25), by age, or by meaning."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from math import log

import numpy as np
from numpy.typing import NDArray

from agingbench.errors import MissingExtra, UnknownName
from agingbench.text.embedding import available, load_encoder
from agingbench.text.wording import STOPWORDS, stem, words

K1 = 1.5
B = 0.75


def terms(text: str) -> list[str]:
    """The words of a text that carry meaning, stemmed."""
    return [stem(word) for word in words(text) if word not in STOPWORDS]


class UnitRanking(ABC):
    """An index that grows unit by unit and names the best ones for a query."""

    @abstractmethod
    def add(self, text: str) -> None:
        """Index one more unit."""

    @abstractmethod
    def copy(self) -> UnitRanking:
        """An independent index of the same units."""

    @abstractmethod
    def top(self, query: str, k: int) -> list[int]:
        """The k best units by their number, best first."""


class Bm25(UnitRanking):
    """Ranks by words; a query touches only the units that share one with it."""

    def __init__(self) -> None:
        self.postings: dict[str, list[tuple[int, int]]] = {}
        self.lengths: list[int] = []
        self.total = 0

    def add(self, text: str) -> None:
        """Index one more unit."""
        unit = len(self.lengths)
        counts = Counter(terms(text))
        for term, count in counts.items():
            self.postings.setdefault(term, []).append((unit, count))

        length = counts.total()
        self.lengths.append(length)
        self.total += length

    def copy(self) -> Bm25:
        """An independent index of the same units."""
        twin = Bm25()
        twin.postings = {term: list(hits) for term, hits in self.postings.items()}
        twin.lengths = list(self.lengths)
        twin.total = self.total
        return twin

    def top(self, query: str, k: int) -> list[int]:
        """The k best units that share a word with the query, best first; the later of equals."""
        n_units = len(self.lengths)
        mean_length = self.total / n_units if n_units else 0.0

        scores: dict[int, float] = {}
        for term in dict.fromkeys(terms(query)):
            hits = self.postings.get(term, [])
            idf = log(1 + (n_units - len(hits) + 0.5) / (len(hits) + 0.5))
            for unit, count in hits:
                norm = K1 * (1 - B + B * self.lengths[unit] / mean_length)
                gain = idf * count * (K1 + 1) / (count + norm)
                scores[unit] = scores.get(unit, 0.0) + gain
        return sorted(scores, key=lambda unit: (-scores[unit], -unit))[:k]


class Recency(UnitRanking):
    """Ranks by age: the latest units, whatever the query."""

    def __init__(self) -> None:
        self.size = 0

    def add(self, text: str) -> None:
        self.size += 1

    def copy(self) -> Recency:
        twin = Recency()
        twin.size = self.size
        return twin

    def top(self, query: str, k: int) -> list[int]:
        oldest = max(0, self.size - k)
        return list(range(self.size - 1, oldest - 1, -1))


class Embedding(UnitRanking):
    """Ranks by the cosine of sentence vectors (extra `embed`); the later of equals first."""

    def __init__(self) -> None:
        if not available():
            raise MissingExtra("ranking 'embedding'", "embed")
        self.texts: list[str] = []
        self._vectors: NDArray[np.float32] | None = None  # of the first texts, as far as needed

    def add(self, text: str) -> None:
        self.texts.append(text)

    def copy(self) -> Embedding:
        twin = Embedding()
        twin.texts = list(self.texts)
        twin._vectors = self._vectors
        return twin

    def top(self, query: str, k: int) -> list[int]:
        if not self.texts:
            return []
        scores = self._encoded() @ load_encoder().encode([query])[0]
        units = range(len(self.texts))
        return sorted(units, key=lambda unit: (-float(scores[unit]), -unit))[:k]

    def _encoded(self) -> NDArray[np.float32]:
        known = 0 if self._vectors is None else len(self._vectors)
        if known < len(self.texts):
            fresh = load_encoder().encode(self.texts[known:])
            self._vectors = fresh if self._vectors is None else np.vstack([self._vectors, fresh])
        assert self._vectors is not None
        return self._vectors


RANKINGS: dict[str, type[UnitRanking]] = {"bm25": Bm25, "recency": Recency, "embedding": Embedding}


def new_ranking(name: str) -> UnitRanking:
    """An empty index by name; raises UnknownName or MissingExtra."""
    if name not in RANKINGS:
        raise UnknownName("ranking", name, RANKINGS)
    return RANKINGS[name]()
