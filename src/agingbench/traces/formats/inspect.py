"""Inspect logs: `.eval` archives and JSON logs; every sample and epoch is a session of its own."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from agingbench.records import Event, ReadLog
from agingbench.traces.decoding.building import (
    Builder,
    first,
    items,
    mapping,
    string,
    text_of,
    usage,
)
from agingbench.traces.decoding.sources import decode, opening, records
from agingbench.traces.tool_errors import REFUSED, error_kind

# An archive is hostile until shown otherwise: what unpacks to more than this costs its own record.
LARGEST_MEMBER = 256 << 20
LARGEST_TOTAL = 4 << 30
LARGEST_RATIO = 200  # real samples shrink to a tenth; only what is beyond 1 MB is held against it
SMALL = 1 << 20
MOST_MEMBERS = 200_000
_ZIP = b"PK\x03\x04"
_ATTACHMENT = "attachment://"
_SAMPLE = re.compile(r"samples/[^/]+\.json")
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class Sample(NamedTuple):
    """One sample of a log as it was stored: its place in the log, its bytes (of an archive) and its
    content.
    """

    place: str
    raw: bytes | None
    content: dict[str, Any]


class Inspect:
    """`.eval` and `.json` logs of inspect_ai."""

    name = "inspect"
    status = "verified"
    recipe = "inspect eval writes logs/*.eval; older or converted logs are .json"

    def sniff(self, head: bytes) -> float:
        """By the members of the archive, or by the blocks of a JSON log."""
        if head.startswith(_ZIP):
            return (
                0.95
                if b"_journal/start.json" in head or b"samples/" in head or b"header.json" in head
                else 0.0
            )
        value = next(iter(opening(head)), None)
        if not isinstance(value, dict) or not isinstance(value.get("eval"), dict):
            return 0.0
        return 0.95 if {"task", "model"} <= value["eval"].keys() else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The messages of every sample, with tokens and times from its model and tool events."""
        header, samples = read_log(stream, log)
        for sample in samples:
            log.used += 1
            yield from sample_events(header, sample.content, log)


def read_log(stream: IO[bytes], log: ReadLog) -> tuple[dict[str, Any], Iterator[Sample]]:
    """The head of a log (its `eval` block among others) and its samples; a bad sample is told to
    the log.
    """
    start = stream.read(4)
    if start == _ZIP:
        return _archive(stream if stream.seekable() else io.BytesIO(start + stream.read()), log)
    rest = stream.read()
    for _, value in records(io.BytesIO(start + rest), log):
        if isinstance(value, dict) and isinstance(value.get("eval"), dict):
            return {k: v for k, v in value.items() if k != "samples"}, _listed(value, log)
        log.bad(None, "no Inspect log: there is no `eval` block")
    return {}, iter(())


def _listed(value: dict[str, Any], log: ReadLog) -> Iterator[Sample]:
    for number, sample in enumerate(items(value.get("samples"))):
        if isinstance(sample, dict):
            yield Sample(f"samples/{number}", None, sample)
        else:
            log.bad(None, f"samples/{number}: not a sample")


def _archive(stream: IO[bytes], log: ReadLog) -> tuple[dict[str, Any], Iterator[Sample]]:
    try:
        archive = zipfile.ZipFile(stream)
        members = archive.infolist()
    except _BROKEN as error:
        log.bad(None, f"not a readable archive ({error})")
        return {}, iter(())
    if len(members) > MOST_MEMBERS:
        log.bad(None, f"an archive of {len(members)} members")
        return {}, iter(())
    by_name = {m.filename: m for m in members}
    header: dict[str, Any] = {}
    for name in (
        "_journal/start.json",
        "header.json",
    ):  # the second is there once the evaluation has ended
        if name in by_name:
            found = _member(archive, by_name[name], log)
            header = {**header, **(found[1] if found else {})}
    return header, _members(archive, members, log)


def _members(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], log: ReadLog
) -> Iterator[Sample]:
    total = 0
    for member in members:
        if not _SAMPLE.fullmatch(member.filename):
            if not member.filename.endswith(("header.json", "start.json")):
                log.ignore("archive member")
            continue
        total += member.file_size
        if total > LARGEST_TOTAL:
            log.bad(
                None,
                f"{member.filename}: the archive unpacks to more than {LARGEST_TOTAL >> 30} GB",
            )
            continue
        found = _member(archive, member, log)
        if found is not None:
            yield Sample(member.filename, *found)


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, log: ReadLog
) -> tuple[bytes, dict[str, Any]] | None:
    """The bytes and the object in a member, or nothing, with the reason in the log."""
    size = member.file_size
    packed = max(member.compress_size, 1)
    if size > LARGEST_MEMBER or (size > SMALL and size / packed > LARGEST_RATIO):
        log.bad(None, f"{member.filename}: {packed} bytes that unpack to {size}: not unpacked")
        return None
    try:
        with archive.open(member) as inner:
            data = inner.read(LARGEST_MEMBER + 1)
        if len(data) > max(size, 0):
            raise ValueError("longer than the archive says")
        value = decode(data)
    except _BROKEN as error:
        log.bad(None, f"{member.filename}: {error}")
        return None
    if not isinstance(value, dict):
        log.bad(None, f"{member.filename}: not an object")
        return None
    return data, value


