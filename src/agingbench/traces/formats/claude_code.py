"""Claude Code transcripts: one JSON object per line, one message on several lines, copies in several files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import IO, Any

from agingbench.records import Event, ReadLog, Role, Source, Usage
from agingbench.traces.claude_records import (
    UNREADABLE,
    Block,
    Message,
    Record,
    boundary_in,
    decode_record,
    loose_record,
    progress_in,
)
from agingbench.traces.sources import LONGEST_LINE, line_values, lines, opening, records, skip_line
from agingbench.traces.times import LATEST, seconds
from agingbench.traces.tool_errors import error_kind

_COMMAND = re.compile(r"\s*(?:<command-message>[^<]*</command-message>\s*)?<command-name>\s*(/?[\w:.-]+)")
_CLIENT_TEXT = (
    ("<local-command-", "command_output"),
    ("<bash-", "user_shell"),
    ("[Request interrupted by user", "interrupted"),
    ("Caveat: The messages below", "client_note"),
    ("<system-reminder>", "client_note"),
)
_INTERRUPTED = re.compile(rb'"interrupted":\s*true')
_SESSION_START = re.compile(rb'"hookName":\s*"SessionStart:(clear|resume)"')
HOLD = 64  # lines; in all transcripts seen so far a usage grew within 16 lines of its message's first
CALLS = 20_000  # calls that wait for a result; orphans beyond that are forgotten
_TYPES = ("user", "assistant", "system", "summary", "progress", "file-history-snapshot", "queue-operation")


class ClaudeCode:
    """Claude Code session files (.jsonl), a project folder, or all of ~/.claude/projects."""

    name = "claude_code"
    status = "verified"
    recipe = "point at ~/.claude/projects or one project folder in it; nothing has to be exported"

    def sniff(self, head: bytes) -> float:
        best = 0.0
        for value in opening(head):
            if isinstance(value, dict):
                best = max(best, _likeness(value))
        return best

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        return _File(log).events(stream)


def _likeness(value: dict[str, Any]) -> float:
    if isinstance(value.get("loglines"), list):
        return 0.9
    kind, message = value.get("type"), value.get("message")
    if "sessionId" in value and "uuid" in value and kind in _TYPES:
        return 1.0
    if kind in ("user", "assistant") and isinstance(message, dict) and {"content", "usage"} & set(message):
        return 0.85 if not {"payload", "parentId"} & set(value) else 0.0
    if "sessionId" in value and isinstance(message, dict) and "usage" in message:
        return 0.85
    if (kind == "summary" and "leafUuid" in value) or (kind == "file-history-snapshot" and "snapshot" in value):
        return 0.9
    return 0.6 if "sessionId" in value and isinstance(kind, str) and "messages" not in value else 0.0


class _Shared:
    """What the files of one reading share: who first gave a record, whose usage was counted, which sessions join."""

    def __init__(self) -> None:
        # Hash of a record's uuid, or of the id of a message whose usage was counted: the session that gave it first.
        self.given: dict[int, str] = {}
        self.joined: dict[str, str] = {}  # session: the session it continues or was copied from

    @staticmethod
    def of(log: ReadLog) -> _Shared:
        shared = log.kept.setdefault("claude_code", _Shared())
        assert isinstance(shared, _Shared)
        return shared

    def session(self, name: str) -> str:
        while name in self.joined:
            name = self.joined[name]
        return name

    def join(self, name: str, origin: str) -> str:
        name, origin = self.session(name), self.session(origin)
        if name != origin:
            self.joined[name] = origin
        return origin


class _File:
    """The reading of one file.

    Events wait for HOLD to two HOLD lines before they leave, so that the largest usage of a message, which stands on
    its last line, can still be put on its first event.
    """

    def __init__(self, log: ReadLog) -> None:
        self.log, self.shared, self.file = log, _Shared.of(log), log.file
        self.step = 0
        self.used = 0
        self.out: list[Event] = []
        self.before: list[Event] = []
        self.open: dict[int, Event] = {}
        self.open_before: dict[int, Event] = {}
        self.calls: dict[str, tuple[str | None, float | None]] = {}
        self.raw_session: str | None = None
        self.session = ""
        self.model: str | None = None
        self.client: str | None = None
        self.left: dict[str, tuple[str | None, str | None]] = {}
        self.summaries_due = 0
        self.starts: dict[tuple[str, str], float] = {}

    def events(self, stream: IO[bytes]) -> Iterator[Event]:
        """The hot loop: what is usual is settled here, with no call more than it needs."""
        number, given, file, decode = 0, self.shared.given, self.file, decode_record
        try:
            for line in lines(stream):
                number += 1
                try:
                    record = decode(line)
                except UNREADABLE:
                    if number == 1 and self._is_export(line):
                        yield from self._export(line, stream)
                        return
                    self._loose(line, number, stream)
                    continue
                kind, message, uuid = record.type, record.message, record.uuid
                if (
                    message is None
                    or uuid is None
                    or record.sessionId != self.raw_session
                    or (kind != "assistant" and kind != "user")
                    or (key := hash(uuid)) in given
                ):
                    self._take(record, line, Source(file, number))
                else:
                    given[key] = self.session
                    self._message(record, message, kind, line, Source(file, number))
                if not number % HOLD:
                    yield from self._release()
            yield from self._release()
            yield from self._release()
        finally:
            self.log.used += self.used
            self.used = 0

    def _release(self) -> list[Event]:
        ready, self.before = self.before, self.out
        self.open_before, self.open, self.out = self.open, {}, []
        return ready

    # ----------------------------------------------------------------------------------------------- odd sources

    @staticmethod
    def _is_export(line: bytes) -> bool:
        return line.strip() in (b"{", b"[") or line.startswith((b'{"loglines"', b"["))

    def _export(self, line: bytes, stream: IO[bytes]) -> Iterator[Event]:
        """One JSON document: a web export ({"loglines": [...]}), or a list of records."""
        for _, value in records(stream, self.log, line):
            listed = value.get("loglines") if isinstance(value, dict) else None
            for item in listed if isinstance(listed, list) else [value]:
                self._loose_value(item, None)
                if len(self.out) >= HOLD:
                    yield from self._release()
        yield from self._release()
        yield from self._release()

    def _loose(self, line: bytes, number: int, stream: IO[bytes]) -> None:
        if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            self.log.bad(number, f"line longer than {LONGEST_LINE >> 20} MB")
            skip_line(stream)
            return
        for value in line_values(line, number, self.log):
            self._loose_value(value, number)

    def _loose_value(self, value: Any, number: int | None) -> None:
        """A record that does not have the usual types; what can be understood of it is."""
        if not isinstance(value, dict):
            self.log.bad(number, f"not a JSON object but {type(value).__name__}")
            return
        try:
            record, raw = loose_record(value)
        except ValueError as error:
            self.log.bad(number, str(error))
            return
        self._take(record, raw, Source(self.file, number))

    # ---------------------------------------------------------------------------------------------- one record

    def _take(self, record: Record, line: bytes, source: Source) -> None:
        """Any record, also those that are not usual: of another session, copied, or written by the client."""
        kind, message = record.type, record.message
        if kind is None and message is not None and message.role in ("user", "assistant"):
            kind = message.role
        if kind == "assistant" or kind == "user":
            if message is None:
                self.log.bad(source.line, f"{kind} record without a message")
            elif self._first_time(record, line):
                self._message(record, message, kind, line, source)
        elif kind == "progress":
            self._progress(record, line, source)
        elif kind == "system":
            self._system(record, line, source)
        elif kind == "attachment" and _SESSION_START.search(line):
            self._started(record, line, source, "attachment")
        elif kind is None:
            self.log.bad(source.line, "no type")
        else:
            self.log.ignore(kind[:60])

    def _message(self, record: Record, message: Message, kind: str, line: bytes, source: Source) -> None:
        self.used += 1
        moment, content = self._time(record), message.content
        if record.version != self.client:
            self._client(record.version, moment, source)
        thread = None if not record.isSidechain else record.agentId or "sidechain"
        if kind == "assistant":
            self._assistant(message, content, moment, thread, source)
        elif type(content) is list and len(content) == 1 and content[0].type == "tool_result":
            self.out.append(self._result(content[0], moment, thread, source, line))
        else:
            self._user(record, content, moment, thread, source, line)

    def _first_time(self, record: Record, line: bytes) -> bool:
        """Whether this record is new; a copy is a duplicate, and joins its session with the one it came from."""
        name, given = record.sessionId, self.shared.given
        if name is None:
            name = self.raw_session or PurePath(self.file).stem
        if name != self.raw_session:
            self._enter(name, record)
        key = hash(record.uuid or line)
        origin = given.get(key)
        if origin is None:
            given[key] = self.session
            return True
        self.log.duplicate += 1
        if origin != self.session and record.uuid is not None:
            self.session = self.shared.join(self.session, origin)
        return False

    def _enter(self, name: str, record: Record) -> None:
        """Go on with another session; one whose record follows a record of another session continues that one."""
        self.left[self.session] = (self.model, self.client)
        self.raw_session, self.session = name, self.shared.session(name)
        origin = self.shared.given.get(hash(record.parentUuid)) if record.parentUuid else None
        if origin is not None and not record.isSidechain and origin != self.session:
            self.session = self.shared.join(name, origin)
        self.model, self.client = self.left.get(self.session, (None, None))

    def _time(self, record: Record) -> float | None:
        moment = record.timestamp
        if moment is not None:
            stamp = moment.timestamp()
            if 0.0 <= stamp <= LATEST:
                return stamp
        return seconds(record.agingbench_time if moment is None else moment, self.log)

    def _client(self, version: str | None, moment: float | None, source: Source) -> None:
        before = self.client
        if version is not None:
            self.client = version
            if before is not None:
                about = {"from": before, "to": version}
                self._meta(moment, source, None, lifecycle="client_change", metadata=about)

    # --------------------------------------------------------------------------------------------- assistant

    def _assistant(
        self, message: Message, content: Any, moment: float | None, thread: str | None, source: Source
    ) -> None:
        model, tokens, usage, key = message.model, message.usage, None, 0
        if model != self.model:
            if model == "<synthetic>":
                self._meta(moment, source, thread, call_type="synthetic", content=_text(content))
                return
            if thread is None:
                self._new_model(model, moment, source)
        if tokens is not None:
            usage = Usage(
                tokens.input_tokens,
                tokens.output_tokens,
                tokens.cache_read_input_tokens,
                tokens.cache_creation_input_tokens,
                None,
                1,
            )
            if message.id is not None:
                key = hash(message.id)
                if key in self.shared.given:
                    self._told_before(key, usage)
                    usage = None
                else:
                    self.shared.given[key] = self.session
        if type(content) is not list or not content:
            content = [Block("text", text=_text(content))]
        for block in content:
            what = block.type
            self.step += 1
            if what == "tool_use" or what == "server_tool_use":
                if block.id is not None:
                    self.calls[block.id] = (block.name, moment)
                event = Event(
                    step=self.step,
                    role="tool_call",
                    tool_name=block.name,
                    arguments=block.input,
                    tool_call_id=block.id,
                    timestamp=moment,
                    session_id=self.session,
                    model=model,
                    client=self.client,
                    source=source,
                )
            elif block.tool_use_id is not None:
                event = self._result(block, moment, thread, source, b"")
            else:
                event = Event(
                    step=self.step,
                    role="assistant",
                    content=block.text if what == "text" else block.thinking,
                    call_type=None if what == "text" else what,
                    timestamp=moment,
                    session_id=self.session,
                    model=model,
                    client=self.client,
                    source=source,
                )
            self.out.append(event)
            if thread is not None:
                event.thread = thread
            if usage is not None:
                event.usage = usage
                self.open[key] = event
                usage = None

    def _new_model(self, model: str | None, moment: float | None, source: Source) -> None:
        before = self.model
        if model is not None:
            self.model = model
            if before is not None:
                about = {"from": before, "to": model}
                self._meta(moment, source, None, lifecycle="model_change", metadata=about)

    def _told_before(self, key: int, usage: Usage) -> None:
        """The message has a usage on its first event already; the larger one holds."""
        first = self.open.get(key) or self.open_before.get(key)
        if first is not None and first.usage is not None:
            first.usage = _larger(first.usage, usage)

    # -------------------------------------------------------------------------------------------------- user

    def _user(
        self, record: Record, content: Any, moment: float | None, thread: str | None, source: Source, line: bytes
    ) -> None:
        if type(content) is not list:
            self._said(record, _text(content), moment, thread, source)
            return
        texts = []
        for block in content:
            if block.type == "tool_result":
                self.out.append(self._result(block, moment, thread, source, line))
            elif block.type == "text":
                texts.append(block.text or "")
            else:
                texts.append(f"[{block.type or 'unknown'}]")
        if texts or not content:
            self._said(record, "\n".join(texts), moment, thread, source)

    def _said(self, record: Record, text: str, moment: float | None, thread: str | None, source: Source) -> None:
        """A user's text: a prompt, or something the client wrote in the user's name."""
        command = _COMMAND.match(text) if text[:80].lstrip().startswith("<command-") else None
        if record.isCompactSummary:
            if self.summaries_due:
                self.summaries_due -= 1
            else:
                self._meta(moment, source, thread, lifecycle="compaction", metadata={"from": "summary"})
            self._meta(moment, source, thread, call_type="compact_summary", content=text)
        elif command is not None:
            name = command[1]
            if name == "/clear":
                self._start("clear", moment, source, thread, text)
            else:
                self._meta(moment, source, thread, call_type="command", content=text, command=name)
        elif call_type := next((kind for start, kind in _CLIENT_TEXT if text.startswith(start)), None):
            self._meta(moment, source, thread, call_type=call_type, content=text)
        elif record.isMeta:
            self._meta(moment, source, thread, call_type="client_note", content=text)
        else:
            self._add("user", moment, source, thread, content=text)

    def _result(self, block: Block, moment: float | None, thread: str | None, source: Source, line: bytes) -> Event:
        content, call_id = block.content, block.tool_use_id
        text = content if type(content) is str else _text(content)
        name = took = kind = None
        self.step += 1
        if call_id is not None and call_id in self.calls:
            name, start = self.calls.pop(call_id)
            if start is not None and moment is not None and moment >= start:
                took = (moment - start) * 1000.0
        elif len(self.calls) > CALLS:
            self.calls.clear()
        if block.is_error:
            kind = error_kind(text)
        elif b'"interrupted"' in line and _INTERRUPTED.search(line):
            kind = "cancelled"
        event = Event(
            step=self.step,
            role="tool_result",
            tool_name=name,
            stdout=text,
            tool_call_id=call_id,
            duration_ms=took,
            timestamp=moment,
            session_id=self.session,
            client=self.client,
            source=source,
        )
        if kind is not None:
            event.error_kind = kind
        if thread is not None:
            event.thread = thread
        return event

    # ------------------------------------------------------------------------------- what the client wrote

    def _add(self, role: Role, moment: float | None, source: Source, thread: str | None, **fields: Any) -> None:
        self.step += 1
        named: dict[str, Any] = {"session_id": self.session, "thread": thread, "client": self.client}
        self.out.append(Event(step=self.step, role=role, timestamp=moment, source=source, **named, **fields))

    def _meta(self, moment: float | None, source: Source, thread: str | None, **fields: Any) -> None:
        self._add("meta", moment, source, thread, **fields)

    def _system(self, record: Record, line: bytes, source: Source) -> None:
        kind = record.subtype
        if kind != "compact_boundary" and kind != "local_command":
            self.log.ignore(f"system:{(kind or 'note')[:60]}")
            return
        if not self._first_time(record, line):
            return
        about = boundary_in(line)
        moment, thread = self._time(record), record.agentId if record.isSidechain else None
        self.used += 1
        if kind == "compact_boundary":
            self.summaries_due += 1
            self._meta(moment, source, thread, lifecycle="compaction", metadata=about.compactMetadata or {})
            return
        text = about.content if isinstance(about.content, str) else ""
        self._said(record, text or "<local-command-stdout>", moment, thread, source)

    def _progress(self, record: Record, line: bytes, source: Source) -> None:
        """Progress is noise, except a subagent's messages, which older clients write nowhere else."""
        if _SESSION_START.search(line) and b'"agent_progress"' not in line:
            self._started(record, line, source, "progress:hook_progress")
            return
        inner = progress_in(line)
        message = inner.message if inner is not None and inner.type == "agent_progress" else None
        if inner is None or message is None or message.message is None or message.type not in ("user", "assistant"):
            self.log.ignore(f"progress:{inner.type[:60]}" if inner is not None and inner.type else "progress")
            return
        message.sessionId, message.version = record.sessionId, record.version
        message.agentId, message.isSidechain = inner.agentId or message.agentId, True
        message.timestamp = message.timestamp or record.timestamp
        message.uuid = message.uuid or record.uuid
        if self._first_time(message, line):
            self._message(message, message.message, message.type, b"", source)

    def _started(self, record: Record, line: bytes, source: Source, ignored_as: str) -> None:
        """A hook that ran because a session was cleared or resumed says so, once per hook."""
        found = _SESSION_START.search(line)
        if found is None or record.sessionId is None:
            self.log.ignore(ignored_as)
        elif self._first_time(record, line):
            if self._start(found[1].decode(), self._time(record), source, None, None):
                self.used += 1
            else:
                self.log.ignore(ignored_as)

    def _start(self, kind: str, moment: float | None, source: Source, thread: str | None, text: str | None) -> bool:
        """The lifecycle event, unless the same was told within the last minute by another record."""
        last = self.starts.get((self.session, kind))
        fresh = last is None or moment is None or abs(moment - last) > 60
        if moment is not None:
            self.starts[(self.session, kind)] = moment
        if fresh:
            self._meta(moment, source, thread, lifecycle=kind, content=text)
        elif text is not None:
            self._meta(moment, source, thread, call_type="command", content=text, command=f"/{kind}")
        return fresh


def _larger(a: Usage, b: Usage) -> Usage:
    if a == b:
        return a
    return Usage(
        _most(a.input_tokens, b.input_tokens),
        _most(a.output_tokens, b.output_tokens),
        _most(a.cache_read_tokens, b.cache_read_tokens),
        _most(a.cache_write_tokens, b.cache_write_tokens),
        None,
        1,
    )


def _most(a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return max(a, b)


def _text(content: Any) -> str:
    """The text of a message's or a result's content, other parts named in brackets."""
    if isinstance(content, str):
        return content
    parts = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, Block):
            parts.append(part.text or "")
        elif isinstance(part, dict):
            text = part.get("text")
            parts.append(text if isinstance(text, str) else f"[{str(part.get('type', 'unknown'))[:40]}]")
    return "\n".join(parts)
