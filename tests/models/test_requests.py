"""Requests to the embedded model: what forbids them, and with which call they are done."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.models.extractive import Extractive
from agingbench.models.requests import forbids
from agingbench.records import Message, Tool, ToolCall

TOOLS = load_scenario("s2").tools(plan_for("s2", "medium", None, 1, 0), 0)


@pytest.mark.parametrize(
    ("rule", "forbidden", "allowed"),
    [
        (
            "I boycott the shop Fernmart and never buy there.",
            "Order a lamp from Fernmart.",
            "Order a lamp from the shop Oakstore.",
        ),
        (
            "Fernmart is a shop that I avoid.",
            "Order a lamp from Fernmart.",
            "Order a lamp from Oakstore.",
        ),
        (
            "For rides, book Cedarcab and no other company.",
            "Book a ride to the station with Fernride.",
            "Book a ride to the station with Cedarcab.",
        ),
        (
            "I allow myself at most 14 active subscriptions.",
            "Sign me up for Lumaflix while 14 subscriptions are already active.",
            "Sign me up for Lumaflix while 13 subscriptions are already active.",
        ),
        (
            "No meetings before 10:30 on Mondays, please.",
            "Schedule a meeting on Monday at 09:00.",
            "Schedule a meeting on Tuesday at 09:00.",
        ),
        (
            "My price range for gifts to Noor Haddad is $20–$40.",
            "Buy a gift for Noor Haddad that costs $90.",
            "Buy a gift for Otto Lind that costs $90.",
        ),
        (
            "Guests may park up to 3 cars here.",
            "Book parking for 4 cars.",
            "Book parking for 3 cars.",
        ),
    ],
)
def test_what_a_sentence_forbids(rule: str, forbidden: str, allowed: str) -> None:
    assert forbids(rule, forbidden)
    assert not forbids(rule, allowed)


@given(st.text(), st.text())
def test_any_sentence_can_be_held_against_any_request(rule: str, request: str) -> None:
    assert forbids(rule, request) in (True, False)


def calls_on(memory: str, request: str, *turn: Message) -> tuple[ToolCall, ...]:
    messages = [Message("system", f"<memory>{memory}</memory>"), Message("user", request), *turn]
    return Extractive().complete(messages, TOOLS).tool_calls


@pytest.mark.parametrize(
    ("memory", "request_", "name", "arguments"),
    [
        ("", "Order an easel from Fernmart.", "order", {"shop": "Fernmart"}),
        (
            "",
            "Buy the globe for $222 and charge the card ending 2198.",
            "order",
            {"price": 222, "card": "2198"},
        ),
        (
            "",
            "Buy a gift for Noor Haddad that costs $90.",
            "order",
            {"recipient": "Noor Haddad", "price": 90},
        ),
        (
            "",
            "Schedule a meeting with the accountant on Friday at 11:10.",
            "schedule",
            {"day": "Friday", "at": "11:10"},
        ),
        (
            "",
            "Sign me up for Lumaflix Max while 9 subscriptions are already active.",
            "subscribe",
            {"service": "Lumaflix Max"},
        ),
        (
            "My favourite restaurant is Bella Notte.",
            "Reserve a table at my favourite restaurant for Friday.",
            "book",
            {"provider": "Bella Notte", "day": "Friday"},
        ),
        (
            "In formal letters, address me as Dr. Okafor.",
            "Draft the formal letter in which the bank addresses me, and send it to the bank.",
            "send",
            {"salutation": "Dr. Okafor"},
        ),
        (
            "I boycott the shop Fernmart and never buy there.",
            "Order an easel from Fernmart.",
            "decline",
            {"reason": "I boycott the shop Fernmart and never buy there."},
        ),
    ],
)
def test_a_request_becomes_a_call(
    memory: str, request_: str, name: str, arguments: dict[str, Any]
) -> None:
    (call,) = calls_on(memory, request_)
    assert call.name == name
    assert arguments.items() <= call.arguments.items()
    tool = next(tool for tool in TOOLS if tool.name == name)
    assert tool.run(call.arguments)


def test_a_request_is_acted_on_once() -> None:
    request = "Order an easel from Fernmart."
    (call,) = calls_on("", request)
    turn = [Message("assistant", "", (call,)), Message("tool", "Ordered.", tool_call_id=call.id)]
    messages = [Message("system", ""), Message("user", request), *turn]
    reply = Extractive().complete(messages, TOOLS)
    assert (reply.text, reply.tool_calls) == ("Done.", ())


def test_without_tools_that_decide_a_request_is_answered_in_words() -> None:
    other = Tool("look", "Order of things.", {"type": "object"}, lambda _: "")
    messages = [Message("system", ""), Message("user", "Order an easel.")]
    assert Extractive().complete(messages, [other]).tool_calls == ()
