"""Whether a user's turn says that what the agent did was wrong, in several languages.

There are no fixed words for it. The marks of a turn (`turn_marks`) are weighed; the weights were
learned from turns written for it, by `benchmarks/complaint_training.py`.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from agingbench.text.turn_marks import WordKinds, marks_of, opening

OWN_FILE = Path(__file__).with_name("complaints.json")
MOST_TURNS = 16_384  # whose answer is remembered
INTERRUPTION = "[Request interrupted by user"


class ComplaintWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """complaints.json: kinds of words, what each mark of a turn weighs, and how much it takes."""

    kinds: dict[str, str]
    signs: dict[str, str]
    base: float
    threshold: float
    weights: dict[str, float]


def is_complaint(text: str, after_question: bool = False) -> bool:
    """Return whether a turn rejects or corrects what the agent did.

    `after_question` says that the agent had asked something: a "no" is an answer then.
    """
    if text.startswith(INTERRUPTION):
        return True

    return _complains(opening(text), len(text), after_question)


@lru_cache(maxsize=MOST_TURNS)
def _complains(start: str, length: int, after_question: bool) -> bool:
    if not start:
        return False

    weights, kinds = _learned()
    marks = marks_of(start, length, after_question, kinds)
    # Marks come in no order, and plain sums differ with it in their last digit: scores that come to
    # the threshold itself would be judged one way or the other.
    score = math.fsum([weights.base, *(weights.weights.get(mark, 0.0) for mark in marks)])
    return score > weights.threshold


@cache
def _learned() -> tuple[ComplaintWeights, WordKinds]:
    weights = msgspec.json.decode(OWN_FILE.read_bytes(), type=ComplaintWeights)
    return weights, WordKinds(weights.kinds, weights.signs)
