"""Requests repeated in other sessions: found by shared words or, on request, by meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from agingbench.errors import InputError, MissingExtra
from agingbench.telemetry.sessions.aggregates import TraceSessions, UserTurn

if TYPE_CHECKING:
    from agingbench.text.embedding import Encoder

MOST_TURNS = 20_000  # more requests are thinned evenly
MOST_PER_TASK = 40  # sessions
MOST_COMPARED = 20  # earlier requests of one bucket that a request is compared with
ALIKE = 0.6  # of the words of two requests
LEAST_WORDS = 3
# The cosine from which two requests are the same, by encoder. Chosen by reading a few dozen pairs
# of real requests that differ in no number, path or name: above it most are one task in other
# words, just below it most are not.
ALIKE_COSINE = {"wordllama/l2_supercat_256": 0.75}
# Of the hash of a vector: at a cosine of .75 nine in ten pairs share a bucket.
BANDS = 16
BITS = 8
_WORD = re.compile(r"[a-z]{2,}|[^\W\d_a-z]|\d+")
_FIXED = re.compile(r"\d+|[\w.-]*[/\\][\w./\\-]+|[\w-]+\.[a-z]\w{0,4}\b|\"[^\"]+\"|`[^`]+`")

RepeatedTask = list[tuple[int, UserTurn]]  # (session, request), one per session


class Likeness(Protocol):
    """How requests are compared, and replies; requests go by their number."""

    name: str

    def buckets(self, at: int) -> Sequence[Hashable]:
        """Return the buckets of a request; none for one that says too little.

        Only requests that share a bucket are compared.
        """

    def first_alike(self, at: int, earlier: Sequence[int]) -> int | None:
        """Return the place in `earlier` of the first request that asks for the same, or None."""

    def replies(self, texts: Sequence[str]) -> list[Any]:
        """Return what `near` compares, one per reply; None for an empty one."""

    def near(self, a: Any, b: Any) -> float:
        """Return how alike two replies are, from 0 to 1."""


class ByWords:
    """Compares shared words; numbers, paths and quoted names must be equal."""

    name = "words with guard for numbers, paths and quoted names"

    def __init__(self, texts: Sequence[str]) -> None:
        plain = [text.casefold() for text in texts]
        self.words = [frozenset(_WORD.findall(text)) for text in plain]
        self.guards = [frozenset(_FIXED.findall(text)) for text in plain]

    def buckets(self, at: int) -> Sequence[Hashable]:
        words = self.words[at]
        if len(words) < LEAST_WORDS:
            return ()

        # The rarest-looking words (longest, then first) are the buckets: like requests share one.
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        guard = self.guards[at]
        return [(guard, word) for word in longest_first[:3]]

    def first_alike(self, at: int, earlier: Sequence[int]) -> int | None:
        own = self.words[at]

        # Sets of very different size cannot be alike: that is cheaper to see than their overlap.
        fewest = ALIKE * len(own) - 1e-9
        most = len(own) / ALIKE + 1e-9

        for place, other in enumerate(earlier):
            words = self.words[other]
            if fewest <= len(words) <= most and jaccard(words, own) >= ALIKE:
                return place

        return None

    def replies(self, texts: Sequence[str]) -> list[Any]:
        word_sets = [frozenset(_WORD.findall(text.casefold())) for text in texts]
        return [words or None for words in word_sets]

    def near(self, a: Any, b: Any) -> float:
        # The cosine of two vectors that hold 1 for each word.
        return min(1.0, len(a & b) / math.sqrt(len(a) * len(b)))


class ByMeaning(ByWords):
    """Compares vectors of an encoder; numbers, names, negation and direction must be equal."""

    def __init__(self, texts: Sequence[str], encoder: Encoder) -> None:
        super().__init__(texts)
        if encoder.name not in ALIKE_COSINE:
            raise InputError(
                f"encoder '{encoder.name}' has no threshold; known are {', '.join(ALIKE_COSINE)}"
            )

        self.encoder = encoder
        self.texts = texts
        self.least = ALIKE_COSINE[encoder.name]
        self.name = (
            f"{encoder.name}, cosine {self.least}, with guard for numbers, names, negation and"
            " opposites"
        )
        self.vectors = encoder.encode(list(texts))

        # Random planes: vectors of a small angle lie on the same side of most of them. Eight sides
        # make one number, so near vectors share at least one of the sixteen numbers.
        rng = np.random.default_rng(0)
        dimensions = self.vectors.shape[1]
        planes = rng.standard_normal((dimensions, BANDS * BITS)).astype(np.float32)
        sides = self.vectors @ planes > 0
        bits = sides.reshape(len(texts), BANDS, BITS)
        powers = 1 << np.arange(BITS)
        self.hashes: list[list[int]] = (bits * powers).sum(axis=2).tolist()

    def buckets(self, at: int) -> Sequence[Hashable]:
        buckets = list(super().buckets(at))
        if not buckets or not self.vectors[at].any():
            return buckets

        guard = self.guards[at]
        for band, number in enumerate(self.hashes[at]):
            buckets.append((guard, band, number))

        return buckets

    def first_alike(self, at: int, earlier: Sequence[int]) -> int | None:
        from agingbench.text.embedding import same_figures

        if not self.vectors[at].any():
            return super().first_alike(at, earlier)

        cosines = self.vectors[list(earlier)] @ self.vectors[at]
        for place in np.flatnonzero(cosines >= self.least).tolist():
            if same_figures(self.texts[earlier[place]], self.texts[at]):
                return int(place)

        return None

    def replies(self, texts: Sequence[str]) -> list[Any]:
        vectors = self.encoder.encode(list(texts))
        return [vector if vector.any() else None for vector in vectors]

    def near(self, a: Any, b: Any) -> float:
        return min(1.0, max(0.0, float(a @ b)))


def repeated_tasks(trace: TraceSessions) -> tuple[list[RepeatedTask], Likeness, str | None]:
    """Return groups of like requests from two or more sessions, the comparison, and a note on it.

    Near-linear: a request is compared with those of its own buckets only.
    """
    turns = []
    for place, session in enumerate(trace.sessions):
        for turn in session.turns:
            if turn.calls or turn.reply:
                turns.append((place, turn))

    if len(turns) > MOST_TURNS:
        rows = np.linspace(0, len(turns) - 1, MOST_TURNS).astype(int)
        turns = [turns[row] for row in rows]

    texts = [turn.text for _, turn in turns]
    likeness, note = _likeness(trace.profile.similarity, texts)

    groups: list[RepeatedTask] = []
    leaders: list[int] = []  # the first request of each group
    by_bucket: dict[Hashable, list[int]] = {}

    for at, (place, turn) in enumerate(turns):
        buckets = likeness.buckets(at)
        if not buckets:
            continue

        # A dict keeps each group once, in the order of the buckets.
        candidates: dict[int, None] = {}
        for bucket in buckets:
            members = by_bucket.get(bucket, ())
            candidates.update(dict.fromkeys(members[:MOST_COMPARED]))

        numbers = list(candidates)
        first = None
        if numbers:
            first = likeness.first_alike(at, [leaders[number] for number in numbers])

        if first is not None:
            number = numbers[first]
        else:
            number = len(groups)
            groups.append([])
            leaders.append(at)
            for bucket in buckets:
                by_bucket.setdefault(bucket, []).append(number)

        group = groups[number]
        if len(group) < MOST_PER_TASK and all(place != other for other, _ in group):
            group.append((place, turn))

    tasks = [group for group in groups if len(group) >= 2]
    return tasks, likeness, note


def _likeness(similarity: str, texts: Sequence[str]) -> tuple[Likeness, str | None]:
    if similarity != "embed":
        return ByWords(texts), None

    from agingbench.text.embedding import load_encoder

    try:
        return ByMeaning(texts, load_encoder()), None
    except MissingExtra as error:
        return ByWords(texts), f"requests were compared by their words: {error}"


def jaccard(a: Any, b: Any) -> float:
    """Return shared over all members; two empty sets are equal."""
    if not a and not b:
        return 1.0

    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)
