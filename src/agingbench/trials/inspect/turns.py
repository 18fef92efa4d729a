"""The turns of a trace: what an assistant said in one go, what it called and what came back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agingbench.records import Event

WARMUP = "warmup"


@dataclass
class Turn:
    """One turn of the assistant; `final` when the user speaks next, or nobody does."""

    index: int
    session: int | None
    step: int
    line: int | None
    text: str = ""
    calls: list[Event] = field(default_factory=list)
    results: list[Event] = field(default_factory=list)
    final: bool = False


def assistant_turns(events: Sequence[Event]) -> list[Turn]:
    """The turns in order; warm-up entries are no turns.

    Entries of one step are one turn. Where a trace numbers every entry by itself, a turn goes from
    one thing that the assistant says to the next.
    """
    by_entry = _numbers_every_entry(events)
    turns: list[Turn] = []
    place: tuple[object, ...] | None = None
    for event in events:
        if event.role == "user" and turns:
            turns[-1].final = True
        if event.call_type == WARMUP or event.role not in ("assistant", "tool_call", "tool_result"):
            continue
        at = (event.session, event.session_id, event.thread, event.step)
        opens = (
            event.role == "assistant" or (event.role == "tool_call" and not by_entry) or not turns
        )
        if at != place and opens and event.role != "tool_result":
            line = event.source.line if event.source else None
            turns.append(Turn(len(turns), event.session, event.step, line))
            place = at
        if not turns:
            continue
        if event.role == "assistant":
            turns[-1].text += ("\n" if turns[-1].text else "") + (event.content or "")
        else:
            (turns[-1].calls if event.role == "tool_call" else turns[-1].results).append(event)
    if turns:
        turns[-1].final = True
    return turns


def _numbers_every_entry(events: Sequence[Event]) -> bool:
    said = {(e.session, e.session_id, e.thread, e.step) for e in events if e.role == "assistant"}
    called = {(e.session, e.session_id, e.thread, e.step) for e in events if e.role == "tool_call"}
    return bool(said) and bool(called) and not said & called
