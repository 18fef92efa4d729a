"""What only the chat completions adapter does: which parameters go out, how replies of many servers
are read.
"""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from agingbench.models.openai_chat import OpenAIChat
from agingbench.records import Message, Reply, Tool, ToolCall, Usage
from tests.models.stub_server import Behaviour, Raw, Says, StubServer

LOOK = Tool("look", "Look at a place.", {"type": "object", "properties": {}}, lambda arguments: "")


def ask(
    behaviour: Behaviour, model_id: str = "gpt-4o-mini", **options: Any
) -> tuple[Reply, dict[str, Any]]:
    with (
        StubServer([behaviour]) as server,
        closing(OpenAIChat(model_id, server.openai_url, **options)) as model,
    ):
        reply = model.complete([Message("user", "Hi")], [LOOK], max_tokens=7, seed=3)
    return reply, server.requests[0].body


def raw(message: dict[str, Any], **more: Any) -> Raw:
    return Raw(
        json.dumps({"id": "1", "choices": [{"index": 0, "message": message}], **more}).encode()
    )


def test_the_request() -> None:
    _, body = ask(Says("Hello"))
    assert body == {
        "model": "gpt-4o-mini",
        "messages": [{"role": "user", "content": "Hi"}],
        "max_tokens": 7,
        "temperature": 0.0,
        "seed": 3,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "description": "Look at a place.",
                    "parameters": dict(LOOK.parameters),
                },
            }
        ],
    }


@pytest.mark.parametrize(
    "model_id", ["o3", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "gpt-6-sol", "openai/gpt-5"]
)
def test_reasoning_models_get_no_temperature(model_id: str) -> None:
    _, body = ask(Says("Hello"), model_id, temperature=0.5)
    assert body["max_completion_tokens"] == 7
    assert not body.keys() & {"max_tokens", "temperature"}


@pytest.mark.parametrize(
    "model_id", ["gpt-4o", "gpt-4.1", "llama-3", "olmo-2", "meta/llama-3", "gpt-oss-20b"]
)
def test_other_models_get_one(model_id: str) -> None:
    _, body = ask(Says("Hello"), model_id, temperature=0.5)
    assert (body["max_tokens"], body["temperature"]) == (7, 0.5)
    assert "max_completion_tokens" not in body


def test_temperature_and_seed_can_be_left_out() -> None:
    _, body = ask(Says("Hello"), temperature=None, send_seed=False)
    assert not body.keys() & {"temperature", "seed"}


def test_tool_calls_go_back_as_they_came() -> None:
    call = ToolCall("call_9", "look", {"place": "hall"})
    history = [Message("assistant", "", (call,)), Message("tool", "nothing", tool_call_id="call_9")]
    with StubServer([Says("Ok")]) as server, closing(OpenAIChat("m", server.openai_url)) as model:
        model.complete(history)
    sent = server.requests[0].body
    function = {"name": "look", "arguments": '{"place": "hall"}'}
    assert sent["messages"] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_9", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "call_9", "content": "nothing"},
    ]
    assert not sent.keys() & {"tools", "seed"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        ('{"a": ', {"_raw": '{"a": '}),
        ("[1]", {"_raw": "[1]"}),
        ('{"a": NaN}', {"_raw": '{"a": NaN}'}),
    ],
)
def test_arguments(written: str, read: dict[str, Any]) -> None:
    reply, _ = ask(Says(calls=(("look", written),)))
    assert reply.tool_calls[0].arguments == read
    assert reply.text == ""


def test_servers_that_leave_things_out() -> None:
    calls = [
        {"function": {"name": "look", "arguments": {"a": 1}}},
        {"function": {"name": "look", "arguments": "{}"}},
    ]
    reply, _ = ask(raw({"role": "assistant", "content": None, "tool_calls": calls}))
    assert reply.tool_calls == (
        ToolCall("call_1_0", "look", {"a": 1}),
        ToolCall("call_1_1", "look", {}),
    )
    assert reply.usage == Usage(calls=1)
    assert reply.model is None


def test_text_in_parts() -> None:
    reply, _ = ask(
        raw(
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            }
        )
    )
    assert reply.text == "ab"


def test_refusals() -> None:
    refused, _ = ask(Says(refusal="I can't."))
    filtered, _ = ask(Says("Well", stop="content_filter"))
    assert (refused.text, refused.refused) == ("I can't.", True)
    assert (filtered.text, filtered.refused) == ("Well", True)


def test_cached_tokens_are_part_of_the_input_and_cheaper() -> None:
    reply, _ = ask(Says("Hello", input_tokens=1_000, output_tokens=0, cache_read=400))
    assert (
        reply.usage.input_tokens,
        reply.usage.cache_read_tokens,
        reply.usage.cache_write_tokens,
    ) == (
        1_000,
        400,
        None,
    )
    assert reply.usage.cost_usd == pytest.approx((600 * 0.15 + 400 * 0.075) / 1e6)
