"""How near the sentences and clauses of a context come to a claim in meaning: a few figures per
unit of text.

A unit is a sentence of prose, a clause of one, or two such sentences in a row: code puts nothing in
other words. Per unit:

- `whole`: cosine of the unit's vector with the claim's; `recall`: how well the claim's words are met, each by the
  nearest word of the unit; `precision`: the same the other way round; `values`: the recall of the values' words alone.
  Words weigh as much as their vectors are long, and stop words are left out.
- `elsewhere`: how near the unit comes to facts of other episodes. What is near to many facts says little of this one.
- Names of code are read as their words (`readFlagFromFile`: read, flag, from, file) on the side of the claim. On the
  side of the unit a name that the claim does not have is left out: who writes names would have written this one.
- A figure (number, date, version) has no paraphrase: a unit that does not state the claim's figures is no candidate.
  Nor is one that shares a name with the claim and says something of another name, nor one of fewer than three words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agingbench.resumption.judges.claim import EpisodeClaim
from agingbench.resumption.judges.deterministic import OUTCOME, value_matcher
from agingbench.text import STOPWORDS, stem
from agingbench.text.cues import CLAUSE_END
from agingbench.text.embedding import Encoder, code_name, difference
from agingbench.text.splitting import sentence_spans

FEATURES = ("whole", "recall", "precision", "values", "elsewhere", "log_units")
_NEAREST = 3  # facts of the background that a unit is compared with
_KIN = (
    0.5  # a fact of the background this near to the claim is left out: it may be the claim itself
)
_FEWEST = 3  # words that can state something
_SYMBOL = re.compile(r"[{}\[\]<>=;|\\$&\"]|^\s*[0-9]+→|```", re.MULTILINE)
_SYMBOLS = 25  # prose has fewer symbols than one in so many characters
_PIECE = 2048  # units compared at once: bounds the memory that a long context takes
_CHUNK = re.compile(r"\d+(?:[.:]\d+)+(?![\w/])|[\w.@/~-]+")
_WORD = re.compile(r"\d+(?:[.:]\d+)*|[^\W\d_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# What a fact to forget is called, beside what came of it, is no part of what it says.
_STATUS = OUTCOME | {stem(w) for w in "superseded withdrawn statement decision".split()}

Floats = NDArray[np.float32]


class Word(NamedTuple):
    """A word of a text, and the name of code that it is a part of."""

    text: str
    name: str | None = None


class TextUnit(NamedTuple):
    """Words in a row: from the sentence `first` to the sentence `last` of the context."""

    first: int
    last: int
    text: str
    words: tuple[Word, ...]


def content_words(text: str) -> list[Word]:
    """The words that carry meaning, names of code taken apart."""
    out = []
    for chunk in _CHUNK.findall(text):
        name = code_name(chunk)
        parts = _PART.findall(name) if name else _WORD.findall(chunk)
        folded = name.casefold() if name else None
        for word in map(str.casefold, parts):
            if word not in STOPWORDS or word in ("not", "no"):
                out.append(Word(word, folded))
    return out


def split_units(context: str, spans: Sequence[tuple[int, int]]) -> list[TextUnit]:
    """The units of a context."""
    texts: list[tuple[int, int, str]] = []
    prose = [is_prose(context[start:end]) for start, end in spans]
    for at, (start, end) in enumerate(spans):
        if not prose[at]:
            continue
        texts.append((at, at, context[start:end]))
        clauses = _clauses(context[start:end])
        texts += [(at, at, clause) for clause in clauses if len(clauses) > 1]
        if at + 1 < len(spans) and prose[at + 1]:
            texts.append((at, at + 1, context[start : spans[at + 1][1]]))
    units = [TextUnit(first, last, text, tuple(content_words(text))) for first, last, text in texts]
    return [unit for unit in units if len(unit.words) >= _FEWEST]


def is_prose(text: str) -> bool:
    """Few of its characters are those of code, numbered lines of a listing, or data."""
    return len(_SYMBOL.findall(text)) * _SYMBOLS <= len(text.strip())


def _clauses(sentence: str) -> list[str]:
    parts = []
    at = 0
    for stop in CLAUSE_END.finditer(sentence):
        parts.append(sentence[at : stop.start()])
        at = stop.end()
    return [part for part in [*parts, sentence[at:]] if part.strip()]


class BackgroundFacts:
    """Facts of other episodes, as directions."""

    def __init__(self, facts: Sequence[str], encoder: Encoder) -> None:
        rows = [
            encoder.sums([word.text for word in content_words(fact)]).sum(axis=0) for fact in facts
        ]
        self.directions = _directions(np.array(rows, dtype=np.float32))

    def nearness(self, units: Floats, claim: Floats) -> NDArray[np.float64]:
        """Per unit the mean cosine with the nearest facts, those of the claim's own kind left out."""
        others = self.directions[self.directions @ claim < _KIN]
        if not len(others):
            return np.zeros(len(units))
        best = np.sort(units @ others.T, axis=1)[:, -_NEAREST:]
        return np.asarray(best.mean(axis=1), dtype=np.float64)


