"""Words and tokens of a text."""

from __future__ import annotations

import re

from agingbench.text.english import no_possessive
from agingbench.text.folding import folded

_WORD = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|\w+(?:(?:[.'@&]|(?<=[0-9]):(?=[0-9]))\w+)*"
)


def words(text: str) -> list[str]:
    """Normalised tokens in order, stop words included; amounts without sign and commas, no
    possessives.
    """
    return [no_possessive(t).replace(",", "") for t in _WORD.findall(folded(text)[0])]


def first_words(text: str, n: int) -> str:
    """The first `n` words of `text` with the spacing between them as it was."""
    if n <= 0:
        return ""
    for count, match in enumerate(re.finditer(r"\S+", text), start=1):
        if count == n:
            return text[: match.end()].lstrip()
    return text.strip()


def count_tokens(text: str) -> int:
    """An estimate of model tokens: four characters each, rounded up."""
    return -(-len(text) // 4)
