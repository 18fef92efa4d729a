"""Tables for papers: rows of cards as CSV with every digit, Markdown and LaTeX with intervals."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from agingbench.report.layout import MISSING, in_words, number
from agingbench.report.paper.latex import latex_table
from agingbench.report.paper.panels import scenario_title, shared_parts, short_names
from agingbench.report.text import plain

TableFormat = Literal["csv", "markdown", "latex"]
Row = Mapping[str, Any]

HEADINGS = {
    "m0": "start",
    "m_final": "end",
    "time_average": "whole life",
    "decay_slope": "slope",
    "half_life": "half-life",
    "aging_detected": "aging",
    "cost_usd": "USD",
    "total_cost_usd": "USD",
}
SIGNED = {"decay_slope"}
DECIMALS = {"decay_slope": 3, "half_life": 1, "cost_usd": 2, "total_cost_usd": 4}
# Parts of a figure, and what text says in words of another column.
PARTS = ("_low", "_high", "_n")
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
HIDDEN = {"half_life_censored", "half_life_words", "metric", "reason"}


class PaperTable(msgspec.Struct, frozen=True):
    """A table as text shows it: what all rows share stands above it, numbers to the right."""

    shared: list[str]
    headings: list[str]
    numeric: list[bool]
    rows: list[list[str]]


def table_text(rows: Sequence[Row], kind: TableFormat) -> str:
    """The rows as a file of this kind."""
    if kind == "csv":
        return csv_text(rows)
    table = paper_table(rows)
    if kind == "markdown":
        return markdown_text(table)
    return latex_table(table.shared, table.headings, table.numeric, table.rows)


def csv_text(rows: Sequence[Row]) -> str:
    """Every column with every digit; what is missing is empty."""
    out = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _csv_cell(row.get(name)) for name in columns})
    return out.getvalue()


def _csv_cell(value: object) -> object:
    # A spreadsheet would take such a text for a formula.
    if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
        return f"'{value}"
    return value


def paper_table(rows: Sequence[Row]) -> PaperTable:
    """The rows in words: value and interval in one cell, columns that never differ above."""
    rows, common = _short(rows)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    shown = [name for name in columns if not _is_hidden(name, columns)]
    constant = []
    if len(rows) > 1:
        constant = [name for name in shown if _is_constant(name, rows, columns)]
    headings = []
    numeric = []
    kept = [name for name in shown if name not in constant]
    for name in kept:
        headings.append(HEADINGS.get(name, in_words(name)))
        values = [row.get(name) for row in rows]
        numeric.append(all(value is None or isinstance(value, int | float) for value in values))
    cells = [[_cell(name, row) for name in kept] for row in rows]
    shared = [f"all systems {common}"] if common else []
    for name in constant:
        text = _cell(name, rows[0])
        if text not in ("", MISSING):
            shared.append(f"{HEADINGS.get(name, in_words(name))} {text}")
    return PaperTable(shared, headings, numeric, cells)


def _short(rows: Sequence[Row]) -> tuple[list[dict[str, Any]], str]:
    """The rows with short names of systems and scenarios, and what all systems have in common."""
    systems = [plain(row["system"]) for row in rows if "system" in row]
    names = short_names(systems)
    shown = []
    for row in rows:
        one = dict(row)
        if "system" in one:
            one["system"] = names[plain(one["system"])]
        if "scenario" in one:
            one["scenario"] = scenario_title(one["scenario"])
        shown.append(one)
    return shown, ", ".join(shared_parts(systems))


def markdown_text(table: PaperTable) -> str:
    """The table as Markdown."""
    lines = []
    if table.shared:
        lines += [markdown_cell("; ".join(table.shared)), ""]
    marks = ["--:" if numeric else "---" for numeric in table.numeric]
    for cells in (table.headings, marks, *table.rows):
        escaped = cells if cells is marks else [markdown_cell(cell) for cell in cells]
        lines.append(f"| {' | '.join(escaped)} |")
    return "\n".join(lines) + "\n"


def markdown_cell(text: str) -> str:
    """Text for one cell of a Markdown table: nothing in it is markup."""
    for sign in ("\\", "|", "<", "*", "_", "`", "["):
        text = text.replace(sign, f"\\{sign}")
    return text


def _is_hidden(name: str, columns: Sequence[str]) -> bool:
    if name in HIDDEN:
        return True
    return any(name.endswith(part) and name.removesuffix(part) in columns for part in PARTS)


def _is_constant(name: str, rows: Sequence[Row], columns: Sequence[str]) -> bool:
    is_figure = f"{name}_low" in columns
    return not is_figure and len({str(row.get(name)) for row in rows}) == 1


def _cell(name: str, row: Row) -> str:
    """One cell in words: a figure with its interval, a count with its thousands apart."""
    value = row.get(name)
    words = row.get(f"{name}_words")
    if words is not None:
        return str(words)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None and name == "aging_detected":
        return "cannot be told"
    if value is None:
        return MISSING
    if isinstance(value, int):
        is_name = name in ("seed", "sessions", "budget", "lives")
        return str(value) if is_name else f"{value:,}"
    if not isinstance(value, float):
        return plain(value)
    decimals = DECIMALS.get(name, 2)
    signed = name in SIGNED
    text = number(value, decimals, signed)
    bounds = (row.get(f"{name}_low"), row.get(f"{name}_high"))
    if bounds == (None, None):
        return text
    ends = [number(bound, decimals, signed) for bound in bounds]
    return f"{text} [{', '.join(ends)}]"
