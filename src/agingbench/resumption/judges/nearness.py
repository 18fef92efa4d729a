"""How near the sentences and clauses of a context come to a claim in meaning.

A unit is a sentence of prose, a clause of one, or two such sentences in a row; code is left out,
since it puts nothing in other words. The features of a unit:

- `whole`: cosine of the unit's vector with the claim's.
- `recall`: how well the claim's words are met, each by the nearest word of the unit.
- `precision`: the same the other way round.
- `values`: the recall of the values' words alone.
- `elsewhere`: how near the unit comes to facts of other episodes; what is near to many facts says
  little of this one.
- `log_units`: the logarithm of the number of units.

Words weigh as much as their vectors are long, and stop words are left out. Names of code are read
as their words (`readFlagFromFile`: read, flag, from, file) in the claim. In the unit a name that
the claim does not have is left out: a text that writes names would have written this one.

A figure (number, date, version) has no paraphrase: a unit that does not state the claim's figures
is no candidate. Nor is one that shares a name with the claim and says something of another name,
nor one of fewer than three words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agingbench.resumption.judges.claim import EpisodeClaim
from agingbench.resumption.judges.deterministic import OUTCOME, text_spans, value_matcher
from agingbench.text.cues import CLAUSE_END
from agingbench.text.embedding import Encoder, code_name, difference
from agingbench.text.wording import STOPWORDS, stem

FEATURES = ("whole", "recall", "precision", "values", "elsewhere", "log_units")
_NEAREST = 3  # facts of the background that a unit is compared with
# A fact of the background this near to the claim is left out: it may be the claim itself.
_KIN = 0.5
_FEWEST = 3  # words that can state something
_SYMBOL = re.compile(r"[{}\[\]<>=;|\\$&\"]|^\s*[0-9]+→|```", re.MULTILINE)
_SYMBOLS = 25  # prose has fewer symbols than one in so many characters
_PIECE = 2048  # units compared at once: bounds the memory that a long context takes
_CHUNK = re.compile(r"\d+(?:[.:]\d+)+(?![\w/])|[\w.@/~-]+")
_WORD = re.compile(r"\d+(?:[.:]\d+)*|[^\W\d_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# What a fact to forget is called, beside what came of it, is no part of what it says.
_STATUS = OUTCOME | {stem(word) for word in "superseded withdrawn statement decision".split()}

Floats = NDArray[np.float32]
Table = NDArray[np.float64]
Starts = NDArray[np.int64]
Names = set[str | None]


class Word(NamedTuple):
    """A word of a text, and the name of code that it is a part of."""

    text: str
    name: str | None = None


class TextUnit(NamedTuple):
    """Words in a row, from the sentence `first` to the sentence `last` of the context."""

    first: int
    last: int
    text: str
    words: tuple[Word, ...]


def content_words(text: str) -> list[Word]:
    """Return the words that carry meaning, names of code taken apart."""
    content = []
    for chunk in _CHUNK.findall(text):
        name = code_name(chunk)
        parts = _PART.findall(name) if name else _WORD.findall(chunk)
        folded_name = name.casefold() if name else None
        for word in map(str.casefold, parts):
            if word not in STOPWORDS or word in ("not", "no"):
                content.append(Word(word, folded_name))
    return content


def split_units(context: str, spans: Sequence[tuple[int, int]]) -> list[TextUnit]:
    """Return the units of a context."""
    units = []

    def add(first: int, last: int, text: str) -> None:
        words = tuple(content_words(text))
        if len(words) >= _FEWEST:
            units.append(TextUnit(first, last, text, words))

    prose = [is_prose(context[start:end]) for start, end in spans]
    for place, (start, end) in enumerate(spans):
        if not prose[place]:
            continue
        sentence = context[start:end]
        add(place, place, sentence)

        clauses = _clauses(sentence)
        if len(clauses) > 1:
            for clause in clauses:
                add(place, place, clause)

        following = place + 1
        if following < len(spans) and prose[following]:
            add(place, following, context[start : spans[following][1]])
    return units


def is_prose(text: str) -> bool:
    """Whether few of the characters are those of code, numbered listings or data."""
    return len(_SYMBOL.findall(text)) * _SYMBOLS <= len(text.strip())


def _clauses(sentence: str) -> list[str]:
    parts = []
    start = 0
    for stop in CLAUSE_END.finditer(sentence):
        parts.append(sentence[start : stop.start()])
        start = stop.end()
    parts.append(sentence[start:])
    return [part for part in parts if part.strip()]


class BackgroundFacts:
    """Facts of other episodes, as directions."""

    def __init__(self, facts: Sequence[str], encoder: Encoder) -> None:
        rows = []
        for fact in facts:
            words = [word.text for word in content_words(fact)]
            rows.append(encoder.sums(words).sum(axis=0))
        self.directions = _directions(np.array(rows, dtype=np.float32))

    def nearness(self, units: Floats, claim: Floats) -> Table:
        """Return per unit the mean cosine with the nearest facts, without the claim's own kin."""
        others = self.directions[self.directions @ claim < _KIN]
        if not len(others):
            return np.zeros(len(units))
        best = np.sort(units @ others.T, axis=1)[:, -_NEAREST:]
        return np.asarray(best.mean(axis=1), dtype=np.float64)


