"""Arithmetic of label sequences: transitions, similarity, edit distance and a reference."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from agingbench.trials.inspect.behaviour_rules import CODES


class SequenceComparison(msgspec.Struct, frozen=True):
    """How far a sequence is from `reference_n` others; `reason` says why a figure is missing."""

    reference_n: int
    similarity: float | None
    edit_distance: int | None
    normalized_edit_distance: float | None
    reason: str | None


def sequence_of(labels: Iterable[str | None]) -> str:
    """Join labels to one word; a turn without a label is a question mark."""
    return "".join(label or "?" for label in labels)


def count_labels(sequence: str) -> dict[str, int]:
    """How often each label occurs."""
    return {code: sequence.count(code) for code in CODES}


def transitions(sequence: str) -> list[list[int]]:
    """How often each label is followed by each: rows and columns in the order E, V, D, X."""
    counts = Counter(itertools.pairwise(sequence))
    return [[counts[a, b] for b in CODES] for a in CODES]


def pooled_transitions(sequences: Iterable[str]) -> list[list[int]]:
    """The transitions of several sequences, added up."""
    total = [[0] * len(CODES) for _ in CODES]
    for sequence in sequences:
        for i, row in enumerate(transitions(sequence)):
            for j, count in enumerate(row):
                total[i][j] += count
    return total


def transition_shares(counts: Sequence[Sequence[int]]) -> list[list[float | None]]:
    """Each row as shares of its sum; a label that nothing follows has none."""
    shares: list[list[float | None]] = []
    for row in counts:
        total = sum(row)
        if total:
            shares.append([count / total for count in row])
        else:
            shares.append([None] * len(row))
    return shares


def similarity(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]]) -> float | None:
    """The cosine of two matrices of transition shares; None when one of them has no transition."""
    x = [share or 0.0 for row in transition_shares(a) for share in row]
    y = [share or 0.0 for row in transition_shares(b) for share in row]

    norm = math.sqrt(sum(v * v for v in x) * sum(v * v for v in y))
    if not norm:
        return None
    product = sum(p * q for p, q in zip(x, y, strict=True))
    return min(1.0, product / norm)


def edit_distance(a: str, b: str) -> int:
    """The Levenshtein distance: insertions, deletions and replacements from one to the other."""
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            deletion = before[j] + 1
            insertion = row[-1] + 1
            replacement = before[j - 1] + (x != y)
            row.append(min(deletion, insertion, replacement))
        before = row
    return before[-1]


def compare_with(sequence: str, others: Sequence[str]) -> SequenceComparison:
    """Compare a sequence with others; they must not include the sequence itself."""
    if not others:
        return SequenceComparison(0, None, None, None, "no other sequence to compare with")

    reference = _medoid(others)
    distance = edit_distance(sequence, reference)
    longest = max(len(sequence), len(reference))
    cosine = similarity(transitions(sequence), pooled_transitions(others))

    return SequenceComparison(
        reference_n=len(others),
        similarity=cosine,
        edit_distance=distance,
        normalized_edit_distance=distance / longest if longest else None,
        reason=None if cosine is not None else "one side has no transition",
    )


def _medoid(sequences: Sequence[str]) -> str:
    """The sequence nearest to all; ties: the more frequent, the longer, the first by letter."""
    counts = Counter(sequences)

    def rank(candidate: str) -> tuple[int, int, int, str]:
        distance = sum(n * edit_distance(candidate, other) for other, n in counts.items())
        return distance, -counts[candidate], -len(candidate), candidate

    return min(counts, key=rank)
