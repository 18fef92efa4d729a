"""The turns of a trace: what the assistant said, what it called and what came back."""

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
    """The turns in order, without warm-up entries.

    Entries of one step are one turn. Where a trace gives every entry a step of its own, a turn goes
    from one text of the assistant to the next.
    """
    by_entry = _numbers_every_entry(events)
    turns: list[Turn] = []
    last_place: tuple[object, ...] | None = None

    for event in events:
        if event.role == "user" and turns:
            turns[-1].final = True
        if event.call_type == WARMUP or event.role not in ("assistant", "tool_call", "tool_result"):
            continue

        place = _place(event)
        can_open = event.role == "assistant" or not turns
        if event.role == "tool_call" and not by_entry:
            can_open = True
        if place != last_place and can_open and event.role != "tool_result":
            line = event.source.line if event.source else None
            turns.append(Turn(len(turns), event.session, event.step, line))
            last_place = place
        if not turns:
            continue

        turn = turns[-1]
        if event.role == "tool_call":
            turn.calls.append(event)
        elif event.role == "tool_result":
            turn.results.append(event)
        else:
            turn.text += ("\n" if turn.text else "") + (event.content or "")

    if turns:
        turns[-1].final = True
    return turns


def _numbers_every_entry(events: Sequence[Event]) -> bool:
    """Whether no text of the assistant shares its step with a call."""
    texts = {_place(event) for event in events if event.role == "assistant"}
    calls = {_place(event) for event in events if event.role == "tool_call"}
    return bool(texts) and bool(calls) and not texts & calls


def _place(event: Event) -> tuple[object, ...]:
    return event.session, event.session_id, event.thread, event.step
