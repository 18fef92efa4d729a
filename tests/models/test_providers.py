"""What both providers promise, through the real SDKs: replies, retries, whose fault an error is,
cost.
"""

from __future__ import annotations

import gc
import math
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import (
    ContextOverflow,
    InputError,
    MissingExtra,
    MissingKey,
    ToolsUnsupported,
    TransportError,
)
from agingbench.interfaces import Model
from agingbench.models.anthropic_messages import AnthropicMessages
from agingbench.models.build import build_model
from agingbench.models.openai_chat import OpenAIChat
from agingbench.models.provider import Provider
from agingbench.records import Message, Reply, Tool, ToolCall, Usage
from tests.models.stub_server import Behaviour, Fails, HangsUp, Raw, Says, StubServer

PROVIDERS: dict[str, tuple[type[Provider], str]] = {
    "openai": (OpenAIChat, "gpt-4o-mini"),
    "anthropic": (AnthropicMessages, "claude-haiku-4-5"),
}
ASK = (Message("system", "Be brief."), Message("user", "Where is the key?"))
SCHEMA = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
LOOK = Tool(
    "look", "Look at a place.", SCHEMA, lambda arguments: f"nothing in {arguments['place']}"
)

both = pytest.mark.parametrize("label", sorted(PROVIDERS))


@contextmanager
def opened(label: str, *script: Behaviour, **options: Any) -> Iterator[tuple[Provider, StubServer]]:
    """A model of a provider that talks to a stub."""
    kind, model_id = PROVIDERS[label]
    settings: dict[str, Any] = {
        "model_id": model_id,
        "api_key": "secret-key",
        "max_retries": 2,
        **options,
    }
    with StubServer(script) as server:
        url = server.openai_url if label == "openai" else server.url
        with closing(kind(base_url=url, **settings)) as model:
            yield model, server


@both
def test_text(label: str) -> None:
    with opened(
        label, Says("Under the mat.", input_tokens=100, output_tokens=10, model="served-1")
    ) as (model, server):
        reply = model.complete(ASK)
    assert isinstance(model, Model)
    assert model.name == f"{label}:{PROVIDERS[label][1]}"
    assert (reply.text, reply.tool_calls, reply.refused, reply.model) == (
        "Under the mat.",
        (),
        False,
        "served-1",
    )
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.calls) == (100, 10, 1)
    assert len(server.requests) == 1


@both
def test_tool_call_round_trip(label: str) -> None:
    script = (
        Says("Let me see.", calls=(("look", {"place": "hall"}), ("look", {"place": "shed"}))),
        Says("Nowhere."),
    )
    with opened(label, *script) as (model, server):
        first = model.complete(ASK, [LOOK])
        history = [*ASK, Message("assistant", first.text, first.tool_calls)]
        history += [
            Message("tool", LOOK.run(call.arguments), tool_call_id=call.id)
            for call in first.tool_calls
        ]
        second = model.complete(history, [LOOK])
    assert [(call.name, call.arguments) for call in first.tool_calls] == [
        ("look", {"place": "hall"}),
        ("look", {"place": "shed"}),
    ]
    assert len({call.id for call in first.tool_calls}) == 2
    assert second.text == "Nowhere."
    assert second.tool_calls == ()
    sent = str(server.requests[1].body)
    assert "nothing in hall" in sent
    assert "nothing in shed" in sent
    assert all(
        sent.count(f"'{call.id}'") == 2 for call in first.tool_calls
    )  # once asked, once answered


@both
@pytest.mark.parametrize(
    "failure", [Fails(429), Fails(500), Fails(503), Fails(529), HangsUp()], ids=str
)
def test_a_passing_failure_is_retried(label: str, failure: Behaviour) -> None:
    with opened(label, failure, Says("Here.")) as (model, server):
        assert model.complete(ASK).text == "Here."
    assert len(server.requests) == 2


@both
@pytest.mark.parametrize("status", [408, 409, 429, 500, 529])
def test_what_stays_broken_is_a_transport_error(label: str, status: int) -> None:
    told = pytest.raises(TransportError, match=f"status {status}: come back later")
    with opened(label, *[Fails(status, "come\nback later")] * 3) as (model, server), told:
        model.complete(ASK)
    assert len(server.requests) == 3


@both
def test_hang_up_is_a_transport_error(label: str) -> None:
    with (
        opened(label, HangsUp(), max_retries=0) as (model, _),
        pytest.raises(TransportError, match="did not answer"),
    ):
        model.complete(ASK)


@both
def test_timeout_is_a_transport_error(label: str) -> None:
    release = threading.Event()

    class Waits(HangsUp):
        def answer(self, seen: Any) -> None:
            release.wait(10)

    with opened(label, Waits(), max_retries=0, timeout=0.05) as (model, _):
        with pytest.raises(TransportError, match="Timeout"):
            model.complete(ASK)
        release.set()


