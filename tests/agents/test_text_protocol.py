"""Tools as text: what is offered in words, how steps are read, and what happens to broken ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.agents.react import ReactAgent
from agingbench.agents.text_protocol import MOST_BROKEN, in_words, read_step
from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.errors import InputError, ToolsUnsupported
from agingbench.memory.no_memory import NoMemory
from agingbench.memory.workspace import Workspace
from agingbench.models.scripted import Scripted
from agingbench.records import Event, Message, Reply, Tool, ToolCall


def _order(arguments: Mapping[str, Any]) -> str:
    return f"ordered {arguments['item']}"


SCHEMA = {
    "type": "object",
    "properties": {"item": {"type": "string", "description": "what"}, "price": {"type": "number"}},
    "required": ["item"],
}
ORDER = Tool("order", "Order something.", SCHEMA, _order)
TOOLS = [ORDER]


@pytest.mark.parametrize(
    "text",
    [
        'Thought: I need it.\nAction: order\nAction Input: {"item": "lamp"}',
        'Action: order\nAction Input: {"item": "lamp"}\nObservation: ordered\nFinal Answer: ok',
        '**Action:** `order`\n**Action Input:** {"item": "lamp"}',
        'Action: Order\nAction Input:\n```json\n{"item": "lamp"}\n```',
        "Action: order\nAction Input: {'item': 'lamp'}",
        'Action: order({"item": "lamp"})',
        "Action: order\nAction Input: lamp",
        'action : order\naction input : {"item": "lamp"} and then I am done',
        '<think>Action: none</think>\nAction: order\nAction Input: {"item": "lamp"}',
        'Action: order\n{"item": "lamp"}',
        'Action: order\n```json\n{"item": "lamp"}\n```',
        'Action: order Action Input: {"item": "lamp"}',
        'Action: order, Input: {"item": "lamp"}\nThought: done',
        'Action: order\nInput: {"item": "lamp"}',
        'Action: order\nAction_Input: {"item": "lamp"}',
        'Action: order\nArguments: {"item": "lamp"}',
        'Action: order\nAction Input: {"item": "lamp"',
        'Action: order(item="lamp")',
        "Action: order\nAction Input: item='lamp'",
        'order(item="lamp")',
        '```python\norder({"item": "lamp"})\n```',
        '{"action": "order", "action_input": {"item": "lamp"}}',
        '```json\n{"name": "order", "arguments": {"item": "lamp"}}\n```',
    ],
)
def test_an_action_is_read_in_the_ways_that_models_write_it(text: str) -> None:
    step = read_step(text, TOOLS)
    assert step.call == ("order", {"item": "lamp"})
    assert step.problem is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Thought: done.\nFinal Answer: It is $40.", "Final Answer: It is $40."),
        ("Final Answer: I looked it up.\nAnswer: $40", "I looked it up.\nAnswer: $40"),
        ("Action: None\nFinal Answer: nothing to do", "Final Answer: nothing to do"),
        ("Final Answer: x\nAction: order\nAction Input: {}", None),
        ("FinalAnswer: 40", "Final Answer: 40"),
        ("I looked it up.\nAnswer: $40", "I looked it up.\nAnswer: $40"),
    ],
)
def test_a_final_answer_is_read(text: str, said: str | None) -> None:
    step = read_step(text, TOOLS)
    assert step.call is None
    assert step.problem is None
    assert said is None or step.text == said


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("I would like to order it.", "it has neither an Action nor a Final Answer"),
        ("Action: order\nAction Input: {item: lamp", "not a JSON object"),
        ("Action: order\nAction Input: [1]", None),
        ("sell(item='lamp')", "neither"),
        ('{"name": "sell", "arguments": {}}', "neither"),
        ('{"item": "lamp"}', "neither"),
        ("I would order(item='lamp') if I could.", "neither"),
    ],
)
def test_what_is_neither_has_a_problem(text: str, problem: str | None) -> None:
    step = read_step(text, TOOLS)
    if problem is not None:
        assert step.call is None
        assert problem in (step.problem or "")


@given(st.text())
def test_any_text_is_a_step(text: str) -> None:
    starts = ("", "Action: ", "Action: order\nAction Input: ", "Final Answer: ", "order(", "{")
    for prefix in starts:
        step = read_step(prefix + text, TOOLS)
        assert isinstance(step.text, str)


def test_a_conversation_with_tools_becomes_one_without() -> None:
    call = ToolCall("c1", "order", {"item": "lamp"})
    plain = in_words(
        [
            Message("system", "You help."),
            Message("user", "Order a lamp."),
            Message("assistant", "Sure.", (call,)),
            Message("tool", "ordered lamp", tool_call_id="c1"),
        ],
        TOOLS,
    )
    assert [message.role for message in plain] == ["system", "user", "assistant", "user"]
    assert 'order: Order something. Arguments: "item" (string): what' in plain[0].content
    assert not any(message.tool_calls for message in plain)
    assert read_step(plain[2].content, TOOLS).call == ("order", {"item": "lamp"})
    assert plain[3].content.startswith("Observation: ordered lamp")
    assert "Final Answer to finish" in plain[3].content


class Toolless(Scripted):
    """Refuses tools, as a server without them does."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        if tools:
            raise ToolsUnsupported("this model does not support tools")
        return super().complete(messages, tools, max_tokens, seed)


