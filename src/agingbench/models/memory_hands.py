"""How the embedded model keeps its notes with the tools of memory products.

The habits are the note keeper's (`notekeeper.py`); here they are put into the calls of

- the memory tool of Anthropic: the directory is viewed, files that go on are viewed once more for
  their number of lines, then files are created or added to at their end, and the file that fits a
  question is viewed;
- a knowledge graph, as the memory server of the Model Context Protocol has it: the graph is read,
  a topic becomes an entity, a statement an observation, and the entity that fits a question is
  opened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from agingbench.models.notekeeper import (
    NOTES,
    NextStep,
    NoteFile,
    Turn,
    current_turn,
    keeps_notes,
    save_and_open,
)
from agingbench.models.program_work import START, file_step
from agingbench.records import Message, Tool, ToolCall

MEMORY_TOOL = "memory"
ROOT = "/memories/"
GRAPH_TOOLS = frozenset({"read_graph", "open_nodes", "create_entities", "add_observations"})
_ROW = re.compile(rf"^([\d.]+)([BKMGT])\t{ROOT}({NOTES}.*[^/\n])$", re.MULTILINE)
_NUMBERED = re.compile(r"^ *(\d+)\t(.*)$")
_POWERS = {"B": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_READ = "-read"  # how the id of a call ends that answers a question

Test = Callable[[str], bool]
Habit = Callable[[Sequence[Message], Test, Test, str], NextStep]


def note_habit(tools: Sequence[Tool]) -> Habit | None:
    """How notes are kept with these tools; None where they cannot be."""
    names = {tool.name for tool in tools}
    if keeps_notes(tools):
        return partial(file_step, starts_programs=START in names)
    if MEMORY_TOOL in names:
        return memory_tool_step
    if names >= GRAPH_TOOLS:
        return graph_step
    return None


# -- the memory tool


def memory_tool_step(
    messages: Sequence[Message], worth_keeping: Test, is_request: Test, fault: str
) -> NextStep:
    """The next step of the turn with the memory tool."""
    turn = current_turn(messages, worth_keeping, is_request)
    results = turn.results
    if not results:
        if not turn.notes and not turn.questions:
            return turn.answer_from(())
        return NextStep((_memory_call(turn, 0, command="view", path=ROOT.rstrip("/")),))

    files = _listed(results[0][1])
    acts = save_and_open(turn, files, fault)
    listed = {file.path for file in files}
    to_go_on = [
        act.arguments["path"]
        for act in acts
        if act.name == "append_file" and act.arguments["path"] in listed
    ]
    n_views = 1 + len(to_go_on)
    if acts and len(results) == 1 and to_go_on:
        views = [
            _memory_call(turn, number, command="view", path=ROOT + path)
            for number, path in enumerate(to_go_on)
        ]
        return NextStep(tuple(views))
    if acts and len(results) == n_views:
        lines = {
            path: _n_lines(result) for path, (_, result) in zip(to_go_on, results[1:], strict=True)
        }
        return NextStep(_memory_calls(turn, acts, listed, lines))
    return turn.answer_from([_plain(text) for call, text in results if call.id.endswith(_READ)])


def _memory_calls(
    turn: Turn, acts: Sequence[ToolCall], listed: set[str], lines: dict[str, int]
) -> tuple[ToolCall, ...]:
    """The acts of the note keeper as calls of the memory tool."""
    calls: list[ToolCall] = []

    def add(end: str = "", **arguments: Any) -> None:
        calls.append(_memory_call(turn, len(calls), end, **arguments))

    for act in acts:
        place = act.arguments["path"]
        path = ROOT + place
        text = act.arguments.get("text", "")
        if act.name == "read_file":
            add(_READ, command="view", path=path)
        elif place in lines:
            add(command="insert", path=path, insert_line=lines[place], insert_text=text)
        else:
            if place in listed:
                add(command="delete", path=path)
            add(command="create", path=path, file_text=text)
    return tuple(calls)


def _memory_call(turn: Turn, number: int, end: str = "", **arguments: Any) -> ToolCall:
    return ToolCall(f"note-{turn.place}-{number}{end}", MEMORY_TOOL, arguments)


def _listed(listing: str) -> list[NoteFile]:
    """The note files that a view of the directory shows."""
    rows = _ROW.findall(listing)
    return [NoteFile(path, round(float(size) * 1024 ** _POWERS[unit])) for size, unit, path in rows]


def _n_lines(view: str) -> int:
    """How many lines a file has, by the view of it; an empty one at its end does not count."""
    numbered = [match for line in view.split("\n") if (match := _NUMBERED.match(line))]
    if not numbered:
        return 0
    number, text = numbered[-1].groups()
    return int(number) if text else int(number) - 1


def _plain(view: str) -> str:
    """The text of a file without the numbers of its lines."""
    lines = (_NUMBERED.match(line) for line in view.split("\n"))
    return "\n".join(line[2] for line in lines if line)


# -- the knowledge graph


def graph_step(
    messages: Sequence[Message], worth_keeping: Test, is_request: Test, fault: str
) -> NextStep:
    """The next step of the turn with a knowledge graph."""
    turn = current_turn(messages, worth_keeping, is_request)
    results = turn.results
    if not results:
        if not turn.notes and not turn.questions:
            return turn.answer_from(())
        return NextStep((ToolCall(f"note-{turn.place}", "read_graph", {}),))
    if len(results) == 1:
        entities = _entities(results[0][1])
        files = [
            NoteFile(f"{NOTES}{name}.md", sum(map(len, observations)))
            for name, observations in entities.items()
        ]
        calls = _graph_calls(turn, save_and_open(turn, files, fault), set(entities))
        if calls:
            return NextStep(calls)
    opened = [text for call, text in results if call.name == "open_nodes"]
    return turn.answer_from(
        ["\n".join(lines) for text in opened for lines in _entities(text).values()]
    )


def _graph_calls(turn: Turn, acts: Sequence[ToolCall], known: set[str]) -> tuple[ToolCall, ...]:
    """The acts of the note keeper as calls on a graph: at most one of each kind."""
    new = []
    more = []
    lost = []
    names = []
    for act in acts:
        name = act.arguments["path"].removeprefix(NOTES).removesuffix(".md")
        lines = act.arguments.get("text", "").splitlines()
        if act.name == "read_file":
            names.append(name)
        elif act.name == "append_file" and name in known:
            more.append({"entityName": name, "contents": lines})
        else:
            if name in known:
                lost.append(name)
            new.append({"name": name, "entityType": "topic", "observations": lines})
    steps: list[tuple[str, str, Any]] = [
        ("delete_entities", "entityNames", lost),
        ("create_entities", "entities", new),
        ("add_observations", "observations", more),
        ("open_nodes", "names", names),
    ]
    return tuple(
        ToolCall(f"note-{turn.place}-{number}", tool, {key: value})
        for number, (tool, key, value) in enumerate(steps)
        if value
    )


def _entities(text: str) -> dict[str, list[str]]:
    """The observations of each entity that a reply shows; nothing where it shows no graph."""
    try:
        graph = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(graph, dict):
        return {}
    return {
        str(entity["name"]): [str(line) for line in entity.get("observations", ())]
        for entity in graph.get("entities", ())
        if isinstance(entity, dict) and "name" in entity
    }
