"""The embedded model as the model behind a command-line agent: it keeps notes with that agent's own
tools, runs the commands it is asked to run and writes the files it is handed.

It reads what the user said, and of what a product and its instructions say around it only how many
reads are wanted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from agingbench.interfaces import Model
from agingbench.models.hands import RUN, Hands, as_acts, hands_for, listed_files, save_line
from agingbench.models.notekeeper import LEAST_READS, keeps_notes
from agingbench.models.program_work import START
from agingbench.records import Message, Reply, Tool, ToolCall

# Paragraphs that products put around a user's message.
_AROUND = re.compile(
    r"<(system-reminder|environment_context|user_instructions|permissions instructions"
    r"|INSTRUCTIONS|collaboration_mode|skills_instructions|turn_aborted|environment|EXTRA_INFO"
    r"|RUNTIME_INFORMATION)\b[^>]*>.*?</\1>",
    re.DOTALL,
)
_INSTRUCTION_TITLE = re.compile(r"^# AGENTS\.md instructions[^\n]*$", re.MULTILINE)
_FILE = re.compile(
    r"\b(?:write|save|put|create)\b[^\n`]*`(?P<path>[^`\n]+)`[^\n`]*:[ \t]*\n+"
    r"```[^\n]*\n(?P<text>.*?)^```[ \t]*$",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_RUN = re.compile(r"\brun\b(?:(?!\. )[^\n`])*`(?P<command>[^`\n]+)`", re.IGNORECASE)
_FENCED = re.compile(r"^```.*?^```[ \t]*$", re.DOTALL | re.MULTILINE)
_LONGEST_OUTPUT = 4_000  # characters of a command's output in a reply
_SAVING = frozenset({"append_file", "write_file"})
_NOTE_TOOLS = tuple(
    Tool(name, "", {"type": "object"}, lambda arguments: "")
    for name in ("list_files", "read_file", "append_file", "write_file", START)
)


class Errand(NamedTuple):
    """A command that a user asked for, and how a reply tells of it."""

    command: str
    shown: str


class Puppet(Model):
    """Plays a note-keeping agent with whatever tools a product offers."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.name = model.name

    def cache_identity(self) -> dict[str, Any]:
        return {"puppet": self.model.cache_identity()}

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        """The next notes, errands or, when all is done, the reply."""
        heard = _heard(messages)
        if keeps_notes(tools):
            return self.model.complete(heard, tools, max_tokens, seed)
        hands = hands_for(tools)
        if hands is None:
            return self.model.complete(heard, (), max_tokens, seed)

        conversation = as_acts(heard)
        start = max(n for n, message in enumerate(conversation) if message.role == "user")
        request = conversation[start].content
        bare = Message("user", _FENCED.sub("", _FILE.sub("", request)).strip())
        turn = conversation[start + 1 :]
        before = [*conversation[:start], bare]

        # Products may run the calls of one step side by side, so notes are saved before any is
        # opened: what is to be opened is thought of again, from the list that stood before.
        if _has_saved(turn):
            again = self.model.complete([*before, *_until_listed(turn)], _NOTE_TOOLS)
            reads = [call for call in again.tool_calls if call.name == "read_file"]
            if reads:
                return self._calls(reads, hands, turn, again)

        reply = self.model.complete([*before, *turn], _NOTE_TOOLS, max_tokens, seed)
        saves = [call for call in reply.tool_calls if call.name in _SAVING]
        if reply.tool_calls:
            return self._calls(saves or reply.tool_calls, hands, turn, reply)
        return _with_errands(reply, errands_in(request), turn, hands, self.name)

    def _calls(
        self, acts: Sequence[ToolCall], hands: Hands, turn: Sequence[Message], reply: Reply
    ) -> Reply:
        listed = listed_files(turn)
        calls = tuple(hands.call(act, listed) for act in acts)
        return Reply("", calls, reply.usage, self.name)


def _has_saved(turn: Sequence[Message]) -> bool:
    """Whether a turn has saved notes and opened none so far."""
    names = {call.name for message in turn for call in message.tool_calls}
    return bool(names & _SAVING) and "read_file" not in names


def _until_listed(turn: Sequence[Message]) -> list[Message]:
    """A turn up to the list of files and its result."""
    kept = []
    for message in turn:
        if any(call.name in _SAVING for call in message.tool_calls):
            break
        kept.append(message)
    return kept


def errands_in(request: str) -> list[Errand]:
    """The files to write and the commands to run, in the order in which a request names them."""
    places: list[tuple[int, Errand]] = []
    for match in _FILE.finditer(request):
        command = save_line(match["path"], match["text"])
        places.append((match.start(), Errand(command, f"wrote {match['path']}")))
    outside = _FENCED.sub(lambda block: " " * len(block.group()), request)
    for match in _RUN.finditer(outside):
        command = match["command"]
        places.append((match.start(), Errand(command, f"$ {command}")))
    return [errand for _, errand in sorted(places)]


def _with_errands(
    reply: Reply, errands: Sequence[Errand], turn: Sequence[Message], hands: Hands, name: str
) -> Reply:
    """The next errand as a call, or the reply with what the errands came to."""
    calls = [call for message in turn for call in message.tool_calls]
    ids = [call.id for call in calls if call.name == RUN]
    if len(ids) < len(errands):
        act = ToolCall("", RUN, {"command": errands[len(ids)].command})
        return Reply("", (hands.call(act, ()),), reply.usage, name)
    results = {message.tool_call_id: message.content for message in turn if message.role == "tool"}
    told = []
    for errand, call_id in zip(errands, ids, strict=False):
        output = results.get(call_id, "").strip()[-_LONGEST_OUTPUT:]
        told.append(f"{errand.shown}\n{output}".strip())
    return Reply("\n\n".join([*told, reply.text]), (), reply.usage, name)


def _instructions(messages: Sequence[Message]) -> str:
    """What stands in the system prompt and in the paragraphs around a user's words."""
    parts = [message.content for message in messages if message.role == "system"]
    for message in messages:
        if message.role == "user":
            parts += [around[0] for around in _AROUND.finditer(message.content)]
    return "\n".join(parts)


def _heard(messages: Sequence[Message]) -> list[Message]:
    """The conversation without what products say around a user's words."""
    reads = LEAST_READS.search(_instructions(messages))
    heard = [Message("system", reads[0] if reads else "")]
    for message in messages:
        if message.role == "system":
            continue
        if message.role == "user":
            said = _INSTRUCTION_TITLE.sub("", _AROUND.sub("", message.content)).strip()
            if not said:
                continue
            message = Message("user", said)
        heard.append(message)
    if not any(message.role == "user" for message in heard):
        heard.append(Message("user", ""))
    return heard
