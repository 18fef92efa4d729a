"""The figures of the behaviour panel: what each counts, per what, and which way is worse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agingbench.models.prices import PriceList
from agingbench.telemetry.panel.spending import session_cost
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.sessions.tool_kinds import EDITING, OTHER, READING, SHELL, WRITING
from agingbench.telemetry.signals.repeats import repeated_tasks

Ratio = tuple[float, float]  # what is counted, and per what; (0, 0) where there is nothing

SHARE = "share"
RATIO = "ratio"


@dataclass(frozen=True)
class FigureKind:
    """One figure: a count over another, summed over sessions before it is divided."""

    name: str
    counted: str
    per: str
    scale: str  # `share` lies between 0 and 1; `ratio` is any number from 0
    rising_is_bad: bool
    of: Callable[[TraceSession], Ratio]


def _calls(session: TraceSession) -> Ratio:
    return session.behaviour.calls, session.behaviour.requests


def _tokens(session: TraceSession) -> Ratio:
    tokens = sum(sums.tokens for sums in session.bill.values())
    return (tokens, session.behaviour.requests) if tokens else (0, 0)


def _errors(*kinds: str) -> Callable[[TraceSession], Ratio]:
    """Return the figure of failed results among those of some kinds of tools."""

    def count(session: TraceSession) -> Ratio:
        rows = [session.behaviour.results_by_kind.get(kind, [0, 0]) for kind in kinds]
        return sum(row[1] for row in rows), sum(row[0] for row in rows)

    return count


FIGURES = (
    FigureKind(
        "reads_per_change", "reads", "change of a file", RATIO, False,
        lambda s: (s.behaviour.reads, s.behaviour.changes),
    ),
    FigureKind(
        "edits_without_read", "edits of files not read before", "edit", SHARE, True,
        lambda s: (s.behaviour.blind_edits, s.behaviour.edits),
    ),
    FigureKind(
        "repeated_edits", "edits of the same file after a failure", "change of a file", SHARE, True,
        lambda s: (s.behaviour.repeated_edits, s.behaviour.changes),
    ),
    FigureKind(
        "whole_file_writes", "whole files written", "change of a file", SHARE, True,
        lambda s: (s.behaviour.writes, s.behaviour.changes),
    ),
    FigureKind(
        "tool_errors", "tool calls that failed", "tool result", SHARE, True,
        lambda s: (s.behaviour.errors, s.behaviour.results),
    ),
    FigureKind(
        "read_errors", "reads that failed", "result of a read", SHARE, True, _errors(READING)
    ),
    FigureKind(
        "change_errors", "changes that failed", "result of a change", SHARE, True,
        _errors(EDITING, WRITING),
    ),
    FigureKind(
        "shell_errors", "shell commands that failed", "result of a command", SHARE, True,
        _errors(SHELL),
    ),
    FigureKind(
        "other_errors", "other tool calls that failed", "result of another tool", SHARE, True,
        _errors(OTHER),
    ),
    FigureKind(
        "refused_calls", "calls refused by the client", "tool result", SHARE, True,
        lambda s: (s.behaviour.refusals, s.behaviour.results),
    ),
    FigureKind(
        "retries", "failed calls tried again unchanged", "tool call", SHARE, True,
        lambda s: (s.behaviour.retries, s.behaviour.calls),
    ),
    FigureKind(
        "rejections", "calls rejected by the user", "request", RATIO, True,
        lambda s: (s.behaviour.rejections, s.behaviour.requests),
    ),
    FigureKind(
        "interrupts", "interruptions by the user", "request", RATIO, True,
        lambda s: (s.behaviour.interrupts, s.behaviour.requests),
    ),
    FigureKind(
        "corrections", "corrections by the user", "request", SHARE, True,
        lambda s: (s.behaviour.corrections, s.behaviour.requests),
    ),
    FigureKind(
        "early_stops", "stops before the work was done", "request", SHARE, True,
        lambda s: (s.behaviour.early_stops, s.behaviour.requests),
    ),
    FigureKind(
        "thinking_length", "characters of thinking", "block of thinking", RATIO, False,
        lambda s: (s.behaviour.thinking_characters, s.behaviour.thinking_blocks),
    ),
    FigureKind("calls_per_request", "tool calls", "request", RATIO, True, _calls),
    FigureKind("tokens_per_request", "tokens", "request", RATIO, True, _tokens),
    FigureKind(
        "seconds_per_request", "seconds", "request", RATIO, True,
        lambda s: (s.behaviour.seconds, s.behaviour.timed_requests),
    ),
    FigureKind(
        "rereads", "reads of what was read shortly before", "read", SHARE, True,
        lambda s: (s.behaviour.rereads, s.behaviour.reads),
    ),
    FigureKind(
        "context_at_compaction", "tokens in the context", "compaction", RATIO, False,
        lambda s: (s.behaviour.compaction_load, s.behaviour.compactions),
    ),
)  # fmt: skip
DOLLARS = "dollars_per_request"
SOLVED_BEFORE = "solved_before"


def panel_kinds(trace: TraceSessions, prices: PriceList) -> list[FigureKind]:
    """Return all figures, with those that need prices or several sessions."""
    solved = _solved_before(trace)

    def dollars(session: TraceSession) -> Ratio:
        cost = session_cost(session, prices)
        return (0, 0) if cost is None else (cost, session.behaviour.requests)

    def repeats(session: TraceSession) -> Ratio:
        return solved.get(session.id, 0), session.behaviour.requests

    return [
        *FIGURES,
        FigureKind(DOLLARS, "US dollars", "request", RATIO, True, dollars),
        FigureKind(
            SOLVED_BEFORE,
            "requests that an earlier session had solved",
            "request",
            SHARE,
            True,
            repeats,
        ),
    ]


def _solved_before(trace: TraceSessions) -> Mapping[str, int]:
    """Return how many requests of each session repeat one that an earlier session had solved.

    Solved is a request that was worked on and answered, and not corrected by the next turn.
    """
    counts: dict[str, int] = {}
    tasks, _, _ = repeated_tasks(trace)
    for task in tasks:
        in_order = sorted(task, key=lambda pair: pair[0])
        was_solved = False
        for place, turn in in_order:
            if was_solved:
                name = trace.sessions[place].id
                counts[name] = counts.get(name, 0) + 1
            was_solved = was_solved or bool(turn.calls and turn.reply and not turn.corrected)

    return counts
