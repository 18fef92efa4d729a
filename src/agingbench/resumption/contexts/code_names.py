"""Names of code in a text (what stands in backticks, paths, dotted names, snake_case, camelCase),
and lines of code.
"""

from __future__ import annotations

import re

_NAMED = re.compile(
    r"`([^`\n]{2,60})`|\b(\w+(?:[._/-]\w+)+(?:\(\))?|[a-z]+[A-Z]\w+|[A-Z]\w*[a-z][A-Z]\w+)"
)
_CODE = re.compile(
    r"[{};]\s*$|^\W*(?://|func |def |import |return |if \w+[ !=(]|\"|<)|:=|=>|->|\w\(.*\) \{"
)


def code_names(text: str) -> set[str]:
    """The names of code that a text holds, case folded."""
    return {(a or b).strip().removesuffix("()").casefold() for a, b in _NAMED.findall(text)}


def reads_as_code(text: str) -> bool:
    """Is it a line of code rather than a sentence about it?"""
    return _CODE.search(text) is not None
