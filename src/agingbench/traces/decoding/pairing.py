"""Pairs tool results with the tool calls they belong to."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from agingbench.records import Event


class Pairing(NamedTuple):
    """Tool calls with their results, in the order of the results, and what is left over."""

    pairs: list[tuple[Event, Event]]
    unmatched_calls: list[Event]
    unmatched_results: list[Event]


def pair_calls(events: Iterable[Event]) -> Pairing:
    """Pair calls with results by id; where a side has no id, by order within the session.

    By order means the oldest waiting call of the same step, else of the session, that does not name
    another tool. An id that is used again belongs to its latest call.
    """
    tools = [e for e in events if e.role in ("tool_call", "tool_result")]
    call_of = _by_id(tools)
    paired = set(call_of.values())
    waiting: dict[tuple[Any, ...], deque[int]] = {}

    for i, event in enumerate(tools):
        if event.role == "tool_call":
            if i not in paired:
                for key in _queues(event):
                    waiting.setdefault(key, deque()).append(i)
        elif i not in call_of:
            call = _oldest(waiting, paired, event)
            if call is not None:
                call_of[i] = call
                paired.add(call)

    return Pairing(
        [(tools[call_of[i]], tools[i]) for i in sorted(call_of)],
        [e for i, e in enumerate(tools) if e.role == "tool_call" and i not in paired],
        [e for i, e in enumerate(tools) if e.role == "tool_result" and i not in call_of],
    )


def _by_id(tools: list[Event]) -> dict[int, int]:
    call_of: dict[int, int] = {}
    open_calls: dict[tuple[int | None, str], list[int]] = {}
    for i, event in enumerate(tools):
        if event.tool_call_id is None:
            continue

        same = open_calls.setdefault((event.session, event.tool_call_id), [])
        if event.role == "tool_call":
            same.append(i)
        elif same:
            call_of[i] = same.pop()

    return call_of


# A call waits in a queue per (session, step or any, tool or any, has an id), so that finding the
# oldest fitting call stays quick however many calls never got a result.
_ANY = ("any",)


def _queues(call: Event) -> Iterator[tuple[Any, ...]]:
    for step in (call.step, _ANY):
        for tool in (call.tool_name, _ANY):
            yield call.session, step, tool, call.tool_call_id is not None


def _oldest(
    waiting: dict[tuple[Any, ...], deque[int]],
    paired: set[int],
    result: Event,
) -> int | None:
    tools = (_ANY,) if result.tool_name is None else (result.tool_name, None)
    with_id = (False, True) if result.tool_call_id is None else (False,)
    for step in (result.step, _ANY):
        heads = []
        keys = itertools.product([result.session], [step], tools, with_id)
        for queue in map(waiting.get, keys):
            while queue and queue[0] in paired:
                queue.popleft()
            if queue:
                heads.append(queue[0])

        if heads:
            return min(heads)

    return None
