"""The sentence in which a memory states a fact, before it was lost and after."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.errors import InputError
from agingbench.report.pages.pieces import Mark, places
from agingbench.report.text import plain
from agingbench.text.wording import STOPWORDS, sentences, stem, words
from agingbench.trials.autopsy import FactStory
from agingbench.trials.run_folder import LifeFiles

LONGEST_QUOTE = 240
# What the matcher calls the kinds that an autopsy has other words for.
MATCHER_KINDS = {"amount": "number", "quantity": "number", "time": "clock"}
ALIKE = 0.5  # of the words of a fact's name that a sentence about it has


class MemoryQuotes:
    """Looks into the memory of a life, point by point; each text is read once."""

    def __init__(self, files: LifeFiles) -> None:
        self.files = files
        self._sentences: dict[tuple[int, bool], list[str]] = {}

    def at_first(self, fact: FactStory) -> str:
        """How the memory first stated a fact; empty where no sentence has its very value."""
        if fact.first_stated is None:
            return ""
        return _stating(self._at(fact.first_stated, False), fact)

    def before_loss(self, fact: FactStory) -> str:
        """How the memory stated a fact for the last time."""
        if fact.lost_at is None or fact.last_stated is None:
            return ""
        is_event = fact.lost_at.step != "write"
        point = fact.lost_at.point if is_event else fact.last_stated
        return _stating(self._at(point, is_event), fact)

    def after_loss(self, fact: FactStory) -> str:
        """The sentence of the memory after a loss that is most like the fact; empty if none is."""
        if fact.lost_at is None:
            return ""
        name = _stems(fact.what)
        found = self._at(fact.lost_at.point, False)
        best = max(found, key=lambda one: len(name & _stems(one)), default="")
        if not name or len(name & _stems(best)) < ALIKE * len(name):
            return ""
        return _quoted(best)

    def _at(self, point: int, is_before_events: bool) -> list[str]:
        key = (point, is_before_events)
        if key not in self._sentences:
            try:
                read = self.files.before if is_before_events else self.files.snapshot
                text = read(point).text
            except InputError:
                text = ""  # a folder may lack its snapshots
            self._sentences[key] = [one for line in text.split("\n") for one in sentences(line)]
        return self._sentences[key]


def _stating(found: Sequence[str], fact: FactStory) -> str:
    if fact.retraction:
        return ""  # a sentence with the value does not say that it was taken back
    value = Mark(fact.value, "", kind=MATCHER_KINDS.get(fact.kind, fact.kind))
    name = _stems(fact.what)
    stating = [one for one in found if places(one, value)]
    best = max(stating, key=lambda one: len(name & _stems(one)), default="")
    return _quoted(best) if best else ""


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in STOPWORDS}


def _quoted(sentence: str) -> str:
    text = plain(sentence)
    dots = "…" if len(text) > LONGEST_QUOTE else ""
    return f"“{text[:LONGEST_QUOTE]}{dots}”"
