"""mem0 as a policy (extra `mem0`): memories are extracted from each session and found by meaning.

The product's own pipeline decides what becomes a memory and what is found. Its model is ours, so
every call is counted; its embedder is the small encoder of the extra `embed`, and its vector index
is in this process, so nothing leaves the machine. Its telemetry is switched off. The texts are the
state; vectors are made again when a state is loaded.

mem0 takes an extraction that it cannot read for one without memories. Here such a reply is asked
for again and then stops the life as any broken reply does; with `unparseable=skip` the life goes
on as the product would, and the snapshot counts it (`unparseable`).
"""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from agingbench.errors import BrokenReply, InputError, ModelError
from agingbench.interfaces import Model
from agingbench.memory.policy import COMPACTION_TRIES, whole
from agingbench.memory.products import module_of, require, versions_of
from agingbench.memory.shared_store import Outside
from agingbench.records import Event, Message, Unit
from agingbench.text.embedding import DIMENSIONS, load_encoder

USER = "user"
SCOPE = f"user_id={USER}"  # as the product writes it
MOST_TOKENS = 4096  # of an extraction
MOST_ROWS = 1_000_000
PACKAGES = ("mem0ai", "qdrant-client", "wordllama")
_FENCE = re.compile(r"^\s*```\w*\n|\n?```\s*$")


class Mem0(Outside["Mem0Store"]):
    """mem0 with our model and our embedder; the k memories it finds are read in their order."""

    supports = frozenset({"flush_history"})
    options = ("k",)
    model: Model
    k: int

    def __init__(self, model: Model, k: int = 20, unparseable: str = "stop") -> None:
        require("mem0", "mem0", "mem0", "wordllama")
        if unparseable not in ("stop", "skip"):
            raise ValueError(f"unparseable is stop or skip, not {unparseable!r}")
        self.model = model
        self.k = whole("k", k)
        self.unparseable = unparseable
        super().__init__()

    def twin(self) -> Mem0:
        return Mem0(self.model, self.k, self.unparseable)

    def empty_state(self) -> dict[str, Any]:
        return {"memories": [], "messages": [], "unparseable": 0}

    def open_store(self, state: dict[str, Any]) -> Mem0Store:
        return Mem0Store(self.model, state, skips=self.unparseable == "skip")

    def state_of(self, store: Mem0Store) -> dict[str, Any]:
        return store.state()

    @property
    def versions(self) -> dict[str, str]:  # type: ignore[override]
        return versions_of(PACKAGES)

    def read(self, query: str) -> str:
        if not query.strip() or not self.state["memories"]:
            return ""
        with self.reading() as store:
            best = set(store.search(query, self.k))
        rows = self.state["memories"]
        return "\n".join(row["payload"]["data"] for row in rows if row["id"] in best)

    def write(self, events: Sequence[Event]) -> None:
        messages = [
            {"role": event.role, "content": event.content}
            for event in events
            if event.role in ("user", "assistant") and (event.content or "").strip()
        ]
        if messages:
            with self.writing() as store:
                store.add(messages)

    def units(self) -> list[Unit] | None:
        return [Unit(row["id"], row["payload"]["data"]) for row in self.state["memories"]]


class Mem0Store:
    """One instance of the product with its index in memory."""

    def __init__(self, model: Model, state: Mapping[str, Any], *, skips: bool = False) -> None:
        self.llm = Extractor(model, skips=skips)
        self.product = new_product(self.llm)
        self.unparseable = int(state["unparseable"])
        rows = state["memories"]
        if rows:
            self.product.vector_store.insert(
                vectors=_vectors([row["payload"]["data"] for row in rows]),
                ids=[row["id"] for row in rows],
                payloads=[dict(row["payload"]) for row in rows],
            )
        self.product.db.save_messages(list(state["messages"]), SCOPE)

    def add(self, messages: list[dict[str, Any]]) -> None:
        """Have the product take in a session; an error of our model comes out as it is."""
        try:
            self.product.add(messages, user_id=USER)
        except Exception as error:
            if isinstance(error.__cause__, ModelError):
                raise error.__cause__ from None
            raise
        self.unparseable += self.llm.take_skipped()

    def search(self, query: str, k: int) -> list[str]:
        """The ids of the memories that the product finds, best first."""
        found = self.product.search(query, top_k=k, filters={"user_id": USER})
        return [row["id"] for row in found["results"]]

    def state(self) -> dict[str, Any]:
        """Every memory with what the product knows of it, oldest first, and the last messages."""
        points, _ = self.product.vector_store.list(top_k=MOST_ROWS)
        rows: list[dict[str, Any]] = [
            {"id": str(point.id), "payload": dict(point.payload)} for point in points
        ]
        rows.sort(key=lambda row: (row["payload"].get("created_at", ""), row["id"]))
        messages = self.product.db.get_last_messages(SCOPE)
        return {
            "memories": rows,
            "messages": [
                {name: message[name] for name in ("role", "content", "name")}
                for message in messages
            ],
            "unparseable": self.unparseable,
        }

    def close(self) -> None:
        """Close the product's history and its index."""
        self.product.close()
        self.product.vector_store.client.close()


