"""How calls divide over the tools: per session, and per request."""

from __future__ import annotations

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.telemetry.sessions.aggregates import TraceSessions

RARE = 0.05  # share of all calls below which tools are pooled
MOST_PARTS = 12  # tools that are not pooled, and the pool
POOL = "other tools"


def tool_shares(trace: TraceSessions) -> tuple[Floats, list[int], list[str]]:
    """Return sessions × tools, the calls per session, and the names of the tools.

    Bookkeeping tools are left out, rare ones are pooled as "other tools".
    """
    total: dict[str, int] = {}
    for session in trace.sessions:
        for tool, n in session.calls_by_tool.items():
            if tool.casefold() not in trace.profile.bookkeeping:
                own = max(0, n - session.calls_apart.get(tool, 0))
                total[tool] = total.get(tool, 0) + own

    all_calls = sum(total.values())
    usual = [tool for tool, n in total.items() if n >= RARE * all_calls]
    usual.sort(key=lambda tool: (-total[tool], tool))
    usual = usual[: MOST_PARTS - 1]

    column = {tool: i for i, tool in enumerate(usual)}
    pool = len(usual)
    names = [*usual, POOL]
    table = np.zeros((len(trace.sessions), len(names)))

    for row, session in enumerate(trace.sessions):
        for tool, n in session.calls_by_tool.items():
            if tool in total:
                own = max(0, n - session.calls_apart.get(tool, 0))
                table[row, column.get(tool, pool)] += own

    # The pool may be empty.
    has_calls = table.sum(axis=0) > 0
    table = table[:, has_calls]
    names = [names[i] for i in np.flatnonzero(has_calls)]

    counts = table.sum(axis=1)
    shares = table / np.maximum(counts, 1.0)[:, None]
    return shares, [int(count) for count in counts], names


def request_shares(trace: TraceSessions, names: list[str]) -> tuple[Floats, Floats]:
    """Return requests × tools, and the calls of each request; 0 where it took none."""
    column = {name: i for i, name in enumerate(names)}
    pool = column.get(POOL)
    turns = [turn for session in trace.sessions for turn in session.turns]
    table = np.zeros((len(turns), len(names)))

    for row, turn in enumerate(turns):
        for tool, sums in turn.by_tool.items():
            place = column.get(tool, pool)
            if place is not None and tool.casefold() not in trace.profile.bookkeeping:
                table[row, place] += sums.calls - sums.apart

    counts = table.sum(axis=1)
    return table / np.maximum(counts, 1.0)[:, None], counts
