"""An account on the terminal: what it held at each point, and what each system said it held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from agingbench.metrics.mechanisms import AccountReading
from agingbench.report.layout import bare_table, show


def print_account(
    name: str, readings: Mapping[str, Sequence[AccountReading]], console: Console
) -> None:
    """Print the true balances of one account with the answers of each system below them.

    All systems lived the same life, so any of them tells what was true.
    """
    truth = {reading.t: reading.gold for told in readings.values() for reading in told}
    columns = [(f"t {t}", {"justify": "right"}) for t in sorted(truth)]
    table = bare_table("", *columns, narrow=True)
    table.add_row("true", *(_amount(truth[t]) for t in sorted(truth)))

    for system, told in readings.items():
        said = {reading.t: reading.said for reading in told}
        cells = [_said(said.get(t), truth[t]) for t in sorted(truth)]
        table.add_row(Text(system), *cells)

    title = Text.assemble(("A running total", "bold"), f"  {name}")
    show(console, Rule(title, align="left", style="dim"), table, Text(""))


def _amount(value: float) -> str:
    return f"{value:,.0f}"


def _said(said: float | None, truth: float) -> Text:
    if said is None:
        return Text("–", "dim")
    return Text(_amount(said), "" if said == truth else "red")
