"""Versions at the end of a sentence, which some releases of Python's regular expressions once
mismatched.
"""

from __future__ import annotations

import re

import pytest

from agingbench.text.matching import find
from agingbench.text.values import Value
from tests.places import ROOT

SRC = ROOT / "src" / "agingbench"


@pytest.mark.parametrize("end", ["", ".", ".\n\nNext", " now.", ", and"])
def test_a_version_is_found_whatever_follows(end: str) -> None:
    text = f"The schema version of workers/global_branch.py is 8.0.30{end}"
    assert [text[a:b] for a, b in find(text, Value("version", "8.0.30"))] == ["8.0.30"]


def test_a_shorter_version_is_not_found_in_a_longer_one() -> None:
    assert not find("It is 8.0.30.4 now.", Value("version", "8.0.30"))
    assert not find("It is 8.0.30-4 now.", Value("version", "8.0.30"))


def test_no_group_is_possessive_anywhere() -> None:
    group = re.compile(r"\)(?:\+\+|\*\+|\?\+|\{\{?[0-9,]+\}?\}\+)")
    assert [str(f.name) for f in sorted(SRC.rglob("*.py")) if group.search(f.read_text())] == []
