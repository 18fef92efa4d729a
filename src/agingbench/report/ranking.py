"""Rankings and trends of a ledger on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from agingbench.report.layout import MISSING, bare_table, interval_text, number, show, whole
from agingbench.report.text import plain
from agingbench.trials.inspect.groups import SystemKey
from agingbench.trials.inspect.ranking import PartialGroup, RankedGroup, Ranking
from agingbench.trials.inspect.trend import Period, Trend

Column = tuple[str, str]
REWARD: tuple[Column, ...] = (("reward", "right"), ("95 %", "right"), ("n", "right"))
VIEW_COLUMNS: dict[str, tuple[Column, ...]] = {
    "reward": (("trials", "right"), ("USD", "right"), ("tokens", "right")),
    "cost": (
        ("USD", "right"),
        ("tokens", "right"),
        ("reward/USD", "right"),
        ("unbeaten", "left"),
    ),
    "advisor": (("advisor calls", "right"), ("advisor tokens", "right"), ("tokens", "right")),
}


def system_name(key: SystemKey, others: Sequence[SystemKey]) -> str:
    """The task and the system, with whatever else tells it apart from the others."""
    parts = [key.task_id, key.system_id or f"{key.model} {key.harness}"]
    for name in ("sessions", "pressure", "events", "study", "condition"):
        value = getattr(key, name)
        varies = len({getattr(other, name) for other in others}) > 1
        if varies and value:
            parts.append(f"{value} sessions" if name == "sessions" else str(value))
    return plain(", ".join(str(part) for part in parts if part))


def print_ranking(ranking: Ranking, view: str, console: Console) -> None:
    """Complete records ranked, what was left out, and partial records apart."""
    if ranking.ranking:
        table = bare_table("system", *REWARD, *VIEW_COLUMNS[view])
        for group in ranking.ranking:
            table.add_row(
                system_name(group, ranking.ranking),
                number(group.reward, 3),
                interval_text(group.reward_ci, 3, signed=False),
                str(group.reward_n),
                *_view_cells(group, view),
            )
        show(console, table)

    reasons = [f"{n} × {reason}" for reason, n in ranking.left_out.items()]
    left_out = ", ".join(reasons) or "none"
    text = f"{ranking.used} complete records used; left out: {left_out}"
    show(console, Text(text, style="dim"))
    if ranking.diagnostic is not None:
        _print_partial(ranking.diagnostic, console)


def _view_cells(group: RankedGroup, view: str) -> tuple[str, ...]:
    money = number(group.cost_usd, 4)
    tokens = whole(group.tokens)
    if view == "cost":
        unbeaten = {True: "yes", False: "no", None: MISSING}[group.on_frontier]
        return money, tokens, number(group.reward_per_usd, 1), unbeaten
    if view == "advisor":
        return number(group.advisor_calls, 1), whole(group.advisor_tokens), tokens
    return str(group.trials), money, tokens


def _print_partial(groups: Sequence[PartialGroup], console: Console) -> None:
    show(console, Text("Partial records, to look into: no ranking rests on them.", style="bold"))
    table = bare_table(
        "system",
        ("partial records", "right"),
        ("evaluated", "right"),
        ("reward", "right"),
        ("USD", "right"),
    )
    for group in groups:
        table.add_row(
            system_name(group, groups),
            str(group.trials),
            str(group.evaluated),
            number(group.reward, 3),
            number(group.cost_usd, 4),
        )
    show(console, table)


def print_trend(trend: Trend, console: Console) -> None:
    """Each system period by period with its change, then what all of them cost."""
    for system in trend.systems:
        show(console, Text(system_name(system, trend.systems), style="bold"))
        _print_periods(system.periods, trend.per, console)
        change = "no change can be told from one period"
        if system.change is not None:
            interval = interval_text(system.change_ci, 4, signed=True)
            change = f"change per {trend.per} {number(system.change, 4, signed=True)} {interval}"
        show(console, Text(f"{change} (n {system.change_n})", style="dim"))
    if len(trend.systems) > 1:
        show(console, Text("all systems", style="bold"))
        _print_periods(trend.totals, trend.per, console)


def _print_periods(periods: Sequence[Period], per: str, console: Console) -> None:
    table = bare_table(
        per,
        *REWARD,
        ("trials", "right"),
        ("unfinished", "right"),
        ("USD", "right"),
        ("tokens", "right"),
    )
    for period in periods:
        table.add_row(
            period.start,
            number(period.reward, 3),
            interval_text(period.reward_ci, 3, signed=False),
            str(period.reward_n),
            str(period.trials),
            str(period.unfinished),
            number(period.cost_usd, 4),
            whole(period.tokens),
        )
    show(console, table)
