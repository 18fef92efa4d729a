"""Claude Code transcripts: one JSON object per line, one message on several lines, copies in
several files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import IO, Any

from agingbench.records import Event, ReadLog, Source
from agingbench.traces.decoding.sources import (
    LONGEST_LINE,
    first_values,
    line_values,
    lines,
    records,
    skip_line,
)
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.formats.claude_code.copies import KEY
from agingbench.traces.formats.claude_code.messages import Messages
from agingbench.traces.formats.claude_code.records import (
    UNREADABLE,
    ProgressData,
    Record,
    boundary_in,
    decode_record,
    link_in,
    loose_record,
    progress_in,
)
from agingbench.traces.name_table import NameTable

_SESSION_START = re.compile(rb'"hookName":\s*"SessionStart:(clear|resume)"')
# Lines that an event waits; in all transcripts so far a usage grew within 16 lines of the first
# line of its message.
HOLD = 64
_TYPES = (
    "user",
    "assistant",
    "system",
    "summary",
    "progress",
    "file-history-snapshot",
    "queue-operation",
)


class ClaudeCode(BaseFormat):
    """Claude Code session files (.jsonl), a project folder, or all of ~/.claude/projects."""

    name = "claude_code"
    coding = True
    status = "verified"
    recipe = "point at ~/.claude/projects or one project folder in it; nothing has to be exported"

    def sniff(self, head: bytes) -> float:
        """By the fields that Claude Code writes into every record."""
        best = 0.0
        for value in first_values(head):
            if isinstance(value, dict):
                best = max(best, _likeness(value))

        return best

    def project(self, file: PurePath, top: PurePath, head: bytes) -> str:
        """The project's folder below `top`; subagents lie in <project>/<session>/subagents."""
        folder = file.parent
        below = folder.parts[len(top.parts) :]
        if "subagents" in below:
            depth = max(below.index("subagents") - 1, 0)
            folder = PurePath(*top.parts, *below[:depth])

        return "" if folder == top else str(folder.relative_to(top))

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of a session file; copies of records in other files count once."""
        return _TranscriptFile(log).events(stream)


def _likeness(value: dict[str, Any]) -> float:
    if isinstance(value.get("loglines"), list):
        return 0.9

    kind = value.get("type")
    message = value.get("message")
    if "sessionId" in value and "uuid" in value and kind in _TYPES:
        return 1.0

    if isinstance(message, dict):
        if kind in ("user", "assistant") and {"content", "usage"} & set(message):
            return 0.0 if {"payload", "parentId"} & set(value) else 0.85
        if "sessionId" in value and "usage" in message:
            return 0.85

    if kind == "summary" and "leafUuid" in value:
        return 0.9
    if kind == "file-history-snapshot" and "snapshot" in value:
        return 0.9
    if "sessionId" in value and isinstance(kind, str) and "messages" not in value:
        return 0.6
    return 0.0


class _TranscriptFile(Messages):
    """Reads one file; an event is released 64 to 128 lines after its own."""

    def __init__(self, log: ReadLog) -> None:
        super().__init__(log)
        self.raw_session: str | None = None
        # A file may hold a million sessions and few models and clients.
        self.other_sessions = NameTable()  # session -> the number of its model and client
        self.programs: list[tuple[str | None, str | None]] = [(None, None)]

    def events(self, stream: IO[bytes]) -> Iterator[Event]:
        """The events of a file. This is the hot loop: usual records are handled here without
        further calls.
        """
        number = 0
        first_session = self.copies.first_session
        file = self.file
        decode = decode_record

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

                kind = record.type
                message = record.message
                uuid = record.uuid

                if (
                    message is None
                    or uuid is None
                    or record.sessionId != self.raw_session
                    or (kind != "assistant" and kind != "user")
                    or (key := hash(uuid) & KEY) in first_session
                ):
                    self._take(record, line, Source(file, number))
                else:
                    first_session[key] = self.session
                    self.message(record, message, kind, line, Source(file, number))

                if not number % HOLD:
                    yield from self.release()

            yield from self.release()
            yield from self.release()
        finally:
            self.log.used += self.used
            self.used = 0

    # -- odd sources

    @staticmethod
    def _is_export(line: bytes) -> bool:
        return line.strip() in (b"{", b"[") or line.startswith((b'{"loglines"', b"["))

    def _export(self, line: bytes, stream: IO[bytes]) -> Iterator[Event]:
        """One JSON document: a web export ({"loglines": [...]}), or a list of records."""
        for _, value in records(stream, self.log, line):
            listed = value.get("loglines") if isinstance(value, dict) else None
            for item in listed if isinstance(listed, list) else [value]:
                self._loose_value(item, None)
                if len(self.newest_events) >= HOLD:
                    yield from self.release()

        yield from self.release()
        yield from self.release()

    def _loose(self, line: bytes, number: int, stream: IO[bytes]) -> None:
        if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            self.log.bad(number, f"line longer than {LONGEST_LINE >> 20} MB")
            skip_line(stream)
            return

        for value in line_values(line, number, self.log):
            self._loose_value(value, number)

    def _loose_value(self, value: Any, number: int | None) -> None:
        """Read a record whose fields have unusual types, as far as it can be understood."""
        if not isinstance(value, dict):
            self.log.bad(number, f"not a JSON object but {type(value).__name__}")
            return

        try:
            record, raw = loose_record(value)
        except ValueError as error:
            self.log.bad(number, str(error))
            return

        self._take(record, raw, Source(self.file, number))

    # -- one record

    def _take(self, record: Record, line: bytes, source: Source) -> None:
        """Read any record, also one of another session, a copy, or one that the client wrote."""
        kind = record.type
        message = record.message
        if kind is None and message is not None:
            speaker = link_in(line).message
            if speaker is not None and speaker.role in ("user", "assistant"):
                kind = speaker.role

        if kind == "assistant" or kind == "user":
            if message is None:
                self.log.bad(source.line, f"{kind} record without a message")
            elif self._first_time(record, line):
                self.message(record, message, kind, line, source)
        elif kind == "progress":
            self._progress(record, line, source)
        elif kind == "system":
            self._system(record, line, source)
        elif kind == "attachment" and _SESSION_START.search(line):
            self._hook_start(record, line, source, "attachment")
        elif kind is None:
            self.log.bad(source.line, "no type")
        else:
            self.log.ignore(kind[:60])

    def _first_time(self, record: Record, line: bytes) -> bool:
        """Whether this record is new; a copy counts as a duplicate and joins the two sessions."""
        name = record.sessionId
        first_session = self.copies.first_session
        if name is None:
            name = self.raw_session or PurePath(self.file).stem
        if name != self.raw_session:
            self._enter(name, record, line)

        key = hash(record.uuid or line) & KEY
        origin = first_session.get(key)
        if origin is None:
            first_session[key] = self.session
            return True

        self.log.duplicate += 1
        if origin != self.session and record.uuid is not None:
            self.session = self.copies.join(self.session, origin)
        return False

    def _enter(self, name: str, record: Record, line: bytes) -> None:
        """Switch to another session; when its record follows one of an earlier session, the two are
        joined.
        """
        self._remember(self.session)
        self.raw_session = name
        self.session = self.copies.session(name)

        origin = None
        parent = None if record.isSidechain else link_in(line).parentUuid
        if isinstance(parent, str) and parent:
            origin = self.copies.first_session.get(hash(parent) & KEY)
        if origin is not None and origin != self.session:
            self.session = self.copies.join(name, origin)
        self.model, self.client = self.programs[self.other_sessions.get(self.session) or 0]

    def _remember(self, session: str) -> None:
        """Note the model and client of a session that another one follows."""
        program = (self.model, self.client)
        if program not in self.programs:
            self.programs.append(program)
        self.other_sessions.put(session, self.programs.index(program))

    # -- what the client wrote

    def _system(self, record: Record, line: bytes, source: Source) -> None:
        kind = record.subtype
        if kind != "compact_boundary" and kind != "local_command":
            self.log.ignore(f"system:{(kind or 'note')[:60]}")
            return
        if not self._first_time(record, line):
            return

        about = boundary_in(line)
        moment = self.time(record)
        thread = record.agentId if record.isSidechain else None
        self.used += 1

        if kind == "compact_boundary":
            self.summaries_due += 1
            metadata = about.compactMetadata or {}
            self.meta(
                moment,
                source,
                thread,
                lifecycle="compaction",
                metadata=metadata,
            )
            return

        text = about.content if isinstance(about.content, str) else ""
        self.user_text(record, text or "<local-command-stdout>", moment, thread, source)

    def _progress(self, record: Record, line: bytes, source: Source) -> None:
        """Progress is ignored, except a subagent's messages: older clients write them only here."""
        if _SESSION_START.search(line) and b'"agent_progress"' not in line:
            self._hook_start(record, line, source, "progress:hook_progress")
            return

        inner = progress_in(line)
        message = inner.message if inner is not None and inner.type == "agent_progress" else None
        if inner is None or message is None or message.message is None:
            self._ignore_progress(inner)
            return
        if message.type not in ("user", "assistant"):
            self._ignore_progress(inner)
            return

        message.sessionId = record.sessionId
        message.version = record.version
        message.agentId = inner.agentId or message.agentId
        message.isSidechain = True
        message.timestamp = message.timestamp or record.timestamp
        message.uuid = message.uuid or record.uuid
        if self._first_time(message, line):
            self.message(message, message.message, message.type, b"", source)

    def _ignore_progress(self, progress: ProgressData | None) -> None:
        kind = progress.type if progress is not None else None
        self.log.ignore(f"progress:{kind[:60]}" if kind else "progress")

    def _hook_start(
        self,
        record: Record,
        line: bytes,
        source: Source,
        ignored_as: str,
    ) -> None:
        """Add the clear or resume event that a hook reports, once per hook."""
        start = _SESSION_START.search(line)
        if start is None or record.sessionId is None:
            self.log.ignore(ignored_as)
        elif self._first_time(record, line):
            if self.start(start[1].decode(), self.time(record), source, None, None):
                self.used += 1
            else:
                self.log.ignore(ignored_as)
