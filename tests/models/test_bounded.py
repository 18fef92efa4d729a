"""Calls to a server that misbehaves: they end, and they say why."""

from __future__ import annotations

import json
import time
from contextlib import closing
from typing import Any

import pytest

from agingbench.errors import BrokenReply
from agingbench.interfaces import Model
from agingbench.models.anthropic_messages import AnthropicMessages
from agingbench.models.bounded import LARGEST_REPLY
from agingbench.models.openai_chat import OpenAIChat
from agingbench.records import Message, Reply
from tests.models.stub_server import Behaviour, Drips, Raw, Says, Seen, StubServer

ASK = (Message("user", "Where is the key?"),)
REQUEST = {"model": "m"}

both = pytest.mark.parametrize("kind", [OpenAIChat, AnthropicMessages])


def ask(kind: Any, *script: Behaviour, **options: Any) -> tuple[Reply, list[Seen]]:
    """One call, and the requests that it took."""
    with StubServer(script) as server:
        url = server.openai_url if kind is OpenAIChat else server.url
        with closing(kind("m", url, **{"max_retries": 2, **options})) as model:
            assert isinstance(model, Model)
            return model.complete(ASK), server.requests


def whole(kind: Any, text: str = "Here.") -> bytes:
    says = Says(text)
    body = says.openai(REQUEST) if kind is OpenAIChat else says.anthropic(REQUEST)
    return json.dumps(body).encode()


@both
def test_a_reply_that_drips_ends_at_the_limit_and_is_not_asked_for_again(kind: Any) -> None:
    start = time.monotonic()
    with pytest.raises(BrokenReply, match=r"no whole reply within 0\.3 s"):
        ask(kind, Drips(whole(kind, "x" * 2000)), Says("Here."), max_seconds=0.3)
    assert time.monotonic() - start < 20  # the whole of it would take longer


@both
def test_a_slow_reply_within_the_limit_is_a_reply(kind: Any) -> None:
    reply, _ = ask(kind, Drips(whole(kind), pause=0.0005))
    assert reply.text == "Here."


@both
def test_a_reply_of_thirty_megabytes_is_broken(kind: Any) -> None:
    with pytest.raises(BrokenReply, match="more than"):
        ask(kind, Raw(whole(kind, "x" * 30_000_000)), Says("Here."))


@both
def test_a_long_reply_is_a_reply(kind: Any) -> None:
    reply, _ = ask(kind, Raw(whole(kind, "x" * (LARGEST_REPLY // 2))))
    assert len(reply.text) == LARGEST_REPLY // 2


@both
def test_a_reply_nested_without_end_is_broken(kind: Any) -> None:
    deep = b"[" * 200_000 + b"]" * 200_000
    body = whole(kind).replace(b'"Here."', deep)
    with pytest.raises(BrokenReply):
        ask(kind, Raw(body))
