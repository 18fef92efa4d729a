"""A dead address is known at once; a live one and one behind a proxy are left to the SDK."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from agingbench.errors import Unreachable
from agingbench.models.openai_chat import OpenAIChat
from agingbench.models.reach import why_unreachable
from agingbench.records import Message
from tests.models.stub_server import Says, StubServer


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that is taken, so that nobody else can open it meanwhile, and at which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        yield one.getsockname()[1]


def test_a_closed_port_is_refused_in_words(closed_port: int) -> None:
    reason = why_unreachable(f"http://127.0.0.1:{closed_port}/v1")
    assert reason == "connection refused: nothing listens there"


def test_a_server_that_listens_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert why_unreachable(f"http://127.0.0.1:{port}/v1") is None


def test_a_silent_address_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object, **__: object) -> None:
        time.sleep(0.2)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", hang)
    assert why_unreachable("http://127.0.0.1:1/v1", 0.05) == "no connection within 0.05 seconds"


def test_behind_a_proxy_the_proxy_decides(
    closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")
    assert why_unreachable(f"http://127.0.0.1:{closed_port}/v1") is None


@pytest.mark.parametrize("url", ["http://", "ftp://127.0.0.1/v1", "http://127.0.0.1:port/v1"])
def test_an_address_without_a_port_is_left_to_the_sdk(url: str) -> None:
    assert why_unreachable(url) is None


def test_a_model_at_a_closed_port_is_not_asked(closed_port: int) -> None:
    url = f"http://127.0.0.1:{closed_port}/v1"
    model = OpenAIChat("m", base_url=url)
    with pytest.raises(Unreachable, match=r"cannot be reached: connection refused.*base_url"):
        model.complete([Message("user", "hello")])


def test_a_model_that_answered_once_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer([Says("one"), Says("two")]) as server:
        model = OpenAIChat("m", base_url=server.openai_url)
        assert model.complete([Message("user", "hello")]).text == "one"
        monkeypatch.setattr(socket, "create_connection", None)
        assert model.complete([Message("user", "hello")]).text == "two"
