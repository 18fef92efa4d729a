"""Values and questions of a turn, and the turns that answer a second time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.telemetry.sessions.asked_again import _QUESTION, _VALUE, ToldValues

# The same, tried from every letter.
VALUE = re.compile(
    r"[\w@#%./:+-]*(?:\d|[a-z][A-Z]|\w[_/@#]\w)[\w@#%./:+-]*|[\"'`][^\"'`\n]{2,40}[\"'`]"
)
QUESTION = re.compile(r"[^.!?？\n]*[?？]")
TEXT = st.text("ab A1_/@#%.:+-'\"`?!？\n.é", max_size=60)


@given(TEXT)
def test_what_is_found_from_first_letters_is_found_from_all(text: str) -> None:
    assert _VALUE.findall(text) == VALUE.findall(text)
    assert _QUESTION.findall(text) == QUESTION.findall(text)


@pytest.mark.parametrize(
    ("answer", "again"),
    [("use port 8123", True), ("use port 9000", False), ("no idea", False)],
)
def test_a_value_that_was_told_before_answers_again(answer: str, again: bool) -> None:
    told = ToldValues()
    assert not told.add_turn("The service listens on port 8123 of host_a", "")
    assert told.add_turn(answer, "I am done. Which port should I use?") is again