def sample_events(header: dict[str, Any], sample: dict[str, Any], log: ReadLog) -> Iterator[Event]:
    """The events of one sample; texts kept aside as attachments are put back."""
    about = mapping(header.get("eval"))
    kept = mapping(sample.get("attachments"))
    named = f"{about.get('task')}/{sample.get('id')}/epoch_{sample.get('epoch')}"
    build = Builder(log, string(sample.get("uuid")) or named)
    build.model = string(about.get("model"))
    asked = _model_events(sample)
    ran = _tool_events(sample)
    start = sample.get("started_at")
    time = build.time(start) if start else None
    for message in items(sample.get("messages")):
        if isinstance(message, dict):
            for event in _message(build, message, kept, asked, ran, time):
                time = event.timestamp if event.timestamp is not None else time
                yield event
        else:
            log.flag("odd_message")
    for event in items(sample.get("events")):
        if mapping(event).get("event") == "compaction":
            yield build.event(
                "meta", None, build.time(event.get("timestamp")), lifecycle="compaction"
            )


def _model_events(sample: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The model call behind every assistant message, by the message's id."""
    found = {}
    for event in items(sample.get("events")):
        told = mapping(event)
        choices = (
            items(mapping(told.get("output")).get("choices"))
            if told.get("event") == "model"
            else []
        )
        message = mapping(mapping(choices[0]).get("message")) if choices else {}
        if isinstance(message.get("id"), str):
            found[message["id"]] = told
    return found


def _tool_events(sample: dict[str, Any]) -> dict[str, dict[str, Any]]:
    told = (mapping(event) for event in items(sample.get("events")))
    return {e["id"]: e for e in told if e.get("event") == "tool" and isinstance(e.get("id"), str)}


def _message(
    build: Builder,
    message: dict[str, Any],
    kept: dict[str, Any],
    asked: dict[str, dict[str, Any]],
    ran: dict[str, dict[str, Any]],
    before: float | None,
) -> Iterator[Event]:
    role = message.get("role")
    text = text_of(_put_back(message.get("content"), kept))
    if role == "assistant":
        call = asked.get(str(message.get("id")), {})
        output = mapping(call.get("output"))
        time = build.time(call["timestamp"]) if call.get("timestamp") else before
        took = output.get("time")
        yield build.event(
            "assistant",
            None,
            time,
            content=text,
            usage=_usage(output.get("usage")),
            model=string(message.get("model")) or string(output.get("model")) or build.model,
            duration_ms=took * 1000.0
            if isinstance(took, int | float) and not isinstance(took, bool)
            else None,
        )
        for made in items(message.get("tool_calls")):
            told = mapping(made)
            inner = told.get("function")
            name = inner.get("name") if isinstance(inner, dict) else inner or told.get("name")
            yield build.call(
                None, time, name, _put_back(told.get("arguments"), kept), told.get("id")
            )
    elif role == "tool":
        yield _result(build, message, text, ran, before)
    elif role in ("system", "user"):
        yield build.event("system" if role == "system" else "user", None, before, content=text)
    else:
        build.log.flag("odd_message")


def _result(
    build: Builder,
    message: dict[str, Any],
    text: str,
    ran: dict[str, dict[str, Any]],
    before: float | None,
) -> Event:
    call = string(message.get("tool_call_id"))
    ended = mapping(ran.get(call or "")).get("completed")
    error = mapping(message.get("error"))
    kind = None
    if error:
        approval = error.get("type") in ("approval", "permission", "parsing")
        kind = REFUSED if approval else error_kind(str(error.get("message") or text))
        text = text or str(error.get("message"))
    event = build.result(None, build.time(ended) if ended else before, call, text, error_kind=kind)
    event.tool_name = event.tool_name or string(first(message, "function", "name"))
    return event


def _usage(told: Any) -> Any:
    given = mapping(told)
    return usage(
        given.get("input_tokens"),
        given.get("output_tokens"),
        given.get("input_tokens_cache_read"),
        given.get("input_tokens_cache_write"),
        given.get("total_cost"),
        includes_cache=False,
    )


def _put_back(value: Any, kept: dict[str, Any]) -> Any:
    if isinstance(value, str):
        return (
            kept.get(value.removeprefix(_ATTACHMENT), value)
            if value.startswith(_ATTACHMENT)
            else value
        )
    if isinstance(value, list):
        return [_put_back(part, kept) for part in value]
    if isinstance(value, dict):
        return {key: _put_back(part, kept) for key, part in value.items()}
    return value
