"""Measures the texts of a scenario: whether its lives read like life and give nothing away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

import msgspec

from agingbench.bench.plan.facts import Reading
from agingbench.bench.plan.plan import Plan
from agingbench.text import matching
from agingbench.text.values import Value
from agingbench.text.wording import STOPWORDS, sentences, stem, words

MOST_OVERLAP = 0.6  # median share of a question's content words that its statement shares
LEAST_KEPT = 0.6  # words that the digit-or-capital rule has to keep to hold on to the facts
FACTS_KEPT = 0.95  # share of the fact sentences that the rule is to hold on to
MOST_REPEATED = 0.1  # share of the sentences of a life that occur twice
LEAST_WORDINGS = 8

_QUESTION_WORDS = frozenset("what which who whom whose when where how many much".split())
_MARK = re.compile(r"\d|(?<!^)(?<![.!?] )\b[A-Z]")


class TextMeasure(msgspec.Struct, frozen=True):
    """What the texts of one life measure, and the passages that do not state their fact."""

    seed: int
    overlap: float
    kept_words: float
    repeated: float
    n_sentences: int
    n_facts: int
    unstated: list[str]
    ambiguous: list[str]

    def shortfalls(self) -> list[str]:
        """Return what misses its bar, in words."""
        problems = []
        if self.overlap > MOST_OVERLAP:
            problems.append(
                f"questions share {self.overlap:.2f} of their words with the statement"
                f" (at most {MOST_OVERLAP})"
            )
        if self.kept_words < LEAST_KEPT:
            problems.append(
                f"keeping {self.kept_words:.0%} of the words keeps {FACTS_KEPT:.0%} of the facts"
                f" (at least {LEAST_KEPT:.0%})"
            )
        if self.repeated > MOST_REPEATED:
            problems.append(
                f"{self.repeated:.0%} of the sentences occur twice (at most {MOST_REPEATED:.0%})"
            )
        problems += [f"does not state its fact: {text}" for text in self.unstated]
        problems += [f"states two values of one kind: {text}" for text in self.ambiguous]
        return problems


def measure_texts(plan: Plan) -> TextMeasure:
    """Measure the texts of one life."""
    passages = _passages(plan)
    overlaps = [_overlap(question, passage) for question, passage, _, _ in passages]
    material = [sentence for s in plan.sessions for sentence in sentences(s.material)]
    counts = Counter(material)
    twice = sum(count for count in counts.values() if count > 1)

    unstated = []
    ambiguous = []
    for _, passage, subject, value in passages:
        if not Reading(passage).states_fact(subject, value):
            unstated.append(f"{passage} [{' & '.join(subject)} = {value.text}]")
        elif _other_values(passage, value):
            ambiguous.append(f"{passage} [{value.text}]")

    return TextMeasure(
        seed=plan.seed,
        overlap=median(overlaps),
        kept_words=_kept_words(material, [passage for _, passage, _, _ in passages]),
        repeated=twice / len(material),
        n_sentences=len(material),
        n_facts=len(passages),
        unstated=unstated,
        ambiguous=ambiguous,
    )


def _passages(plan: Plan) -> list[tuple[str, str, tuple[str, ...], Value]]:
    # Question, stating passage, subject and value of everything that was told.
    rows = []
    for fact in plan.graph.facts:
        for version in fact.versions:
            passage = version.passage or version.sentence
            rows.append((fact.question, passage, fact.subject, version.value))
    return rows


def _overlap(question: str, passage: str) -> float:
    asked = _content(question) - _QUESTION_WORDS
    return len(asked & _content(passage)) / len(asked) if asked else 0.0


def _content(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in STOPWORDS}


def _other_values(passage: str, value: Value) -> set[str]:
    # Values of the same kind in the sentence that states this one; names are told apart by lists.
    if value.kind == "name":
        return set()
    for sentence in sentences(passage):
        if matching.states(sentence, value):
            keys = matching.keys(sentence, value.kind)
            return keys - {matching.key(value) or ""}
    return set()


def _kept_words(material: Sequence[str], passages: Iterable[str]) -> float:
    # The strictest form of the rule that still keeps enough of the facts: so many marks or more.
    told = {sentence for passage in passages for sentence in sentences(passage)}
    marks = [(len(_MARK.findall(sentence)), sentence) for sentence in material]
    facts = sorted(count for count, sentence in marks if sentence in told)
    if not facts:
        return 1.0
    threshold = facts[int(len(facts) * (1 - FACTS_KEPT))]
    kept = sum(len(words(sentence)) for count, sentence in marks if count >= threshold)
    return kept / sum(len(words(sentence)) for sentence in material)
