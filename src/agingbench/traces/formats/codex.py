"""Codex CLI rollouts: records with a payload, running totals of tokens, texts written twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import IO, Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.decoding.building import (
    Builder,
    count,
    first,
    mapping,
    parsed,
    string,
    text_of,
    usage,
)
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.error_kinds import UNRECORDED, classify_error
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.formats.codex_scripts import COMMANDS, SCRIPT, call_in

_KINDS = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state")
_CLIENT_TEXT = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<permissions",
    "<turn_",
)
_EXIT = re.compile(r"(?:Process exited with code|Exit code:|exit code:)\s*(-?\d+)")
_FAILED = re.compile(
    r"(?:error|failed|execution error|apply_patch verification failed|exec_command"
    r" failed|unsupported call|aborted"
    r"|Script (?:error|failed)|.{0,60}rejected by user|command timed out)\b",
    re.IGNORECASE,
)
_PRECONDITION = re.compile(
    r"(?:error: )?(?:Failed to find|apply_patch verification failed|unsupported call|invalid)", re.I
)


# Codex makes a folder per task in here, all of one project.
_WORKTREE = re.compile(r"([/\\]\.codex[/\\]worktrees)[/\\][^/\\]+(?=[/\\])")


class Codex(BaseFormat):
    """Codex CLI rollouts (~/.codex/sessions), grouped by the directory the agent worked in."""

    name = "codex"
    coding = True
    status = "verified"
    recipe = "point at ~/.codex/sessions; nothing has to be exported"

    def sniff(self, head: bytes) -> float:
        """By a known type of record with a payload."""
        values = [value for value in first_values(head) if isinstance(value, dict)]
        if any(v.get("type") in _KINDS and isinstance(v.get("payload"), dict) for v in values):
            return 1.0
        return 0.0

    def project(self, file: PurePath, top: PurePath, head: bytes) -> str:
        """The directory that the agent worked in; worktrees of one project count as one."""
        for value in first_values(head):
            folder = _working_directory(value)
            if folder is not None:
                return folder

        return ""

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of a rollout, with the usage of each call on its first event."""
        rollout = _Rollout(log)
        for line, value in records(stream, log):
            rollout.take(line, value)
            if rollout.ready:
                yield from rollout.drain()

        rollout.close()
        yield from rollout.drain()


def _working_directory(value: Any) -> str | None:
    payload = value.get("payload") if isinstance(value, dict) else None
    folder = payload.get("cwd") if isinstance(payload, dict) else None
    return _WORKTREE.sub(r"\1", folder) if isinstance(folder, str) and folder else None


