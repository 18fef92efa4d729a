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

MOST_BROKEN = 2  # hints in a row; after that, what the model says is its reply
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
_INPUT_WORDS = r"(?:action[ \t_]*)?(?:input|arguments?|args|parameters)"
_INPUT = re.compile(rf"{_BEFORE}{_INPUT_WORDS}[ \t]*\d*{_AFTER}", _FLAGS)
_INPUT_BESIDE = re.compile(rf"[\s,;|*_`]+{_INPUT_WORDS}{_AFTER}", re.IGNORECASE)
_FINAL = re.compile(rf"{_BEFORE}final[ \t_]*answer{_AFTER}", _FLAGS)
_OBSERVATION = re.compile(rf"{_BEFORE}observation[ \t]*\d*{_AFTER}", _FLAGS)
_THOUGHT = re.compile(rf"{_BEFORE}thought{_AFTER}", _FLAGS)
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_CALL = re.compile(r"(?P<name>[\w.-]+)\s*\((?P<arguments>.*)\)\s*$", re.DOTALL)
_NO_ACTION = frozenset({"", "none", "n/a", "no action", "null"})
_NAME_KEYS = ("action", "tool", "name", "function", "tool_name")
_INPUT_KEYS = ("action_input", "input", "arguments", "args", "parameters", "tool_input")
_MOST_BRACES = 3  # closing braces that a model may leave out


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
    text = _on_lines_of_their_own(text)
    action = _ACTION.search(text)
    final = _FINAL.search(text)
    if action is not None and (final is None or action.start() < final.start()):
        named = action["name"].strip(" \t*_`\"'[]")
        if named.lower() not in _NO_ACTION:
            return _read_action(text, action, named, tools)
    if final is not None:
        return TextStep(_final_text(text, final))
    call = _call_without_words(text, tools)
    if call is not None:
        return TextStep("", call)
    if not text:
        return TextStep("", problem="it is empty")
    if closing_line(text) is not None:
        return TextStep(text)
    said = _THOUGHT.sub("", text).strip()
    return TextStep(said, problem="it has neither an Action nor a Final Answer")


def _on_lines_of_their_own(text: str) -> str:
    """The text with an action's input on a line of its own, where it stood beside the name."""
    action = _ACTION.search(text)
    if action is None:
        return text
    beside = _INPUT_BESIDE.search(text, action.start("name"), action.end("name"))
    if beside is None:
        return text
    return f"{text[: beside.start()]}\nAction Input: {text[beside.end() :]}"


def _call_without_words(text: str, tools: Sequence[Tool]) -> tuple[str, dict[str, Any]] | None:
    """A call that is written as JSON or as code alone, of a tool that there is."""
    by_name = {tool.name.lower(): tool for tool in tools}
    plain = _FENCE.sub("", text).strip().strip("`").strip()
    call = _CALL.fullmatch(plain)
    if call is not None and call["name"].lower() in by_name:
        tool = by_name[call["name"].lower()]
        arguments = _arguments(call["arguments"], tool)
        return None if arguments is None else (tool.name, arguments)

    value = _object(plain) if plain.startswith("{") else None
    if value is None:
        return None
    name = next((value[key] for key in _NAME_KEYS if key in value), None)
    tool_input: Any = next((value[key] for key in _INPUT_KEYS if key in value), {})
    if not isinstance(name, str) or name.lower() not in by_name:
        return None
    return (by_name[name.lower()].name, tool_input) if isinstance(tool_input, dict) else None


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

    label = _INPUT.search(rest)
    raw = ""
    if label is not None:
        raw = rest[label.end() :]
    elif _FENCE.sub("", rest).lstrip().startswith("{"):
        raw = rest
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
    required = list(tool.parameters.get("required", ())) if tool is not None else []
    keywords = _keywords(text, required)
    if keywords is not None:
        return keywords
    # One argument needs no name.
    if len(required) == 1:
        return {required[0]: text.splitlines()[0].strip(" \"'")}
    return None


def _object(text: str) -> dict[str, Any] | None:
    """The object that a text begins with, as JSON or with Python's quotes, if need be closed."""
    for braces in range(_MOST_BRACES + 1):
        closed = text.rstrip() + "}" * braces
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(closed)
        except (ValueError, RecursionError):
            value = _python_object(closed)
        if isinstance(value, dict):
            return value
    return None


def _keywords(text: str, required: Sequence[str]) -> dict[str, Any] | None:
    """Arguments written as in a call of Python, item="lamp"; None when they are not."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or not (call.keywords or len(call.args) > 1):
            return None
        positional = [ast.literal_eval(argument) for argument in call.args]
        named = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    if len(positional) > len(required):
        return None
    return {**dict(zip(required, positional, strict=False)), **named}


def _python_object(text: str) -> Any:
    end = text.rfind("}") + 1
    try:
        return ast.literal_eval(text[:end])
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
