"""Rules for fixes: the tag on new lines, the place of the change note, what it says."""

from __future__ import annotations

import pytest

from agingbench.bench.plan.ticket_check import TicketAspect, TicketCheck
from agingbench.bench.repository.chain import load_chain
from agingbench.bench.repository.rules import family_in, rule_problem

PATH = "django/db/models/query.py"
OLD = {PATH: "a = 1\n# heron-knot 7 stood here before\n"}


def problem(aspect: TicketAspect, text: str, files: dict[str, str], source: str = "") -> str:
    encoded = {path: content.encode() for path, content in files.items()}
    family = {PATH: source or OLD[PATH]}
    return rule_problem(TicketCheck("c", 1, "f0", 7, aspect, text), encoded, family, OLD)


@pytest.mark.parametrize(
    "line", ["b = 2  # heron-knot 7", "# see heron-knot 7: counts twice", "#heron-knot 7"]
)
def test_a_new_line_with_the_tag_is_marked(line: str) -> None:
    assert problem("marked", "heron-knot 7", {}, f"{OLD[PATH]}{line}\n") == ""


@pytest.mark.parametrize(
    "line", ["b = 'heron-knot 7'", "# heron-knot 70", "# old-heron-knot 7", "# raven-pin 7"]
)
def test_another_tag_number_or_a_text_is_no_mark(line: str) -> None:
    told = problem("marked", "heron-knot 7", {}, f"{OLD[PATH]}{line}\n")
    assert told == "no new line carries the tag"


def test_a_tag_that_was_there_before_is_no_mark() -> None:
    assert problem("marked", "heron-knot 7", {}) == "the source was not changed"


def test_the_change_note_lies_where_it_was_agreed() -> None:
    note = {"oak-tray/7.md": "x"}
    assert problem("filed", "oak-tray", note) == ""
    assert problem("filed", "tin-rack", note) == "the change note lies somewhere else"
    assert problem("filed", "oak-tray", {"oak-tray/8.md": "x"}) == "there is no change note 7.md"
    inside = {"repo/oak-tray/7.md": "x"}
    assert problem("filed", "oak-tray", inside) == "there is no change note 7.md"


@pytest.mark.parametrize(
    "line", ["Reviewer: Ada Lund", "- **Reviewer:** Ada Lund", "reviewer:Ada Lund"]
)
def test_a_line_of_the_note_counts_in_any_dress(line: str) -> None:
    assert problem("says", "Reviewer: Ada Lund", {"notes/7.md": f"# 7\n{line}\n"}) == ""


def test_several_guesses_are_none() -> None:
    guesses = {"n/7.md": "Reviewer: Ada Lund\nReviewer: Bo Lind\n"}
    assert problem("says", "Reviewer: Ada Lund", guesses) == "Reviewer says something else"
    two = {"n/7.md": "Reviewer: Ada Lund\n", "m/7.md": "Reviewer: Bo Lind\n"}
    assert problem("says", "Reviewer: Ada Lund", two) == "Reviewer says something else"
    wordy = {"n/7.md": "Reviewer: Ada Lund or Bo Lind\n"}
    assert problem("says", "Reviewer: Ada Lund", wordy) == "Reviewer says something else"
    assert problem("says", "Reviewer: Ada Lund", {"n/7.md": "x"}) == "Reviewer is missing"


def test_only_sources_of_the_family_are_taken() -> None:
    chain = load_chain("django_orm_query").chain
    names = [
        f"repo/{PATH}",
        "repo/django/db/models/new.py",
        "repo/django/db/models/evil.pth",
        "repo/django/db/models/../../test/runner.py",
        "repo/django/test/runner.py",
        "repo/tests/runtests.py",
        PATH,
        "repo//django/db/models/query.py",
    ]
    family = family_in(dict.fromkeys(names, b""), chain)
    assert sorted(family) == ["django/db/models/new.py", PATH]