class EncodedContext:
    """A context with its sentences, its units, and the vectors of its words."""

    def __init__(self, text: str, encoder: Encoder) -> None:
        self.text = text
        self._encoder = encoder
        self.spans = text_spans(text)
        self.units = split_units(text, self.spans)
        vocabulary = sorted({word.text for unit in self.units for word in unit.words})
        self._place = {word: place for place, word in enumerate(vocabulary)}
        self._sums = encoder.sums(vocabulary)

    def features(
        self, claim: EpisodeClaim, background: BackgroundFacts
    ) -> tuple[list[TextUnit], Table]:
        """Return the units that may state the claim and, per unit, the figures in FEATURES."""
        claim_words = [w for w in content_words(claim.text) if stem(w.text) not in _STATUS]
        if not claim_words:
            return [], np.zeros((0, len(FEATURES)))

        names: Names = {None}
        names |= {word.name for word in claim_words}
        for entry in claim.values:
            for way in entry:
                names |= {word.name for word in content_words(way.text)}

        units = self._candidates(claim, names)
        if not units:
            return [], np.zeros((0, len(FEATURES)))

        vectors = _ClaimVectors(claim, [word.text for word in claim_words], self._encoder)
        tables = []
        for start in range(0, len(units), _PIECE):
            piece = units[start : start + _PIECE]
            tables.append(self._compare(vectors, piece, names, background))
        log_units = np.full(len(units), np.log(len(self.units)))
        return units, np.column_stack([np.concatenate(tables), log_units])

    def _candidates(self, claim: EpisodeClaim, names: Names) -> list[TextUnit]:
        figures = tuple(entry for entry in claim.values if all(way.kind != "name" for way in entry))
        states_figures = value_matcher(figures, self.text, self.spans)
        candidates = []
        for unit in self.units:
            known_words = sum(word.name in names for word in unit.words)
            if known_words < _FEWEST or not states_figures(unit.first, unit.last):
                continue
            if not _is_about_another(claim, unit, names):
                candidates.append(unit)
        return candidates

    def _compare(
        self,
        claim: _ClaimVectors,
        units: Sequence[TextUnit],
        names: Names,
        background: BackgroundFacts,
    ) -> Table:
        all_words = []
        known_words = []
        for unit in units:
            all_words.append([self._place[word.text] for word in unit.words])
            known_words.append([self._place[w.text] for w in unit.words if w.name in names])

        sums = np.add.reduceat(self._sums[np.concatenate(all_words)], _starts(all_words), axis=0)
        elsewhere = background.nearness(_directions(sums), claim.direction)
        figures = claim.compare(self._sums[np.concatenate(known_words)], _starts(known_words))
        return np.column_stack([figures, elsewhere])


def _is_about_another(claim: EpisodeClaim, unit: TextUnit, names: Names) -> bool:
    """Whether both name one thing, and then each a thing that the other does not."""
    shared = any(word.name and word.name in names for word in unit.words)
    return shared and difference(claim.text, unit.text) == "names"


def _starts(rows: Sequence[Sequence[int]]) -> Starts:
    return np.cumsum([0, *(len(words) for words in rows[:-1])])


class _ClaimVectors:
    """The vectors of a claim's words and of the ways to write its named values."""

    def __init__(self, claim: EpisodeClaim, words: Sequence[str], encoder: Encoder) -> None:
        self._words = encoder.sums(words)
        self.direction = _directions(self._words.sum(axis=0, keepdims=True))[0]
        self._values: list[list[Floats]] = []
        for entry in claim.values:
            if not any(way.kind == "name" for way in entry):
                continue
            texts = [[word.text for word in content_words(way.text)] for way in entry]
            ways = [encoder.sums(text) for text in texts if text]
            if ways:
                self._values.append(ways)

    def compare(self, sums: Floats, starts: Starts) -> Table:
        """Return whole, recall, precision and values of the units that begin at `starts`."""
        directions = _directions(sums)
        whole = _directions(np.add.reduceat(sums, starts, axis=0)) @ self.direction

        cosines = _cosines(self._words, directions)
        recall = _recall(cosines, self._words, starts)

        lengths = np.linalg.norm(sums, axis=1)
        weight = np.add.reduceat(lengths, starts)
        matched = np.add.reduceat(cosines.max(axis=0) * lengths, starts)
        precision = matched / np.where(weight > 0, weight, 1)

        values = recall
        if self._values:
            best_ways = []
            for ways in self._values:
                recalls = [_recall(_cosines(way, directions), way, starts) for way in ways]
                best_ways.append(np.max(recalls, axis=0))
            values = np.min(best_ways, axis=0)
        return np.column_stack([whole, recall, precision, values])


def _cosines(words: Floats, directions: Floats) -> Floats:
    cosines: Floats = np.clip(_directions(words) @ directions.T, 0, 1)
    return cosines


def _recall(cosines: Floats, words: Floats, starts: Starts) -> Table:
    weights = np.linalg.norm(words, axis=1)
    best = np.maximum.reduceat(cosines, starts, axis=1)
    total = max(float(weights.sum()), 1e-9)
    return np.asarray(weights @ best / total, dtype=np.float64)


def _directions(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)
