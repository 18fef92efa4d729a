"""The checks of the bench on the terminal: bounds, planted faults and dials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.report.layout import (
    MISSING,
    bare_table,
    grid,
    in_words,
    interval_text,
    number,
    show,
)
from agingbench.report.text import plain

_CEILINGS = ("oracle", "perfect_memory")
_FLOORS = ("blank", "echo", "refuser", "unrelated")


def print_bounds(result: dict[str, Any], console: Console) -> None:
    """What agents whose score is known get, a line per metric, and whether every bound holds."""
    rows = [*result["rows"], *result["lower_is_better"]]
    for setting in dict.fromkeys(_setting(row) for row in rows):
        scenario, pressure, sessions = setting
        words = f"  {plain(scenario)}, {plain(pressure)}, {sessions} sessions"
        title = Text.assemble(("Bounds", "bold"), words)
        higher = [row for row in result["rows"] if _setting(row) == setting]
        lower = [row for row in result["lower_is_better"] if _setting(row) == setting]
        table = _bounds_table(higher, lower)
        show(console, Rule(title, align="left", style="dim"), table, Text(""))

    if result["ok"]:
        show(console, Text("all bounds hold", "green"))
    else:
        show(
            console,
            Text("broken bounds:", "bold red"),
            *(Text(f"  {plain(line)}") for line in result["broken"]),
        )


def _setting(row: dict[str, Any]) -> tuple[str, str, int]:
    return row["scenario"], row["pressure"], row["sessions"]


def _bounds_table(higher: list[dict[str, Any]], lower: list[dict[str, Any]]) -> Table:
    # The agents that know nothing share a column: the highest of their means, and the best life of
    # any of them.
    names = dict.fromkeys(row["agent"] for row in [*higher, *lower])
    agents = [name for name in names if name not in _FLOORS]
    columns = []
    for agent in agents:
        name = plain(agent).replace("_", "\n", 1)
        columns.append((f"{name}\n{'worst' if agent in _CEILINGS else 'mean'}", "right"))
    columns.append(("know nothing\nmean best", "right"))

    table = bare_table("metric", ("lives", "right"), *columns, narrow=True)
    for rows, worst, best in ((higher, "min", "max"), (lower, "max", "min")):
        if rows is lower and lower:
            table.add_row(Text("lower is better:", "dim"))
        for metric in dict.fromkeys(r["metric"] for r in rows):
            by_agent = {row["agent"]: row for row in rows if row["metric"] == metric}
            lives = str(max(row["n"] for row in by_agent.values()))
            cells = [_bound(agent, by_agent.get(agent), worst) for agent in agents]
            floors = [by_agent[agent] for agent in _FLOORS if agent in by_agent]
            table.add_row(plain(metric), lives, *cells, _nothing(floors, best))
    return table


def _nothing(rows: list[dict[str, Any]], best: str) -> str:
    if not rows:
        return MISSING
    choose = max if best == "max" else min
    return f"{_size(max(r['mean'] for r in rows))} {_size(choose(r[best] for r in rows))}"


def _bound(agent: str, row: dict[str, Any] | None, worst: str) -> str:
    if row is None:
        return MISSING
    return _size(row[worst] if agent in _CEILINGS else row["mean"])


def _size(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def print_faults(result: dict[str, Any], console: Console) -> None:
    """What the diagnosis names when one stage is broken, and how often its intervals are right."""
    title = Text.assemble(("Planted faults", "bold"), "  at full strength")
    show(
        console,
        Rule(title, align="left", style="dim"),
        _confusion(result),
        Text(
            "a memory of one piece cannot tell write from retrieval: write+retrieval is right"
            " there",
            "dim",
        ),
        Text(""),
        Text("At every strength", "bold"),
        _strengths(result["by_strength"]),
        Text(
            "planted: the share that the fault plants; measured: the mean share of the diagnosis;"
            " covered: how often its 95 % interval holds the planted share",
            "dim",
        ),
        Text(""),
    )
    coverage = result["coverage_interval"]
    share = number(coverage["share"], 3)
    interval = interval_text(coverage["ci"], 3, False)
    text = f"{share}, {interval}, n = {coverage['n']} intervals below full strength"
    show(console, grid([("coverage", Text(text))]))
    if result["ok"]:
        show(console, Text("every stage is named, and the intervals hold", "green"))
    else:
        show(
            console,
            Text("missed:", "bold red"),
            *(Text(f"  {plain(line)}") for line in result["missed"]),
        )


def _confusion(result: dict[str, Any]) -> Table:
    confusion = result["confusion"]
    stages = list(dict.fromkeys(name for row in confusion.values() for name in row))
    heads = [plain(name).replace("+", "+\n") for name in stages]
    columns = [(head, "right") for head in ("cases", "right", *heads)]
    table = bare_table("planted", *columns, narrow=True)
    for planted, row in confusion.items():
        accuracy = result["accuracy_by_stage"].get(planted)
        cells = [str(row[name]) if name in row else "·" for name in stages]
        table.add_row(plain(planted), str(sum(row.values())), number(accuracy, 3), *cells)
    return table


def _strengths(rows: Sequence[dict[str, Any]]) -> Table:
    heads = ("strength", "cases", "right", "planted", "measured", "covered")
    table = bare_table("fault", *((head, "right") for head in heads), narrow=True)
    for row in rows:
        name = f"{plain(row['stage'])}, {plain(row['memory'])}"
        if row["lookalikes"]:
            name += ", look-alikes"
        table.add_row(
            name,
            number(row["strength"]),
            str(row["n"]),
            *(number(row[key], 3) for key in ("share", "planted", "measured", "coverage")),
        )
    return table


def print_dials(result: dict[str, Any], console: Console) -> None:
    """What turning each dial did to its own metric, and how far the bystanders moved."""
    head = f"Dials  {result['model']}, {result['sessions']} sessions, {result['seeds']} seeds"
    show(console, Rule(Text(head, "bold"), align="left", style="dim"))
    table = bare_table(
        "dial and metric",
        ("setting: mean [95 %]", "left"),
        ("rank", "right"),
        ("bystanders", "left"),
        narrow=True,
    )
    for dial in result["dials"]:
        about = [
            dial["dial"],
            f"{dial['metric']} {dial['expected']}",
            f"{dial['scenario']}, {dial['memory']}",
        ]
        for other, value in dial["pressure"].items():
            if other != "preset":
                about.append(f"{in_words(other)} {value:g}")

        bystanders = []
        for name, drift in dial["bystander_range"].items():
            bystanders.append(f"{name} moved {number(drift)}")
        oracle = [value for value in dial["oracle_retrieval"] or () if value is not None]
        if oracle:
            bystanders.append(f"oracle retrieval at least {number(min(oracle))}")

        table.add_row(
            "\n".join(map(plain, about)),
            _responses(dial, "settings"),
            number(dial["spearman"], signed=True),
            "\n".join(map(plain, bystanders)),
        )
    spans = result["spans"]
    name = f"session span\n{spans['metric']}\n{plain(spans['scenario'])}, {plain(spans['memory'])}"
    table.add_row(name, _responses(spans, "spans"), number(spans["spearman"], signed=True), "")
    show(
        console,
        table,
        Text("rank: Spearman's correlation of setting and mean; – where nothing moved", "dim"),
    )


def _responses(dial: dict[str, Any], settings: str) -> str:
    rows = zip(dial[settings], dial["responses"], dial["intervals"], strict=True)
    lines = []
    for setting, mean, (low, high) in rows:
        name = setting if isinstance(setting, str) else f"{setting:g}"
        interval = "" if low is None else f" [{number(low)}, {number(high)}]"
        lines.append(f"{name}: {number(mean)}{interval}")
    return "\n".join(lines)