@both
@pytest.mark.parametrize(
    "answer",
    [
        Raw(b"<html>busy</html>", "text/html"),
        Raw(b'{"id": '),
        Raw(b'{"error": {"message": "no"}}'),
        Raw(b"[]"),
    ],
    ids=["page", "cut", "error with status 200", "list"],
)
def test_an_answer_that_is_none_is_a_transport_error(label: str, answer: Raw) -> None:
    with opened(label, answer, max_retries=0) as (model, _), pytest.raises(TransportError):
        model.complete(ASK)


@both
@pytest.mark.parametrize(
    "failure",
    [
        Fails(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        Fails(
            400, "This model's maximum context length is 8192 tokens. However, you requested 9000"
        ),
        Fails(
            400,
            "the request exceeds the available context size, try increasing it",
            "exceed_context_size_error",
        ),
        Fails(400, "no", "context_length_exceeded"),
        Fails(400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
        Fails(413, "Request Entity Too Large"),
    ],
)
def test_a_prompt_that_does_not_fit(label: str, failure: Fails) -> None:
    with (
        opened(label, failure) as (model, server),
        pytest.raises(ContextOverflow, match="too long"),
    ):
        model.complete(ASK)
    assert len(server.requests) == 1


@both
def test_too_large_for_the_minute_is_not_an_overflow(label: str) -> None:
    limit = Fails(413, "Request too large: tokens per minute limit 6000", "rate_limit_exceeded")
    with opened(label, limit) as (model, _), pytest.raises(TransportError):
        model.complete(ASK)


@both
@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "registry.ollama.ai/library/tinyllama:latest does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
        (404, "No endpoints found that support tool use. Try disabling 'order'."),
        (400, "tools param requires --jinja flag; tool calling is not supported"),
    ],
)
def test_a_server_without_tools_is_told_apart(label: str, status: int, message: str) -> None:
    with opened(label, Fails(status, message)) as (model, _), pytest.raises(ToolsUnsupported):
        model.complete(ASK)


@both
@pytest.mark.parametrize(
    ("status", "message", "told"),
    [
        (401, "Incorrect key: secret-key", "_API_KEY"),
        (403, "not yours", "_API_KEY"),
        (404, "no such model", "check the model id"),
        (
            400,
            "max_tokens is too large: 99999. This model supports at most 16384 completion tokens",
            "status 400",
        ),
        (422, "seed: extra fields not permitted", "seed"),
    ],
)
def test_wrong_input_is_told_in_one_line_without_the_key(
    label: str, status: int, message: str, told: str
) -> None:
    with (
        opened(label, Fails(status, message)) as (model, server),
        pytest.raises(InputError, match=told) as caught,
    ):
        model.complete(ASK)
    assert "secret-key" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1


@both
def test_a_filtered_prompt_is_a_refusal(label: str) -> None:
    with opened(label, Fails(400, "filtered", "content_filter")) as (model, _):
        assert model.complete(ASK) == Reply("", usage=Usage(calls=1), refused=True)


@both
def test_cost_is_counted_once(label: str) -> None:
    answer = Says("Here.", input_tokens=1_000, output_tokens=100)
    with opened(label, Fails(429), Fails(500), answer, answer) as (model, server):
        first = model.complete(ASK)
        second = model.complete(ASK)
    expected = {
        "openai": (1_000 * 0.15 + 100 * 0.60) / 1e6,
        "anthropic": (1_000 * 1.0 + 100 * 5.0) / 1e6,
    }[label]
    assert first.usage.cost_usd == pytest.approx(expected)
    assert (first.usage + second.usage).cost_usd == pytest.approx(2 * expected)
    assert (first.usage + second.usage).calls == 2
    assert len(server.requests) == 4


@both
def test_unknown_model_has_no_cost(label: str) -> None:
    with opened(label, Says("Here."), model_id="my-own-model") as (model, _):
        assert model.complete(ASK).usage.cost_usd is None


@both
def test_halves_of_surrogate_pairs_do_not_get_through(label: str) -> None:
    with opened(label, Says("a\ud800b")) as (model, server):
        reply = model.complete([Message("user", "x\udfffy")])
    assert reply.text == "a?b"
    assert "x?y" in str(server.requests[0].body)


