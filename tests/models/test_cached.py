"""The response cache: what hits, what misses, damaged files, threads, errors, a disk that refuses."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from agingbench.errors import InputError, StorageError, TransportError
from agingbench.interfaces import Model
from agingbench.models.build import build_model
from agingbench.models.cached import CachedModel, request_key
from agingbench.models.openai_chat import OpenAIChat
from agingbench.models.scripted import Scripted
from agingbench.records import Message, Reply, Tool, ToolCall, Usage
from tests.models.stub_server import Behaviour, Fails, Says, StubServer

ASK = (Message("user", "Where is the key?"),)
LOOK = Tool(
    "look",
    "Look.",
    {"type": "object", "properties": {"place": {"type": "string"}}},
    lambda arguments: "",
)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_hit_equals_the_first_reply_and_asks_nobody(tmp_path: Path) -> None:
    script: list[Behaviour] = [
        Says("Hm — “é”.", calls=(("look", {"n": [1, 2.5, None, "ü"]}),), cache_read=3),
        Fails(500),
    ]
    with (
        StubServer(script) as server,
        closing(CachedModel(OpenAIChat("gpt-4o", server.openai_url), tmp_path)) as model,
    ):
        first = model.complete(ASK, [LOOK], max_tokens=9, seed=1)
        second = model.complete(ASK, [LOOK], max_tokens=9, seed=1)
    assert first == second
    assert first.usage.cost_usd is not None
    assert len(server.requests) == 1
    assert (model.hits, model.misses, model.damaged) == (1, 1, 0)
    assert model.name == "openai:gpt-4o"
    assert isinstance(model, Model)


def test_another_process_finds_the_reply(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from agingbench.models.cached import CachedModel\nfrom"
        " agingbench.models.scripted import Scripted; from agingbench.records import"
        " Message\nCachedModel(Scripted(['from afar']), Path('.')).complete([Message('user', 'Where"
        " is the key?')])"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    assert CachedModel(Scripted([]), tmp_path).complete(ASK).text == "from afar"


def test_files_lie_in_two_letter_folders_and_nothing_else_is_left(tmp_path: Path) -> None:
    model = Scripted(["a"])
    cached = CachedModel(model, tmp_path / "new" / "cache")
    cached.complete(ASK)
    key = request_key(model, ASK, (), 1024, None)
    assert files(tmp_path) == [tmp_path / "new" / "cache" / key[:2] / f"{key}.json"]


BASE: dict[str, Any] = {"messages": ASK, "tools": (LOOK,), "max_tokens": 9, "seed": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"messages": (Message("user", "Where is the key"),)},
        {"messages": (Message("system", "Where is the key?"),)},
        {"messages": (*ASK, *ASK)},
        {"messages": (Message("user", ASK[0].content, tool_call_id="1"),)},
        {"messages": (Message("user", ASK[0].content, (ToolCall("1", "look", {"a": 1}),)),)},
        {"tools": ()},
        {"tools": (Tool("peek", LOOK.description, LOOK.parameters, LOOK.run),)},
        {"tools": (Tool("look", "Peek.", LOOK.parameters, LOOK.run),)},
        {"tools": (Tool("look", LOOK.description, {"type": "object"}, LOOK.run),)},
        {"max_tokens": 10},
        {"seed": 2},
        {"seed": None},
    ],
)
def test_any_changed_part_of_a_request_misses(change: dict[str, Any], tmp_path: Path) -> None:
    model = CachedModel(Scripted(["first", "second"]), tmp_path)
    assert model.complete(**BASE).text == "first"
    assert model.complete(**{**BASE, **change}).text == "second"
    assert model.complete(**BASE).text == "first"
    assert (model.hits, model.misses) == (1, 2)


def test_another_model_misses(tmp_path: Path) -> None:
    url = "http://127.0.0.1:1/v1"
    models: list[Model] = [
        Scripted([]),
        Scripted([], name="other"),
        OpenAIChat("gpt-4o", url),
        OpenAIChat("gpt-4o", url, temperature=1),
        OpenAIChat("gpt-4o", url + "/x"),
        OpenAIChat("gpt-4o-mini", url),
    ]
    assert len({request_key(model, ASK, (), 9, None) for model in models}) == len(models)


def test_what_does_not_change_a_reply_hits(tmp_path: Path) -> None:
    reordered = MappingProxyType({"properties": LOOK.parameters["properties"], "type": "object"})
    model = CachedModel(Scripted(["first"]), tmp_path)
    assert model.complete(**BASE).text == "first"
    same = Tool("look", "Look.", reordered, lambda arguments: "something else")
    assert model.complete(list(ASK), [same], 9, 1).text == "first"


@pytest.mark.parametrize("damage", ["", "{", '{"key": "x"}', "cut", "moved", "null"])
def test_a_damaged_file_is_counted_and_written_again(damage: str, tmp_path: Path) -> None:
    model = CachedModel(Scripted(["first", "other", "again"]), tmp_path)
    model.complete(ASK)
    (file,) = files(tmp_path)
    whole = file.read_text()
    if damage == "moved":
        model.complete(ASK, seed=5)
        (other,) = set(files(tmp_path)) - {file}
        file.write_text(other.read_text())
    else:
        file.write_text(whole[:-5] if damage == "cut" else damage)
    reply = model.complete(ASK)
    assert reply.text in ("other", "again")
    assert model.damaged == 1
    assert model.complete(ASK) == reply
    assert (model.hits, model.damaged) == (1, 1)


def test_errors_are_never_kept(tmp_path: Path) -> None:
    model = CachedModel(Scripted([TransportError("down"), InputError("wrong"), "up"]), tmp_path)
    with pytest.raises(TransportError):
        model.complete(ASK)
    with pytest.raises(InputError):
        model.complete(ASK)
    assert files(tmp_path) == []
    assert model.complete(ASK).text == "up"
    assert model.complete(ASK).text == "up"
    assert (model.hits, model.misses) == (1, 3)


def test_threads_with_one_request_pay_once(tmp_path: Path) -> None:
    started = threading.Event()
    waiting = threading.Event()

    def speak(messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        started.set()
        waiting.wait(10)
        return Reply(messages[0].content, usage=Usage(calls=1))

    inner = Scripted(speak)
    model = CachedModel(inner, tmp_path)
    replies = list[Reply]()
    threads = [
        threading.Thread(target=lambda: replies.append(model.complete(ASK))) for _ in range(4)
    ]
    other = threading.Thread(target=lambda: replies.append(model.complete(ASK, seed=7)))
    for thread in [*threads, other]:
        thread.start()
    assert started.wait(10)
    waiting.set()
    for thread in [*threads, other]:
        thread.join()
    assert len(inner.calls) == 2
    assert (model.hits, model.misses) == (3, 2)
    assert len(set(map(str, replies))) == 1
    assert len(files(tmp_path)) == 2


def test_two_caches_on_one_folder_do_not_harm_each_other(tmp_path: Path) -> None:
    def fill(model: CachedModel) -> None:
        for seed in range(50):
            model.complete(ASK, seed=seed)

    models = [
        CachedModel(Scripted(lambda messages, tools: "x" * 5_000), tmp_path) for _ in range(2)
    ]
    threads = [threading.Thread(target=fill, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [model.damaged for model in models] == [0, 0]
    assert [model.hits + model.misses for model in models] == [50, 50]
    reader = CachedModel(Scripted([]), tmp_path)
    fill(reader)
    assert (reader.hits, reader.damaged, len(files(tmp_path))) == (50, 0, 50)


def test_a_disk_that_refuses_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    model = CachedModel(Scripted(["a"]), tmp_path / "file")
    with pytest.raises(StorageError, match="response cache"):
        model.complete(ASK)


def test_a_write_that_breaks_off_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("agingbench.models.cached.os.replace", full)
    with pytest.raises(StorageError, match="No space left"):
        CachedModel(Scripted(["a"]), tmp_path).complete(ASK)
    assert files(tmp_path) == []


def test_the_model_without_a_provider_can_be_cached(tmp_path: Path) -> None:
    model = CachedModel(build_model("extractive"), tmp_path)
    assert model.complete(ASK) == model.complete(ASK)
    assert (model.hits, model.misses) == (1, 1)
    model.close()
