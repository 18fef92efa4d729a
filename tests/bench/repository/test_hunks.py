"""Hunks between two texts: all of them give the later text, none the earlier one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.bench.repository.hunks import hunks_between, with_hunks

TEXT = st.lists(st.sampled_from("abcd"), max_size=12).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


@given(TEXT, TEXT)
def test_all_hunks_lead_to_the_later_text_and_none_to_the_earlier(old: str, new: str) -> None:
    hunks = hunks_between(old, new)
    assert with_hunks(old, new, range(len(hunks))) == new
    assert with_hunks(old, new, []) == old
    assert (hunks == []) == (old == new)


@given(TEXT, TEXT)
def test_hunks_that_are_there_are_hunks_no_more(old: str, new: str) -> None:
    for number in range(len(hunks_between(old, new))):
        between = with_hunks(old, new, [number])
        rest = set(range(len(hunks_between(old, new)))) - {number}
        assert with_hunks(old, new, rest | {number}) == new
        assert between != old


def test_a_hunk_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no hunk 1: the files differ in 1 places"):
        with_hunks("a\nb\n", "a\nc\n", [1])
