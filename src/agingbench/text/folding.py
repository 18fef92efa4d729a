"""One spelling for all: case, accents, quotes, dashes and white space made equal, places kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

SAME_LENGTH = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–−﹣－", "-"),
        **dict.fromkeys("―⸺", "—"),
        **dict.fromkeys("\u2007\u2009\u202f", "\xa0"),
    }
)
_BEYOND_SIMPLE = re.compile(r"[^\x00-\x7f\xa0—€£¥₹°]")
_SHORT = 2000


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    # Superscripts and fractions stay: NFKC would glue "5²" into "52".
    if unicodedata.category(char) == "No":
        return char
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    composed = unicodedata.normalize("NFKC", char)
    parts = unicodedata.normalize("NFKD", char)
    if parts and ord(parts[0]) < 0x250:
        composed = "".join(p for p in parts if not "\u0300" <= p <= "\u036f")
    return composed.casefold().translate(SAME_LENGTH)


def fold(text: str) -> tuple[str, list[int] | None]:
    """Case and accents folded, and for each folded character its place in `text` (None: the same
    places).
    """
    plain = text.translate(SAME_LENGTH)
    if _BEYOND_SIMPLE.search(plain) is None:
        return plain.lower(), None
    out: list[str] = []
    places: list[int] = []
    latin = False
    for at, char in enumerate(plain):
        if "\u0300" <= char <= "\u036f" and latin:
            continue
        letters = _fold_char(char)
        latin = bool(letters) and ord(letters[-1]) < 0x250
        out.append(letters)
        places.extend([at] * len(letters))
    places.append(len(text))
    return "".join(out), places


def remembered(compute: Callable[[str], T]) -> Callable[[str], T]:
    """`compute` with a memory. Long texts are few and what is kept of them is big: their memory is
    a small one.
    """
    short = lru_cache(maxsize=4096)(compute)
    long = lru_cache(maxsize=32)(compute)
    return lambda text: short(text) if len(text) <= _SHORT else long(text)


folded = remembered(fold)


def original_end(text: str, places: list[int], end: int) -> int:
    """Where in `text` a folded stretch ends that stops before `end`; accents of its last letter
    belong to it.
    """
    stop = places[end - 1] + 1
    while stop < len(text) and "\u0300" <= text[stop] <= "\u036f":
        stop += 1
    return stop


def normalise(text: str) -> str:
    """Unicode, case, accents, quotes, dashes and white space made equal."""
    return " ".join(fold(text)[0].replace("—", "-").split())
