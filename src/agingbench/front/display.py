"""Small HTML tables for notebooks; every text is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

MOST_ROWS = 50
MISSING = "–"


def html_table(caption: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a caption; a dash where there is no value, and a word on rows left out."""
    shown = rows[:MOST_ROWS]
    head = "".join(f"<th>{escape(name)}</th>" for name in (shown[0] if shown else ()))
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in shown)
    rest = len(rows) - len(shown)
    more = f"<p>and {rest} more rows; see to_frame()</p>" if rest else ""
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    )


def _cells(row: Mapping[str, Any]) -> str:
    return "".join(f"<td>{escape(cell_text(value))}</td>" for value in row.values())


def cell_text(value: Any) -> str:
    """A value in a few characters."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)
