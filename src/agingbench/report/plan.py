"""A plan in numbers on the terminal."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.report.layout import in_words, show
from agingbench.report.text import plain


def print_plan(summary: dict[str, Any], console: Console) -> None:
    """A plan in numbers: its counts, then every breakdown as bars."""
    counts = [(key, value) for key, value in summary.items() if not isinstance(value, dict)]
    table = Table.grid(padding=(0, 2))
    half = math.ceil(len(counts) / 2)
    for i in range(half):
        cells = []
        for key, value in counts[i::half]:
            cells += [Text(in_words(key), "dim"), Text(f"{value:>6}")]
        table.add_row(*cells)
    show(console, Rule(Text("Plan", "bold"), align="left", style="dim"), table)
    for key, part in summary.items():
        if isinstance(part, dict):
            show(console, Text(""), Text(in_words(key), "bold"), _bars(part))


def _bars(counts: dict[str, int]) -> Table:
    table = Table.grid(padding=(0, 2))
    most = max(counts.values(), default=0)
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        length = math.ceil(30 * count / most) if most else 0
        table.add_row(f"  {plain(name)}", f"{count:>6}", Text("█" * length, "cyan"))
    return table