class _Rollout:
    """One rollout file. Events wait for the token count of their call, at most HOLD of them."""

    HOLD = 512

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.build = Builder(log)
        self.waiting: list[Event] = []
        self.ready: list[Event] = []
        self.doubled: dict[tuple[str, str], str] = {}
        self.total: tuple[int, int, int] | None = None
        self.scripts: dict[str, str] = {}  # calls that a script makes -> the tool
        self.named = False
        self.window: int | None = None

    def drain(self) -> list[Event]:
        """Take out the events that are complete."""
        ready = self.ready
        self.ready = []
        return ready

    def close(self) -> None:
        """Complete the events that still wait for a token count."""
        self._settle(None)

    def take(self, line: int | None, value: Any) -> None:
        """Read one record."""
        if not isinstance(value, dict) or not isinstance(value.get("payload"), dict):
            record = mapping(value)
            if "record_type" in record and isinstance(record.get("type"), str | None):
                self.log.ignore("state")
            else:
                self.log.bad(line, "no record with a payload")
            return

        kind = string(value.get("type")) or "none"
        payload = value["payload"]
        time = self.build.time(value.get("timestamp"))

        if kind == "session_meta":
            self._meta(line, time, payload)
        elif kind == "turn_context":
            self._model(line, time, string(payload.get("model")))
            self.log.ignore(kind)
        elif kind == "response_item":
            self._item(line, time, payload)
        elif kind == "event_msg":
            self._message(line, time, payload)
        elif kind == "compacted":
            self._compacted(line, time, kind, text_of(payload.get("message")))
        else:
            self.log.ignore(kind[:60])

        if len(self.waiting) >= self.HOLD:
            self._settle(None)

    def _add(self, event: Event) -> None:
        self.log.used += 1
        self.waiting.append(event)

    def _settle(self, call_usage: Usage | None) -> None:
        """Complete the waiting events; the usage goes on the first one that the model made."""
        if call_usage is not None:
            own = [event for event in self.waiting if event.role in ("assistant", "tool_call")]
            event = next((event for event in own if event.usage is None), None)
            if event is None:
                model = self.build.model
                event = self.build.event(
                    "meta",
                    None,
                    None,
                    call_type="usage",
                    model=model,
                )
                self.waiting.append(event)

            event.usage = call_usage
            if self.window is not None:
                event.metadata = {"context_window": self.window}

        self.ready += self.waiting
        self.waiting = []

    # -- records by kind

    def _meta(self, line: int | None, time: float | None, payload: dict[str, Any]) -> None:
        build = self.build
        name = string(first(payload, "id", "session_id"))
        if self.named:
            # Written again on every resume; a fork also carries the heads of the rollouts it was
            # copied from.
            self.log.duplicate += 1
            return

        self.named = True
        sessions: dict[str, str] = self.log.format_state.setdefault("codex", {})
        parent = string(first(payload, "forked_from_id", "parent_thread_id"))
        source = mapping(payload.get("source"))
        spawned = mapping(mapping(source.get("subagent")).get("thread_spawn"))
        owner = string(spawned.get("parent_thread_id")) or (
            parent if source.get("subagent") else None
        )

        if name is not None:
            if owner is not None:
                build.thread = name
                name = sessions.get(owner, owner)
            elif parent is not None:
                sessions[name] = sessions.get(parent, parent)
                name = sessions[name]

            build.session = name

        build.client = string(payload.get("cli_version"))
        text = first(payload, "base_instructions", "instructions")
        about = {"working_directory": string(payload.get("cwd"))}
        self._add(
            build.event(
                "system",
                line,
                time,
                content=text_of(text),
                metadata=about,
            )
        )

    def _model(self, line: int | None, time: float | None, model: str | None) -> None:
        change = self.build.model_change(line, time, model)
        if change is not None:
            self.waiting.append(change)

    def _first(self, where: str, what: str, text: str) -> bool:
        """Whether a text is new; its copy in the other kind of record counts as a duplicate."""
        key = (what, text.strip()[:2000])
        if self.doubled.get(key, where) != where:
            del self.doubled[key]
            self.log.duplicate += 1
            return False

        if len(self.doubled) > 1000:
            self.doubled.clear()

        self.doubled[key] = where
        return True

    def _item(self, line: int | None, time: float | None, payload: dict[str, Any]) -> None:
        kind = string(payload.get("type")) or "none"
        build = self.build
        call_id = payload.get("call_id") or payload.get("id")
        if call_id is not None and build.is_copy("codex", kind, str(call_id)):
            return

        if kind == "message":
            self._said(line, time, payload)
        elif kind in ("function_call", "custom_tool_call", "tool_search_call", "local_shell_call"):
            arguments = first(payload, "arguments", "input", "action")
            name = payload.get("name") or kind.removesuffix("_call")
            if name == SCRIPT:
                name, arguments = self._script(arguments, call_id)
            event = build.call(line, time, name, arguments, call_id)
            command = mapping(event.arguments).get("cmd") or mapping(event.arguments).get("command")
            event.command = command if isinstance(command, str) else None
            self._add(event)
        elif kind == "web_search_call":
            self._add(build.call(line, time, "web_search", payload.get("action"), None))
        elif kind.endswith("_output"):
            self._output(line, time, payload, call_id)
        elif kind == "reasoning":
            text = text_of(payload.get("summary"))
            self._add(
                build.event(
                    "assistant",
                    line,
                    time,
                    content=text,
                    call_type="thinking",
                    model=build.model,
                )
            )
        else:
            self.log.ignore(f"response_item:{kind[:60]}")

    def _script(self, script: Any, call_id: Any) -> tuple[str, Any]:
        """The name and arguments of the one call that a script makes; else of the script."""
        call = call_in(script)
        if call is None:
            return SCRIPT, script

        if len(self.scripts) > 1000:
            self.scripts.clear()
        self.scripts[str(call_id)] = call[0]
        return call

    def _said(self, line: int | None, time: float | None, payload: dict[str, Any]) -> None:
        role = payload.get("role")
        text = text_of(payload.get("content"))
        build = self.build

        if role == "assistant":
            if self._first("item", "assistant", text):
                self._add(
                    build.event(
                        "assistant",
                        line,
                        time,
                        content=text,
                        model=build.model,
                    )
                )
        elif role == "user" and not text.lstrip().startswith(_CLIENT_TEXT):
            if self._first("item", "user", text):
                self._add(build.event("user", line, time, content=text))
        elif role == "system":
            self._add(build.event("system", line, time, content=text))
        else:
            # A developer message adds to the instructions (sandbox, approvals, modes); it does
            # not replace them.
            self._add(
                build.event(
                    "meta",
                    line,
                    time,
                    content=text,
                    call_type="client_note",
                )
            )

    def _output(
        self,
        line: int | None,
        time: float | None,
        payload: dict[str, Any],
        call_id: Any,
    ) -> None:
        raw = parsed(payload.get("output"))
        text = text_of(raw.get("output", raw)) if isinstance(raw, dict) else text_of(raw)
        code = count(mapping(mapping(raw).get("metadata")).get("exit_code"))

        if code is None:
            exit_line = _EXIT.search(text[:400])
            code = int(exit_line[1]) if exit_line else None

        # Whether a script prints how its command ended is the agent's choice: those that do tell
        # nothing of the others.
        is_unknown = self.scripts.pop(str(call_id), None) in COMMANDS
        kind = None
        if code:
            kind = "process"
        elif code is None and _FAILED.match(text):
            kind = "refused" if _PRECONDITION.match(text) else classify_error(text)

        self._add(
            self.build.result(
                line,
                time,
                call_id,
                text,
                exit_code=code,
                error_kind=kind,
                metadata=dict(UNRECORDED) if is_unknown else None,
            )
        )

    def _message(self, line: int | None, time: float | None, payload: dict[str, Any]) -> None:
        kind = string(payload.get("type")) or "none"
        build = self.build
        if kind == "token_count":
            self._tokens(line, payload)
        elif kind == "agent_message":
            text = text_of(payload.get("message"))
            if self._first("event", "assistant", text):
                self._add(
                    build.event(
                        "assistant",
                        line,
                        time,
                        content=text,
                        model=build.model,
                    )
                )
        elif kind == "user_message":
            text = text_of(payload.get("message"))
            if self._first("event", "user", text):
                self._add(build.event("user", line, time, content=text))
        elif kind == "context_compacted":
            self._compacted(line, time, kind, "")
        elif kind == "turn_aborted":
            self._add(
                build.event(
                    "meta",
                    line,
                    time,
                    call_type="interrupted",
                    content=string(payload.get("reason")),
                )
            )
        else:
            if kind in ("task_started", "turn_started"):
                self.window = count(payload.get("model_context_window")) or self.window
            self.log.ignore(f"event_msg:{kind[:60]}")

    def _compacted(
        self,
        line: int | None,
        time: float | None,
        where: str,
        text: str,
    ) -> None:
        if self._first(where, "compaction", ""):
            self._add(
                self.build.event(
                    "meta",
                    line,
                    time,
                    lifecycle="compaction",
                    content=text or None,
                    metadata={},
                )
            )

    def _tokens(self, line: int | None, payload: dict[str, Any]) -> None:
        """Take the usage of a call from the growth of the rollout's running totals."""
        info = mapping(payload.get("info"))
        total = mapping(info.get("total_token_usage"))
        last = mapping(info.get("last_token_usage"))
        self.window = count(info.get("model_context_window")) or self.window

        if not total and not last:
            self.log.ignore("event_msg:token_count")
            return

        names = ("input_tokens", "cached_input_tokens", "output_tokens")
        now = tuple(count(total.get(name)) or 0 for name in names)
        counts = tuple(count(last.get(name)) or 0 for name in names)

        growth = None
        if total and self.total is not None:
            growth = tuple(a - b for a, b in zip(now, self.total, strict=True))

        if growth is not None and min(growth) >= 0:
            counts = growth
        elif total and not last:
            counts = now

        if total:
            self.total = (now[0], now[1], now[2])
        if not any(counts):
            self.log.duplicate += 1
            return

        self.log.used += 1
        self._model(line, None, string(info.get("model")))
        self._settle(usage(counts[0], counts[2], counts[1]))
