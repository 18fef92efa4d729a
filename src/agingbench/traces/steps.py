"""The steps of a trace, numbered in one way wherever a step is shown or named."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.records import Event

# A tool result belongs to the step of its call.
STEP_ROLES = frozenset({"user", "assistant", "tool_call"})


def is_step(event: Event) -> bool:
    """Whether the event is a tool call or a message with text; hidden reasoning has none."""
    if event.role == "tool_call":
        return True
    has_text = bool(event.content and event.content.strip())
    return event.role in STEP_ROLES and has_text


def main_thread(events: Sequence[Event]) -> list[Event]:
    """Return the events without those of subagents; a trace of one subagent alone is its own."""
    threads = {event.thread for event in events}
    if len(threads) > 1:
        return [event for event in events if event.thread is None]
    return list(events)


def step_numbers(events: Sequence[Event]) -> list[int | None]:
    """Return the step that each event belongs to, from 1; None for subagents and what comes before.

    Steps are counted over the whole trace, as `agingbench resumption cut --at` counts them.
    """
    counted = {id(event) for event in main_thread(events)}
    numbers: list[int | None] = []
    step = 0
    for event in events:
        if id(event) not in counted:
            numbers.append(None)
            continue
        step += is_step(event)
        numbers.append(step or None)
    return numbers
