"""A plan in numbers on the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.report.layout import in_words, show
from agingbench.report.text import plain


def print_plan(summary: Mapping[str, int | dict[str, int]], console: Console) -> None:
    """A plan in numbers: its counts in two columns, then every breakdown as bars."""
    counts: list[tuple[str, int]] = []
    breakdowns: list[tuple[str, dict[str, int]]] = []
    for key, value in summary.items():
        if isinstance(value, dict):
            breakdowns.append((in_words(key), value))
        else:
            counts.append((in_words(key), value))

    table = Table.grid(padding=(0, 2))
    half = math.ceil(len(counts) / 2)
    for i in range(half):
        cells = []
        for name, count in counts[i::half]:
            cells.append(Text(name, "dim"))
            cells.append(Text(f"{count:>6}"))
        table.add_row(*cells)

    title = Text("Plan", "bold")
    show(console, Rule(title, align="left", style="dim"), table)
    for name, parts in breakdowns:
        show(console, Text(""), Text(name, "bold"), _bars(parts))


def _bars(counts: dict[str, int]) -> Table:
    table = Table.grid(padding=(0, 2))
    most = max(counts.values(), default=0)
    ranking = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    for name, count in ranking:
        length = 0
        if most:
            length = math.ceil(30 * count / most)
        bar = Text("█" * length, "cyan")
        table.add_row(f"  {plain(name)}", f"{count:>6}", bar)
    return table
