"""Sentences with what they refer back to: "Ana moved. The code there is 4821." says it in two."""

from __future__ import annotations

from typing import NamedTuple

from agingbench.text.wording import sentences, words

# Words by which a sentence leans on the one before it.
REFERS_BACK = frozenset(
    "it its it's that that's this these those there then they them their she her he his him both"
    " same one ones latter which".split()
)
MOST_BACK = 2  # sentences that a sentence may lean on


class LinkedSentence(NamedTuple):
    """A sentence, and the same with the sentences of its line that it refers back to."""

    text: str
    whole: str
    leans_on: int = 0  # how many sentences before it that is


def linked_sentences(text: str) -> list[LinkedSentence]:
    """Return the sentences of a text in order, each with those of its line that it leans on."""
    result: list[LinkedSentence] = []
    for line in text.split("\n"):
        earlier: list[str] = []
        for sentence in sentences(line):
            leans = not REFERS_BACK.isdisjoint(words(sentence))
            earlier = earlier[-MOST_BACK:] if leans else []
            whole = " ".join([*earlier, sentence])
            result.append(LinkedSentence(sentence, whole, len(earlier)))
            earlier.append(sentence)
    return result