def acting(model: Scripted, **options: Any) -> tuple[str, list[Event]]:
    events = list[Event]()
    agent = ReactAgent(model, NoMemory(), **options)
    return agent.act("Order a lamp.", TOOLS, events.append), events


STEP = 'Thought: I order it.\nAction: order\nAction Input: {"item": "lamp"}'


def test_a_model_that_takes_no_tools_gets_them_as_text_and_the_trace_says_so() -> None:
    model = Toolless([STEP, "Final Answer: It is ordered."])
    said, events = acting(model)
    assert said == "Final Answer: It is ordered."
    notes = [e.metadata for e in events if e.role == "meta"]
    assert notes == [{"protocol": "text", "reason": "this model does not support tools"}]
    assert [e.role for e in events] == [
        "user",
        "meta",
        "assistant",
        "tool_call",
        "tool_result",
        "assistant",
    ]
    assert [e.metadata for e in events if e.role == "assistant"] == [{"protocol": "text"}] * 2
    assert next(e for e in events if e.role == "tool_result").stdout == "ordered lamp"


def test_it_is_noted_once_and_forgotten_with_another_model() -> None:
    model = Toolless([STEP, "Final Answer: yes"] * 2)
    agent = ReactAgent(model, NoMemory())
    events = list[Event]()
    for _ in range(2):
        agent.act("Order a lamp.", TOOLS, events.append)
    assert sum("reason" in (e.metadata or {}) for e in events) == 1
    model.name = "another"
    assert agent._toolless != agent.model.name


def test_the_protocol_can_be_chosen() -> None:
    said, events = acting(Scripted([STEP, "Final Answer: ok"]), protocol="text")
    assert said == "Final Answer: ok"
    assert not [e for e in events if e.role == "meta"]
    with pytest.raises(ToolsUnsupported):
        acting(Toolless([]), protocol="native")
    with pytest.raises(ValueError, match="protocol must be one of auto, native, text"):
        acting(Scripted([]), protocol="smoke signals")


def test_a_broken_step_is_recorded_and_hinted_at_a_few_times() -> None:
    model = Toolless(["Hm.", "Well.", "So."])
    said, events = acting(model)
    assert said == "So."
    broken = [e for e in events if "broken_step" in (e.metadata or {})]
    assert len(broken) == MOST_BROKEN
    hint = model.calls[1].messages[-1]
    assert hint.role == "user"
    assert "neither an Action nor a Final Answer" in hint.content


def test_a_model_that_repeats_itself_is_not_hinted_again() -> None:
    said, events = acting(Toolless(["Hm.", "Hm."]))
    assert said == "Hm."
    assert len([e for e in events if "broken_step" in (e.metadata or {})]) == 1


def test_broken_steps_do_not_stay_in_the_conversation() -> None:
    model = Toolless(["Hm.", STEP, "Final Answer: yes", "Final Answer: no"])
    agent = ReactAgent(model, NoMemory())
    for _ in range(2):
        agent.act("Order a lamp.", TOOLS, lambda event: None)
    contents = [message.content for message in model.calls[-1].messages]
    assert not [text for text in contents if "Hm." in text or "could not be used" in text]
    assert [text for text in contents if "ordered lamp" in text]


def test_plain_words_after_an_action_are_the_reply() -> None:
    said, events = acting(Toolless([STEP, "I have ordered the lamp for you."]))
    assert said == "I have ordered the lamp for you."
    assert not [e for e in events if "broken_step" in (e.metadata or {})]


def test_wrong_arguments_are_answered_by_an_error_and_recorded() -> None:
    model = Toolless(['Action: order\nAction Input: {"price": 3}', STEP, "Final Answer: ok"])
    _, events = acting(model)
    results = [(e.exit_code, e.stdout) for e in events if e.role == "tool_result"]
    assert results == [(1, "KeyError: 'item'"), (0, "ordered lamp")]


def test_a_model_without_tools_keeps_notes() -> None:
    note = json.dumps({"path": "notes/a.md", "text": "The budget is $40."})
    model = Toolless(
        [
            f"Action: append_file\nAction Input: {note}",
            "Final Answer: noted",
            'Action: read_file\nAction Input: {"path": "notes/a.md"}',
            "Final Answer: $40",
        ]
    )
    agent = WorkspaceAgent(model, Workspace())
    agent.act("The budget is $40. Say ok.", [], lambda _: None)
    answer = agent.ask("What is the budget?")
    assert answer.text == "Final Answer: $40"
    assert "The budget is $40." in answer.context


def test_a_refusal_that_has_nothing_to_do_with_tools_is_not_hidden() -> None:
    model = Scripted([InputError("wrong key")])
    with pytest.raises(InputError, match="wrong key"):
        acting(model)
