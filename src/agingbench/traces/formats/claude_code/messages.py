"""The messages of one Claude Code file as events: replies, tool calls, results, client texts."""

from __future__ import annotations

import re
from typing import Any

from agingbench.records import Event, ReadLog, Role, Source, Usage
from agingbench.traces.decoding.times import LATEST, seconds
from agingbench.traces.error_kinds import classify_error
from agingbench.traces.formats.claude_code.copies import KEY, CopyIndex
from agingbench.traces.formats.claude_code.records import Block, Record, TranscriptMessage, text_in

_COMMAND = re.compile(
    r"\s*(?:<command-message>[^<]*</command-message>\s*)?<command-name>\s*(/?[\w:.-]+)"
)
_CLIENT_TEXT = (
    ("<local-command-", "command_output"),
    ("<bash-", "user_shell"),
    ("[Request interrupted by user", "interrupted"),
    ("Caveat: The messages below", "client_note"),
    ("<system-reminder>", "client_note"),
)
_INTERRUPTED = re.compile(rb'"interrupted":\s*true')
CALLS = 20_000  # calls that wait for a result; orphans beyond that are forgotten


class Messages:
    """Turns messages into events and holds them back for two batches of lines.

    The largest usage of a message stands on its last line; while its first event is held back,
    that usage can still be put on it.
    """

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.copies = CopyIndex.of(log)
        self.file = log.file
        self.step = 0
        self.used = 0
        self.newest_events: list[Event] = []
        self.previous_events: list[Event] = []
        self.newest_by_message: dict[int, Event] = {}
        self.previous_by_message: dict[int, Event] = {}
        self.calls: dict[str, tuple[str | None, float | None]] = {}
        self.session = ""
        self.model: str | None = None
        self.client: str | None = None
        self.summaries_due = 0
        self.starts: dict[tuple[str, str], float] = {}

    def release(self) -> list[Event]:
        """End a batch: return the events of the batch before it and hold back those of this one."""
        ready = self.previous_events
        self.previous_events = self.newest_events
        self.previous_by_message = self.newest_by_message
        self.newest_by_message = {}
        self.newest_events = []

        return ready

    def message(
        self,
        record: Record,
        message: TranscriptMessage,
        kind: str,
        line: bytes,
        source: Source,
    ) -> None:
        """Add the events of a message, from a record that was not read before."""
        self.used += 1
        at = record.timestamp
        content = message.content
        moment = at.timestamp() if at is not None else -1.0
        if not 0.0 <= moment <= LATEST:
            moment = self.time(record)  # type: ignore[assignment]
        if record.version != self.client:
            self._new_client(record.version, moment, source)

        thread = None if not record.isSidechain else record.agentId or "sidechain"
        if kind == "assistant":
            self._assistant(message, content, moment, thread, source)
        elif type(content) is list and len(content) == 1 and content[0].type == "tool_result":
            self.newest_events.append(self._result(content[0], moment, thread, source, line))
        else:
            self._user(
                record,
                content,
                moment,
                thread,
                source,
                line,
            )

    def time(self, record: Record) -> float | None:
        """The time of a record; an odd one is flagged."""
        value = record.agingbench_time if record.timestamp is None else record.timestamp
        return seconds(value, self.log)

    def _new_client(self, version: str | None, moment: float | None, source: Source) -> None:
        before = self.client
        if version is not None:
            self.client = version
            if before is not None:
                about = {"from": before, "to": version}
                self.meta(
                    moment,
                    source,
                    None,
                    lifecycle="client_change",
                    metadata=about,
                )

    # -- assistant

    def _assistant(
        self,
        message: TranscriptMessage,
        content: Any,
        moment: float | None,
        thread: str | None,
        source: Source,
    ) -> None:
        model = message.model
        tokens = message.usage
        usage = None
        key = 0

        if model == self.model:
            model = self.model  # the same text, and one object for all
        else:
            if model == "<synthetic>":
                self.meta(
                    moment,
                    source,
                    thread,
                    call_type="synthetic",
                    content=text_in(content),
                )
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
                key = hash(message.id) & KEY
                usages = self.copies.usages
                if key in usages:
                    self._keep_larger_usage(key, usage)
                    usage = None
                else:
                    usages.add(key)

        if type(content) is not list or not content:
            content = [Block("text", text=text_in(content))]

        for block in content:
            what = block.type
            self.step += 1
            # Fields are given in the order in which Event has them: that is how they are looked up
            # fastest.
            if what == "tool_use" or what == "server_tool_use":
                if block.id is not None:
                    self.calls[block.id] = (block.name, moment)
                event = Event(
                    step=self.step,
                    role="tool_call",
                    tool_name=block.name,
                    arguments=block.input,
                    timestamp=moment,
                    tool_call_id=block.id,
                    model=model,
                    source=source,
                    session_id=self.session,
                    client=self.client,
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
                    model=model,
                    source=source,
                    session_id=self.session,
                    client=self.client,
                )
                if block.signature and not block.thinking:
                    # Newer clients leave the text out; its length can be told from this.
                    event.metadata = {"signature_length": len(block.signature)}

            self.newest_events.append(event)
            if thread is not None:
                event.thread = thread

            if usage is not None:
                event.usage = usage
                self.newest_by_message[key] = event
                usage = None

    def _new_model(self, model: str | None, moment: float | None, source: Source) -> None:
        before = self.model
        if model is not None:
            self.model = model
            if before is not None:
                about = {"from": before, "to": model}
                self.meta(
                    moment,
                    source,
                    None,
                    lifecycle="model_change",
                    metadata=about,
                )

    def _keep_larger_usage(self, key: int, usage: Usage) -> None:
        """Put the larger of two usages of a message on its first event."""
        first = self.newest_by_message.get(key) or self.previous_by_message.get(key)
        if first is not None and first.usage is not None:
            first.usage = _larger(first.usage, usage)

    # -- user

    def _user(
        self,
        record: Record,
        content: Any,
        moment: float | None,
        thread: str | None,
        source: Source,
        line: bytes,
    ) -> None:
        if type(content) is not list:
            self.user_text(record, text_in(content), moment, thread, source)
            return

        texts = []
        for block in content:
            if block.type == "tool_result":
                self.newest_events.append(self._result(block, moment, thread, source, line))
            elif block.type == "text":
                texts.append(block.text or "")
            else:
                texts.append(f"[{block.type or 'unknown'}]")

        if texts or not content:
            self.user_text(record, "\n".join(texts), moment, thread, source)

    def user_text(
        self,
        record: Record,
        text: str,
        moment: float | None,
        thread: str | None,
        source: Source,
    ) -> None:
        """Add a text in the user's name: a prompt, or something that the client wrote."""
        command = _COMMAND.match(text) if text[:80].lstrip().startswith("<command-") else None
        if record.isCompactSummary:
            if self.summaries_due:
                self.summaries_due -= 1
            else:
                self.meta(
                    moment,
                    source,
                    thread,
                    lifecycle="compaction",
                    metadata={"from": "summary"},
                )

            self.meta(
                moment,
                source,
                thread,
                call_type="compact_summary",
                content=text,
            )
        elif command is not None:
            name = command[1]
            if name == "/clear":
                self.start("clear", moment, source, thread, text)
            else:
                self.meta(
                    moment,
                    source,
                    thread,
                    call_type="command",
                    content=text,
                    command=name,
                )
        else:
            call_type = _client_text_kind(text)
            if call_type is None and record.isMeta:
                call_type = "client_note"

            if call_type is not None:
                self.meta(
                    moment,
                    source,
                    thread,
                    call_type=call_type,
                    content=text,
                )
            else:
                mode = record.permissionMode
                metadata = None if mode is None else {"permission_mode": mode}
                self._add("user", moment, source, thread, content=text, metadata=metadata)

    def _result(
        self,
        block: Block,
        moment: float | None,
        thread: str | None,
        source: Source,
        line: bytes,
    ) -> Event:
        content = block.content
        call_id = block.tool_use_id
        text = content if type(content) is str else text_in(content)
        name = None
        took = None
        self.step += 1

        if call_id is not None and call_id in self.calls:
            name, start = self.calls.pop(call_id)
            if start is not None and moment is not None and moment >= start:
                took = (moment - start) * 1000.0
        elif len(self.calls) > CALLS:
            self.calls.clear()

        event = Event(
            step=self.step,
            role="tool_result",
            tool_name=name,
            stdout=text,
            duration_ms=took,
            timestamp=moment,
            tool_call_id=call_id,
            source=source,
            session_id=self.session,
            client=self.client,
        )
        if block.is_error:
            event.error_kind = classify_error(text)
        # `find` and not `in`, which costs an exception per line.
        elif line.find(b'"interrupted"') >= 0 and _INTERRUPTED.search(line):
            event.error_kind = "cancelled"

        if thread is not None:
            event.thread = thread
        return event

    # -- what the client wrote

    def _add(
        self,
        role: Role,
        moment: float | None,
        source: Source,
        thread: str | None,
        **fields: Any,
    ) -> None:
        self.step += 1
        event = Event(
            step=self.step,
            role=role,
            timestamp=moment,
            source=source,
            session_id=self.session,
            thread=thread,
            client=self.client,
            **fields,
        )
        self.newest_events.append(event)

    def meta(
        self,
        moment: float | None,
        source: Source,
        thread: str | None,
        **fields: Any,
    ) -> None:
        """Add an event that is neither a message nor a tool call."""
        self._add("meta", moment, source, thread, **fields)

    def start(
        self,
        kind: str,
        moment: float | None,
        source: Source,
        thread: str | None,
        text: str | None,
    ) -> bool:
        """Add a lifecycle event, unless another record gave the same within a minute; whether it
        was added.
        """
        last = self.starts.get((self.session, kind))
        fresh = last is None or moment is None or abs(moment - last) > 60
        if moment is not None:
            self.starts[(self.session, kind)] = moment

        if fresh:
            self.meta(
                moment,
                source,
                thread,
                lifecycle=kind,
                content=text,
            )
        elif text is not None:
            self.meta(
                moment,
                source,
                thread,
                call_type="command",
                content=text,
                command=f"/{kind}",
            )

        return fresh


def _client_text_kind(text: str) -> str | None:
    """What the client wrote in the user's name; None for a text of the user."""
    for start, kind in _CLIENT_TEXT:
        if text.startswith(start):
            return kind

    return None


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
