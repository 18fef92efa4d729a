"""The served model through the real SDKs, and what its server refuses."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agingbench.interfaces import Model
from agingbench.models.extractive import Extractive
from agingbench.models.puppet import Puppet
from agingbench.models.serving import server
from agingbench.models.serving.server import LIMIT_REACHED, ServedModel, serving
from agingbench.records import Reply, Usage

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

TOLD = "The budget of Project Teal Harp is $52,000.\n\nBook a table."
COMMAND = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
LIST = "wc -m notes/*.md 2>/dev/null | sort -k 2"


@pytest.fixture
def port() -> Iterator[int]:
    with serving(ServedModel(Puppet(Extractive()))) as port:
        yield port


@pytest.fixture
def claude(port: int) -> Any:
    return anthropic.Anthropic(base_url=f"http://127.0.0.1:{port}", api_key="k", max_retries=0)


@pytest.fixture
def chat(port: int) -> Any:
    return openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="k", max_retries=0)


# -- Anthropic

BASH = {"name": "Bash", "description": "Runs a command.", "input_schema": COMMAND}


def test_messages_plain(claude: Any) -> None:
    reply = claude.messages.create(
        model="puppet",
        max_tokens=100,
        messages=[{"role": "user", "content": "The cup is red.\n\nWhat colour is the cup?"}],
    )
    assert reply.content[0].text == "The cup is red."
    assert reply.stop_reason == "end_turn"
    assert reply.usage.input_tokens > 0


def test_messages_tool_use_and_result(claude: Any) -> None:
    messages: list[Any] = [{"role": "user", "content": TOLD}]
    ask = {"model": "puppet", "max_tokens": 100, "tools": [BASH]}
    first = claude.messages.create(messages=messages, **ask)
    (call,) = first.content
    assert first.stop_reason == "tool_use"
    assert (call.name, call.input) == ("Bash", {"command": LIST})

    result = {"type": "tool_result", "tool_use_id": call.id, "content": ""}
    messages += [
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [result]},
    ]
    second = claude.messages.create(messages=messages, **ask)
    assert "notes/project-teal-harp.md" in second.content[0].input["command"]
    assert "$52,000" in second.content[0].input["command"]


def test_messages_stream(claude: Any) -> None:
    ask = {"model": "puppet", "max_tokens": 100}
    text = "The cup is red.\n\nWhat colour is the cup?"
    with claude.messages.stream(messages=[{"role": "user", "content": text}], **ask) as stream:
        assert "".join(stream.text_stream) == "The cup is red."
    told = [{"role": "user", "content": TOLD}]
    with claude.messages.stream(messages=told, tools=[BASH], **ask) as stream:
        final = stream.get_final_message()
    assert final.content[0].input == {"command": LIST}
    assert final.stop_reason == "tool_use"


def test_tokens_are_counted(claude: Any) -> None:
    messages = [{"role": "user", "content": "one two three"}]
    assert claude.messages.count_tokens(model="puppet", messages=messages).input_tokens > 0


# -- OpenAI

SHELL = {"type": "function", "name": "shell_command", "parameters": COMMAND}
BASH_FUNCTION = {"type": "function", "function": {"name": "bash", "parameters": COMMAND}}


def test_responses_plain_and_stream(chat: Any) -> None:
    text = "The cup is red.\n\nWhat colour is the cup?"
    assert chat.responses.create(model="puppet", input=text).output_text == "The cup is red."
    with chat.responses.stream(model="puppet", input=text) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert final.output_text == "The cup is red."
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"


@pytest.mark.parametrize("streams", [False, True])
def test_responses_tool_call_and_output(chat: Any, streams: bool) -> None:
    conversation: list[Any] = [{"role": "user", "content": TOLD}]

    def step() -> Any:
        ask = {"model": "puppet", "input": conversation, "tools": [SHELL]}
        if not streams:
            return chat.responses.create(**ask)
        events = list(chat.responses.create(**ask, stream=True))
        return events[-1].response

    (call,) = step().output
    assert json.loads(call.arguments) == {"command": LIST}
    conversation += [
        {
            "type": "function_call",
            "call_id": call.call_id,
            "name": call.name,
            "arguments": call.arguments,
        },
        {"type": "function_call_output", "call_id": call.call_id, "output": ""},
    ]
    (save,) = step().output
    assert "$52,000" in json.loads(save.arguments)["command"]


def test_chat_plain_and_stream(chat: Any) -> None:
    messages = [{"role": "user", "content": "The cup is red.\n\nWhat colour is the cup?"}]
    reply = chat.chat.completions.create(model="puppet", messages=messages)
    assert reply.choices[0].message.content == "The cup is red."
    assert reply.choices[0].finish_reason == "stop"
    with chat.chat.completions.stream(model="puppet", messages=messages) as stream:
        final = stream.get_final_completion()
    assert final.choices[0].message.content == "The cup is red."


@pytest.mark.parametrize("streams", [False, True])
def test_chat_tool_call_and_result(chat: Any, streams: bool) -> None:
    messages: list[Any] = [{"role": "user", "content": TOLD}]

    def step() -> Any:
        ask = {"model": "puppet", "messages": messages, "tools": [BASH_FUNCTION]}
        if not streams:
            return chat.chat.completions.create(**ask).choices[0]
        with chat.chat.completions.stream(**ask) as stream:
            return stream.get_final_completion().choices[0]

    first = step()
    (call,) = first.message.tool_calls
    assert first.finish_reason == "tool_calls"
    assert json.loads(call.function.arguments) == {"command": LIST}
    function = {"name": call.function.name, "arguments": call.function.arguments}
    messages += [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call.id, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": call.id, "content": ""},
    ]
    (save,) = step().message.tool_calls
    assert "$52,000" in json.loads(save.function.arguments)["command"]


def test_models_are_listed(chat: Any) -> None:
    assert [model.id for model in chat.models.list()] == ["extractive"]


# -- limits and refusals


def post(port: int, path: str, body: bytes, **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", path, body, names)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_a_foreign_host_is_refused(port: int, host: str) -> None:
    status, body = post(port, "/v1/messages", b"{}", Host=host)
    assert status == 403
    assert body["error"]["type"] == "permission_error"


def test_a_web_page_is_refused(port: int) -> None:
    assert post(port, "/v1/responses", b"{}", Origin="http://127.0.0.1")[0] == 403


@pytest.mark.parametrize("path", ["/", "/etc/passwd", "/../../etc/passwd", "/v1/files", "/v1"])
def test_no_other_path_is_served(port: int, path: str) -> None:
    assert post(port, path, b"{}")[0] == 404
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    assert connection.getresponse().status == 404


def test_a_large_body_is_not_read(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LARGEST_BODY", 100)
    assert post(port, "/v1/messages", b"{" + b" " * 200 + b"}")[0] == 413


def test_a_body_without_length_or_compressed_is_refused(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 411")
    assert post(port, "/v1/messages", b"{}", Content_Encoding="gzip")[0] == 415


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/responses", "/v1/chat/completions"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 100_000,
        b'{"model": 3}',
        b'{"model": "m", "messages": [3], "input": [3]}',
        b'{"model": "m", "messages": [{"role": "x"}], "input": [{"role": "x"}]}',
        b'{"model": "m", "messages": [], "input": [], "tools": [{"type": "function"}, 3]}',
    ],
)
def test_a_broken_request_gets_a_clear_error(port: int, path: str, body: bytes) -> None:
    status, reply = post(port, path, body)
    assert status == 400
    assert reply["error"]["message"]


def test_a_limit_of_turns_ends_the_tool_calls() -> None:
    served = ServedModel(Puppet(Extractive()), most_turns=1)
    with serving(served) as port:
        client = anthropic.Anthropic(base_url=f"http://127.0.0.1:{port}", api_key="k")
        ask = {"model": "p", "max_tokens": 9, "messages": [{"role": "user", "content": TOLD}]}
        client.messages.create(tools=[BASH], **ask)
        assert not served.is_exhausted
        assert client.messages.create(tools=[BASH], **ask).content[0].text == LIMIT_REACHED
        assert served.is_exhausted


def test_a_socket_file_is_served_to_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "model.sock"
    with serving(ServedModel(Puppet(Extractive())), socket_file=file):
        assert file.stat().st_mode & 0o777 == 0o600
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(file))
            connection.sendall(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 200")


class _Caching(Model):
    """A model most of whose prompt was cached."""

    name = "caching"

    def complete(self, *_: Any, **__: Any) -> Reply:
        return Reply("Fine.", usage=Usage(100, 5, 60, calls=1))


def test_cached_tokens_are_passed_on() -> None:
    ask: dict[str, Any] = {"role": "user", "content": "How are you?"}
    with serving(ServedModel(_Caching())) as port:
        claude = anthropic.Anthropic(base_url=f"http://127.0.0.1:{port}", api_key="k")
        told = claude.messages.create(model="m", max_tokens=10, messages=[ask]).usage
        assert (told.input_tokens, told.cache_read_input_tokens) == (40, 60)

        responses = openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="k").responses
        used = responses.create(model="m", input="How are you?").usage
        assert (used.input_tokens, used.input_tokens_details.cached_tokens) == (100, 60)
