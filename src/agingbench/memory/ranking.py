"""BM25 over the units of a store: which of them fit a query best."""

from __future__ import annotations

from collections import Counter
from math import log

from agingbench.text.wording import STOPWORDS, stem, words

K1 = 1.5
B = 0.75


def terms(text: str) -> list[str]:
    """The words of a text that carry meaning, stemmed."""
    return [stem(word) for word in words(text) if word not in STOPWORDS]


class Bm25:
    """An index that grows; a query touches only the units that share a word with it."""

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
