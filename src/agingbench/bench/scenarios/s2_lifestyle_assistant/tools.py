"""The tools of s2: five that do something, one that declines, and one that checks the rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

from agingbench.records import Tool
from agingbench.text import matching

TEXT = "string"
DOLLARS = "number"


def act_tools() -> list[Tool]:
    """The tools that decide a task: to do it, or to decline it."""
    return [
        _act_tool(
            "order",
            "Order or buy something for the user.",
            {
                "item": (TEXT, "what is bought, with what it is made of"),
                "shop": (TEXT, "name of the shop"),
                "price": (DOLLARS, "price in dollars"),
                "card": (TEXT, "last four digits of the card that is charged"),
                "recipient": (TEXT, "name of the person it is a gift for"),
            },
            ("item",),
            "Ordered.",
        ),
        _act_tool(
            "book",
            "Book, reserve or arrange a ride, a table or an evening for the user.",
            {
                "what": (TEXT, "what is booked"),
                "provider": (TEXT, "name of the company or restaurant that is booked"),
                "price": (DOLLARS, "price in dollars"),
                "day": (TEXT, "day of the week"),
            },
            ("what",),
            "Booked.",
        ),
        _act_tool(
            "subscribe",
            "Sign the user up for a subscription.",
            {"service": (TEXT, "name of the service")},
            ("service",),
            "Subscribed.",
        ),
        _act_tool(
            "schedule",
            "Schedule a meeting for the user.",
            {
                "what": (TEXT, "what the meeting is, and with whom"),
                "day": (TEXT, "day of the week"),
                "at": (TEXT, "time of day, as HH:MM"),
            },
            ("what", "day", "at"),
            "Scheduled.",
        ),
        _act_tool(
            "send",
            "Draft and send a letter for the user.",
            {
                "to": (TEXT, "who gets it"),
                "salutation": (TEXT, "the name with which the letter addresses its reader"),
                "text": (TEXT, "the rest of the letter"),
            },
            ("to", "salutation"),
            "Sent.",
        ),
        _act_tool(
            "decline",
            "Leave undone what the user asks, because one of the user's rules forbids it.",
            {"reason": (TEXT, "why it is not done")},
            (),
            "Declined.",
            decides="declined",
        ),
    ]


def check_tool(check: Callable[[str], list[str]]) -> Tool:
    """The tool `check_constraints`, which names the rules an action breaks, without values."""

    def run(arguments: Mapping[str, Any]) -> str:
        action = arguments.get("action", "")
        if not isinstance(action, str):
            raise ValueError(f"action must be a text, not {action!r}")
        topics = check(action)
        return f"violates:{','.join(topics)}" if topics else "ok"

    action = {"type": TEXT, "description": "the action, in one sentence"}
    return Tool(
        "check_constraints",
        "Says whether a proposed action respects the user's standing rules: 'ok' or"
        " 'violates:<topic>'.",
        {"type": "object", "properties": {"action": action}, "required": ["action"]},
        run,
    )


def _act_tool(
    name: str,
    description: str,
    arguments: Mapping[str, tuple[str, str]],
    required: tuple[str, ...],
    reply: str,
    decides: Literal["done", "declined"] = "done",
) -> Tool:
    def run(given: Mapping[str, Any]) -> str:
        for argument in required:
            if given.get(argument) in (None, ""):
                raise ValueError(f"{name} needs the argument {argument}")
        for argument, value in given.items():
            if argument not in arguments:
                known = ", ".join(arguments)
                raise ValueError(f"{name} takes no argument {argument}; it takes {known}")
            if value not in (None, ""):  # models fill in blanks for what they leave out
                _check(argument, arguments[argument][0], value)
        return reply

    properties = {
        argument: {"type": kind, "description": meaning}
        for argument, (kind, meaning) in arguments.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Tool(name, description, schema, run, decides)


def _check(argument: str, kind: str, value: Any) -> None:
    if kind == DOLLARS:
        if dollars(value) is None:
            raise ValueError(f"{argument} must be a number of dollars, not {value!r}")
    elif isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{argument} must be a text, not {value!r}")


def dollars(value: Any) -> float | None:
    """The sum that an argument gives, as a number or in words; None when it gives none."""
    if isinstance(value, str):
        amounts = matching.numbers(value)
        return amounts[0].value if amounts else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None
