"""What the headline figure of a life measures, in words: the memory's text or its answers."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agingbench.cards.model import Card


class HeadlineWords(msgspec.Struct, frozen=True):
    """The words for one headline figure."""

    axis: str  # what a chart writes beside its axis
    share: str  # goes on after "80 %"
    unit: str  # what n counts


_ONE_FACT = HeadlineWords(
    "questions for one fact answered right",
    "of the questions for one fact answered right",
    "questions",
)
_ANY = HeadlineWords(
    "headline figure of each scenario",
    "of what each scenario counts",
    "probes",
)
_WORDS = {
    "keyword_m": HeadlineWords(
        "facts whose value the memory holds",
        "of the facts with their value in the memory",
        "facts",
    ),
    "summarization_fidelity": HeadlineWords(
        "facts that the memory states",
        "of the facts stated in the memory",
        "facts",
    ),
    "constraint_precision": _ONE_FACT,
    "recall_rate": _ONE_FACT,
    "recall_accuracy": _ONE_FACT,
    "dep_recall": HeadlineWords(
        "questions for several facts answered right",
        "of the questions for several facts answered right",
        "questions",
    ),
}


def headline_words(cards: Iterable[Card]) -> HeadlineWords:
    """The words for what these lives are measured by; common ones where they differ."""
    kinds = {_WORDS.get(card.headline.metric_name, _ANY) for card in cards}
    return kinds.pop() if len(kinds) == 1 else _ANY