class EncodedContext:
    """A context made ready: its sentences, its units, and the vectors of its words."""

    def __init__(self, text: str, encoder: Encoder) -> None:
        self.text = text
        self._encoder = encoder
        self.spans = [(a, b) for a, b in sentence_spans(text) if text[a:b].strip()]
        self.units = split_units(text, self.spans)
        distinct = sorted({word.text for unit in self.units for word in unit.words})
        self._place = {word: at for at, word in enumerate(distinct)}
        self._sums = encoder.sums(distinct)

    def features(
        self, claim: EpisodeClaim, background: BackgroundFacts
    ) -> tuple[list[TextUnit], NDArray[np.float64]]:
        """The units that may state the claim and, per unit, the figures named in FEATURES."""
        said = [w for w in content_words(claim.text) if stem(w.text) not in _STATUS]
        names = {
            word.name for entry in claim.values for way in entry for word in content_words(way.text)
        }
        names |= {word.name for word in said} | {None}
        units = self._candidates(claim, names) if said else []
        if not units:
            return [], np.zeros((0, len(FEATURES)))
        entries = [
            [ways for way in entry if (ways := [w.text for w in content_words(way.text)])]
            for entry in claim.values
            if any(way.kind == "name" for way in entry)
        ]
        asked = _ClaimVectors(
            self._encoder, [w.text for w in said], [entry for entry in entries if entry]
        )
        rows = [
            self._compare(asked, units[at : at + _PIECE], names, background)
            for at in range(0, len(units), _PIECE)
        ]
        table = np.concatenate(rows)
        return units, np.column_stack([table, np.full(len(units), np.log(len(self.units)))])

    def _candidates(self, claim: EpisodeClaim, names: set[str | None]) -> list[TextUnit]:
        figures = tuple(entry for entry in claim.values if all(way.kind != "name" for way in entry))
        holds = value_matcher(figures, self.text, self.spans)
        return [
            unit
            for unit in self.units
            if sum(word.name in names for word in unit.words) >= _FEWEST
            and holds(unit.first, unit.last)
            and not _of_another(claim, unit, names)
        ]

    def _compare(
        self,
        asked: _ClaimVectors,
        units: Sequence[TextUnit],
        names: set[str | None],
        background: BackgroundFacts,
    ) -> NDArray[np.float64]:
        every = [[self._place[w.text] for w in unit.words] for unit in units]
        sums = np.add.reduceat(self._sums[np.concatenate(every)], _starts(every), axis=0)
        elsewhere = background.nearness(_directions(sums), asked.direction)
        kept = [[self._place[w.text] for w in unit.words if w.name in names] for unit in units]
        figures = asked.compare(self._sums[np.concatenate(kept)], _starts(kept))
        return np.column_stack([figures, elsewhere])


def _of_another(claim: EpisodeClaim, unit: TextUnit, names: set[str | None]) -> bool:
    """Both name one thing, and then each a thing that the other does not: another owner, another
    table.
    """
    shared = any(word.name and word.name in names for word in unit.words)
    return shared and difference(claim.text, unit.text) == "names"


def _starts(listed: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.cumsum([0, *(len(words) for words in listed[:-1])])


class _ClaimVectors:
    """The claim's side of the comparison."""

    def __init__(
        self, encoder: Encoder, said: Sequence[str], entries: Sequence[Sequence[Sequence[str]]]
    ) -> None:
        self._said = encoder.sums(said)
        self.direction = _directions(self._said.sum(axis=0, keepdims=True))[0]
        self._entries = [[encoder.sums(way) for way in entry] for entry in entries]

    def compare(self, sums: Floats, starts: NDArray[np.int64]) -> NDArray[np.float64]:
        """whole, recall, precision and values of the units whose words begin at `starts`."""
        lengths = np.linalg.norm(sums, axis=1)
        directions = _directions(sums)
        met = np.clip(_directions(self._said) @ directions.T, 0, 1)
        whole = _directions(np.add.reduceat(sums, starts, axis=0)) @ self.direction
        weight = np.add.reduceat(lengths, starts)
        precision = np.add.reduceat(met.max(axis=0) * lengths, starts) / np.where(
            weight > 0, weight, 1
        )
        recall = _recall(met, self._said, starts)
        values = [
            np.max(
                [
                    _recall(np.clip(_directions(way) @ directions.T, 0, 1), way, starts)
                    for way in entry
                ],
                axis=0,
            )
            for entry in self._entries
        ]
        return np.column_stack(
            [whole, recall, precision, np.min(values, axis=0) if values else recall]
        )


def _recall(met: Floats, wanted: Floats, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    weights = np.linalg.norm(wanted, axis=1)
    best = np.maximum.reduceat(met, starts, axis=1)
    return np.asarray(weights @ best / max(float(weights.sum()), 1e-9), dtype=np.float64)


def _directions(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)
