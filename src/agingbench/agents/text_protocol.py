"""Tools for models that have none of their own: Thought, Action and Final Answer as plain text.

The tools are described in the system prompt, calls and results are written out as text, and what
the model writes is read back as a tool call or a final answer. A step that is neither comes with a
problem, which the agent tells the model.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from agingbench.interfaces import Model
from agingbench.records import Message, Reply, Tool, ToolCall
from agingbench.text.forms import closing_line

MOST_BROKEN = 2  # hints in one turn; after that, what the model says is its reply
HINT = (
    "That step could not be used: {problem}. Write either\nAction: <tool name>\nAction Input:"
    " <JSON object>\nor\nFinal Answer: <your answer>"
)
INSTRUCTIONS = """\
You have access to the following tools:
{tools}

To use a tool, respond with:
Thought: <your reasoning>
Action: <tool name>
Action Input: <JSON object with tool arguments>

After each action you are told its result as "Observation: <result>". Use one tool at a time.

When you have a final answer, respond with:
Thought: I have completed the task.
Final Answer: <your answer>"""

REMINDER = (
    "(Respond with Thought, Action and Action Input to use a tool, or with Final Answer to finish.)"
)
LONGEST_BROKEN = 200  # characters of a broken step that the model is shown again

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_BEFORE = r"^[\s*_`#>-]*"
_AFTER = r"[ \t]*[*_`]*[ \t]*:[ \t]*[*_`]*[ \t]*"
_FLAGS = re.IGNORECASE | re.MULTILINE
_ACTION = re.compile(rf"{_BEFORE}action[ \t]*\d*{_AFTER}(?P<name>[^\n]*)", _FLAGS)
_INPUT = re.compile(rf"{_BEFORE}action[ \t]+input[ \t]*\d*{_AFTER}", _FLAGS)
_FINAL = re.compile(rf"{_BEFORE}final[ \t]+answer{_AFTER}", _FLAGS)
_OBSERVATION = re.compile(rf"{_BEFORE}observation[ \t]*\d*{_AFTER}", _FLAGS)
_THOUGHT = re.compile(rf"{_BEFORE}thought{_AFTER}", _FLAGS)
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_CALL = re.compile(r"(?P<name>[\w.-]+)\s*\((?P<arguments>.*)\)\s*$", re.DOTALL)
_NO_ACTION = frozenset({"", "none", "n/a", "no action", "null"})


class TextStep(NamedTuple):
    """What a model wrote: a call, a final text, or a text with the problem that it has."""

    text: str
    call: tuple[str, dict[str, Any]] | None = None
    problem: str | None = None


def complete_in_text(
    model: Model, messages: Sequence[Message], tools: Sequence[Tool]
) -> tuple[Reply, str | None]:
    """Ask a model that is offered the tools in words; the problem is None for a step in form."""
    reply = model.complete(in_words(messages, tools))
    step = read_step(reply.text, tools)
    calls: tuple[ToolCall, ...] = ()
    if step.call is not None:
        name, arguments = step.call
        calls = (ToolCall(f"text_{len(messages)}", name, arguments),)
    return msgspec.structs.replace(reply, text=step.text, tool_calls=calls), step.problem


def in_words(messages: Sequence[Message], tools: Sequence[Tool]) -> list[Message]:
    """A conversation with tools as one without: tools, calls and results as text."""
    lines = [_description(tool) for tool in tools]
    instructions = INSTRUCTIONS.format(tools="\n".join(lines))
    plain = []
    for message in messages:
        if message.role == "system":
            plain.append(Message("system", f"{message.content}\n\n{instructions}"))
        elif message.role == "tool":
            plain.append(Message("user", f"Observation: {message.content}"))
        elif message.tool_calls:
            plain.append(Message("assistant", _written(message)))
        else:
            plain.append(Message(message.role, message.content))
    if not any(message.role == "system" for message in plain):
        plain.insert(0, Message("system", instructions))
    if plain[-1].role == "user":  # small models forget what stands far above
        plain[-1] = Message("user", f"{plain[-1].content}\n\n{REMINDER}")
    return plain


def _description(tool: Tool) -> str:
    properties: Mapping[str, Mapping[str, Any]] = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", ())
    arguments = []
    for name, schema in properties.items():
        kind = schema.get("type", "string")
        need = "" if name in required else ", optional"
        meaning = schema.get("description", "")
        arguments.append(f'"{name}" ({kind}{need}): {meaning}'.rstrip(": "))
    taken = "; ".join(arguments) or "none"
    return f"- {tool.name}: {tool.description} Arguments: {taken}."


def _written(message: Message) -> str:
    lines = [f"Thought: {message.content}"] if message.content else []
    for call in message.tool_calls:
        lines.append(f"Action: {call.name}")
        lines.append(f"Action Input: {json.dumps(call.arguments)}")
    return "\n".join(lines)


def read_step(text: str, tools: Sequence[Tool]) -> TextStep:
    """Read what a model wrote; whatever it is, nothing is raised."""
    text = _THINKING.sub("", text).strip()
    action = _ACTION.search(text)
    final = _FINAL.search(text)
    if action is not None and (final is None or action.start() < final.start()):
        named = action["name"].strip(" \t*_`\"'[]")
        if named.lower() not in _NO_ACTION:
            return _read_action(text, action, named, tools)
    if final is not None:
        return TextStep(_final_text(text, final))
    if not text:
        return TextStep("", problem="it is empty")
    said = _THOUGHT.sub("", text).strip()
    return TextStep(said, problem="it has neither an Action nor a Final Answer")


def _final_text(text: str, final: re.Match[str]) -> str:
    content = text[final.end() :].strip()
    # An answer may be asked for on a line of its own; otherwise this line is it.
    is_formed = closing_line(content) is not None
    return content if is_formed or not content else f"Final Answer: {content}"


def _read_action(text: str, action: re.Match[str], named: str, tools: Sequence[Tool]) -> TextStep:
    thought = _THOUGHT.sub("", text[: action.start()]).strip()
    rest = text[action.end() :]
    # What a model makes up of the result does not count.
    observation = _OBSERVATION.search(rest)
    if observation is not None:
        rest = rest[: observation.start()]

    given = _INPUT.search(rest)
    raw = rest[given.end() :] if given is not None else ""
    call = _CALL.fullmatch(named)
    if call is not None:
        named = call["name"]
        raw = raw or call["arguments"]

    tool = next((tool for tool in tools if tool.name.lower() == named.lower()), None)
    arguments = _arguments(raw, tool)
    if arguments is None:
        return TextStep(thought, problem=f"the Action Input of {named} is not a JSON object")
    return TextStep(thought, (tool.name if tool else named, arguments))


def _arguments(raw: str, tool: Tool | None) -> dict[str, Any] | None:
    """The arguments in a text; None when it has some that cannot be read."""
    text = _FENCE.sub("", raw).strip().strip("`")
    if not text or text.lower() in _NO_ACTION:
        return {}
    start = text.find("{")
    if start >= 0:
        return _object(text[start:])
    # One argument needs no name.
    required = list(tool.parameters.get("required", ())) if tool is not None else []
    if len(required) == 1:
        return {required[0]: text.splitlines()[0].strip(" \"'")}
    return None


def _object(text: str) -> dict[str, Any] | None:
    """The object that a text begins with, as JSON or with Python's quotes."""
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        value = _python_object(text)
    return value if isinstance(value, dict) else None


def _python_object(text: str) -> Any:
    end = text.rfind("}") + 1
    try:
        return ast.literal_eval(text[:end])
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
