"""Small letters are those that a pattern finds which ignores case."""

from __future__ import annotations

import re

import pytest

from agingbench.text.case import small_letters

LETTERS = "abcdefghijklmnopqrstuvwxyzàáâãçèéêíñóôõöúùü"  # of our patterns
EVERYTHING = "".join(chr(code) for code in range(0x3000) if not 0xD800 <= code < 0xE000) + "K"


@pytest.mark.parametrize("letter", LETTERS)
def test_a_letter_stands_for_what_a_pattern_takes_it_for(letter: str) -> None:
    taken = re.findall(letter, EVERYTHING, re.IGNORECASE)
    assert taken == [sign for sign in EVERYTHING if small_letters(sign) == letter]
