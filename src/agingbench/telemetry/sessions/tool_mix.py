"""How calls divide over the tools: per session, and per request."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.telemetry.sessions.aggregates import TraceSessions

RARE = 0.05  # share of all calls below which tools are pooled
MOST_PARTS = 12  # tools that are not pooled, and the pool
POOL = "other tools"
SERVERS = "tools of MCP servers"
MOST_ADOPTED = 0.5  # share of all calls up to which the tools of servers are one part


def is_of_server(tool: str) -> bool:
    """Return whether a tool comes from an MCP server that somebody connected."""
    return tool.casefold().startswith("mcp__")


def tool_shares(trace: TraceSessions) -> tuple[Floats, list[int], list[str]]:
    """Return sessions × tools, the calls per session, and the names of the tools.

    Bookkeeping tools are left out, rare ones are pooled as "other tools". Several tools of MCP
    servers are one part, unless they are most of what the agent does: which of them is called
    depends on what was connected.
    """
    own_calls = _own_calls(trace)
    of_servers = [tool for tool in own_calls if is_of_server(tool)]
    among_all = sum(own_calls[tool] for tool in of_servers) / max(1, sum(own_calls.values()))
    joined = len(of_servers) > 1 and among_all <= MOST_ADOPTED
    total: dict[str, int] = {}
    for tool, n in own_calls.items():
        part = _part(tool, joined)
        total[part] = total.get(part, 0) + n

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
            if tool in own_calls:
                own = max(0, n - session.calls_apart.get(tool, 0))
                table[row, column.get(_part(tool, joined), pool)] += own

    # The pool may be empty.
    has_calls = table.sum(axis=0) > 0
    table = table[:, has_calls]
    names = [names[i] for i in np.flatnonzero(has_calls)]

    counts = table.sum(axis=1)
    shares = table / np.maximum(counts, 1.0)[:, None]
    return shares, [int(count) for count in counts], names


def shares_of(trace: TraceSessions, counts: Callable[[str], bool]) -> Floats:
    """Return the share of each session's calls that some tools take."""
    shares = []
    for session in trace.sessions:
        n = sum(calls for tool, calls in session.calls_by_tool.items() if counts(tool))
        shares.append(n / max(1, session.tool_calls))

    return np.array(shares)


def _own_calls(trace: TraceSessions) -> dict[str, int]:
    """Return the calls of every tool that say something of the mix."""
    calls: dict[str, int] = {}
    for session in trace.sessions:
        for tool, n in session.calls_by_tool.items():
            if tool.casefold() not in trace.profile.bookkeeping:
                own = max(0, n - session.calls_apart.get(tool, 0))
                calls[tool] = calls.get(tool, 0) + own

    return calls


def _part(tool: str, joined: bool) -> str:
    return SERVERS if joined and is_of_server(tool) else tool


def request_shares(trace: TraceSessions, names: list[str]) -> tuple[Floats, Floats]:
    """Return requests × tools, and the calls of each request; 0 where it took none."""
    column = {name: i for i, name in enumerate(names)}
    pool = column.get(POOL)
    joined = SERVERS in column
    turns = [turn for session in trace.sessions for turn in session.turns]
    table = np.zeros((len(turns), len(names)))

    for row, turn in enumerate(turns):
        for tool, sums in turn.by_tool.items():
            place = column.get(_part(tool, joined), pool)
            if place is not None and tool.casefold() not in trace.profile.bookkeeping:
                table[row, place] += sums.calls - sums.apart

    counts = table.sum(axis=1)
    return table / np.maximum(counts, 1.0)[:, None], counts
