"""Names of code in a text: what stands in backticks, paths and dotted names, snake_case and camelCase."""

from __future__ import annotations

import re

_NAMED = re.compile(r"`([^`\n]{2,60})`|\b(\w+(?:[._/-]\w+)+(?:\(\))?|[a-z]+[A-Z]\w+|[A-Z]\w*[a-z][A-Z]\w+)")


def names_in(text: str) -> set[str]:
    """The names of code that a text holds, case folded."""
    return {(a or b).strip().casefold() for a, b in _NAMED.findall(text)}