class Extractor:
    """Our model where the product asks its own."""

    def __init__(self, model: Model, *, skips: bool) -> None:
        self.model = model
        self.skips = skips
        self._skipped = 0

    def generate_response(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> str:
        """The reply to one request of the product, which has to hold an extraction."""
        request = [Message(message["role"], message["content"]) for message in messages]
        for _ in range(COMPACTION_TRIES):
            reply = self.model.complete(request, max_tokens=MOST_TOKENS)
            if holds_memories(reply.text):
                return reply.text
        if self.skips:
            self._skipped += 1
            return '{"memory": []}'
        start = reply.text[:80]
        raise BrokenReply(f"mem0: the extraction is no JSON with a list `memory`: {start!r}")

    def take_skipped(self) -> int:
        """How many extractions were passed over since the last call of this method."""
        skipped = self._skipped
        self._skipped = 0
        return skipped


class WordEmbedder:
    """Our encoder where the product asks its own."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """The vector of a text."""
        return _vectors([text])[0]

    def embed_batch(
        self, texts: Sequence[str], memory_action: str | None = None
    ) -> list[list[float]]:
        """The vectors of several texts."""
        return _vectors(texts)


def holds_memories(text: str) -> bool:
    """Whether the product could read memories out of a reply, if only none at all."""
    bare = _FENCE.sub("", text.strip())
    start = bare.find("{")
    end = bare.rfind("}")
    if start < 0:
        return False
    try:
        value = json.loads(bare[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return False
    rows = value.get("memory") if isinstance(value, dict) else None
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)


def new_product(llm: Extractor) -> Any:
    """An instance of mem0 with our model and embedder and an index in this process."""
    load_encoder()
    product_module()
    memory = module_of("mem0.memory.main")
    base = module_of("mem0.configs.base")
    client = module_of("qdrant_client").QdrantClient(":memory:")
    nobody = {"config": {"api_key": "unused"}}  # replaced below; nothing is ever sent
    config = base.MemoryConfig(
        vector_store={
            "provider": "qdrant",
            "config": {"client": client, "embedding_model_dims": DIMENSIONS},
        },
        llm=nobody,
        embedder=nobody,
        history_db_path=":memory:",
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Payload indexes have no effect")
        product = memory.Memory(config)
    product.llm = llm
    product.embedding_model = WordEmbedder()
    return product


@cache
def product_module() -> Any:
    """mem0, imported without its telemetry and without a folder in the user's home."""
    folder = tempfile.TemporaryDirectory(prefix="agingbench-mem0-")
    weakref.finalize(product_module, folder.cleanup)  # at the end of the process
    logging.getLogger("mem0").setLevel(logging.CRITICAL)  # what it lacks of its own extras
    with _environment(MEM0_TELEMETRY="False", MEM0_DIR=folder.name):
        module = module_of("mem0")
        telemetry = module_of("mem0.memory.telemetry")
    if telemetry.MEM0_TELEMETRY:
        raise InputError(
            "memory policy 'mem0': mem0 was imported with its telemetry on; set"
            " MEM0_TELEMETRY=False before anything imports it"
        )
    return module


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _vectors(texts: Sequence[str]) -> list[list[float]]:
    rows: list[list[float]] = load_encoder().encode(list(texts)).tolist()
    return rows
