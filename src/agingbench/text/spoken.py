"""Numbers in words: "two thousand three hundred and forty-five"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agingbench.text.units import SCALES

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = {w: n for n, w in enumerate(_SMALL.split())} | {
    w: 20 + 10 * n for n, w in enumerate(_TENS.split())
}
NUMBER_WORD = (
    "(?:"
    + "|".join([*_WORD_VALUES, "hundred", "thousand", "million", "billion", "dozen"])
    + r")(?!\w)"
)


def spoken(s: str, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Number words as numbers: "one hundred and five" is one, "seven and eight" are two."""
    tokens = [(m[0], m.start(), m.end()) for m in re.finditer(r"[a-z]+", s[start:stop])]
    at = 0
    while at < len(tokens):
        number, used = _spoken_one([word for word, _, _ in tokens[at : at + 24]])
        if used:
            yield number, start + tokens[at][1], start + tokens[at + used - 1][2]
        at += max(used, 1)


def _spoken_one(words: list[str]) -> tuple[int, int]:
    """The number that these words begin with, and how many of them it takes."""
    total = 0
    part = 0
    last = ""
    below = 10**15
    used = 0
    for at, word in enumerate(words):
        follows = words[at + 1] if at + 1 < len(words) else ""
        if word in ("a", "an") and not last:
            last = "article"
            continue
        if word == "and" and last in ("hundred", "scale") and follows in _WORD_VALUES:
            continue
        if word in _WORD_VALUES:
            size = _WORD_VALUES[word]
            if last not in ("", "hundred", "scale") and not (last == "tens" and 0 < size < 10):
                break
            part = part + size
            last = "tens" if size >= 20 else "small"
        elif word == "hundred" and last in ("", "article", "small", "tens") and part < 100:
            part = max(part, 1) * 100
            last = "hundred"
        elif word == "dozen" and last in ("", "article", "small"):
            return total + max(part, 1) * 12, at + 1
        elif word in SCALES and last != "scale" and SCALES[word] < below:
            below = SCALES[word]
            total = total + max(part, 1) * below
            part = 0
            last = "scale"
        else:
            break
        used = at + 1
    return total + part, used
