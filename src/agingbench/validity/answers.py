"""The matcher checked on labelled answers, written without sight of it.

The corpus holds probes, answers as language models give them, and what a careful grader said of
each. One half of it (by a hash of the answer's id) may be looked at to mend the matcher; the bars
hold on the other half.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

import msgspec

from agingbench.bench.plan.facts import Fact, FactGraph, Version
from agingbench.bench.plan.plan import Probe
from agingbench.bench.scoring.decisions import decision_line
from agingbench.bench.scoring.verdicts import VERDICTS, judge
from agingbench.cards.validity import AnswerClass, AnswersReport
from agingbench.errors import InputError
from agingbench.metrics.intervals import wilson
from agingbench.text import matching
from agingbench.text.forms import asked_form
from agingbench.text.reader import items_of
from agingbench.text.values import KINDS, Value
from agingbench.trials.run_folder import AnswerRow

TUNE = "tune"
REPORT = "report"
PLAIN_CLASSES = ("plain_right", "plain_wrong")
NEVER_ACCEPTED = ("swapped_binding", "either_or", "negated")
PLAIN_BAR = 0.97
OVERALL_BAR = 0.95
PARTS = ("a", "b", "c")
LABELS = ("right", "partial", "stale", "confused", "mixed", "wrong", "unanswered")

# What a verdict is called where a grader would say so.
VERDICT_OF = {
    "right": "correct",
    "stale": "stale",
    "confused": "confused",
    "mixed": "both",
    "wrong": "wrong",
    "partial": "wrong",
    "unanswered": "unanswered",
}


class CorpusProbe(msgspec.Struct, frozen=True):
    """A question of the corpus, with what is true, was true, and is true of look-alikes."""

    id: str
    form: str
    question: str
    gold: Any  # a text, a list of texts (of labels in their order), or texts by label
    type: str = ""  # read off the labels where it is not given
    kind: str = ""  # read off the gold where it is not given
    choice: str = ""  # where the gold is a list
    t: int = 1
    stale: list[str] = []
    confusable: list[str] = []
    leads_through: list[str] = []
    other_values_of_the_kind: list[str] = []


class LabelledAnswer(msgspec.Struct, frozen=True):
    """An answer with its style and what a grader said of it."""

    id: str
    probe: str
    answer: str
    style: str = msgspec.field(name="class")
    label: str
    score: float

    @property
    def half(self) -> str:
        """The half of the corpus that the answer belongs to."""
        return half_of(self.id)


class LabelledDecision(msgspec.Struct, frozen=True):
    """A reply to a task without tools, and what it decided; `line`: it keeps the form."""

    id: str
    reply: str
    label: str  # done, declined, undecided
    line: bool


class JudgedCase(msgspec.Struct, frozen=True):
    """What the matcher said of a labelled answer."""

    answer: LabelledAnswer
    form: str
    verdict: str
    value: float

    @property
    def is_right(self) -> bool:
        """Whether the answer got the score that it deserves, and was accepted only if it should."""
        accepted = self.verdict == "correct"
        same_score = abs(self.value - self.answer.score) < 0.01
        return same_score and accepted == (self.answer.label == "right")


def half_of(name: str) -> str:
    """The half that an id belongs to: by a hash, so that it never changes."""
    digest = hashlib.sha256(name.encode()).digest()
    return TUNE if digest[0] % 2 == 0 else REPORT


# -- reading the corpus


def corpus() -> tuple[dict[str, CorpusProbe], list[LabelledAnswer]]:
    """The probes of the shipped corpus by id, and its answers without those that are excluded."""
    probes: dict[str, CorpusProbe] = {}
    answers = []
    excluded = set(exclusions())
    for part in PARTS:
        for probe in _read(f"probes_{part}.jsonl", CorpusProbe):
            probes[f"{part}/{probe.id}"] = probe
        for answer in _read(f"answers_{part}.jsonl", LabelledAnswer):
            if answer.id not in excluded:
                name = f"{part}/{answer.probe}"
                answers.append(msgspec.structs.replace(answer, probe=name))
    return probes, answers


def labelled_decisions() -> list[LabelledDecision]:
    """The labelled decisions of the shipped corpus."""
    decisions: list[LabelledDecision] = []
    for part in ("a", "b"):
        decisions += _read(f"decisions_{part}.jsonl", LabelledDecision)
    return decisions


def exclusions() -> dict[str, str]:
    """The ids of answers whose label is plainly wrong, with the reason."""
    rows = _read("excluded.jsonl", dict[str, str])
    return {row["id"]: row["reason"] for row in rows}


def _read(name: str, kind: Any) -> list[Any]:
    file = resources.files("agingbench.validity").joinpath("answers", name)
    if not file.is_file():
        raise InputError(f"{name}: missing from the corpus of answers; reinstall agingbench")
    lines = [line for line in file.read_bytes().split(b"\n") if line.strip()]
    return [msgspec.json.decode(line, type=kind) for line in lines]


def probe_of(entry: CorpusProbe) -> Probe:
    """The probe that a question of the corpus was written from."""
    asked = asked_form(entry.question)
    gold = entry.gold
    choice = entry.choice
    texts: list[str]
    if isinstance(gold, dict):
        choice = gold.get("choice", "")
        texts = [gold[label] for label in asked.labels]
    else:
        texts = list(gold) if isinstance(gold, list) else [gold]

    kinds = _kinds(entry, texts)
    required = [Value(kind, text) for kind, text in zip(kinds, texts, strict=True)]
    stale = [_old_value(text, entry, kinds) for text in entry.stale]
    confusable = [_old_value(text, entry, kinds) for text in entry.confusable]
    return Probe(
        id=entry.id,
        t=entry.t,
        type=entry.type or ("trend" if asked.labels == ("first", "now") else "standalone"),
        mechanism="compression",
        question=asked.question,
        facts=["f0"],
        required=required,
        stale=[value for value in stale if value not in required],
        confusable=[value for value in confusable if value not in required],
        derivation=[Value("name", text) for text in entry.leads_through],
        whole=entry.form in ("list", "choice"),
        form=entry.form,
        labels=list(asked.labels),
        options=list(asked.options),
        choice=choice,
    )


def _kinds(entry: CorpusProbe, texts: Sequence[str]) -> list[str]:
    if not entry.kind:
        return [_kind_of(text) for text in texts]
    kinds = ["number" if kind == "money" else kind for kind in entry.kind.split(",")]
    return kinds if len(kinds) == len(texts) else kinds * len(texts)


def _kind_of(text: str) -> str:
    """The kind of the longest item that a value begins with; a name when it begins with none."""
    items = [item for item in items_of(text) if item.start == 0 and not item.second]
    if not items:
        return "name"
    return max(items, key=lambda item: item.end).kind


def _old_value(text: str, entry: CorpusProbe, kinds: Sequence[str]) -> Value:
    return _any_kind(text, kinds) if entry.kind else Value(_kind_of(text), text)


def _any_kind(text: str, kinds: Sequence[str]) -> Value:
    # The corpus does not say which of several kinds an old value has; the first that can be read.
    for kind in [*dict.fromkeys(kinds), *sorted(KINDS - {"name", "set"}), "name"]:
        value = Value(kind, text)
        try:
            matching.prepare(value)
        except ValueError:
            continue
        return value
    return Value("name", text)


def graph_of(entry: CorpusProbe, probe: Probe) -> FactGraph:
    """Facts that hold the other values of the kind, as the life of the question would."""
    kinds = [value.kind for value in probe.required]
    facts = []
    for number, text in enumerate(entry.other_values_of_the_kind):
        value = _any_kind(text, kinds)
        version = Version(0, value, f"It is {text}.")
        phrase = f"thing {number}"
        fact = Fact(
            f"f{number}", "note", "note", (phrase,), phrase, f"What is {phrase}?", [version]
        )
        facts.append(fact)
    return FactGraph(facts)


# -- judging it


def judge_corpus(half: str | None = REPORT) -> list[JudgedCase]:
    """Judge the answers of one half, or of both (None)."""
    entries, answers = corpus()
    cases = []
    for answer in answers:
        if half is not None and answer.half != half:
            continue
        entry = entries[answer.probe]
        probe = probe_of(entry)
        row = AnswerRow(probe.t, probe.id, "as_lived", answer.answer, "answered")
        verdict, value = judge(probe, row, graph_of(entry, probe))
        cases.append(JudgedCase(answer, probe.form, verdict, value or 0.0))
    return cases


def decision_rows(half: str) -> list[AnswerClass]:
    """How the labelled decisions of one half are read: those in form, and those in free words,
    which are undecided by design.
    """
    decisions = [decision for decision in labelled_decisions() if half_of(decision.id) == half]
    in_form = [decision_line(d.reply) == d.label for d in decisions if d.line]
    in_words = [decision_line(d.reply) is None for d in decisions if not d.line]
    return [
        _share_row("decision in form", in_form),
        _share_row("decision in words, undecided", in_words),
    ]


def _share_row(style: str, hits: Sequence[bool]) -> AnswerClass:
    share = sum(hits) / len(hits)
    low, high = wilson(share, len(hits))
    return AnswerClass(style, sum(hits), len(hits), share, low, high, accepted=0)


def check_answers(half: str = REPORT) -> AnswersReport:
    """Judge one half of the corpus and hold it against the bars."""
    return report_on(judge_corpus(half), half)


def report_on(cases: Sequence[JudgedCase], half: str) -> AnswersReport:
    """The report on these cases."""
    styles = sorted({case.answer.style for case in cases})
    rows = [_row(style, [c for c in cases if c.answer.style == style]) for style in styles]
    forms = sorted({case.form for case in cases})
    plain = _row("plain", [c for c in cases if c.answer.style in PLAIN_CLASSES])
    overall = _row("all", cases)
    same = [case.verdict == VERDICT_OF[case.answer.label] for case in cases]
    broken = list(_broken(overall, plain, rows))
    return AnswersReport(
        half=half,
        overall=overall,
        plain=plain,
        rows=rows,
        by_form=[_row(form, [c for c in cases if c.form == form]) for form in forms],
        decisions=decision_rows(half),
        confusion=_confusion(cases),
        same_verdict=sum(same) / len(same),
        broken=broken,
        ok=not broken,
    )


def _row(style: str, cases: Sequence[JudgedCase]) -> AnswerClass:
    right = sum(case.is_right for case in cases)
    n = len(cases)
    share = right / n if n else 0.0
    low, high = wilson(share, n) if n else (0.0, 1.0)
    wrongly = [c for c in cases if c.verdict == "correct" and c.answer.label != "right"]
    return AnswerClass(style, right, n, share, low, high, accepted=len(wrongly))


def _confusion(cases: Iterable[JudgedCase]) -> dict[str, dict[str, int]]:
    counts = Counter((case.answer.label, case.verdict) for case in cases)
    table: dict[str, dict[str, int]] = {}
    for label in LABELS:
        table[label] = {verdict: counts[label, verdict] for verdict in VERDICTS}
    return table


def _broken(overall: AnswerClass, plain: AnswerClass, rows: Sequence[AnswerClass]) -> Iterable[str]:
    if plain.share < PLAIN_BAR:
        yield f"plain answers: {plain.share:.1%} judged rightly, {PLAIN_BAR:.0%} asked"
    if overall.share < OVERALL_BAR:
        yield f"all answers: {overall.share:.1%} judged rightly, {OVERALL_BAR:.0%} asked"
    by_style: Mapping[str, AnswerClass] = {row.style: row for row in rows}
    for style in NEVER_ACCEPTED:
        row = by_style.get(style)
        if row is not None and row.accepted:
            yield f"{style}: {row.accepted} accepted, 0 asked"
