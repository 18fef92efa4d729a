"""The records in a stream: JSON lines, one JSON document, or a mixture of both."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from functools import partial
from typing import IO, Any

import msgspec

from agingbench.records import ReadLog

LONGEST_LINE = 64 << 20  # a longer line costs its record, not the memory of the machine
LARGEST_DOCUMENT = 256 << 20  # whole-file JSON has to be held at once
DEEPEST = 300  # levels; nothing an agent writes comes near it
BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{},]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_decoder = json.JSONDecoder()


def lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines of a stream; a line longer than LONGEST_LINE comes in pieces of that length."""
    return iter(partial(stream.readline, LONGEST_LINE), b"")


def skip_line(stream: IO[bytes]) -> None:
    """Read on to the end of a line that was too long."""
    while piece := stream.readline(LONGEST_LINE):
        if piece.endswith(b"\n"):
            return


def decode(data: bytes) -> Any:
    """The JSON value in some bytes; raises ValueError with the reason when there is none."""
    try:
        value = msgspec.json.decode(data)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 ({error.reason})") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except msgspec.MsgspecError as error:
        raise ValueError(f"not JSON ({error})") from error

    if data.count(b"[") + data.count(b"{") > DEEPEST and _depth(value) > DEEPEST:
        raise ValueError("nested too deeply")
    return value


def _depth(value: Any) -> int:
    """How deeply lists and objects are nested in a value."""
    depth = 0
    level = [value]
    while level and depth <= DEEPEST:
        inner = (
            v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list)
        )
        level = [v for values in inner for v in values if isinstance(v, dict | list)]
        depth += 1

    return depth


def line_values(line: bytes, number: int, log: ReadLog) -> list[Any]:
    """The values on one line: usually one, several when they are glued together, none for a
    comment.

    What cannot be read is told to the log.
    """
    bare = line.strip().removeprefix(BOM)
    if not bare:
        return []
    if bare.startswith(b"//"):
        log.ignore("comment")
        return []

    try:
        return [decode(bare)]
    except ValueError as error:
        values = _glued(bare)
        if not values:
            torn = "" if line.endswith(b"\n") else "torn last line, "
            log.bad(number, f"{torn}{error}")

        return values


def _glued(line: bytes) -> list[Any]:
    """Several JSON values written one after the other; none if any of it is not JSON."""
    values: list[Any] = []
    try:
        text = line.decode()
        at = 0
        while at < len(text):
            value, at = _decoder.raw_decode(text, at)
            values.append(value)
            while at < len(text) and text[at].isspace():
                at += 1
    except (ValueError, RecursionError):
        return []

    return values if len(values) > 1 and all(_depth(value) <= DEEPEST for value in values) else []


def records(
    stream: IO[bytes],
    log: ReadLog,
    first: bytes = b"",
) -> Iterator[tuple[int | None, Any]]:
    """(line, value) of every record: of each line, or of the one document the file holds.

    A document that is a list gives its items; its records have no line. `first` is a line that was
    read already.
    """
    first = first or stream.readline(LONGEST_LINE)
    number = 1
    while first and not first.strip().removeprefix(BOM):
        first = stream.readline(LONGEST_LINE)
        number = number + 1
    if not first:
        return
    if _is_document(first):
        yield from _document(first, stream, log)
        return

    line = first
    while line:
        if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            log.bad(number, f"line longer than {LONGEST_LINE >> 20} MB")
            skip_line(stream)
        else:
            for value in line_values(line, number, log):
                yield number, value

        line = stream.readline(LONGEST_LINE)
        number = number + 1


def _is_document(first: bytes) -> bool:
    bare = first.strip().removeprefix(BOM)
    if bare[:1] == b"[":
        return True
    if bare[:1] != b"{":
        return False

    try:
        decode(bare)
    except ValueError:
        # A first line that ends inside an object is pretty-printed JSON, unless its end was lost.
        return bare in (b"{", b"[") or bare.endswith((b",", b"{", b"["))

    return False


def _document(first: bytes, stream: IO[bytes], log: ReadLog) -> Iterator[tuple[int | None, Any]]:
    rest = stream.read(LARGEST_DOCUMENT)
    if len(rest) >= LARGEST_DOCUMENT:
        log.bad(
            None,
            f"one JSON document of more than {LARGEST_DOCUMENT >> 20} MB; JSON lines have no such"
            " limit",
        )
        return

    data = (first + rest).removeprefix(BOM).strip()
    try:
        value = decode(data)
    except ValueError as error:
        values = _glued(data)
        if not values:
            log.bad(None, str(error))
        for value in values:
            yield None, value
        return

    if isinstance(value, list):
        for item in value:
            yield None, item
    else:
        yield None, value


@functools.lru_cache(maxsize=4)
def first_values(head: bytes) -> tuple[Any, ...]:
    """The first values of a file, from its first bytes; the last one may be incomplete.

    This is what sniffers look at: the content, however the file is named or laid out.
    """
    text = head.removeprefix(BOM).decode("utf-8", "replace").lstrip()
    bare = [line.strip() for line in text.splitlines()[:60]]
    parsed = [_parsed(line) for line in bare if line and not line.startswith("//")]
    values = [value for value in parsed if value is not None]
    if not parsed or parsed[0] is None:
        values = _closed(text) or [value for value in values if isinstance(value, dict)]

    flat = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    return tuple(flat[:40])


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _closed(text: str) -> list[Any]:
    """A document cut off in the middle, closed after its last complete part."""
    depth: list[str] = []
    cut = 0
    closers = ""

    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign == '"':  # the string that the head ends in
            break

        if sign in _CLOSING:
            depth.append(_CLOSING[sign])
        elif sign in ("}", "]"):
            if not depth or depth.pop() != sign:
                break

            if not depth:
                cut = token.end()
                closers = ""
                break
        elif sign == "," and depth:
            cut = token.start()
            closers = "".join(reversed(depth))

        if len(depth) > 200:
            break

    try:
        return [json.loads(text[:cut] + closers)] if cut else []
    except (ValueError, RecursionError):
        return []
