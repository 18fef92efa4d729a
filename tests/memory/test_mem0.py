"""mem0 as a policy: with a stand-in for the product in the quick tests, with mem0 in the slow ones."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agingbench.agents.react import ReactAgent
from agingbench.cards.check import load_card
from agingbench.errors import BrokenReply, MissingExtra, TransportError
from agingbench.interfaces import Model
from agingbench.memory import mem0
from agingbench.memory.mem0 import Extractor, Mem0, holds_memories
from agingbench.memory.products import module_of
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Message
from agingbench.text import embedding
from tests.memory.systems import (
    QUESTION,
    TOLD,
    check_calls_are_counted,
    check_probes_change_nothing,
    check_round_trip,
    check_served_calls_are_counted,
    lived,
    said,
)

needs_encoder = pytest.mark.skipif(not embedding.available(), reason="needs the extra embed")
needs_mem0 = pytest.mark.skipif(
    importlib.util.find_spec("mem0") is None, reason="needs mem0: pip install 'agingbench[mem0]'"
)


class FakeMem0:
    """What the policy uses of mem0: rows in a list, found by the words they share."""

    def __init__(self, llm: Any) -> None:
        self.llm = llm
        self.rows: list[SimpleNamespace] = []
        self.messages: list[dict[str, Any]] = []
        self.vector_store = SimpleNamespace(
            insert=self._insert,
            list=lambda top_k: (list(self.rows), None),
            client=SimpleNamespace(close=lambda: None),
        )
        self.db = SimpleNamespace(
            save_messages=lambda messages, scope: self.messages.extend(messages),
            get_last_messages=lambda scope: [
                {"name": None, "created_at": "now", **message} for message in self.messages[-10:]
            ],
        )

    def _insert(self, vectors: list[Any], ids: list[str], payloads: list[dict[str, Any]]) -> None:
        for key, payload in zip(ids, payloads, strict=True):
            self.rows.append(SimpleNamespace(id=key, payload=payload))

    def add(self, messages: list[dict[str, Any]], user_id: str) -> None:
        text = "".join(f"{message['role']}: {message['content']}\n" for message in messages)
        request = f"## New Messages\n{text}\n\n## Observation Date\ntoday\n\n# Output:"
        try:
            reply = self.llm.generate_response(
                messages=[{"role": "user", "content": request}], response_format={}
            )
        except Exception as error:
            raise RuntimeError("LLM extraction failed") from error
        for memory in json.loads(reply)["memory"]:
            number = len(self.rows)
            payload = {"data": memory["text"], "created_at": f"{number:04}"}
            self.rows.append(SimpleNamespace(id=f"m{number}", payload=payload))
        self.messages += messages

    def search(self, query: str, top_k: int, filters: object) -> dict[str, Any]:
        words = set(query.lower().strip("?").split())

        def fit(row: SimpleNamespace) -> int:
            return -len(words & set(row.payload["data"].lower().split()))

        return {"results": [{"id": row.id} for row in sorted(self.rows, key=fit)[:top_k]]}

    def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mem0, "new_product", FakeMem0)
    monkeypatch.setattr(mem0, "require", lambda *names: None)
    monkeypatch.setattr(mem0, "PACKAGES", ("numpy",))
    monkeypatch.setattr(mem0, "_vectors", lambda texts: [[1.0] for _ in texts])


def told(model: Model | None = None, **options: Any) -> Mem0:
    memory = Mem0(model or Extractive(), **options)
    memory.write(said(*TOLD))
    return memory


@pytest.mark.usefixtures("fake")
def test_the_embedded_reader_extracts_what_is_found_later() -> None:
    memory = told(k=1)
    assert memory.read(QUESTION) == TOLD[0]
    assert [unit.text for unit in memory.units() or ()] == list(TOLD)
    memory.apply("flush_history")
    assert memory.read(QUESTION) == ""


@pytest.mark.usefixtures("fake")
def test_dump_load_and_probes() -> None:
    memory = told()
    check_round_trip(memory, lambda: Mem0(Extractive()))
    check_probes_change_nothing(ReactAgent(Extractive(), memory))


@pytest.mark.usefixtures("fake")
def test_an_extraction_that_cannot_be_read_is_failed_and_leaves_the_state_as_it_was() -> None:
    memory = told()
    before = memory.dump()
    memory.model = Scripted(["no JSON"] * 3)
    memory.close()
    with pytest.raises(BrokenReply, match="no JSON with a list `memory`: 'no JSON'"):
        memory.write(said("One more thing."))
    assert memory.dump() == before


@pytest.mark.usefixtures("fake")
def test_a_life_may_go_on_as_the_product_would_and_counts_it() -> None:
    memory = told(Scripted(["no JSON"] * 3), unparseable="skip")
    assert memory.dump()["unparseable"] == 1
    assert memory.units() == []
    with pytest.raises(ValueError, match="unparseable is stop or skip"):
        Mem0(Extractive(), unparseable="maybe")


@pytest.mark.usefixtures("fake")
def test_a_broken_reply_of_the_model_comes_out_as_it_is() -> None:
    with pytest.raises(TransportError, match="line is dead"):
        told(Scripted([TransportError("line is dead")]))


def test_a_reply_that_can_be_read_at_the_second_try_will_do() -> None:
    llm = Extractor(Scripted(["hm", '```json\n{"memory": [{"text": "a"}]}\n```']), skips=False)
    assert "memory" in llm.generate_response([{"role": "user", "content": "x"}])


@pytest.mark.parametrize(
    ("text", "can_be_read"),
    [
        ('{"memory": []}', True),
        ('Here: {"memory": [{"text": "a"}]} Bye.', True),
        ('```json\n{"memory": []}\n```', True),
        ("", False),
        ("[]", False),
        ('{"memory": ["a"]}', False),
        ('{"facts": []}', False),
        ('{"memory": [', False),
    ],
)
def test_what_holds_memories(text: str, can_be_read: bool) -> None:
    assert holds_memories(text) is can_be_read


@pytest.mark.usefixtures("fake")
def test_every_call_is_on_the_card_with_the_versions(tmp_path: Path) -> None:
    check_calls_are_counted(tmp_path, "mem0")
    (card,) = tmp_path.rglob("aging_card.json")
    assert "numpy" in load_card(card)["provenance"]["memory_versions"]


def test_without_the_package_the_command_to_install_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def require(*names: str) -> None:
        raise MissingExtra("memory policy 'mem0'", "mem0")

    monkeypatch.setattr(mem0, "require", require)
    with pytest.raises(MissingExtra, match=r"pip install 'agingbench\[mem0\]'"):
        Mem0(Extractive())


# -- the product


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@needs_encoder
@needs_mem0
def test_a_life_with_the_product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    memory = told()
    assert "4821" in memory.read(QUESTION)
    check_round_trip(memory, lambda: Mem0(Extractive()))
    check_probes_change_nothing(ReactAgent(Extractive(), memory))

    def junk(messages: Sequence[Message], tools: object) -> str:
        return "no JSON"

    memory.model = Scripted(junk)
    memory.close()
    with pytest.raises(BrokenReply):
        memory.write(said("One more thing."))
    memory.close()

    life = lived(tmp_path / "a", "mem0")
    versions = load_card(life.folder.card)["provenance"]["memory_versions"]
    assert set(versions) == {"mem0ai", "qdrant-client", "wordllama"}
    check_served_calls_are_counted(tmp_path / "b", "mem0", monkeypatch)
    assert module_of("mem0.memory.telemetry").MEM0_TELEMETRY is False
    assert not list(home.iterdir())
