"""Claude Code (`npm install @anthropic-ai/claude-code`), headless."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar

from agingbench.agents.autonomous.agent import AutonomousAgent
from agingbench.agents.autonomous.conversation import Conversation, Launch, Outcome
from agingbench.agents.autonomous.output import (
    joined_text,
    json_lines,
    objects,
    part,
    tokens_used,
    told_version,
    tool_events,
    tool_result,
)
from agingbench.agents.autonomous.process import ProcessResult
from agingbench.records import Event, Usage

TOOLS = "Bash,Read,Write,Edit,Glob,Grep"
SETTINGS = {
    "permissions": {
        "defaultMode": "dontAsk",
        # A path rule keeps file tools inside; a bare name would let them out.
        "allow": ["Read(./**)", "Edit(./**)", "Write(./**)", "Glob", "Grep", "Bash"],
        "deny": ["WebFetch", "WebSearch"],
    },
    "autoMemoryEnabled": False,
    "disableAllHooks": True,
}
_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


class ClaudeCodeAgentAdapter(AutonomousAgent):
    """Drives `claude -p`, which continues a block's conversation by its id."""

    product = "claude_code"
    program_name = "claude"
    pinned = "2.1.197"
    instruction_file = "CLAUDE.md"
    serves = ("anthropic",)
    controls: ClassVar[Mapping[str, str]] = {
        "updates": "DISABLE_AUTOUPDATER=1, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
        "auto_memory": "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1, autoMemoryEnabled false",
        "hooks": "disableAllHooks true",
        "plug_ins": "--strict-mcp-config, --disable-slash-commands, an empty configuration folder",
        "credentials": "an empty home; a key of the environment is not passed on",
        "instructions": "CLAUDE.md, written before every call",
        "tools": f"{TOOLS} with paths of the workspace",
    }

    def installed_version(self) -> str:
        return told_version(self.find_program())

    def furnish(self, talk: Conversation) -> None:
        settings = talk.home / "settings.json"
        settings.write_text(json.dumps(SETTINGS))
        (talk.home / ".claude").mkdir()

    def launch(self, talk: Conversation, prompt: str) -> Launch:
        address = talk.address
        words = [self.find_program(), "-p", "--output-format", "stream-json", "--verbose"]
        words += ["--model", address.model, "--tools", TOOLS]
        words += [
            "--setting-sources",
            "project",
            "--settings",
            str(talk.seen_home / "settings.json"),
        ]
        words += ["--strict-mcp-config", "--disable-slash-commands"]
        words += ["--max-turns", str(self.max_turns)]
        session = str(uuid.uuid4())
        words += ["--resume", talk.id] if talk.id else ["--session-id", session]
        variables = {
            "CLAUDE_CONFIG_DIR": str(talk.seen_home / ".claude"),
            "ANTHROPIC_API_KEY": address.key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        }
        if address.url:
            variables["ANTHROPIC_BASE_URL"] = address.url
        return Launch(words, variables, prompt)

    def read(self, talk: Conversation, result: ProcessResult) -> Outcome:
        reading = _Reading()
        for line in json_lines(result.stdout):
            reading.take(line)
        cost = 0.0 if talk.served is not None else reading.cost
        usage = reading.usage(cost)
        exhausted = reading.ending == "error_max_turns"
        problem = "" if exhausted else (result.problem or reading.problem())
        return Outcome(reading.text, reading.events, reading.session, usage, problem, exhausted)

    def session_files(self, talk: Conversation) -> Mapping[str, bytes]:
        files = sorted((talk.home / ".claude" / "projects").glob("*/*.jsonl"))
        names = ["claude_code.jsonl", *(f"claude_code_{n}.jsonl" for n in range(2, len(files) + 1))]
        return {name: file.read_bytes() for name, file in zip(names, files, strict=False)}


class _Reading:
    """What the lines of one call say so far."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.text = ""
        self.session = ""
        self.ending = ""  # subtype of the result
        self.cost: float | None = None
        self._is_error = False
        self._messages: dict[str, Event] = {}  # a message comes in several lines
        self._usages: dict[str, Any] = {}
        self._tools: dict[str, str] = {}

    def take(self, line: dict[str, Any]) -> None:
        self.session = str(line.get("session_id") or self.session)
        kind = line.get("type")
        if kind == "assistant":
            self._assistant(line)
        elif kind == "user":
            for block in objects(part(line, "message", "content")):
                if block.get("type") == "tool_result":
                    self._result(block)
        elif kind == "result":
            self.text = str(line.get("result") or "")
            self.ending = str(line.get("subtype") or "")
            self._is_error = bool(line.get("is_error"))
            cost = line.get("total_cost_usd")
            self.cost = float(cost) if isinstance(cost, int | float) else None

    def _assistant(self, line: dict[str, Any]) -> None:
        message = line.get("message")
        name = str(part(message, "id") or len(self._messages))
        event = self._messages.get(name)
        if event is None:
            event = Event(step=0, role="assistant", content="", model=part(message, "model"))
            self._messages[name] = event
            self.events.append(event)
        self._usages[name] = part(message, "usage")
        for block in objects(part(message, "content")):
            if block.get("type") == "text":
                event.content = f"{event.content}{block.get('text', '')}"
            elif block.get("type") == "tool_use":
                call_id = str(block.get("id"))
                tool = str(block.get("name"))
                self._tools[call_id] = tool
                self.events += tool_events(call_id, tool, block.get("input"), None, None)

    def _result(self, block: dict[str, Any]) -> None:
        call_id = str(block.get("tool_use_id"))
        text = joined_text(block.get("content"))
        code = int(bool(block.get("is_error")))
        self.events.append(tool_result(call_id, self._tools.get(call_id, ""), text, code))

    def usage(self, cost: float | None) -> Usage:
        """What the call took; the product tells its cost for the whole call."""
        total = Usage()
        for number, (name, usage) in enumerate(self._usages.items()):
            whole = cost if number == 0 or cost is None else 0.0
            self._messages[name].usage = tokens_used(usage, _COUNTS, whole)
            total += self._messages[name].usage or Usage()
        return total

    def problem(self) -> str:
        """Why the call failed though the program ended well; empty where it did not."""
        if not self.ending:
            return "it ended without a result"
        return f"{self.ending}: {self.text[:300]}" if self._is_error else ""
