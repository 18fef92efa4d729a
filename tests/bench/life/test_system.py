"""The system under test: its name, its file, what is written down of it, and what is told when it
is wrong.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from agingbench.bench.life.life import Life
from agingbench.bench.life.system import Sut, build, read_sut_file, slug, sut_from_record
from agingbench.errors import InputError, UnknownName
from agingbench.memory.summarize_store import SummarizeStore
from agingbench.models.extractive import Extractive
from agingbench.records import Reply

ALSO = frozenset({"scenario", "seeds"})


def written(folder: Path, text: str) -> Path:
    file = folder / "sut.yaml"
    file.write_text(text, encoding="utf-8")
    return file


# -- the name


def test_the_parts_make_the_name() -> None:
    assert Sut().id == "extractive+lossy_compress"
    assert (
        Sut(model="openai:gpt-4o-mini", memory="append_only").id == "openai-gpt-4o-mini+append_only"
    )
    assert Sut(sut_id="mine.v2", memory="no_memory").id == "mine.v2"


def test_whatever_differs_shows_in_the_name() -> None:
    suts = [
        Sut(),
        Sut(memory_options={"words": 200}),
        Sut(memory_options={"words": 201}),
        Sut(agent="own:Agent"),
        Sut(agent_options={"max_turns": 3}),
        Sut(model_options={"timeout": 3}),
    ]
    assert len({sut.id for sut in suts}) == len(suts)
    assert all(slug(sut.id.replace("+", "-")) == sut.id.replace("+", "-") for sut in suts)


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "a b"])
def test_a_name_must_be_safe_in_a_path(name: str) -> None:
    with pytest.raises(ValidationError):
        Sut(sut_id=name)


@pytest.mark.parametrize(
    ("text", "safe"), [("a:b/c d", "a-b-c-d"), ("..", "x"), ("é", "x"), ("-a.", "a")]
)
def test_slugs(text: str, safe: str) -> None:
    assert slug(text) == safe


# -- what is written down


def test_the_description_says_what_an_alias_stands_for() -> None:
    told = Sut(memory="careful_compress", memory_options={"words": 99}).record("s2")
    assert told.memory_options == {"prompt": "careful", "words": 99}
    assert told.sut_id.startswith("extractive+careful_compress-")


@pytest.mark.parametrize("part", ["model_options", "memory_options", "agent_options"])
@pytest.mark.parametrize(
    "name", ["api_key", "key", "token", "auth_token", "client_secret", "password", "API_KEY"]
)
def test_no_secret_is_written_down(part: str, name: str) -> None:
    one, other = (Sut.model_validate({part: {name: secret}}) for secret in ("hunter2", "hunter3"))
    assert "hunter2" not in json.dumps(one.record("s2").document())
    assert one.record("s2") == other.record("s2")  # a new key is no new system
    assert one.id == other.id


@pytest.mark.parametrize("name", ["max_tokens", "tokens", "keywords", "monkey", "k"])
def test_what_only_sounds_like_a_secret_is_written_down(name: str) -> None:
    assert Sut(memory_options={name: 512}).record("s2").memory_options[name] == 512


# -- building


def test_building_puts_one_meter_before_everything() -> None:
    built = build(Sut(memory="careful_compress"), "You are Ann.")
    memory = getattr(built.agent, "memory", None)
    assert isinstance(memory, SummarizeStore)
    assert memory.model is built.meter is getattr(built.agent, "model", None)
    assert built.meter is not None
    assert isinstance(built.meter.model, Extractive)


def test_a_model_object_is_used_as_it_is_and_recorded_by_its_name(tmp_path: Path) -> None:
    class Counting(Extractive):
        """Counts its calls."""

        name = "counted"
        calls = 0

        def complete(
            self, messages: Any, tools: Any = (), max_tokens: int = 1024, seed: int | None = None
        ) -> Reply:
            self.calls += 1
            return super().complete(messages, tools, max_tokens, seed)

    model = Counting()
    model.name = "counted"
    life = Life.new("s3", out=tmp_path, sessions=1, pressure="none", model=model)
    life.live()
    assert model.calls > 1
    assert life.folder.sut().model == "counted"
    assert life.score().sut.model_id == "counted"


@pytest.mark.parametrize(
    ("sut", "hint"),
    [
        (Sut(model="extractiv"), "did you mean extractive"),
        (Sut(memory="lossy_compres"), "did you mean lossy_compress"),
        (Sut(agent="reakt"), "did you mean react"),
        (Sut(memory_options={"word": 1}), "did you mean words"),
        (Sut(agent_options={"turns": 1}), "known: max_turns|did you mean max_turns"),
    ],
)
def test_wrong_names_suggest_the_nearest(sut: Sut, hint: str) -> None:
    with pytest.raises(UnknownName, match=hint):
        build(sut, "")


# -- the file


def test_a_file_says_it_all(tmp_path: Path) -> None:
    text = (
        "model: extractive\nmemory: append_only\nmemory_options: {k: 8}\nsut_id: mine\nscenario:"
        " s2\nseeds: 0-3\n"
    )
    sut, rest = read_sut_file(written(tmp_path, text), ALSO)
    assert sut == Sut(memory="append_only", memory_options={"k": 8}, sut_id="mine")
    assert rest == {"scenario": "s2", "seeds": "0-3"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("memry: x", r"unknown key 'memry'; did you mean memory"),
        ("scenario: s2", r"unknown key 'scenario'"),
        ("model: 5", r"model: .*string"),
        ("memory_options: 3", r"memory_options: .*dictionary"),
        ("model: [", r"sut.yaml:1: not YAML"),
        ("a: b\n\tc: d", r"sut.yaml:2: not YAML"),
        ("- a", "expected keys such as"),
        ("", "expected keys such as"),
        ("just text", "expected keys such as"),
        ("sut_id: ../x", "sut_id: "),
        ("1: 2", "unknown key '1'"),
        ("? [a, b]\n: c", "unknown key|not YAML"),
        ("model: !!python/object:os.system {}", "not YAML"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        read_sut_file(written(tmp_path, text))
    assert "sut.yaml" in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read SUT file .*No such file"):
        read_sut_file(tmp_path / "none.yaml")
    with pytest.raises(InputError, match=r"cannot read SUT file .*directory"):
        read_sut_file(tmp_path)
    binary = tmp_path / "b.yaml"
    binary.write_bytes(b"\xff\xfe\x00model")
    with pytest.raises(InputError, match="not UTF-8"):
        read_sut_file(binary)
    control = written(tmp_path, "model: \x00")
    with pytest.raises(InputError, match="not YAML"):
        read_sut_file(control)


def test_an_instruction_of_the_system_follows_the_role() -> None:
    plain = Sut(memory="workspace", agent="workspace")
    told = plain.model_copy(update={"role": "Read twice."})
    assert build(plain, "You help.").agent.role == "You help."
    assert build(told, "You help.").agent.role == "You help.\n\nRead twice."
    assert told.id != plain.id
    assert told.id.startswith("extractive+workspace-")
    record = told.record("s7")
    assert sut_from_record(record) == told
    assert "role" not in json.loads(json.dumps(plain.record("s7").document()))
    assert Sut(role="Read twice.").id != Sut().id
