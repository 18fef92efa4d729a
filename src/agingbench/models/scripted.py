"""A model with scripted replies, for tests of agents, memories and everything above them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from agingbench.errors import InputError
from agingbench.interfaces import Model
from agingbench.records import Message, Reply, Tool, Usage
from agingbench.text.wording import count_tokens

ScriptedReply = str | Reply | Exception
Script = Sequence[ScriptedReply] | Callable[[Sequence[Message], Sequence[Tool]], str | Reply]


class Call(NamedTuple):
    """What the model was asked."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]


class Scripted(Model):
    """Gives its replies in order, or those of a function; an exception among them is raised."""

    def __init__(self, replies: Script | None = None, name: str = "scripted") -> None:
        if replies is None:
            raise InputError(
                "model 'scripted' is for tests; give replies from Python: Scripted(['first',"
                " 'second'])"
            )
        if isinstance(replies, str):
            raise InputError("model 'scripted' takes a list of replies, not one text")
        self.name = name
        self.calls: list[Call] = []
        self._speak = replies if callable(replies) else None
        self._replies: tuple[ScriptedReply, ...] = () if callable(replies) else tuple(replies)
        self._lock = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        call = Call(tuple(messages), tuple(tools))
        with self._lock:
            self.calls.append(call)
            turn = len(self.calls)

        # A function is called outside the lock, so that a slow one does not queue the other
        # threads.
        reply: ScriptedReply
        reply = self._speak(call.messages, call.tools) if self._speak else self._next(turn)

        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, str):
            reply = Reply(reply, model=self.name)
        if reply.usage.calls:
            return reply
        return msgspec.structs.replace(reply, usage=_usage(call, reply))

    def _next(self, turn: int) -> ScriptedReply:
        if turn > len(self._replies):
            raise InputError(
                f"model '{self.name}' has no reply left: call {turn}, {len(self._replies)} replies"
                " given"
            )
        return self._replies[turn - 1]


def _usage(call: Call, reply: Reply) -> Usage:
    inputs = []
    for message in call.messages:
        inputs.append(message.content)
        inputs += [json.dumps(tool_call.arguments) for tool_call in message.tool_calls]
    for tool in call.tools:
        inputs.append(tool.name + tool.description + json.dumps(dict(tool.parameters)))

    outputs = [reply.text]
    for tool_call in reply.tool_calls:
        outputs.append(tool_call.name + json.dumps(tool_call.arguments))

    return Usage(
        input_tokens=sum(count_tokens(text) for text in inputs),
        output_tokens=sum(count_tokens(text) for text in outputs),
        calls=1,
    )
