"""Measures the texts of a scenario: whether its lives read like life and give nothing away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from statistics import median

import msgspec

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.plan import templates
from agingbench.bench.plan.corpus import Corpus, load_corpus
from agingbench.bench.plan.facts import Reading
from agingbench.bench.plan.filler import Filler
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scenarios import texts_folder
from agingbench.cards.validity import TextRow, TextsReport
from agingbench.text import matching
from agingbench.text.values import Value
from agingbench.text.wording import STOPWORDS, sentences, stem, words
from agingbench.validity.workers import run_jobs

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


def texts(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    sessions: int,
    preset: str = "medium",
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> TextsReport:
    """Return a row per scenario, and every bar that its texts miss."""
    rows: list[TextRow] = []
    broken: list[str] = []
    for name in scenarios:
        jobs = [(name, preset, sessions, seed) for seed in seeds]
        measures = []
        for measure in run_jobs(texts_of_seed, jobs, workers):
            measures.append(measure)
            if progress:
                progress()

        scenario = load_scenario(name)
        corpus = load_corpus(texts_folder(scenario.id))
        row = TextRow(
            scenario=scenario.id,
            version=scenario.version,
            lives=len(measures),
            overlap=median(measure.overlap for measure in measures),
            kept_words=min(measure.kept_words for measure in measures),
            repeated=max(measure.repeated for measure in measures),
            wordings=min(len(w.statements) for w in corpus.statements.kinds.values()),
            scenes=len(corpus.scenes),
            storylines=len(corpus.storylines),
        )
        rows.append(row)
        problems = [*_missed_bars(row), *_corpus_problems(corpus)]
        for measure in measures:
            problems += [f"does not state its fact: {text}" for text in measure.unstated]
            problems += [f"states two values of one kind: {text}" for text in measure.ambiguous]
        broken += [f"{scenario.id}: {problem}" for problem in problems]
    return TextsReport(rows, broken, not broken)


def _missed_bars(row: TextRow) -> list[str]:
    problems = []
    if row.overlap > MOST_OVERLAP:
        problems.append(
            f"questions share {row.overlap:.2f} of their words with the statement"
            f" (at most {MOST_OVERLAP:.2f})"
        )
    if row.kept_words < LEAST_KEPT:
        problems.append(
            f"keeping {row.kept_words:.0%} of the words keeps {FACTS_KEPT:.0%} of the facts"
            f" (at least {LEAST_KEPT:.0%})"
        )
    if row.repeated > MOST_REPEATED:
        problems.append(
            f"{row.repeated:.0%} of the sentences occur twice (at most {MOST_REPEATED:.0%})"
        )
    if row.wordings < LEAST_WORDINGS:
        problems.append(f"a kind of fact has {row.wordings} wordings (at least {LEAST_WORDINGS})")
    return problems


def _corpus_problems(corpus: Corpus) -> list[str]:
    # Slots that nothing fills would stop a life in the middle.
    known = {*Filler(corpus.lists).kinds(), "fact"}
    problems = []
    for scene in corpus.scenes:
        problems += _unknown_slots(f"scene {scene.id}", scene.text, known)
    for storyline in corpus.storylines:
        for episode in storyline.episodes:
            cast = known | set(storyline.cast)
            problems += _unknown_slots(f"storyline {storyline.id}", episode, cast)
    return problems


def _unknown_slots(place: str, text: str, known: Collection[str]) -> list[str]:
    problems = []
    for slot in templates.slots(text):
        if slot.kind not in known and slot.key not in known:
            problems.append(f"{place}: nothing fills the slot '{{{slot.kind}}}'")
    return problems


def texts_of_seed(scenario: str, preset: str, sessions: int, seed: int) -> TextMeasure:
    """Measure the texts of one life of a scenario."""
    return measure_texts(plan_for(load_scenario(scenario), preset, None, sessions, seed))


def measure_texts(plan: Plan) -> TextMeasure:
    """Measure the texts of one life."""
    passages = _passages(plan)
    overlaps = [_overlap(question, passage) for question, passage, _, _ in passages]
    material = [sentence for s in plan.sessions for sentence in sentences(s.text)]
    counts = Counter(material)
    twice = sum(count for count in counts.values() if count > 1)

    unstated = []
    ambiguous = []
    for question, passage, subject, value in passages:
        if not Reading(passage).states_fact(subject, value):
            unstated.append(f"{passage} [{' & '.join(subject)} = {value.text}]")
        elif _other_values(passage, value, question):
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


def _other_values(passage: str, value: Value, question: str) -> frozenset[str]:
    # Values of the same kind in the sentence that states this one, without those that the question
    # names as well ("purchases over $350"); names are told apart by lists.
    if value.kind == "name":
        return frozenset()
    for sentence in sentences(passage):
        if matching.states(sentence, value):
            keys = matching.keys(sentence, value.kind)
            own = matching.keys(value.text, value.kind)
            return keys - own - matching.keys(question, value.kind)
    return frozenset()


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
