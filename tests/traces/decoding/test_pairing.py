"""Tests of the pairing of tool calls with their results."""

from __future__ import annotations

from typing import Any

from agingbench.records import Event
from agingbench.traces.decoding.pairing import pair_calls


def call(step: int, label: str, **rest: Any) -> Event:
    return Event(step=step, role="tool_call", command=label, **rest)


def result(step: int, label: str, **rest: Any) -> Event:
    return Event(step=step, role="tool_result", stdout=label, **rest)


def paired(
    *events: Event,
) -> tuple[list[tuple[str | None, str | None]], list[str | None], list[str | None]]:
    pairs, calls, results = pair_calls(events)
    return (
        [(c.command, r.stdout) for c, r in pairs],
        [c.command for c in calls],
        [r.stdout for r in results],
    )


def test_by_id_whatever_the_order() -> None:
    events = call(1, "a", tool_call_id="x"), call(1, "b", tool_call_id="y")
    back = result(1, "B", tool_call_id="y"), result(1, "A", tool_call_id="x")
    assert paired(*events, *back) == ([("b", "B"), ("a", "A")], [], [])


def test_by_order_within_a_step() -> None:
    assert paired(call(1, "a"), call(1, "b"), result(1, "A"), result(1, "B")) == (
        [("a", "A"), ("b", "B")],
        [],
        [],
    )


def test_a_call_without_result_does_not_shift_the_next_step() -> None:
    assert paired(call(1, "a"), call(2, "b"), result(2, "B")) == ([("b", "B")], ["a"], [])


def test_a_result_in_a_step_of_its_own() -> None:
    assert paired(call(1, "a"), result(2, "A")) == ([("a", "A")], [], [])


def test_another_tool_is_not_taken() -> None:
    events = call(1, "a", tool_name="shell"), result(1, "A", tool_name="python")
    assert paired(*events) == ([], ["a"], ["A"])


def test_a_nameless_side_fits_any_tool() -> None:
    assert paired(call(1, "a", tool_name="shell"), result(1, "A")) == ([("a", "A")], [], [])
    assert paired(call(1, "a"), result(1, "A", tool_name="shell")) == ([("a", "A")], [], [])


def test_ids_that_differ_never_pair() -> None:
    assert paired(call(1, "a", tool_call_id="x"), result(1, "A", tool_call_id="y")) == (
        [],
        ["a"],
        ["A"],
    )


def test_an_id_on_one_side_only_pairs_by_order() -> None:
    assert paired(call(1, "a", tool_call_id="x"), result(1, "A")) == ([("a", "A")], [], [])
    assert paired(call(1, "a"), result(1, "A", tool_call_id="x")) == ([("a", "A")], [], [])


def test_order_does_not_take_what_an_id_claims_later() -> None:
    events = (
        call(1, "a", tool_call_id="x"),
        call(1, "b"),
        result(1, "B"),
        result(1, "A", tool_call_id="x"),
    )
    assert paired(*events) == ([("b", "B"), ("a", "A")], [], [])


def test_sessions_do_not_mix() -> None:
    events = call(1, "a", session=0, tool_call_id="x"), result(1, "A", session=1, tool_call_id="x")
    assert paired(*events) == ([], ["a"], ["A"])
    assert paired(call(1, "a", session=0), result(1, "A", session=1)) == ([], ["a"], ["A"])


def test_a_reused_id_belongs_to_its_latest_call() -> None:
    events = (
        call(1, "a", tool_call_id="x"),
        call(2, "b", tool_call_id="x"),
        result(2, "B", tool_call_id="x"),
    )
    assert paired(*events) == ([("b", "B")], ["a"], [])


def test_a_result_before_its_call_is_unmatched() -> None:
    assert paired(result(1, "A"), call(1, "a")) == ([], ["a"], ["A"])


def test_other_roles_are_left_alone() -> None:
    assert paired(Event(step=0, role="user", content="hello")) == ([], [], [])


def test_the_oldest_of_all_fitting_calls_is_taken() -> None:
    events = (
        call(1, "a"),
        call(1, "b", tool_name="shell"),
        call(1, "c", tool_name="shell", tool_call_id="x"),
    )
    assert paired(*events, result(1, "A", tool_name="shell")) == ([("a", "A")], ["b", "c"], [])
