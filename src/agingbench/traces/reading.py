"""Events from files, folders, fleets and archives; each file's format is found by its content."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import IO

from agingbench.errors import InputError, UnknownName
from agingbench.records import Event, ReadLog
from agingbench.traces.archive.index import MARKER, is_archive
from agingbench.traces.archive.reading import archived_files
from agingbench.traces.formats import FORMATS
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.tracefiles import TraceFile, files_below, merged_copies, printable

HEAD = 64 << 10
ENOUGH = 0.3  # how sure a sniffer has to be
_TIME = re.compile(
    rb'"\w*(?:time|created|started|date)\w*"\s*:\s*"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^"]{0,16})"',
    re.IGNORECASE,
)
_UNREADABLE = (OSError, EOFError, zlib.error)


@dataclass(frozen=True)
class SniffedFile(TraceFile):
    """A file with the result of sniffing it, so that it is sniffed once."""

    file: TraceFile
    format: BaseFormat | None = None  # None: not a trace
    is_empty: bool = False
    error: str | None = None  # why the file could not be read
    project: str = ""  # the agent that it belongs to
    begins: str | None = None  # the first time that stands in it, as it is written

    def open(self) -> AbstractContextManager[IO[bytes]]:
        """The bytes of the file, unpacked when it is gzip."""
        return self.file.open()


@dataclass(frozen=True)
class Group:
    """One agent of a fleet: a project and the files that belong to it, traces or not."""

    name: str
    path: Path
    files: list[SniffedFile] = field(default_factory=list)


# -- formats


def load_format(name: str) -> BaseFormat:
    """The format of a name, an alias, an entry point, module:Class or file.py:Class."""
    return FORMATS.build(name, BaseFormat)


def all_formats(log: ReadLog | None) -> list[BaseFormat]:
    """Every format, plug-ins included; one that cannot be imported is flagged and left out."""
    formats = []
    for name in FORMATS.names():
        try:
            formats.append(load_format(name))
        except UnknownName:
            raise
        except InputError:
            if log is not None:
                log.flag(f"format_not_loaded:{name}")

    return formats


def sniff(path: Path | str) -> str:
    """The name of a file's format, by content; for a folder that of its first trace.

    Raises InputError when there is no trace.
    """
    formats = all_formats(None)
    for file in trace_files(path):
        sniffed = sniff_file(file, formats)
        if sniffed.format is not None:
            return sniffed.format.name

    raise _no_trace(path)


def sniff_file(
    file: TraceFile,
    formats: Iterable[BaseFormat],
    top: PurePath | None = None,
) -> SniffedFile:
    """A file with the format that is surest of it, and its project below `top`.

    A file that cannot be read has no format but an error; it is logged when its events are read.
    """
    try:
        with file.open() as stream:
            head = stream.read(HEAD)
    except _UNREADABLE as error:
        return SniffedFile(file.path, file, error=_reason(error))

    best = 0.0
    choice = None
    for candidate in formats if head.strip() else ():
        score = candidate.sniff(head)
        if score > best:
            best = score
            choice = candidate

    begins = _first_time(head)
    if choice is None or best < ENOUGH:
        return SniffedFile(file.path, file, is_empty=not head, begins=begins)

    project = "" if top is None else choice.project(PurePath(file.path), top, head)
    return SniffedFile(file.path, file, choice, project=project, begins=begins)


def _first_time(head: bytes) -> str | None:
    """Return the first time of the records that a file begins with; None where none is written."""
    found = _TIME.search(head)
    return None if found is None else found[1].decode("ascii", "replace")


def in_time_order(files: Iterable[SniffedFile]) -> list[SniffedFile]:
    """Return files as they were begun, those without a time after the others.

    Many clients name files by random ids: in the order of names, a value would be used in one file
    and told only in a later one.
    """
    return sorted(files, key=lambda file: (file.begins is None, file.begins or ""))


# -- events


def read_events(
    path: Path | str,
    format: str = "auto",
    log: ReadLog | None = None,
) -> Iterator[Event]:
    """The events of a file, a folder (walked completely) or an archive, file after file as they
    were begun.

    `log` tells what became of every record. A file in a folder that is no trace is counted as
    ignored; raises InputError for a single file that is no trace.
    """
    path = Path(path).expanduser()
    files = trace_files(path)
    log = ReadLog() if log is None else log
    if format != "auto":
        choice = load_format(format)
        return _events(in_time_order(sniff_file(file, ()) for file in files), log, choice)

    formats = all_formats(log)
    if path.is_dir():
        return _events(in_time_order(sniff_file(file, formats) for file in files), log)

    only = sniff_file(files[0], formats)
    if only.format is None and not only.is_empty and only.error is None:
        raise _no_trace(path)
    return _events([only], log)


def read_files(
    files: Iterable[SniffedFile],
    format: str = "auto",
    log: ReadLog | None = None,
) -> Iterator[Event]:
    """The events of these files, such as those of a Group, file after file as they were begun."""
    log = ReadLog() if log is None else log
    files = in_time_order(files)
    if format != "auto":
        return _events(files, log, load_format(format))

    all_formats(log)  # so that the log names the plug-ins that could not be asked
    return _events(files, log)


def _events(
    files: Iterable[TraceFile],
    log: ReadLog,
    format: BaseFormat | None = None,
) -> Iterator[Event]:
    for file in files:
        log.file = file.name
        choice = format
        if choice is None and isinstance(file, SniffedFile):
            choice = file.format
            if file.error is not None:
                log.bad(None, f"cannot be read on: {file.error}")
                continue

            if choice is None:
                suffix = printable(file.path.suffix or file.path.name)
                log.ignore("empty_file" if file.is_empty else f"not_a_trace:{suffix}")
                continue

        assert choice is not None

        try:
            with file.open() as stream:
                yield from choice.events(stream, log)
        except _UNREADABLE as error:
            log.bad(None, f"cannot be read on: {_reason(error)}")

    # What tells copies apart is by far the most that a reading keeps, and of no use after its last
    # file.
    log.record_keys.clear()
    log.format_state.clear()


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


# -- files


def trace_files(path: Path | str) -> list[TraceFile]:
    """Every file to be read under a path, in a fixed order; an archive gives the files it holds."""
    path = Path(path).expanduser()
    if not path.exists():
        raise InputError(f"no such file or folder: {path}")

    # Reading a pipe would wait for it, and what is sniffed would be lost to the reader.
    if not (path.is_dir() or path.is_file()):
        raise InputError(
            f"{path}: neither a file nor a folder; write what it gives to a file first"
        )

    if is_archive(path):
        return archived_files(path)

    files = files_below(path)
    archives = sorted({file.path.parent for file in files if file.path.name == MARKER})
    outside = []

    for file in files:
        if not any(file.path.is_relative_to(folder) for folder in archives):
            outside.append(file)
    for folder in archives:
        outside += archived_files(folder)
    return outside


def groups(path: Path | str) -> list[Group]:
    """The agents under a path: one per project that the formats tell apart, else only one."""
    path = Path(path).expanduser()
    top = top_of(path)
    formats = all_formats(None)
    return grouped([sniff_file(file, formats, top) for file in trace_files(path)], top)


def top_of(path: Path) -> PurePath:
    """The folder that projects under a path are named below."""
    return PurePath(path if path.is_dir() else path.parent)


def grouped(files: Iterable[SniffedFile], top: PurePath) -> list[Group]:
    """The agents that these files below `top` belong to."""
    members: dict[str, list[SniffedFile]] = {}
    strays: list[SniffedFile] = []

    for file in files:
        if file.format is None:
            strays.append(file)
        else:
            members.setdefault(file.project, []).append(file)

    # A file that is no trace belongs to the innermost project around it.
    for stray in strays:
        around = [name for name in members if name and stray.path.is_relative_to(top / name)]
        name = max(around, key=len, default=next(iter(members), ""))
        members.setdefault(name, []).append(stray)

    own_name = top.name or str(top)
    return [
        Group(printable(name or own_name), Path(top / name), members[name])
        for name in sorted(members)
    ]


def transcripts(path: Path | str) -> tuple[list[TraceFile], int]:
    """The files under a path that are traces, and the number of other files."""
    files = trace_files(path)
    formats = all_formats(None)
    merged = merged_copies(files)
    traces = []

    for file in files:
        if file.path not in merged and sniff_file(file, formats).format is not None:
            traces.append(file)

    return traces, len(files) - len(traces)


def _no_trace(path: Path | str) -> InputError:
    return InputError(
        f"{path}: no known trace format ({', '.join(FORMATS.names())}); say which with a format's"
        " name"
    )
