"""Secrets in the dump of a table, where the name of a column says what its values are."""

from __future__ import annotations

import re

from agingbench.traces.scrub.assigned import hides

# Escapes of text that is itself JSON arrive as signs of their own: see `scrubber`.
_BREAK = r"(?:\n|\x1c{1,16}\x1d)"
_TAB = re.compile(r"(\t|\x1c{1,16}\x1f)")
_LINE = re.compile(rf"({_BREAK})")
_COPY = re.compile(
    r"(?i)(\bCOPY [\w.\"\\]{1,80} \((?P<columns>[\w\", \\]{1,800})\) FROM stdin;)"
    rf"(?P<rows>{_BREAK}.{{1,20000}}?)(?={_BREAK}\\{{1,16}}\.)",
    re.DOTALL,
)
_NULL = r"\N"


def clean_dumps(text: str) -> str:
    """The text without the values of such columns in what `pg_dump` writes."""
    # Without the sign that ends a table every beginning would be followed to the limit.
    if "\\." not in text or "from stdin" not in text.lower():
        return text
    return _COPY.sub(_copy, text)


def _copy(match: re.Match[str]) -> str:
    columns = [name.strip(' "\\') for name in match["columns"].split(",")]
    lines = [_row(line, columns) for line in _LINE.split(match["rows"])]
    return match[1] + "".join(lines)


def _row(line: str, columns: list[str]) -> str:
    parts = _TAB.split(line)  # values at even places, what separates them between
    if len(parts) != 2 * len(columns) - 1:
        return line
    for place, name in enumerate(columns):
        value = parts[2 * place]
        if value and value != _NULL and not value.startswith("["):
            parts[2 * place] = hides(name, value) or value
    return "".join(parts)
