"""The ranks of a leaderboard on the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from agingbench.cards.leaderboard import BoardRank, BoardTable, Leaderboard
from agingbench.report.layout import bare_table, in_words, interval_text, number, show
from agingbench.report.text import plain


def rank_text(rank: BoardRank) -> str:
    """The ranks that a system may have: 2, or 1–3 where it is tied."""
    return str(rank.best) if rank.best == rank.worst else f"{rank.best}–{rank.worst}"


def print_board(board: Leaderboard, console: Console) -> None:
    """Every table of every scenario, then open disputes and retractions."""
    if not board.scenarios:
        show(console, Text("no entries yet", style="dim"))
    for scenario in board.scenarios:
        title = f"{scenario.scenario} {scenario.version}, track {scenario.track}"
        show(console, Text(plain(title), style="bold"))
        for table in scenario.tables:
            _print_table(table, console)
    for dispute in board.disputes:
        if dispute.outcome is None:
            about = f"{dispute.scenario}/{dispute.key}: {dispute.claim}"
            show(console, Text(plain(f"open dispute {dispute.number}, {about}")))
    for entry in board.retracted:
        about = f"{entry.scenario}/{entry.key}: {entry.retraction.reason}"
        show(console, Text(plain(f"retracted {about}"), style="dim"))


def _print_table(table: BoardTable, console: Console) -> None:
    columns = (("rank", "right"), ("mean", "right"), ("95 %", "right"), ("seeds", "right"))
    grid = bare_table(f"{table.name} ({in_words(table.figure)})", *columns)
    for rank in table.ranks:
        grid.add_row(
            plain(rank.key),
            rank_text(rank),
            number(rank.value, 3),
            interval_text(rank.value_ci, 3, signed=False),
            str(rank.value_n),
        )
    show(console, grid)
