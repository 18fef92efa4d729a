"""Replies as servers and models get them wrong: read where they can be, broken where they cannot."""

from __future__ import annotations

import json
import math
from contextlib import closing
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.errors import BrokenReply, TransportError
from agingbench.models.metered import Metered
from agingbench.models.openai_chat import OpenAIChat
from agingbench.models.replies import MOST_TOKENS, arguments_of, count, tool_call
from agingbench.models.scripted import Scripted
from agingbench.records import Message, Reply, ToolCall, Usage
from tests.models.stub_server import Raw, Says, StubServer

ASK = (Message("user", "Hi"),)
GOOD = Says("Here.").openai({"model": "m"})

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def changed(path: tuple[str | int, ...], value: Any) -> bytes:
    """A good answer with one part replaced."""
    body = json.loads(json.dumps(GOOD))
    part = body
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return json.dumps(body).encode()


def ask(content: bytes) -> Reply:
    with (
        StubServer([Raw(content)]) as server,
        closing(OpenAIChat("m", server.openai_url, max_retries=0)) as model,
    ):
        return Metered(model).complete(ASK)


def call(**parts: Any) -> bytes:
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{}"}, **parts}],
    }
    return changed(("choices", 0, "message"), message)


@pytest.mark.parametrize(
    "content",
    [
        changed(("choices",), []),
        changed(("choices",), None),
        changed(("choices",), 7),
        changed(("choices", 0), None),
        changed(("choices", 0, "message"), None),
        changed(("choices", 0, "message"), "Here."),
        call(function={"name": 7, "arguments": "{}"}),
        call(function={"name": None, "arguments": "{}"}),
        call(function=None),
        changed(("choices", 0, "message", "tool_calls"), [None]),
        b"null",
        b"7",
        b'"Here."',
    ],
)
def test_what_is_no_reply_is_broken(content: bytes) -> None:
    with pytest.raises(TransportError):
        ask(content)


@pytest.mark.parametrize(("sent", "read"), [(7, "7"), (None, "call_1_0"), ("", "call_1_0")])
def test_ids_that_are_no_text_become_text(sent: Any, read: str) -> None:
    assert ask(call(id=sent)).tool_calls == (ToolCall(read, "look", {}),)


@pytest.mark.parametrize("tokens", [None, -1, 1e400, math.nan, "many", 10**30, [1], 12.5])
def test_usage_that_cannot_be_true_is_missing(tokens: Any) -> None:
    reply = ask(changed(("usage", "prompt_tokens"), tokens))
    assert reply.text == "Here."
    assert reply.usage.input_tokens is None
    assert reply.usage.output_tokens == 5


@pytest.mark.parametrize("usage", [None, 7, "much", [1, 2]])
def test_a_usage_that_is_none_is_missing(usage: Any) -> None:
    assert ask(changed(("usage",), usage)).usage == Usage(calls=1)


@pytest.mark.parametrize("content", [7, None, {"text": "Here."}, True])
def test_content_that_is_no_text_is_an_empty_answer(content: Any) -> None:
    assert ask(changed(("choices", 0, "message", "content"), content)).text == ""


@given(anything)
def test_counts_are_counts(value: Any) -> None:
    number = count(value)
    assert number is None or (type(number) is int and 0 <= number <= MOST_TOKENS)


@given(anything, anything)
def test_a_tool_call_is_text_or_refused(call_id: Any, name: Any) -> None:
    try:
        read = tool_call(call_id, name, {}, "spare")
    except ValueError:
        assert not isinstance(name, str)
        return
    assert msgspec.json.decode(msgspec.json.encode(read), type=ToolCall) == read
    assert read.id


@given(anything.map(json.dumps) | st.text(max_size=20))
def test_arguments_can_be_written_and_read_again(text: str) -> None:
    arguments = arguments_of(text)
    assert isinstance(arguments, dict)
    msgspec.json.decode(msgspec.json.encode(arguments))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(None),  # type: ignore[arg-type]
        Reply("x", (ToolCall("1", 5, {}),)),  # type: ignore[arg-type]
        Reply("x", (None,)),  # type: ignore[arg-type]
    ],
)
def test_the_reply_of_a_plugin_is_checked_too(reply: Reply) -> None:
    usable = msgspec.structs.replace(reply, usage=Usage(1, 1, calls=1))
    with pytest.raises(BrokenReply):
        Metered(_Says(usable)).complete(ASK)


def test_odd_usage_of_a_plugin_is_missing() -> None:
    odd = Usage(-5, 10**30, cost_usd=math.nan, calls=1)
    reply = Metered(_Says(Reply("x", usage=odd))).complete(ASK)
    assert reply.usage == Usage(calls=1)
    assert reply.text == "x"


class _Says(Scripted):
    """Gives one reply as it is."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(lambda messages, tools: reply)
