"""What calls say is the same whether it is read afresh or remembered."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions import call_readings
from agingbench.telemetry.sessions.call_readings import CallReading, CallReadings

PROFILE = load_profile("code_assistant")
TOOLS = st.sampled_from(["Read", "Bash", "Edit", "Write", "Grep", "Task", "get_order", "TodoWrite"])
NAMES = st.sampled_from(["file_path", "command", "pattern", "order_id", "limit", "status", "items"])
PLAIN = st.sampled_from([1, True, 1.0, 0, False, None, "1", "a/b.py", "cat a/b.py", "AC-12345"])
VALUES = PLAIN | st.lists(PLAIN, max_size=2) | st.dictionaries(NAMES, PLAIN, max_size=2)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=3) | PLAIN


def found(call: CallReading) -> dict[str, Any]:
    """Return everything that a reading says."""
    return msgspec.structs.asdict(call)


@given(st.lists(st.tuples(TOOLS, ARGUMENTS), max_size=12))
def test_a_call_says_the_same_after_any_others(calls: list[tuple[str, Any]]) -> None:
    readings = CallReadings(PROFILE)
    for tool, arguments in calls + calls:
        afresh = CallReadings(PROFILE).read(tool, arguments)
        assert repr(found(readings.read(tool, arguments))) == repr(found(afresh))


def test_a_repeated_call_is_read_once() -> None:
    readings = CallReadings(PROFILE)
    first = readings.read("Read", {"file_path": "/src/a.py", "limit": 1})
    assert readings.read("Read", {"file_path": "/src/a.py", "limit": 1}) is first
    assert readings.read("Read", {"file_path": "/src/a.py", "limit": True}) is not first
    assert readings.read("View", {"file_path": "/src/a.py", "limit": 1}) is not first


@pytest.mark.parametrize("text", ["x" * call_readings.LONGEST_KEPT, "\ud800"])
def test_what_is_long_or_no_text_is_not_remembered(text: str) -> None:
    readings = CallReadings(PROFILE)
    first = readings.read("Write", {"file_path": "a.py", "content": text})
    again = readings.read("Write", {"file_path": "a.py", "content": text})
    assert again is not first
    assert found(again) == found(first)


def test_only_so_many_calls_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_readings, "MOST_KEPT", 2)
    readings = CallReadings(PROFILE)
    first = readings.read("Read", {"file_path": "a.py"})
    readings.read("Read", {"file_path": "b.py"})
    readings.read("Read", {"file_path": "c.py"})
    again = readings.read("Read", {"file_path": "a.py"})
    assert again is not first
    assert found(again) == found(first)
