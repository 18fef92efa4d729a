"""Messages, tools, replies and errors between our records and Inspect's types."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.errors import BrokenReply, ContextOverflow, InputError, TransportError
from agingbench.records import Message, Tool, ToolCall, Usage

inspect_ai = pytest.importorskip(
    "inspect_ai", reason="inspect-ai is not installed: pip install '.[inspect]'"
)
pytestmark = pytest.mark.slow

CALL = ToolCall("c1", "book", {"seats": 2})
TOOL = Tool(
    "book",
    "Books a table.",
    {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]},
    run=lambda arguments: "done",
)


def output(**fields: Any) -> Any:
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput

    stop = fields.pop("stop", "stop")
    usage = fields.pop("usage", None)
    choice = ChatCompletionChoice(message=ChatMessageAssistant(**fields), stop_reason=stop)
    return ModelOutput(model="served", choices=[choice], usage=usage)


def test_a_conversation_keeps_every_role_call_and_result() -> None:
    from agingbench.platforms.inspect.conversion import chat_messages

    messages = [
        Message("system", "rules"),
        Message("user", "half a pair \ud800"),
        Message("assistant", "", (CALL,)),
        Message("tool", "done", tool_call_id="c1"),
    ]
    system, user, assistant, tool = chat_messages(messages)
    assert (system.role, system.text) == ("system", "rules")
    assert (user.role, user.text) == ("user", "half a pair ?")
    (call,) = assistant.tool_calls
    assert (call.id, call.function, call.arguments) == ("c1", "book", {"seats": 2})
    assert (tool.role, tool.tool_call_id, tool.function, tool.text) == (
        "tool",
        "c1",
        "book",
        "done",
    )


def test_a_tool_is_offered_with_its_schema() -> None:
    from agingbench.platforms.inspect.conversion import tool_infos

    (info,) = tool_infos([TOOL])
    dumped = info.model_dump(exclude_none=True)
    assert dumped["name"] == "book"
    assert dumped["parameters"]["properties"] == {"seats": {"type": "integer"}}
    assert dumped["parameters"]["required"] == ["seats"]


def test_a_reply_with_calls_and_cached_tokens() -> None:
    from inspect_ai.model import ModelUsage
    from inspect_ai.tool import ToolCall as Called

    from agingbench.platforms.inspect.conversion import reply_of

    usage = ModelUsage(
        input_tokens=10, output_tokens=3, total_tokens=18, input_tokens_cache_read=5, total_cost=0.5
    )
    calls = [
        Called(id="a", function="book", arguments={"seats": 2}),
        Called(id="b", function="book", arguments={}, parse_error="no JSON: {"),
    ]
    reply = reply_of(output(content="hi", tool_calls=calls, usage=usage), "m")
    assert (reply.text, reply.model, reply.refused) == ("hi", "served", False)
    assert reply.usage == Usage(15, 3, 5, None, 0.5, 1)
    assert reply.tool_calls == (
        ToolCall("a", "book", {"seats": 2}),
        ToolCall("b", "book", {"_raw": "no JSON: {"}),
    )


def test_tokens_that_nobody_counted_are_missing() -> None:
    from agingbench.platforms.inspect.conversion import reply_of

    assert reply_of(output(content="hi"), "m").usage == Usage(calls=1)


def test_a_filtered_reply_is_a_refusal_and_a_full_context_an_overflow() -> None:
    from inspect_ai.model import ModelOutput

    from agingbench.platforms.inspect.conversion import reply_of

    assert reply_of(output(content="no", stop="content_filter"), "m").refused
    with pytest.raises(ContextOverflow):
        reply_of(output(content="", stop="model_length"), "m")
    with pytest.raises(BrokenReply):
        reply_of(ModelOutput(model="m"), "m")


class _Refused(Exception):
    status_code = 404


class _Api:
    def should_retry(self, error: Exception) -> bool:
        return isinstance(error, ConnectionError)


class _Model:
    api = _Api()

    def __str__(self) -> str:
        return "p/m"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ConnectionError("gone"), TransportError),
        (_Refused("what"), InputError),
        (KeyError(), KeyError),
    ],
)
def test_a_broken_call_is_failed_and_a_refused_one_ends_the_life(
    error: Exception, kind: type[Exception]
) -> None:
    from agingbench.platforms.inspect.bridge import BridgedModel

    model = BridgedModel(_Model(), None)  # type: ignore[arg-type]
    assert model.name == "inspect:p/m"
    assert type(model._as_our_error(error)) is kind


def test_a_wrong_name_is_told_before_any_model_is_asked() -> None:
    from inspect_ai._util.error import PrerequisiteError

    from agingbench.platforms.inspect.tasks import TASKS

    with pytest.raises(PrerequisiteError, match="careful_compress"):
        TASKS["s2"](memory="careful", sessions=1)
    with pytest.raises(PrerequisiteError, match="seeds"):
        TASKS["s2"](seeds="x", sessions=1)
    with pytest.raises(PrerequisiteError, match="calls its model by itself"):
        TASKS["s5"](agent="codex", sessions=2)


def test_every_scenario_is_a_task_with_a_sample_per_seed() -> None:
    from agingbench.bench.scenarios import SCENARIOS
    from agingbench.platforms.inspect.tasks import TASKS

    assert TASKS.keys() == SCENARIOS.aliases.keys()
    task = TASKS["s2"](seeds="3,7-8", sessions=1, memory="append_only")
    assert [sample.id for sample in task.dataset] == ["seed_3", "seed_7", "seed_8"]
