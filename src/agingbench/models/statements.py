"""Sentences as the embedded model reads them: their terms, and whether they state something."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from agingbench.text.wording import STOPWORDS, sentences, stem, words

# Verbs that open a request to do something, and those that only ask for words; neither kind of
# sentence states a fact.
REQUESTS = frozenset("arrange book buy draft order reserve schedule sign".split())
ASKS = REQUESTS | frozenset("check list outline plan prepare say sketch suggest tell write".split())


class ParsedSentence(NamedTuple):
    """A sentence, the stems in it that carry meaning, and its first word."""

    text: str
    terms: frozenset[str]
    first_word: str
    leans_on: frozenset[str] = frozenset()  # terms of sentences that it refers back to

    @property
    def is_statement(self) -> bool:
        """Whether it says something, where a request only asks."""
        return self.first_word not in ASKS


@lru_cache(maxsize=16)
def split_text(text: str) -> tuple[ParsedSentence, ...]:
    """The sentences of a text; remembered, since every probe of a point reads the same memory."""
    return tuple(parse(sentence) for sentence in sentences(text))


@lru_cache(maxsize=1 << 16)
def parse(sentence: str) -> ParsedSentence:
    """A sentence without the mark of who said it."""
    text = sentence.removeprefix("Assistant: ").removeprefix("Update: ")
    tokens = words(text)
    terms = frozenset(stem(token) for token in tokens if token not in STOPWORDS)
    return ParsedSentence(text, terms, tokens[0] if tokens else "")


def terms_of(text: str) -> frozenset[str]:
    """The stems of a text that carry meaning."""
    return parse(text).terms