@both
def test_many_threads_share_a_model(label: str) -> None:
    replies: list[str] = []
    with opened(label, *[Says("Here.")] * 8) as (model, server):
        threads = [
            threading.Thread(target=lambda: replies.append(model.complete(ASK).text))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert replies == ["Here."] * 8
    assert len(server.requests) == 8


@both
def test_a_closed_model_opens_again(label: str) -> None:
    with opened(label, Says("One."), Says("Two.")) as (model, _):
        assert model.complete(ASK).text == "One."
        model.close()
        model.close()
        assert model.complete(ASK).text == "Two."


@both
def test_key_and_address_from_the_environment(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, model_id = PROVIDERS[label]
    with pytest.raises(MissingKey, match=f"set {label.upper()}_API_KEY"):
        kind(model_id)
    monkeypatch.setenv(f"{label.upper()}_API_KEY", "key-from-environment")
    assert kind(model_id).endpoint == "default"
    with StubServer([Says("Here.")]) as server:
        monkeypatch.setenv(f"{label.upper()}_BASE_URL", server.openai_url)
        with closing(kind(model_id)) as model:
            assert model.complete(ASK).text == "Here."
    assert model.endpoint == server.openai_url
    assert "key-from-environment" in str(server.requests[0].headers)
    assert server.requests[0].path == (
        "/v1/chat/completions" if label == "openai" else "/v1/messages"
    )


@both
def test_a_server_of_ones_own_needs_no_key(label: str) -> None:
    with opened(label, Says("Here."), api_key=None) as (model, _):
        assert model.complete(ASK).text == "Here."


@both
def test_wrong_settings(label: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kind, model_id = PROVIDERS[label]
    wrongs: list[dict[str, Any]] = [
        {"timeout": 0},
        {"max_retries": -1},
        {"temperature": "hot"},
        {"timeout": math.nan},
    ]
    for wrong in wrongs:
        with pytest.raises(InputError, match=next(iter(wrong))):
            kind(model_id, api_key="k", **wrong)
    with pytest.raises(InputError, match="does not begin with http"):
        kind(model_id, base_url="localhost:8000")
    with pytest.raises(InputError, match="cannot be set up"):
        kind(model_id, base_url="http://[::bad").complete(ASK)
    monkeypatch.setenv("AGINGBENCH_PRICES", str(tmp_path / "none.json"))
    with pytest.raises(InputError, match=r"none\.json"):
        kind(model_id, api_key="k")


@both
def test_identity_is_what_changes_a_reply_and_holds_no_key(label: str) -> None:
    kind, model_id = PROVIDERS[label]
    model = kind(model_id, api_key="secret-key")
    same = kind(model_id, api_key="other-key", timeout=5, max_retries=0)
    assert model.cache_identity() == same.cache_identity()
    assert "secret-key" not in str(model.cache_identity())
    others = (
        kind("other", api_key="k"),
        kind(model_id, "http://127.0.0.1:1"),
        kind(model_id, None, "k", temperature=1),
    )
    assert all(other.cache_identity() != model.cache_identity() for other in others)


@both
def test_a_missing_sdk_is_told_with_the_command(
    label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, label, None)
    with pytest.raises(MissingExtra) as caught:
        build_model(f"{label}:some-model")
    assert str(caught.value) == str(MissingExtra(f"model '{label}:some-model'", label))


@both
def test_the_sdk_is_not_imported_before_the_first_call(label: str) -> None:
    code = (
        "import sys; from agingbench.models.build import build_model\n"
        f"build_model('{label}:some-model', api_key='k'); sys.exit('{label}' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], check=False, env=dict(os.environ)).returncode
        == 0
    )


@both
def test_a_model_that_is_dropped_leaves_no_open_socket(label: str) -> None:
    # pytest turns a ResourceWarning of a socket that nobody closed into a failure of this test.
    kind, model_id = PROVIDERS[label]
    with StubServer([Says("Here.")]) as server:
        model = kind(model_id, server.openai_url)
        assert model.complete(ASK).text == "Here."
        del model
        gc.collect()


def test_the_stub_answers_with_a_function() -> None:
    def logic(path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 200, Says(body["messages"][-1]["content"].upper()).openai(body)

    with StubServer(logic) as server, closing(OpenAIChat("m", server.openai_url)) as model:
        assert model.complete(ASK).text == "WHERE IS THE KEY?"
        assert model.complete(ASK[:1]).text == "BE BRIEF."
    assert [seen.path for seen in server.requests] == ["/v1/chat/completions"] * 2


def test_the_network_is_out_of_reach() -> None:
    with socket.socket() as unconnected, pytest.raises(AssertionError, match="tried to reach"):
        unconnected.connect(("192.0.2.1", 80))
    with pytest.raises(AssertionError, match="tried to look up"):
        socket.create_connection(("example.org", 80), timeout=1)


def test_tool_calls_equal_what_records_hold() -> None:
    with opened("openai", Says(calls=(("look", {"place": "hall"}),))) as (model, _):
        assert model.complete(ASK, [LOOK]).tool_calls == (
            ToolCall("call_0", "look", {"place": "hall"}),
        )
