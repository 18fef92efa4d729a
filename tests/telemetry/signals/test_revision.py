"""Stale values: matched by entity and attribute, in any tool, and only with what was known at that
moment.
"""

from __future__ import annotations

from typing import Any

from agingbench.records import Event
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.entities import is_identifier, result_triples
from agingbench.telemetry.signals.value_uses import propagation, self_reversion

Step = tuple[str, dict[str, Any], str | None]


def told(steps: list[Step], session: str = "a") -> TraceSessions:
    events = []
    for number, (tool, arguments, result) in enumerate(steps):
        common: dict[str, Any] = {
            "step": 0,
            "session_id": session,
            "tool_name": tool,
            "tool_call_id": f"c{number}",
        }
        events.append(
            Event(role="tool_call", arguments=arguments, timestamp=10.0 * number, **common)
        )
        if result is not None:
            events.append(
                Event(role="tool_result", stdout=result, timestamp=10.0 * number + 5, **common)
            )
    return collect(events, load_profile("generic"))


def shown(value: str) -> Step:
    return ("get_order", {"order_id": "A1"}, f'{{"order_id": "A1", "status": "{value}"}}')


def used(value: str, entity: str = "A1") -> Step:
    return ("send_mail", {"order": "x", "order_id": entity, "status": value}, "sent")


def test_an_old_value_in_another_tool_is_stale_and_the_current_one_is_not() -> None:
    found = propagation(told([shown("open"), shown("paid"), used("paid"), used("open")]))
    assert found.stale.tolist() == [0.0, 1.0]


def test_no_opportunity_before_two_values_are_known() -> None:
    assert len(propagation(told([shown("open"), used("open")]))) == 0
    # What is shown later does not make an earlier use stale.
    assert propagation(told([shown("open"), used("open"), shown("paid")])).stale.tolist() == []


def test_another_entity_with_the_same_attribute_does_not_count() -> None:
    assert len(propagation(told([shown("open"), shown("paid"), used("open", entity="B2")]))) == 0


def test_a_value_that_came_back_is_current_again() -> None:
    found = propagation(
        told([shown("open"), shown("paid"), shown("open"), used("open"), used("paid")])
    )
    assert found.stale.tolist() == [0.0, 1.0]


def test_paging_and_rereading_are_no_reversions() -> None:
    steps: list[Step] = [
        ("Read", {"file_path": f, "limit": n}, "text")
        for f, n in (("a.py", 100), ("b.py", 200)) * 3
    ]
    assert len(self_reversion(told(steps))) == 0


def test_only_a_return_to_the_value_before_is_a_reversion() -> None:
    def mode(value: str) -> Step:
        return ("deploy", {"service_id": "web", "mode": value}, None)

    back = self_reversion(told([mode("fast"), mode("safe"), mode("fast")]))
    assert back.stale.tolist() == [1.0]
    on = self_reversion(told([mode("fast"), mode("safe"), mode("slow"), mode("fast")]))
    assert on.stale.tolist() == [0.0, 0.0]


def test_identifiers_are_not_values() -> None:
    for text in (
        "3fa85f64-5717-4562-b3fc-2c963f66afa6",
        "/usr/lib",
        "2024-05-01T10:00:00Z",
        "deadbeefdeadbeef",
        "12:30",
    ):
        assert is_identifier(text), text
    for text in ("open", "42", "v1.2", "12"):
        assert not is_identifier(text), text


def test_hostile_results_give_nothing() -> None:
    for text in (
        "{",
        "[" * 5000,
        '{"a":' * 200 + "1" + "}" * 200,
        "{}",
        "[]",
        "\x00",
        '{"id": "x", "v": 1e999}',
    ):
        assert all(len(t) == 3 for t in result_triples(text, "e"))
