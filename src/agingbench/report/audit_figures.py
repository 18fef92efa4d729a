"""Figures of the behaviour panel in words: their names, their values, and what a move means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from agingbench.cards.audit import SpendingBlock
from agingbench.report.layout import MISSING, in_words, number

MINUTE = 60
LONG = 120  # seconds from which minutes are shown

# What a row of the panel is called on the screen, in the order in which it is shown.
ROWS = {
    "tool_errors": "tool calls that fail",
    "shell_errors": "  shell commands",
    "read_errors": "  reads",
    "change_errors": "  changes of files",
    "other_errors": "  other tools",
    "refused_calls": "calls the client blocks",
    "retries": "calls that repeat a failed one as it was",
    "reads_per_change": "reads per change of a file",
    "edits_without_read": "edits of files not read before",
    "repeated_edits": "changes that redo a file after a failure",
    "whole_file_writes": "changes that write the whole file",
    "rereads": "reads of what was just read",
    "corrections": "requests that say it was wrong",
    "rejections": "calls you reject, per request",
    "interrupts": "times you interrupt, per request",
    "early_stops": "stops before the work is done",
    "solved_before": "requests an earlier session had done",
    "thinking_length": "characters per thought",
    "calls_per_request": "tool calls per request",
    "seconds_per_request": "time per request",
    "tokens_per_request": "tokens per request",
    "dollars_per_request": "dollars per request",
    "context_at_compaction": "context when it is compacted",
}


# Figures of failures: fewer of them are better.
FAILURES = ("tool_errors", "shell_errors", "read_errors", "change_errors", "other_errors")
# Figures that hang on how calls ended.
OF_ENDS = (*FAILURES, "retries", "repeated_edits")


def row_label(name: str) -> str:
    """The label of a figure where it stands alone: rows below another one say what they count."""
    label = ROWS[name]
    return f"{label.strip()} that fail" if label.startswith("  ") else label


# What moved, as one clause: {after} and {before} are values, {times} is after over before.
_CLAUSES = {
    "tool_errors": "{after} of its tool calls fail, before it was {before}",
    "shell_errors": "{after} of its shell commands fail, before it was {before}",
    "read_errors": "{after} of its reads fail, before it was {before}",
    "change_errors": "{after} of its changes of files fail, before it was {before}",
    "other_errors": "{after} of its other tool calls fail, before it was {before}",
    "refused_calls": "the client blocks {after} of its calls, before it was {before}",
    "retries": "{after} of its calls repeat one that just failed, before it was {before}",
    "reads_per_change": "it reads {after} times per change of a file, before it was {before}",
    "edits_without_read": "it had not read {after} of the files it edits, before it was {before}",
    "repeated_edits": "{after} of its changes redo a file after a failure, before it was {before}",
    "whole_file_writes": "{after} of its changes write the whole file, before it was {before}",
    "rereads": "{after} of its reads repeat one just made, before it was {before}",
    "corrections": "you correct it in {after} of your requests, before it was {before}",
    "rejections": "you reject {after} calls per request, before it was {before}",
    "interrupts": "you interrupt it {after} times per request, before it was {before}",
    "early_stops": "it stops early in {after} of your requests, before it was {before}",
    "solved_before": "{after} of your requests were solved before, earlier it was {before}",
    "thinking_length": "its thoughts are {after} characters long, before it was {before}",
    "calls_per_request": "it makes {times} times the tool calls per request",
    "seconds_per_request": "a request takes {times} times as long",
    "tokens_per_request": "a request takes {times} times the tokens",
    "dollars_per_request": "a request costs {times} times as much",
    "context_at_compaction": "its context is compacted at {after} tokens, before it was {before}",
}


def figure_value(name: str, scale: str, value: float | None, like: float | None = None) -> str:
    """A value of the panel as people write it: 13.6 %, $0.87, 1.2 M, 2.4 min.

    `like` is a value whose unit it takes.
    """
    if value is None:
        return MISSING
    if scale == "share":
        return percent(value)
    if name == "dollars_per_request":
        return dollars(value)
    if name in ("tokens_per_request", "context_at_compaction"):
        return tokens(value)
    if name == "seconds_per_request":
        in_minutes = (value if like is None else like) >= LONG
        return f"{value / MINUTE:.1f} min" if in_minutes else f"{value:.0f} s"

    return f"{value:,.0f}" if value >= 100 else number(value, 1 if value >= 10 else 2)


def percent(share: float) -> str:
    """A share as a percentage; a small one with a decimal."""
    figure = 100 * share
    return f"{figure:.0f} %" if figure >= 10 or figure == 0 else f"{figure:.1f} %"


def dollars(value: float | None) -> str:
    """US dollars; `unknown` where a price is missing."""
    if value is None:
        return "unknown"
    return f"${value:,.0f}" if value >= 100 else f"${value:.2f}"


def tokens(value: float) -> str:
    """A number of tokens: 840, 12 k, 1.2 M, 3.4 G."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            figure = value / limit
            return f"{figure:.1f} {unit}" if figure < 10 else f"{figure:.0f} {unit}"

    return f"{value:.0f}"


def clause(name: str, scale: str, before: float | None, after: float | None) -> str:
    """What moved, as a clause of a sentence."""
    times = MISSING if not before or after is None else f"{after / before:.1f}"
    text = _CLAUSES.get(name, f"{in_words(name)} is {{after}}, before it was {{before}}")
    if "{times}" in text and (not before or after is None or after < before):
        text = f"{ROWS.get(name, in_words(name))}: {{after}}, before it was {{before}}"

    return text.format(
        after=figure_value(name, scale, after),
        before=figure_value(name, scale, before),
        times=times,
    )


def day(moment: float | None, with_year: bool = False) -> str:
    """A day such as 12 Mar or 12 Mar 2026; a dash where the time is unknown or impossible."""
    if moment is None:
        return MISSING
    try:
        date = datetime.fromtimestamp(moment, UTC)
    except (OverflowError, OSError, ValueError):
        return MISSING

    year = f" {date:%Y}" if with_year else ""
    return f"{date.day} {date:%b}{year}"


def session_words(session: int, moment: float | None) -> str:
    """A session by its number, as cards and pages count, and its day where that is known."""
    when = day(moment)
    return f"session {session}" if when == MISSING else f"session {session}, {when}"


def fullest_place(spending: SpendingBlock) -> str:
    """In which session, and on which day, the context was largest; empty where it is not known."""
    session = spending.context_share_highest_session
    if session is None:
        return ""
    return f" ({session_words(session, spending.context_share_highest_time)})"


def iso_day(moment: float | None) -> str:
    """A day such as 2026-03-12; a dash where the time is unknown or impossible."""
    if moment is None:
        return MISSING
    try:
        return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"
    except (OverflowError, OSError, ValueError):
        return MISSING


def monday_of(moment: float | None) -> str:
    """The Monday of a time's week, as the panel names weeks; empty where it is not known."""
    if moment is None:
        return ""
    try:
        date = datetime.fromtimestamp(moment, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return f"{date - timedelta(days=date.weekday()):%Y-%m-%d}"


def week_words(monday: str) -> str:
    """The Monday of a week with its year, in one piece that no line breaks."""
    try:
        date = datetime.fromisoformat(monday)
    except ValueError:
        return monday
    return f"{date.day} {date:%b %Y}".replace(" ", "\N{NO-BREAK SPACE}")


def week_day(monday: str) -> str:
    """The Monday of a week as people write it."""
    try:
        date = datetime.fromisoformat(monday)
    except ValueError:
        return monday

    return f"{date.day} {date:%b}"
