"""LangGraph's store as a policy, and langmem's manager over it (extra `langgraph`).

`langgraph` puts every paragraph of a session into the store as it is; `langmem` has our model
extract memories by tool calls, as langmem's store manager asks for them, and bring older ones up to
date. Both find by meaning, with the small encoder of the extra `embed`. Every call goes through our
model and is counted; tracing to LangSmith is off. The items are the state; vectors are made again
when a state is loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from agingbench.errors import BrokenReply
from agingbench.interfaces import Model
from agingbench.memory.policy import session_text, whole
from agingbench.memory.products import module_of, require, versions_of
from agingbench.memory.shared_store import Outside
from agingbench.records import Event, Message, Reply, Tool, ToolCall, Unit
from agingbench.text.embedding import DIMENSIONS, load_encoder

NAMESPACE = ("memories",)
MOST_ITEMS = 1_000_000
MOST_TOKENS = 4096  # of an extraction


class GraphStore:
    """LangGraph's store in this process, with its items in the order in which they came."""

    def __init__(self, items: Sequence[Mapping[str, Any]]) -> None:
        load_encoder()
        memory = module_of("langgraph.store.memory")
        self.product = memory.InMemoryStore(index={"dims": DIMENSIONS, "embed": _vectors})
        for item in items:
            self.put(item["key"], item["value"])

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Add an item, or replace the one of that key."""
        self.product.put(NAMESPACE, key, dict(value))

    def search(self, query: str, k: int) -> set[str]:
        """The keys of the items that the store finds."""
        return {item.key for item in self.product.search(NAMESPACE, query=query, limit=k)}

    def items(self) -> list[dict[str, Any]]:
        """Every item."""
        items = self.product.search(NAMESPACE, limit=MOST_ITEMS)
        return [{"key": item.key, "value": item.value} for item in items]

    def close(self) -> None:
        """Nothing to release: the store goes with this object."""


class LangGraph(Outside[GraphStore]):
    """LangGraph's store with every paragraph in it; the k it finds are read in their order."""

    supports = frozenset({"flush_history"})
    options = ("k",)
    packages: tuple[str, ...] = ("langgraph", "wordllama")
    between = "\n\n"  # two items that are read
    k: int

    def __init__(self, k: int = 5) -> None:
        require("langgraph", "langgraph", "langgraph", "wordllama")
        self.k = whole("k", k)
        super().__init__()

    def twin(self) -> LangGraph:
        return LangGraph(self.k)

    def empty_state(self) -> dict[str, Any]:
        return {"items": []}

    def open_store(self, state: dict[str, Any]) -> GraphStore:
        return GraphStore(state["items"])

    def state_of(self, store: GraphStore) -> dict[str, Any]:
        return {"items": store.items()}

    @property
    def versions(self) -> dict[str, str]:  # type: ignore[override]
        return versions_of(self.packages)

    def read(self, query: str) -> str:
        if not query.strip() or not self.state["items"]:
            return ""
        with self.reading() as store:
            keys = store.search(query, self.k)
        items = [item for item in self.state["items"] if item["key"] in keys]
        return self.between.join(item_text(item["value"]) for item in items)

    def write(self, events: Sequence[Event]) -> None:
        paragraphs = [part for part in session_text(events).split("\n\n") if part.strip()]
        if not paragraphs:
            return
        with self.writing() as store:
            first = len(self.state["items"])
            for number, paragraph in enumerate(paragraphs, first):
                store.put(f"{number:06}", {"text": paragraph})

    def units(self) -> list[Unit] | None:
        return [Unit(item["key"], item_text(item["value"])) for item in self.state["items"]]


class LangMem(LangGraph):
    """langmem's store manager: our model extracts memories and brings older ones up to date."""

    packages = ("langmem", "langgraph", "trustcall", "wordllama")
    model: Model
    between = "\n"

    def __init__(self, model: Model, k: int = 20) -> None:
        require("langmem", "langgraph", "langmem")
        self.model = model
        super().__init__(k)

    def twin(self) -> LangMem:
        return LangMem(self.model, self.k)

    def write(self, events: Sequence[Event]) -> None:
        messages = [
            {"role": event.role, "content": event.content}
            for event in events
            if event.role in ("user", "assistant") and (event.content or "").strip()
        ]
        if not messages:
            return
        langmem = module_of("langmem")
        untraced = module_of("langsmith.run_helpers").tracing_context(enabled=False)
        with self.writing() as store, untraced:
            manager = langmem.create_memory_store_manager(
                chat_model(self.model), store=store.product, namespace=NAMESPACE
            )
            manager.invoke({"messages": messages})


def item_text(value: Mapping[str, Any]) -> str:
    """The text of an item, ours or langmem's."""
    if "text" in value:
        return str(value["text"])
    content = value.get("content", value)
    if isinstance(content, Mapping) and set(content) == {"content"}:
        content = content["content"]
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


# -- our model where LangChain wants one


def chat_model(model: Model) -> Any:
    """Our model as a chat model of LangChain."""
    return _chat_model_class()(ours=model)


@cache
def _chat_model_class() -> Any:
    base: Any = module_of("langchain_core.language_models").BaseChatModel
    messages = module_of("langchain_core.messages")
    outputs = module_of("langchain_core.outputs")

    class ChatModel(base):  # type: ignore[misc]
        """Hands conversations to our model and its replies back."""

        ours: Any

        @property
        def _llm_type(self) -> str:
            return "agingbench"

        def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **_: Any) -> Any:
            return self.bind(tools=list(tools), tool_choice=tool_choice)

        def _generate(self, conversation: Sequence[Any], *_: Any, **options: Any) -> Any:
            tools = [_tool(tool) for tool in options.get("tools") or ()]
            heard = [_message(message) for message in conversation]
            reply = self.ours.complete(heard, tools, max_tokens=MOST_TOKENS)
            _require_call(reply, options.get("tool_choice"))
            calls = [
                {"name": call.name, "args": call.arguments, "id": call.id}
                for call in reply.tool_calls
            ]
            message = messages.AIMessage(content=reply.text, tool_calls=calls)
            return outputs.ChatResult(generations=[outputs.ChatGeneration(message=message)])

    return ChatModel


def _require_call(reply: Reply, choice: object) -> None:
    """Raise BrokenReply where a call was demanded and none came: the product would pass it over."""
    if choice in ("any", "required") and not reply.tool_calls:
        start = reply.text[:80]
        raise BrokenReply(f"langmem: a tool call was demanded, the reply has none: {start!r}")


def _tool(described: Any) -> Tool:
    convert = module_of("langchain_core.utils.function_calling").convert_to_openai_tool
    function = convert(described)["function"]
    return Tool(
        function["name"], function.get("description", ""), function["parameters"], _not_here
    )


def _not_here(arguments: Mapping[str, Any]) -> str:
    raise NotImplementedError("langmem reads the calls itself")


_ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def _message(message: Any) -> Message:
    content = message.content
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    calls = tuple(
        ToolCall(str(call["id"]), call["name"], call["args"])
        for call in getattr(message, "tool_calls", ())
    )
    role: Any = _ROLES.get(message.type, "user")
    return Message(role, text, calls, getattr(message, "tool_call_id", None))


def _vectors(texts: Sequence[str]) -> list[list[float]]:
    rows: list[list[float]] = load_encoder().encode(list(texts)).tolist()
    return rows
