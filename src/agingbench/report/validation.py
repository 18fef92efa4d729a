"""The validation of telemetry on the terminal: false positives, power, areas and real folders."""

from __future__ import annotations

from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from agingbench.report.layout import MISSING, bare_table, in_words, number, show


def print_telemetry(result: dict[str, Any], console: Console) -> None:
    """Every figure with its n; checks that failed last."""
    parts: list[RenderableType] = [
        _false_positives(result),
        Text(),
        _power(result),
        Text(),
        _areas(result),
    ]
    if result["real"]:
        parts += [Text(), _real(result)]
    parts += [Text(), _noise(result["noise"]), Text()]
    failed = [name for name, ok in result["checks"].items() if not ok]
    verdict = (
        f"{len(failed)} of {len(result['checks'])} targets missed: {'; '.join(failed)}"
        if failed
        else "all targets met"
    )
    show(console, *parts, Text(verdict, "bold red" if failed else "bold green"))


def _percent(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1%}"


def _span(ci: list[float]) -> str:
    return f"{ci[0]:.1%} to {ci[1]:.1%}"


def _false_positives(result: dict[str, Any]) -> Table:
    table = bare_table(
        "healthy agents",
        ("n", "right"),
        ("flagged", "right"),
        ("rate", "right"),
        ("95 % limits", "right"),
        ("undecided", "right"),
        ("could fire", "right"),
        narrow=True,
    )
    block = result["false_positives"]
    for name, row in block["sets"].items():
        table.add_row(
            in_words(name),
            str(row["n"]),
            str(row["flagged"]),
            _percent(row["rate"]),
            _span(row["ci"]),
            str(row["undecided"]),
            str(row["could_have_fired"]),
        )
    pooled = block["pooled"]
    table.add_row(
        Text("pooled", "bold"),
        str(pooled["n"]),
        str(pooled["flagged"]),
        _percent(pooled["rate"]),
        _span(pooled["ci"]),
        "",
        "",
    )
    return table


def _power(result: dict[str, Any]) -> Table:
    table = bare_table(
        "planted aging",
        ("times moderate", "right"),
        ("sessions", "right"),
        ("n", "right"),
        ("found", "right"),
        ("95 % limits", "right"),
        ("named rightly", "right"),
        narrow=True,
    )
    for row in result["power"]:
        table.add_row(
            in_words(row["planted"]),
            number(row["strength"], 1),
            str(row["sessions"]),
            str(row["n"]),
            _percent(row["power"]),
            _span(row["ci"]),
            _percent(row["accuracy"]),
        )
    return table


def _areas(result: dict[str, Any]) -> Table:
    table = bare_table(
        "area under the ROC curve", ("area", "right"), ("planted", "right"), ("healthy", "right")
    )
    for name, row in result["auc"].items():
        table.add_row(name, number(row["auc"], 3), str(row["n_planted"]), str(row["n_stationary"]))
    return table


def _real(result: dict[str, Any]) -> Table:
    table = bare_table(
        "real folders",
        ("sessions", "right"),
        ("versions", "right"),
        ("flagged", "right"),
        ("could fire", "right"),
        narrow=True,
    )
    for name, row in result["real"].items():
        table.add_row(
            f"{name}, days shuffled",
            str(row["sessions"]),
            str(row["n"]),
            str(row["flagged"]),
            str(row["could_have_fired"]),
        )
    for name, row in result["real_planted"].items():
        table.add_row(
            f"{name} planted into shuffled ones", "", str(row["n"]), str(row["flagged"]), ""
        )
    return table


def _noise(noise: dict[str, Any]) -> Table:
    names = list(noise["real"])[:6]
    table = bare_table("noise", ("simulated", "right"), *((n, "right") for n in names), narrow=True)
    for key, value in noise["simulated"].items():
        cells = [noise["real"][name].get(key) for name in names]
        table.add_row(in_words(key), number(value, 3), *(number(c, 3) for c in cells))
    return table
