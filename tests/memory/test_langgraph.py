"""LangGraph's store and langmem's manager: with stand-ins in the quick tests, with the products in
the slow ones.
"""

from __future__ import annotations

import importlib.util
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agingbench.agents.react import ReactAgent
from agingbench.cards.check import load_card
from agingbench.errors import BrokenReply, TransportError
from agingbench.interfaces import Model
from agingbench.memory import langgraph
from agingbench.memory.langgraph import LangGraph, LangMem, item_text
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Message, Reply, Tool, Unit
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

MEMORY_TOOL = Tool("Memory", "", {"type": "object"}, lambda arguments: "")
needs_products = pytest.mark.skipif(
    not embedding.available() or importlib.util.find_spec("langmem") is None,
    reason="needs langgraph and langmem: pip install 'agingbench[langgraph]'",
)


class FakeGraph:
    """LangGraph's store: items by key, found by the words they share."""

    def __init__(self, index: object) -> None:
        self.items: dict[str, SimpleNamespace] = {}

    def put(self, namespace: object, key: str, value: dict[str, Any]) -> None:
        self.items[key] = SimpleNamespace(key=key, value=value)

    def search(self, namespace: object, query: str = "", limit: int = 10) -> list[Any]:
        words = set(query.lower().strip("?").split())

        def fit(item: SimpleNamespace) -> int:
            return -len(words & set(item_text(item.value).lower().split()))

        return sorted(self.items.values(), key=fit)[:limit]


class FakeManager:
    """langmem's manager: asks the model once and puts every call of its tool into the store."""

    def __init__(self, model: Model, store: FakeGraph, namespace: object) -> None:
        self.model = model
        self.store = store

    def invoke(self, given: dict[str, Any]) -> None:
        title = "=" * 32
        parts = [
            f"{title} {'Human' if message['role'] == 'user' else 'Ai'} Message {title}\n\n"
            f"{message['content']}\n"
            for message in given["messages"]
        ]
        request = f"Enrich.\n\n<session_1-a>\n{''.join(parts)}</session_1-a>"
        reply = self.model.complete([Message("user", request)], [MEMORY_TOOL])
        for call in reply.tool_calls:
            value = {"kind": "Memory", "content": call.arguments}
            self.store.put((), f"m{len(self.store.items)}", value)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = {
        "langgraph.store.memory": SimpleNamespace(InMemoryStore=FakeGraph),
        "langmem": SimpleNamespace(create_memory_store_manager=FakeManager),
        "langsmith.run_helpers": SimpleNamespace(tracing_context=lambda enabled: nullcontext()),
    }
    monkeypatch.setattr(langgraph, "module_of", modules.__getitem__)
    monkeypatch.setattr(langgraph, "require", lambda *names: None)
    monkeypatch.setattr(langgraph, "load_encoder", lambda: None)
    monkeypatch.setattr(langgraph, "chat_model", lambda model: model)
    monkeypatch.setattr(LangGraph, "packages", ("numpy",))
    monkeypatch.setattr(LangMem, "packages", ("numpy",))


@pytest.mark.usefixtures("fake")
def test_the_store_keeps_paragraphs_and_reads_those_it_finds_in_their_order() -> None:
    memory = LangGraph(k=2)
    memory.write(said("\n\n".join(TOLD)))
    memory.write(said("The code of the blue door is 7777 now."))
    assert memory.read(QUESTION).split("\n\n") == [
        TOLD[0],
        "The code of the blue door is 7777 now.",
    ]
    assert (memory.units() or [])[3] == Unit("000003", "The code of the blue door is 7777 now.")
    memory.apply("flush_history")
    assert memory.units() == []


@pytest.mark.usefixtures("fake")
def test_the_manager_keeps_what_the_embedded_reader_extracts() -> None:
    memory = LangMem(Extractive(), k=1)
    memory.write(said(*TOLD))
    assert memory.read(QUESTION) == TOLD[0]
    assert [unit.text for unit in memory.units() or ()] == list(TOLD)


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("name", ["langgraph", "langmem"])
def test_dump_load_probes_and_calls(name: str, tmp_path: Path) -> None:
    def fresh() -> LangGraph:
        return LangGraph() if name == "langgraph" else LangMem(Extractive())

    memory = fresh()
    memory.write(said(*TOLD))
    check_round_trip(memory, fresh)
    check_probes_change_nothing(ReactAgent(Extractive(), memory))
    check_calls_are_counted(tmp_path, name)


@pytest.mark.usefixtures("fake")
def test_a_broken_reply_is_failed_and_leaves_the_state_as_it_was() -> None:
    memory = LangMem(Scripted([TransportError("line is dead")]))
    with pytest.raises(TransportError, match="line is dead"):
        memory.write(said(*TOLD))
    assert memory.dump() == {"items": []}


def test_a_reply_without_the_call_that_was_demanded_is_broken() -> None:
    langgraph._require_call(Reply("nothing to add"), None)
    with pytest.raises(BrokenReply, match="a tool call was demanded"):
        langgraph._require_call(Reply("no thanks"), "any")


def test_the_text_of_items() -> None:
    assert item_text({"text": "a"}) == "a"
    assert item_text({"kind": "Memory", "content": {"content": "b"}}) == "b"
    assert item_text({"kind": "Profile", "content": {"name": "c"}}) == '{"name": "c"}'


# -- the products


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@needs_products
@pytest.mark.parametrize("name", ["langgraph", "langmem"])
def test_a_life_with_the_product(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "true")  # nothing may be sent all the same

    def fresh() -> LangGraph:
        return LangGraph() if name == "langgraph" else LangMem(Extractive())

    memory = fresh()
    memory.write(said(*TOLD))
    assert "4821" in memory.read(QUESTION)
    check_round_trip(memory, fresh)
    check_probes_change_nothing(ReactAgent(Extractive(), memory))
    life = lived(tmp_path / "a", name)
    assert "langgraph" in load_card(life.folder.card)["provenance"]["memory_versions"]
    check_served_calls_are_counted(tmp_path / "b", name, monkeypatch)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@needs_products
def test_a_broken_reply_comes_out_of_the_product() -> None:
    memory = LangMem(Scripted([TransportError("line is dead")]))
    with pytest.raises(TransportError, match="line is dead"):
        memory.write(said(*TOLD))
    assert memory.dump() == {"items": []}
