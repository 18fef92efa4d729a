"""OpenCode (`npm install opencode-ai`), headless."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from agingbench.agents.autonomous.agent import AutonomousAgent
from agingbench.agents.autonomous.conversation import Conversation, Launch, Outcome
from agingbench.agents.autonomous.output import (
    json_lines,
    part,
    told_version,
    tool_events,
)
from agingbench.agents.autonomous.process import ProcessResult
from agingbench.records import Event, Usage

PROVIDER = "agingbench"
DEFAULT_URL = "https://api.openai.com"
_OFF = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "CLAUDE_CODE")


class OpenCodeAdapter(AutonomousAgent):
    """Drives `opencode run`, which continues a block's conversation by its session."""

    product = "opencode"
    program_name = "opencode"
    pinned = "1.18.33"
    serves = ("openai",)
    controls: ClassVar[Mapping[str, str]] = {
        "updates": "autoupdate false, OPENCODE_DISABLE_AUTOUPDATE=1",
        "auto_memory": "it has none; a new home for every block",
        "hooks": "--pure",
        "plug_ins": "--pure, OPENCODE_DISABLE_DEFAULT_PLUGINS=1, sharing and snapshots off",
        "credentials": "an empty home; a key of the environment is not passed on",
        "instructions": "AGENTS.md, written before every call",
        "tools": "external_directory and webfetch denied",
    }

    def installed_version(self) -> str:
        return told_version(self.find_program())

    def furnish(self, talk: Conversation) -> None:
        (talk.home / "opencode.json").write_text(json.dumps(_settings(talk)))

    def launch(self, talk: Conversation, prompt: str) -> Launch:
        words = [self.find_program(), "run", "--pure", "--format", "json"]
        words += ["--dir", str(talk.seen_work)]
        # A title of ours saves the product a call for one.
        words += ["--session", talk.id] if talk.id else ["--title", "block"]
        return Launch(words, _variables(talk), prompt)

    def read(self, talk: Conversation, result: ProcessResult) -> Outcome:
        reading = _Reading(talk.served is not None)
        for line in json_lines(result.stdout):
            reading.take(line)
        problem = result.problem or reading.problem()
        return Outcome(reading.text, reading.events, reading.session, reading.usage, problem)

    def session_files(self, talk: Conversation) -> Mapping[str, bytes]:
        """The export of the session, which its own format reads."""
        if not talk.id:
            return {}
        words = [self.find_program(), "export", "--pure", talk.id]
        # A pipe gets no more than its first 64 KiB.
        result = talk.run(Launch(words, _variables(talk)), talk.home / "export.json")
        start = result.stdout.find("{")
        if result.problem or start < 0:
            return {"opencode_export_failed.txt": (result.problem or "no JSON").encode()}
        return {"opencode.json": result.stdout[start:].encode()}


def _variables(talk: Conversation) -> dict[str, str]:
    off = {f"OPENCODE_DISABLE_{name}": "1" for name in _OFF}
    return {"OPENCODE_CONFIG": str(talk.seen_home / "opencode.json"), **off}


def _settings(talk: Conversation) -> dict[str, Any]:
    address = talk.address
    options = {"baseURL": f"{address.url or DEFAULT_URL}/v1", "apiKey": address.key}
    model = {
        "name": address.model,
        "tool_call": True,
        "limit": {"context": 200_000, "output": 8_000},
    }
    name = f"{PROVIDER}/{address.model}"
    return {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "enabled_providers": [PROVIDER],
        "model": name,
        "small_model": name,
        "provider": {
            PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "name": PROVIDER,
                "options": options,
                "models": {address.model: model},
            }
        },
        "permission": {
            "edit": "allow",
            "bash": "allow",
            "external_directory": "deny",
            "webfetch": "deny",
        },
    }


class _Reading:
    """What the lines of one call say so far."""

    def __init__(self, is_free: bool) -> None:
        self.events: list[Event] = []
        self.text = ""
        self.session = ""
        self.usage = Usage()
        self._is_free = is_free
        self._error = ""

    def take(self, line: dict[str, Any]) -> None:
        self.session = str(line.get("sessionID") or self.session)
        kind = line.get("type")
        item = line.get("part")
        if kind == "text":
            self.text = str(part(item, "text") or "")
            self.events.append(Event(step=0, role="assistant", content=self.text))
        elif kind == "tool_use":
            self._tool(item)
        elif kind == "step_finish":
            self.usage += _usage(item, self._is_free)
        elif kind == "error":
            error = line.get("error")
            told = part(error, "data", "message") or part(error, "name") or error
            self._error = str(told)[:300]

    def _tool(self, item: Any) -> None:
        state = part(item, "state")
        failed = part(state, "status") == "error"
        output = part(state, "error") if failed else part(state, "output")
        code = part(state, "metadata", "exit")
        exit_code = code if type(code) is int else int(failed)
        self.events += tool_events(
            str(part(item, "callID")),
            str(part(item, "tool")),
            part(state, "input"),
            str(output or ""),
            exit_code,
        )

    def problem(self) -> str:
        """Why the call failed though the program ended well; empty where it did not."""
        if self._error:
            return self._error
        return "" if self.usage.calls else "it ended without a result"


def _usage(item: Any, is_free: bool) -> Usage:
    counts = [
        part(item, "tokens", "input"),
        part(item, "tokens", "output"),
        part(item, "tokens", "cache", "read"),
        part(item, "tokens", "cache", "write"),
    ]
    known = [count if type(count) is int else None for count in counts]
    cost = part(item, "cost")
    told = float(cost) if isinstance(cost, int | float) and cost else None
    return Usage(known[0], known[1], known[2], known[3], 0.0 if is_free else told, calls=1)
