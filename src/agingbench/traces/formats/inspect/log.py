"""Inspect log files: the header and the samples of an `.eval` archive or a JSON log."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from agingbench.records import ReadLog
from agingbench.traces.decoding.building import items
from agingbench.traces.decoding.sources import decode, records
from agingbench.traces.formats.inspect.zstd import needs_zstd, open_zstd, zstd_errors

# An archive is hostile until shown otherwise: what unpacks to more than this costs its own record.
LARGEST_MEMBER = 256 << 20
LARGEST_TOTAL = 4 << 30
LARGEST_RATIO = 200  # real samples shrink to a tenth; only what is beyond 1 MB is held against it
SMALL = 1 << 20
MOST_MEMBERS = 200_000
ZIP = b"PK\x03\x04"
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


class LogSample(NamedTuple):
    """One sample of a log: its place in the log, its bytes (in an archive) and its content."""

    place: str
    raw: bytes | None
    content: dict[str, Any]


def read_log(stream: IO[bytes], log: ReadLog) -> tuple[dict[str, Any], Iterator[LogSample]]:
    """The header of a log and its samples; samples that cannot be read are told to the log."""
    start = stream.read(4)
    if start == ZIP:
        return _archive(stream if stream.seekable() else io.BytesIO(start + stream.read()), log)

    rest = stream.read()
    for _, value in records(io.BytesIO(start + rest), log):
        if isinstance(value, dict) and isinstance(value.get("eval"), dict):
            return {k: v for k, v in value.items() if k != "samples"}, _listed(value, log)
        log.bad(None, "no Inspect log: there is no `eval` block")

    return {}, iter(())


def _listed(value: dict[str, Any], log: ReadLog) -> Iterator[LogSample]:
    for number, sample in enumerate(items(value.get("samples"))):
        if isinstance(sample, dict):
            yield LogSample(f"samples/{number}", None, sample)
        else:
            log.bad(None, f"samples/{number}: not a sample")


def _archive(stream: IO[bytes], log: ReadLog) -> tuple[dict[str, Any], Iterator[LogSample]]:
    try:
        archive = zipfile.ZipFile(stream)
        members = archive.infolist()
    except _BROKEN as error:
        log.bad(None, f"not a readable archive ({error})")
        return {}, iter(())

    if len(members) > MOST_MEMBERS:
        log.bad(None, f"an archive of {len(members)} members")
        return {}, iter(())

    if needs_zstd(members):
        opened = open_zstd(stream)
        if opened is None:
            log.bad(None, "packed with zstd: `pip install backports.zstd`, then read it again")
            return {}, iter(())
        archive = opened
        members = archive.infolist()

    by_name = {m.filename: m for m in members}
    header: dict[str, Any] = {}
    for name in (
        "_journal/start.json",
        "header.json",
    ):  # the second is there once the evaluation has ended
        if name in by_name:
            member_content = _member(archive, by_name[name], log)
            header = {**header, **(member_content[1] if member_content else {})}

    return header, _members(archive, members, log)


def _members(
    archive: zipfile.ZipFile,
    members: list[zipfile.ZipInfo],
    log: ReadLog,
) -> Iterator[LogSample]:
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

        member_content = _member(archive, member, log)
        if member_content is not None:
            yield LogSample(member.filename, *member_content)


def _member(
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    log: ReadLog,
) -> tuple[bytes, dict[str, Any]] | None:
    """The bytes and the object in a member; None, with the reason in the log, when it is
    unreadable.
    """
    size = member.file_size
    packed = max(member.compress_size, 1)
    if size > LARGEST_MEMBER or (size > SMALL and size / packed > LARGEST_RATIO):
        log.bad(None, f"{member.filename}: {packed} bytes that unpack to {size}: not unpacked")
        return None

    broken: tuple[type[BaseException], ...] = (*_BROKEN, *zstd_errors())
    try:
        with archive.open(member) as inner:
            data = inner.read(LARGEST_MEMBER + 1)
        if len(data) > max(size, 0):
            raise ValueError("longer than the archive says")
        value = decode(data)
    except broken as error:
        log.bad(None, f"{member.filename}: {error}")
        return None

    if not isinstance(value, dict):
        log.bad(None, f"{member.filename}: not an object")
        return None

    return data, value


def count_samples(file: Path) -> int:
    """How many samples an archive lists; 1 for a JSON log, which is one document."""
    try:
        with zipfile.ZipFile(file) as archive:
            return sum(name.startswith("samples/") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return 1
