"""Values that calls give are found wherever they stand; echoes and removed lines are none."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.records import Event
from agingbench.telemetry.sessions.slot_log import MOST_PENDING, SlotLog, value_words


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "docker pull ghcr.io/acme/builder:bld-2840.7"},
        {"command": ["bash", "-lc", "./run scan api:bld-2840.7"]},
        {"options": {"deep": [{"image": "bld-2840.7"}]}},
        {"command": "IMAGE=bld-2840.7 ./deploy --fast"},
        {"command": "git log origin/bld-2840.7"},
        {"content": "# local override\nAPI_IMAGE=bld-2840.7\n"},
        {"input": "*** Add File: a.env\n+# new\n+IMAGE=BLD-2840.7\n"},
        "./run --image=bld-2840.7",
    ],
)
def test_a_value_is_found_wherever_it_stands(arguments: Any) -> None:
    assert "bld-2840.7" in value_words(arguments)


def test_parts_of_what_is_put_together_are_values_too() -> None:
    assert "kb33" in value_words({"target": "A17-KB33-0412"})


@pytest.mark.parametrize(
    "arguments",
    [
        {"old_string": "port: 30803", "new_string": "port: 24957"},
        {"oldText": "30803"},
        {"input": "*** Update File: a.env\n-PORT=30803\n+PORT=24957\n"},
    ],
)
def test_what_is_replaced_is_not_given(arguments: Any) -> None:
    assert "30803" not in value_words(arguments)


def test_a_word_as_long_as_a_file_takes_no_time() -> None:
    assert value_words({"content": "a" * 4_000 + "1"}) == frozenset()


def _call(name: str) -> Event:
    return Event(step=0, role="tool_call", session_id="s", tool_call_id=name)


def _result(name: str) -> Event:
    return Event(step=0, role="tool_result", session_id="s", tool_call_id=name)


def _give(log: SlotLog, name: str, *words: str, looks_up: bool = False) -> None:
    log.add_call(frozenset(words), frozenset(), looks_up, _call(name), 0, 0.0, 0)


def test_an_echo_of_what_a_call_gave_shows_nothing() -> None:
    log = SlotLog()
    _give(log, "a", "30803")
    log.add_result("port: 30803\nspare: 24957", _result("a"), 0, 1.0)
    assert [log.texts[show.value] for show in log.shows] == ["24957"]


def test_a_value_that_the_agent_gave_first_is_its_own() -> None:
    log = SlotLog()
    _give(log, "a", "30803")
    log.add_result("port: 30803", _result("b"), 0, 1.0)
    assert [show.is_own for show in log.shows] == [True]


def test_a_search_for_a_value_is_no_use_of_it() -> None:
    log = SlotLog()
    log.add_result("port: 30803", _result("a"), 0, 1.0)
    _give(log, "b", "30803", looks_up=True)
    assert log.uses == []
    _give(log, "c", "30803")
    assert [use.values for use in log.uses] == [(0,)]


def test_calls_without_a_result_are_forgotten_the_oldest_first() -> None:
    log = SlotLog()
    for number in range(MOST_PENDING + 1):
        _give(log, f"call {number}", "30803")

    log.add_result("port: 30803", _result(f"call {MOST_PENDING}"), 0, 1.0)
    assert log.shows == []
    log.add_result("port: 30803", _result("call 0"), 0, 1.0)
    assert len(log.shows) == 1
