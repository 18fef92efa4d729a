"""The records of a Claude Code transcript as typed structs, with only the fields that are read."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec

from agingbench.traces.decoding.building import MOST_TOKENS, count

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_TOKENS)]
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


# Fields stand in the order in which clients write them: that is the order in which the decoder
# expects them.


class Tokens(msgspec.Struct, gc=False):
    """The usage of a message, as far as it was known when the line was written."""

    input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    output_tokens: Count | None = None


class Block(msgspec.Struct, gc=False):
    """A part of a message: text, thinking, tool_use or tool_result."""

    type: str = ""
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    content: str | list[Any] | None = None
    is_error: bool | None = None


class TranscriptMessage(msgspec.Struct, gc=False):
    """A message of the user or the model."""

    model: str | None = None
    id: str | None = None
    content: str | list[Block] | None = None
    usage: Tokens | None = None


class Record(msgspec.Struct, gc=False):
    """One line of a transcript."""

    isSidechain: bool | None = None  # noqa: N815 (the source's own names)
    sessionId: str | None = None  # noqa: N815
    version: str | None = None
    agentId: str | None = None  # noqa: N815
    type: str | None = None
    subtype: str | None = None
    message: TranscriptMessage | None = None
    isMeta: bool | None = None  # noqa: N815
    uuid: str | None = None
    timestamp: Moment | None = None
    permissionMode: str | None = None  # noqa: N815
    isCompactSummary: bool | None = None  # noqa: N815
    agingbench_time: Any = None  # a time that is not as usual, put here by loose_record


class Role(msgspec.Struct, gc=False):
    """The role in a message."""

    role: Any = None


class RecordLink(msgspec.Struct, gc=False):
    """Fields of a line that are seldom needed: the record it follows, and the role."""

    parentUuid: Any = None  # noqa: N815
    message: Role | None = None


class ProgressData(msgspec.Struct, gc=False):
    """The content of a progress record; for a subagent, a record of its own."""

    type: str | None = None
    message: Record | None = None
    agentId: str | None = None  # noqa: N815


class ProgressRecord(msgspec.Struct, gc=False):
    """A progress line."""

    data: ProgressData | None = None


class Boundary(msgspec.Struct, gc=False):
    """The content of a system line."""

    compactMetadata: dict[str, Any] | None = None  # noqa: N815
    content: Any = None


decode_record = msgspec.json.Decoder(Record).decode
_progress = msgspec.json.Decoder(ProgressRecord)
_boundary = msgspec.json.Decoder(Boundary)
_link = msgspec.json.Decoder(RecordLink)


def progress_in(line: bytes) -> ProgressData | None:
    """The content of a progress line; None when it cannot be read."""
    try:
        return _progress.decode(line).data
    except UNREADABLE:
        return None


def boundary_in(line: bytes) -> Boundary:
    """The content of a system line; empty when it cannot be read."""
    try:
        return _boundary.decode(line)
    except UNREADABLE:
        return Boundary()


def link_in(line: bytes) -> RecordLink:
    """The link of a line to the record before it; empty when it cannot be read."""
    try:
        return _link.decode(line)
    except UNREADABLE:
        return RecordLink()


def text_in(content: Any) -> str:
    """The text of a message or a result; parts without text are named in brackets."""
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
            parts.append(
                text if isinstance(text, str) else f"[{str(part.get('type', 'unknown'))[:40]}]"
            )

    return "\n".join(parts)


def loose_record(value: dict[str, Any]) -> tuple[Record, bytes]:
    """A record from fields of unusual types, and its bytes; raises ValueError if it is none."""
    try:
        raw = msgspec.json.encode(_mended(value))
        return decode_record(raw), raw
    except (*UNREADABLE, UnicodeEncodeError, TypeError, OverflowError) as error:
        raise ValueError(f"not a Claude Code record ({error})") from error


def _mended(value: dict[str, Any]) -> dict[str, Any]:
    """The record again, with fields of unusual types left out or turned into the usual type."""
    strings = (
        "type",
        "uuid",
        "sessionId",
        "version",
        "agentId",
        "parentUuid",
        "subtype",
        "permissionMode",
    )
    flags = ("isSidechain", "isMeta", "isCompactSummary")
    fields = dict(value)

    for key in strings:
        if key in fields and not isinstance(fields[key], str | None):
            fields[key] = str(fields[key]) if isinstance(fields[key], int | float) else None

    for key in flags:
        if key in fields:
            fields[key] = fields[key] is True

    fields["agingbench_time"] = fields.pop("timestamp", None)
    message = fields.get("message")
    if isinstance(message, str):
        message = {"content": message}

    fields["message"] = _mended_message(message) if isinstance(message, dict) else None
    return fields


def _mended_message(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, dict):
        content = [content]

    if isinstance(content, list):
        content = [_mended_block(block) for block in content if isinstance(block, dict | str)]
    elif content is not None and not isinstance(content, str):
        content = str(content)

    usage = message.get("usage")
    tokens = None
    if isinstance(usage, dict):
        tokens = {name: count(usage.get(name)) for name in Tokens.__struct_fields__}

    fields = {k: message[k] for k in ("id", "model", "role") if isinstance(message.get(k), str)}
    return {**fields, "content": content, "usage": tokens}


def _mended_block(block: dict[str, Any] | str) -> dict[str, Any]:
    if isinstance(block, str):
        return {"type": "text", "text": block}

    fields = {k: v for k, v in block.items() if k in Block.__struct_fields__}
    for key in ("type", "text", "thinking", "signature", "id", "name", "tool_use_id"):
        if key in fields and not isinstance(fields[key], str):
            fields[key] = "" if key == "type" else None
    if not isinstance(fields.get("content"), str | list | None):
        fields["content"] = [fields["content"]]

    fields["is_error"] = fields.get("is_error") is True
    return fields
