"""The validation of telemetry on the terminal: false positives, power, areas and real folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from agingbench.cards.telemetry_validity import (
    FalsePositives,
    HealthySet,
    NoiseComparison,
    PlantedPower,
    PowerPoint,
    RocArea,
    TelemetryValidity,
    WorkSet,
)
from agingbench.report.layout import MISSING, bare_table, in_words, number, show

MOST_FOLDERS = 6  # of real traces beside the simulated noise


def print_telemetry(result: TelemetryValidity, console: Console) -> None:
    """Print every figure with its n; checks that failed last."""
    parts: list[RenderableType] = [
        _healthy_table(result.false_positives),
        Text(),
        _power_table(result.power),
        Text(),
        _area_table(result.auc),
        Text(),
    ]
    if result.work:
        parts += [_work_table(result.work), Text()]
    if result.real:
        parts += [_real_table(result.real, result.real_planted), Text()]
    parts += [_noise_table(result.noise), Text()]

    missed = [name for name, ok in result.checks.items() if not ok]
    if missed:
        words = f"{len(missed)} of {len(result.checks)} targets missed: {'; '.join(missed)}"
        parts.append(Text(words, "bold red"))
    else:
        parts.append(Text("all targets met", "bold green"))
    show(console, *parts)


def _work_table(rows: list[WorkSet]) -> Table:
    table = bare_table(
        "work that changes, and harm",
        ("sessions", "right"),
        ("n", "right"),
        ("aging", "right"),
        ("no aging", "right"),
        ("cannot be told", "right"),
        ("named", "left"),
        narrow=True,
    )
    for row in rows:
        harm = "" if row.harm is None else f": {in_words(row.harm)}"
        table.add_row(
            f"{in_words(row.variant)}{harm}{' at once' if row.at_once else ''}",
            str(row.sessions),
            str(row.n),
            str(row.flagged),
            str(row.answered_no),
            str(row.undecided),
            ", ".join(f"{in_words(name)} {n}" for name, n in row.named.items()),
        )

    return table


def _percent(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1%}"


def _limits(ci: tuple[float, float]) -> str:
    low, high = ci
    return f"{low:.1%} to {high:.1%}"


def _healthy_table(alarms: FalsePositives) -> Table:
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
    for name, row in alarms.sets.items():
        table.add_row(
            in_words(name),
            str(row.n),
            str(row.flagged),
            _percent(row.rate),
            _limits(row.ci),
            str(row.undecided),
            str(row.could_have_fired),
        )
    pooled = alarms.pooled
    table.add_row(
        Text("pooled", "bold"),
        str(pooled.n),
        str(pooled.flagged),
        _percent(pooled.rate),
        _limits(pooled.ci),
        "",
        "",
    )
    return table


def _power_table(rows: Sequence[PowerPoint]) -> Table:
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
    for row in rows:
        table.add_row(
            in_words(row.planted),
            number(row.strength, 1),
            str(row.sessions),
            str(row.n),
            _percent(row.power),
            _limits(row.ci),
            _percent(row.accuracy),
        )
    return table


def _area_table(areas: Mapping[str, RocArea]) -> Table:
    table = bare_table(
        "area under the ROC curve",
        ("area", "right"),
        ("planted", "right"),
        ("healthy", "right"),
    )
    for name, row in areas.items():
        table.add_row(
            name,
            number(row.auc, 3),
            str(row.n_planted),
            str(row.n_stationary),
        )
    return table


def _real_table(
    shuffled: Mapping[str, HealthySet],
    planted: Mapping[str, PlantedPower],
) -> Table:
    table = bare_table(
        "real folders",
        ("sessions", "right"),
        ("versions", "right"),
        ("flagged", "right"),
        ("could fire", "right"),
        narrow=True,
    )
    for name, row in shuffled.items():
        table.add_row(
            f"{name}, days shuffled",
            str(row.sessions or MISSING),
            str(row.n),
            str(row.flagged),
            str(row.could_have_fired),
        )
    for name, power in planted.items():
        table.add_row(
            f"{name} planted into shuffled ones",
            "",
            str(power.n),
            str(power.flagged),
            "",
        )
    return table


def _noise_table(noise: NoiseComparison) -> Table:
    names = list(noise.real)[:MOST_FOLDERS]
    columns = [(name, "right") for name in names]
    table = bare_table("noise", ("simulated", "right"), *columns, narrow=True)
    for key, value in noise.simulated.items():
        cells = [number(noise.real[name].get(key), 3) for name in names]
        table.add_row(in_words(key), number(value, 3), *cells)
    return table
