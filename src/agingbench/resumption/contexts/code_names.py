"""Names of code in a text: backticks, paths, dotted names, snake_case, camelCase; lines of code."""

from __future__ import annotations

import re

_NAMED = re.compile(
    r"`([^`\n]{2,60})`|\b(\w+(?:[._/-]\w+)+(?:\(\))?|[a-z]+[A-Z]\w+|[A-Z]\w*[a-z][A-Z]\w+)"
)
_CODE = re.compile(
    r"[{};]\s*$|^\W*(?://|func |def |import |return |if \w+[ !=(]|\"|<)|:=|=>|->|\w\(.*\) \{"
)


def code_names(text: str) -> set[str]:
    """Return the names of code in a text, case folded."""
    names = set()
    for quoted, bare in _NAMED.findall(text):
        name = (quoted or bare).strip().removesuffix("()")
        names.add(name.casefold())
    return names


def reads_as_code(text: str) -> bool:
    """Whether the text is a line of code rather than a sentence about it."""
    return _CODE.search(text) is not None
