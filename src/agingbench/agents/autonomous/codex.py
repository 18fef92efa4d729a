"""Codex (`npm install @openai/codex`), headless."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from agingbench.agents.autonomous.agent import AutonomousAgent
from agingbench.agents.autonomous.conversation import Conversation, Launch, Outcome
from agingbench.agents.autonomous.output import (
    json_lines,
    part,
    tokens_used,
    told_version,
    tool_events,
)
from agingbench.agents.autonomous.process import ProcessResult
from agingbench.records import Event, Usage

KEY_VARIABLE = "AGINGBENCH_MODEL_KEY"
DEFAULT_URL = "https://api.openai.com"
SETTINGS = """\
model = {model}
model_provider = "agingbench"
approval_policy = "never"
sandbox_mode = "{sandbox}"
check_for_update_on_startup = false
web_search = "disabled"

[model_providers.agingbench]
name = "agingbench"
base_url = {url}
wire_api = "responses"
env_key = "{key}"
supports_websockets = false

[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
network_access = false

[analytics]
enabled = false

[feedback]
enabled = false

[otel]
exporter = "none"

[history]
persistence = "none"

[features]
plugins = false
memories = false
apps = false
multi_agent = false
goals = false
"""
_COUNTS = ("input_tokens", "output_tokens", "cached_input_tokens", "")


class CodexAdapter(AutonomousAgent):
    """Drives `codex exec`, which continues a block's conversation with `resume`."""

    product = "codex"
    program_name = "codex"
    pinned = "0.166.0"
    serves = ("openai",)
    controls: ClassVar[Mapping[str, str]] = {
        "updates": "check_for_update_on_startup false",
        "auto_memory": "features.memories false, history.persistence none",
        "hooks": "a configuration of ours alone",
        "plug_ins": "features plugins, apps, multi_agent, goals false; web_search disabled",
        "credentials": "an empty home; a key of the environment is not passed on",
        "instructions": "AGENTS.md, written before every call",
        "tools": "sandbox workspace-write without temporary folders and network; inside"
        " bubblewrap that confinement alone",
    }

    def installed_version(self) -> str:
        return told_version(self.find_program())

    def furnish(self, talk: Conversation) -> None:
        address = talk.address
        # Its own sandbox does not start inside another one.
        sandbox = "danger-full-access" if talk.confined else "workspace-write"
        folder = talk.home / ".codex"
        folder.mkdir()
        text = SETTINGS.format(
            model=json.dumps(address.model),
            url=json.dumps(f"{address.url or DEFAULT_URL}/v1"),
            key=KEY_VARIABLE,
            sandbox=sandbox,
        )
        (folder / "config.toml").write_text(text)

    def launch(self, talk: Conversation, prompt: str) -> Launch:
        words = [self.find_program(), "exec"]
        if talk.id:
            words += ["resume", talk.id]
        words += ["--json", "--skip-git-repo-check", "-"]
        variables = {"CODEX_HOME": str(talk.seen_home / ".codex"), KEY_VARIABLE: talk.address.key}
        return Launch(words, variables, prompt)

    def read(self, talk: Conversation, result: ProcessResult) -> Outcome:
        reading = _Reading()
        for line in json_lines(result.stdout):
            reading.take(line)
        # It tells what the whole conversation has taken so far.
        so_far = tokens_used(reading.usage, _COUNTS, 0.0 if talk.served is not None else None)
        usage = _beyond(so_far, talk.usage)
        problem = result.problem or reading.problem()
        return Outcome(reading.text, reading.events, reading.thread, usage, problem)

    def session_files(self, talk: Conversation) -> Mapping[str, bytes]:
        files = sorted((talk.home / ".codex" / "sessions").glob("*/*/*/rollout-*.jsonl"))
        names = ["codex.jsonl", *(f"codex_{n}.jsonl" for n in range(2, len(files) + 1))]
        return {name: file.read_bytes() for name, file in zip(names, files, strict=False)}


def _beyond(total: Usage, before: Usage) -> Usage:
    """What a call took, from totals after and before it."""

    def rest(after: int | None, earlier: int | None) -> int | None:
        return None if after is None else max(0, after - (earlier or 0))

    return Usage(
        rest(total.input_tokens, before.input_tokens),
        rest(total.output_tokens, before.output_tokens),
        rest(total.cache_read_tokens, before.cache_read_tokens),
        None,
        total.cost_usd,
        total.calls,
    )


class _Reading:
    """What the lines of one call say so far."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.text = ""
        self.thread = ""
        self.usage: Any = None
        self._ended = False
        self._error = ""

    def take(self, line: dict[str, Any]) -> None:
        kind = line.get("type")
        if kind == "thread.started":
            self.thread = str(line.get("thread_id") or "")
        elif kind == "item.completed":
            self._item(line.get("item"))
        elif kind == "turn.completed":
            self._ended = True
            self.usage = line.get("usage")
        elif kind in ("turn.failed", "error"):
            self._error = str(part(line, "error", "message") or line.get("message") or kind)

    def _item(self, item: Any) -> None:
        kind = part(item, "type")
        call_id = str(part(item, "id") or len(self.events))
        if kind == "agent_message":
            self.text = str(part(item, "text") or "")
            self.events.append(Event(step=0, role="assistant", content=self.text))
        elif kind == "command_execution":
            arguments = {"command": part(item, "command")}
            output = str(part(item, "aggregated_output") or "")
            code = part(item, "exit_code")
            exit_code = code if type(code) is int else None
            self.events += tool_events(call_id, "exec_command", arguments, output, exit_code)
        elif kind == "file_change":
            arguments = {"changes": part(item, "changes")}
            failed = int(part(item, "status") != "completed")
            self.events += tool_events(call_id, "apply_patch", arguments, "", failed)

    def problem(self) -> str:
        """Why the call failed though the program ended well; empty where it did not."""
        if self._ended:
            return ""
        return self._error or "it ended without a result"
