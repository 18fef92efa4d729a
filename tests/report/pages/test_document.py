"""What a page does with text before any browser sees it."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.report.pages.build import write_report
from agingbench.report.pages.document import script_json
from agingbench.report.pages.pieces import LONGEST, Mark, changes, marked, shortened
from agingbench.report.pages.sources import find_cards
from agingbench.report.text import printable_lines
from tests.report.lives import life


@given(st.text())
def test_json_in_a_script_ends_no_script_and_says_the_same(text: str) -> None:
    written = script_json({"text": text})
    for sign in ("<", ">", "&", "\u2028", "\u2029"):
        assert sign not in written
    assert json.loads(written) == {"text": printable_lines(text)}


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=3), max_size=4))
def test_marks_lose_no_text(text: str, phrases: list[str]) -> None:
    pieces = marked(text, [Mark(phrase, "lost") for phrase in phrases])
    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        assert not piece.mark or piece.text in phrases


@given(
    st.text(alphabet="0123456789.,$:- a", max_size=40),
    st.integers(0, 999),
    st.sampled_from(["number", ""]),
)
@example("17.16.1 for $216 in 16434", 16, "number")
@example("17.16.1 for $216 in 16434", 16, "")
def test_no_mark_begins_or_ends_inside_a_number(text: str, value: int, kind: str) -> None:
    pieces = marked(text, [Mark(str(value), "lost", kind=kind)])
    for before, after in itertools.pairwise(pieces):
        assert not (before.text[-1].isdigit() and after.text[0].isdigit())
        if before.mark:
            assert not re.match(r"[.,]?\d", after.text)
        if after.mark:
            assert not re.search(r"\d[.,]?$", before.text)


def test_a_value_is_marked_as_the_matcher_finds_it() -> None:
    text = "Version 17.16.1 costs $216; the code 16434 is for 16 guests, sixteen in all."
    pieces = marked(text, [Mark("16", "lost", kind="number")])
    assert [piece.text for piece in pieces if piece.mark] == ["16", "sixteen"]


def test_what_went_and_what_came_is_told_by_sentence() -> None:
    before = "The code is 4711. It rains. Mei called."
    after = "It rains. Mei called. The bus was late."
    rows = changes(before, after, [Mark("4711", "lost", kind="number")])
    told = [(row.kind, "".join(piece.text for piece in row.pieces)) for row in rows]
    assert told == [
        ("gone", "The code is 4711."),
        ("same", "It rains. Mei called."),
        ("new", "The bus was late."),
    ]
    assert [piece.text for piece in rows[0].pieces if piece.mark == "lost"] == ["4711"]


def test_a_long_text_says_what_was_left_out() -> None:
    assert shortened("x" * LONGEST) == "x" * LONGEST
    assert shortened("x" * (LONGEST + 5)).endswith("(5 more characters are not shown)")


def test_a_card_alone_gives_a_page_that_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "aging_card.json").write_text(json.dumps(life()))
    written = write_report(find_cards([tmp_path]), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert written.kind == "life"
    assert "It lost half of what it knew within 2.8 sessions" in page
    assert "Only the card was given" in page
    assert 'id="walk"' not in page


def test_a_path_without_a_card_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no aging_card\.json here"):
        find_cards([tmp_path])
    with pytest.raises(InputError, match="no such file or folder"):
        find_cards([tmp_path / "nowhere"])
