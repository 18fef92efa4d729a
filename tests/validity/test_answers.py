"""The labelled answers that ship: unchanged, in two halves, and judged within the bars."""

from __future__ import annotations

import hashlib
from importlib import resources

import pytest

from agingbench.validity.answers import (
    LABELS,
    REPORT,
    TUNE,
    check_answers,
    corpus,
    exclusions,
    half_of,
    judge_corpus,
    probe_of,
)

# The corpus was frozen before the matcher first saw it.
FROZEN = {
    "answers_a.jsonl": "b1c88b7ebb8cc3b353ec83c796178a5350ca04ec50adf402bb490098a004ec06",
    "answers_b.jsonl": "43c4a35e1cc34f8342716e6b4f09eaf0fbabb4558ae6fa5e324cf32ef24f6565",
    "answers_c.jsonl": "b960e915108bb875a78275ee345a81ddb77313b239069bdc2c3e1d4984cf2634",
    "decisions_a.jsonl": "9532a0b21b05dfa7f88a69a46d54cdba191feab309c750e64dd3de9e6cf895a4",
    "decisions_b.jsonl": "9b366f9937a9bf8e688ffb0034c98a7cb382a381634ebb167fa1945be3b26016",
    "probes_a.jsonl": "32512f23b7425fbd5c689cef794a2201427e0c8495145b6bc8296977bd62bcba",
    "probes_b.jsonl": "8621a576d1b750c82f0fe175c6a1102d4c750f7f67f273b6b18cda845e93fa97",
    "probes_c.jsonl": "ac393c6bf90f050ad87b696007562bfc62583c0f3695eb56d622e34690f8f5fa",
}


@pytest.mark.parametrize("name", FROZEN)
def test_the_corpus_is_unchanged(name: str) -> None:
    file = resources.files("agingbench.validity").joinpath("answers", name)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == FROZEN[name]


def test_every_answer_has_a_probe_and_a_label() -> None:
    probes, answers = corpus()
    assert len(answers) + len(exclusions()) == 1401
    assert {answer.label for answer in answers} <= set(LABELS)
    forms = {probe_of(probes[answer.probe]).form for answer in answers}
    assert forms == {"value", "amount", "choice", "list", "pairs"}


def test_the_halves_are_about_equal_and_fixed() -> None:
    _, answers = corpus()
    halves = [answer.half for answer in answers]
    assert abs(halves.count(TUNE) - halves.count(REPORT)) < 100
    assert [half_of(name) for name in ("a0001", "a0002", "b0001")] == ["report", "report", "report"]


def test_the_half_to_report_is_judged_within_the_bars() -> None:
    report = check_answers(REPORT)
    assert report.plain.share >= 0.97
    assert report.overall.share >= 0.95
    accepted = {row.style: row.accepted for row in report.rows}
    assert accepted["swapped_binding"] == 0
    assert accepted["negated"] == 0
    assert accepted["either_or"] == 0
    assert report.broken == []


def test_decisions_in_form_are_read_and_others_are_undecided() -> None:
    in_form, in_words = check_answers(REPORT).decisions
    assert in_form.share >= 0.97
    assert in_words.share == 1.0


def test_the_half_to_tune_meets_every_bar() -> None:
    assert check_answers(TUNE).broken == []


def test_the_confusion_matrix_counts_every_answer() -> None:
    report = check_answers(REPORT)
    counts = [n for row in report.confusion.values() for n in row.values()]
    assert sum(counts) == report.overall.n == len(judge_corpus(REPORT))
