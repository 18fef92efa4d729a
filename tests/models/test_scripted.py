"""The scripted model: order, exceptions, functions, running out, token counts, threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from agingbench.errors import InputError, TransportError
from agingbench.interfaces import Model
from agingbench.models.scripted import Call, Scripted
from agingbench.records import Message, Reply, Tool, ToolCall, Usage

ASK = (Message("user", "12345678"),)
LOOK = Tool("look", "Look.", {"type": "object"}, lambda arguments: "")


def test_replies_come_in_order_and_calls_are_kept() -> None:
    reply = Reply("two", (ToolCall("1", "look", {}),), refused=True)
    model = Scripted(["one", reply])
    assert isinstance(model, Model)
    assert model.complete(ASK).text == "one"
    second = model.complete(ASK, [LOOK])
    assert (second.text, second.tool_calls, second.refused) == ("two", reply.tool_calls, True)
    assert model.calls == [Call(ASK, ()), Call(ASK, (LOOK,))]


def test_an_exception_is_raised_and_the_next_call_goes_on() -> None:
    model = Scripted([TransportError("down"), "up"])
    with pytest.raises(TransportError, match="down"):
        model.complete(ASK)
    assert model.complete(ASK).text == "up"


def test_a_function_sees_messages_and_tools() -> None:
    def speak(messages: Sequence[Message], tools: Sequence[Tool]) -> str:
        return f"{messages[-1].content} {len(tools)}"

    assert Scripted(speak).complete(ASK, [LOOK]).text == "12345678 1"


def test_running_out_is_told() -> None:
    model = Scripted(["one"], name="short")
    model.complete(ASK)
    with pytest.raises(InputError, match="'short' has no reply left: call 2, 1 replies given"):
        model.complete(ASK)


def test_tokens_are_counted_unless_the_reply_brings_its_own() -> None:
    own = Usage(1, 2, calls=1)
    model = Scripted(["1234", Reply("x", usage=own)])
    assert model.complete(ASK).usage == Usage(input_tokens=2, output_tokens=1, calls=1)
    assert model.complete(ASK).usage == own


def test_tools_and_tool_calls_count() -> None:
    call = ToolCall("1", "look", {"place": "hall"})
    bare = Scripted(["a"])
    full = Scripted([Reply("a", (call,))])
    small = bare.complete(ASK).usage
    large = full.complete([*ASK, Message("assistant", "", (call,))], [LOOK]).usage
    assert (large.input_tokens or 0) > (small.input_tokens or 0)
    assert (large.output_tokens or 0) > (small.output_tokens or 0)


@pytest.mark.parametrize("wrong", [None, "one text"])
def test_without_a_list_it_says_what_it_is_for(wrong: str | None) -> None:
    with pytest.raises(InputError, match="scripted"):
        Scripted(wrong)


def test_threads_get_each_reply_once() -> None:
    model = Scripted([str(number) for number in range(200)])
    said: list[str] = []

    def ask() -> None:
        for _ in range(25):
            said.append(model.complete(ASK).text)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, said)) == list(range(200))
    assert len(model.calls) == 200
