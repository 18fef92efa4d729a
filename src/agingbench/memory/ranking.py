"""BM25 over the units of a store: which of them fit a query best."""

from __future__ import annotations

from collections import Counter
from math import log

from agingbench.text.wording import STOPWORDS, stem, words

K1 = 1.5
B = 0.75


def terms(text: str) -> list[str]:
    """The words of a text that carry meaning, stemmed."""
    return [stem(w) for w in words(text) if w not in STOPWORDS]


class Bm25:
    """An index that grows; a query touches only the units that share a word with it."""

    def __init__(self) -> None:
        self.postings: dict[str, list[tuple[int, int]]] = {}
        self.lengths: list[int] = []
        self.total = 0

    def add(self, text: str) -> None:
        counted = Counter(terms(text))
        length = sum(counted.values())
        for term, times in counted.items():
            self.postings.setdefault(term, []).append((len(self.lengths), times))
        self.lengths.append(length)
        self.total += length

    def copy(self) -> Bm25:
        twin = Bm25()
        twin.postings = {term: list(hits) for term, hits in self.postings.items()}
        twin.lengths = list(self.lengths)
        twin.total = self.total
        return twin

    def top(self, query: str, k: int) -> list[int]:
        """The k best units, best first; the later one of two equals. Units that share no word are
        not among them.
        """
        scores: dict[int, float] = {}
        n = len(self.lengths)
        mean = self.total / n if n else 0.0
        for term in dict.fromkeys(terms(query)):
            hits = self.postings.get(term, [])
            idf = log(1 + (n - len(hits) + 0.5) / (len(hits) + 0.5))
            for unit, times in hits:
                norm = K1 * (1 - B + B * self.lengths[unit] / mean)
                scores[unit] = scores.get(unit, 0.0) + idf * times * (K1 + 1) / (times + norm)
        return sorted(scores, key=lambda unit: (-scores[unit], -unit))[:k]
