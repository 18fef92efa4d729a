"""The page of a leaderboard: ranks by mechanism, declarations, disputes and retractions."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agingbench.cards.leaderboard import (
    BoardDispute,
    BoardEntry,
    BoardRank,
    BoardTable,
    Leaderboard,
    ScenarioBoard,
)
from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.leaderboard import rank_text
from agingbench.report.pages.charts import TableCell
from agingbench.report.pages.document import write_page

RANK_COLUMNS = ["entry", "rank", "mean over seeds", "95 % interval", "seeds", "tied with"]
ENTRY_COLUMNS = ["entry", "system", "submitted by", "conflict of interest", "fork", "notes"]
DISPUTE_COLUMNS = ["dispute", "entry", "claim", "opened by", "rulings", "state"]
RETRACTED_COLUMNS = ["entry", "submitted by", "reason", "operators", "date", "dispute"]
BY_CHANCE = 0.05  # share of pairs of equal systems that a 95 % interval tells apart


class RankSection(msgspec.Struct, frozen=True):
    """One table of ranks, and how it is to be read."""

    title: str
    about: str
    rows: list[list[TableCell]]


class ScenarioSection(msgspec.Struct, frozen=True):
    """A scenario of the page: its tables of ranks, and its entries."""

    id: str
    title: str
    tables: list[RankSection]
    entries: list[list[TableCell]]


class LeaderboardPage(msgspec.Struct, frozen=True):
    """Everything that the page shows."""

    answer: str
    rank_columns: list[str]
    entry_columns: list[str]
    dispute_columns: list[str]
    retracted_columns: list[str]
    scenarios: list[ScenarioSection]
    disputes: list[list[TableCell]]
    retracted: list[list[TableCell]]


def write_board_page(board: Leaderboard, out: Path) -> int:
    """Write the page of a leaderboard and return its size in bytes."""
    page = leaderboard_page(board)
    return write_page(out, "leaderboard.html.j2", "AgingBench leaderboard", page, [])


def leaderboard_page(board: Leaderboard) -> LeaderboardPage:
    """The page of a leaderboard."""
    return LeaderboardPage(
        answer=_answer(board),
        rank_columns=RANK_COLUMNS,
        entry_columns=ENTRY_COLUMNS,
        dispute_columns=DISPUTE_COLUMNS,
        retracted_columns=RETRACTED_COLUMNS,
        scenarios=[_scenario_section(i, one) for i, one in enumerate(board.scenarios)],
        disputes=[_dispute_row(dispute) for dispute in board.disputes],
        retracted=[
            _cells(
                f"{entry.track}/{entry.scenario}/{entry.key}",
                entry.submitter,
                entry.retraction.reason,
                ", ".join(entry.retraction.operators),
                entry.retraction.date,
                str(entry.retraction.dispute),
            )
            for entry in board.retracted
        ],
    )


def _answer(board: Leaderboard) -> str:
    entries = sum(len(scenario.entries) for scenario in board.scenarios)
    if not entries:
        return "No entries yet"
    systems = "1 entry" if entries == 1 else f"{entries} entries"
    scenarios = len(board.scenarios)
    return f"{systems} in {scenarios} scenario{'s' if scenarios > 1 else ''}"


def _scenario_section(place: int, board: ScenarioBoard) -> ScenarioSection:
    title = f"{board.scenario} {board.version}, track {board.track}"
    tables = [_rank_section(table) for table in board.tables]
    entries = [_entry_row(entry) for entry in board.entries]
    return ScenarioSection(f"scenario-{place}", title, tables, entries)


def _rank_section(table: BoardTable) -> RankSection:
    about = f"By {in_words(table.figure)}, the mean over seeds; more is better."
    if table.pairs:
        expected = table.pairs * BY_CHANCE
        about += (
            f" {table.pairs} pairs compared, each at 95 %: were all systems equal, up to"
            f" {expected:.1f} would be told apart by chance."
        )
    if table.missing:
        about += f" Not measured: {', '.join(table.missing)}."
    return RankSection(table.name, about, [_rank_row(rank) for rank in table.ranks])


def _rank_row(rank: BoardRank) -> list[TableCell]:
    return _cells(
        rank.key,
        rank_text(rank),
        number(rank.value, 3),
        interval_text(rank.value_ci, 3, signed=False),
        str(rank.value_n),
        ", ".join(rank.tied) or MISSING,
    )


def _entry_row(entry: BoardEntry) -> list[TableCell]:
    notes = [f"disputed ({number})" for number in entry.disputes]
    notes += [text for text in entry.warnings if not text.startswith("mechanism_not_exercised")]
    return _cells(
        entry.key,
        entry.sut_id,
        entry.submitter,
        entry.conflict or "none declared",
        entry.fork or "none declared",
        "; ".join(notes) or MISSING,
    )


def _dispute_row(dispute: BoardDispute) -> list[TableCell]:
    rulings = [f"{one.operator}: {one.decision}, {one.reason}" for one in dispute.rulings]
    outcomes = {"keep": "kept", "retract": "retracted", None: "open"}
    return _cells(
        str(dispute.number),
        f"{dispute.track}/{dispute.scenario}/{dispute.key}",
        dispute.claim,
        dispute.opened_by,
        "; ".join(rulings) or MISSING,
        outcomes[dispute.outcome],
    )


def _cells(*texts: str) -> list[TableCell]:
    return [TableCell(text) for text in texts]
