"""Texts in small letters, for patterns that take either case."""

from __future__ import annotations


def small_letters(text: str) -> str:
    """Return a text in small letters, as a pattern that ignores case reads them.

    A pattern of small letters finds the same in it, two to three times as fast.
    """
    if text.isascii():
        return text.lower()

    # These three count as an i or an s to a pattern that ignores case.
    return text.replace("İ", "i").lower().replace("ı", "i").replace("ſ", "s")
