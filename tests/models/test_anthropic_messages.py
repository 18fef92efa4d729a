"""What only the Messages adapter does: the shape of its turns, its counts, and which models take a
temperature.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import pytest

from agingbench.errors import ContextOverflow, InputError
from agingbench.models.anthropic_messages import AnthropicMessages
from agingbench.records import Message, Reply, Tool, ToolCall
from tests.models.stub_server import Behaviour, Says, StubServer

HI = (Message("user", "Hi"),)
LOOK = Tool("look", "Look at a place.", {"type": "object", "properties": {}}, lambda arguments: "")


def ask(
    behaviour: Behaviour,
    messages: Sequence[Message] = HI,
    model_id: str = "claude-haiku-4-5",
    **options: Any,
) -> tuple[Reply, dict[str, Any]]:
    with (
        StubServer([behaviour]) as server,
        closing(AnthropicMessages(model_id, server.url, **options)) as model,
    ):
        reply = model.complete(messages, [LOOK], max_tokens=7, seed=3)
    return reply, server.requests[0].body


def test_the_request() -> None:
    _, body = ask(
        Says("Hello"), [Message("system", "Be brief."), *HI, Message("system", "Be kind.")]
    )
    assert body == {
        "model": "claude-haiku-4-5",
        "system": "Be brief.\n\nBe kind.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
        "max_tokens": 7,
        "temperature": 0.0,
        "tools": [
            {
                "name": "look",
                "description": "Look at a place.",
                "input_schema": dict(LOOK.parameters),
            }
        ],
    }


def test_turns_alternate_and_tool_results_are_the_users() -> None:
    calls = ToolCall("t1", "look", {"place": "hall"}), ToolCall("t2", "look", {"place": "shed"})
    _, body = ask(
        Says("Ok"),
        [
            Message("user", "Look"),
            Message("user", "twice."),
            Message("assistant", " "),
            Message("assistant", "", calls),
            Message("tool", "nothing", tool_call_id="t1"),
            Message("tool", "", tool_call_id="t2"),
            Message("user", "And?"),
        ],
    )
    assert body["messages"] == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look"}, {"type": "text", "text": "twice."}],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"place": "hall"}},
                {"type": "tool_use", "id": "t2", "name": "look", "input": {"place": "shed"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "nothing"},
                {"type": "tool_result", "tool_use_id": "t2", "content": ""},
                {"type": "text", "text": "And?"},
            ],
        },
    ]


def test_a_system_prompt_alone_is_told() -> None:
    with pytest.raises(InputError, match="besides the system prompt"):
        AnthropicMessages("claude-haiku-4-5", api_key="k").complete(
            [Message("system", "Be brief.")]
        )


@pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning")
@pytest.mark.parametrize(
    ("model_id", "takes"),
    [
        ("claude-3-5-haiku-latest", True),
        ("claude-sonnet-4-20250514", True),
        ("claude-opus-4-1", True),
        ("claude-haiku-4-5-20251001", True),
        ("claude-sonnet-4-6", True),
        ("claude-opus-4-7", False),
        ("claude-sonnet-5", False),
        ("claude-opus-5-5", False),
        ("some-other-model", True),
    ],
)
def test_temperature_goes_to_models_that_take_it(model_id: str, takes: bool) -> None:
    model = AnthropicMessages(model_id, api_key="k", temperature=0.5)
    assert model.cache_identity()["temperature"] == (0.5 if takes else None)
    _, body = ask(Says("Hello"), HI, model_id, temperature=0.5)
    assert body.get("temperature") == (0.5 if takes else None)


def test_refusal() -> None:
    reply, _ = ask(Says("No.", stop="refusal"))
    assert (reply.text, reply.refused) == ("No.", True)


def test_no_room_for_an_answer_is_an_overflow_and_a_cut_answer_is_not() -> None:
    with pytest.raises(ContextOverflow, match="no room"):
        ask(Says("", stop="model_context_window_exceeded"))
    reply, _ = ask(Says("Half an", stop="model_context_window_exceeded"))
    assert reply.text == "Half an"


def test_cached_tokens_are_added_to_the_input() -> None:
    reply, _ = ask(
        Says("Hello", input_tokens=100, output_tokens=10, cache_read=2_000, cache_write=300)
    )
    usage = reply.usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (
        2_400,
        2_000,
        300,
    )
    assert usage.cost_usd == pytest.approx((100 * 1.0 + 2_000 * 0.10 + 300 * 1.25 + 10 * 5.0) / 1e6)


def test_counts_the_server_leaves_out_are_missing() -> None:
    reply, _ = ask(Says("Hello", input_tokens=100))
    assert (
        reply.usage.input_tokens,
        reply.usage.cache_read_tokens,
        reply.usage.cache_write_tokens,
    ) == (
        100,
        None,
        None,
    )
