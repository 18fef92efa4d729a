"""Whatever a product prints is read without an exception: its output is not ours to trust."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.agents.autonomous import claude_code, codex, opencode, openhands

KINDS = (
    "assistant user result system thread.started item.completed turn.completed turn.failed error"
    " text tool_use step_finish MessageEvent ActionEvent ObservationEvent AgentErrorEvent"
    " ConversationErrorEvent agent_message command_execution file_change tool_result finish"
).split()
KEYS = (
    "type kind source message content id usage session_id result is_error total_cost_usd text name"
    " input tool_use_id item command exit_code error part state output status metadata exit tokens"
    " cache read cost tool_call_id tool_name action observation llm_message data"
).split()
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(KINDS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
LINES = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
READINGS = {
    "claude_code": claude_code._Reading,
    "codex": codex._Reading,
    "opencode": lambda: opencode._Reading(True),
    "openhands": openhands._Reading,
}


@pytest.mark.parametrize("name", READINGS)
@settings(max_examples=60)
@given(st.lists(LINES, max_size=4))
def test_any_lines_can_be_read(name: str, lines: list[dict[str, Any]]) -> None:
    reading: Any = READINGS[name]()
    for line in lines:
        reading.take(line)
    assert isinstance(reading.text, str)
    assert isinstance(reading.problem(), str)
    for event in reading.events:
        assert event.role in ("assistant", "tool_call", "tool_result")
