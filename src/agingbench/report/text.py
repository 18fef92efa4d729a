"""Text from cards and traces, made safe to print and to draw."""

from __future__ import annotations

import unicodedata

# Control and format characters drive terminals and break XML; surrogates and unassigned ones cannot
# be written at all.
_UNSAFE = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}


def printable_lines(text: str) -> str:
    """Text of several lines without characters that would drive a terminal."""
    return "".join(
        "\ufffd" if c not in "\n\t" and unicodedata.category(c) in _UNSAFE else c for c in text
    )


def plain(text: object) -> str:
    """Text as one line that is safe to print and draw; unsafe characters become U+FFFD."""
    line = " ".join(str(text).split())
    return "".join("\ufffd" if unicodedata.category(c) in _UNSAFE else c for c in line)
