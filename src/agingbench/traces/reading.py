"""Traces from files, folders, fleets and archives: formats found by content, every record accounted
for.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, cast

from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import TraceFormat
from agingbench.records import Event, ReadLog
from agingbench.traces.archive.index import MARKER, is_archive
from agingbench.traces.archive.reading import archived_files
from agingbench.traces.decoding.sources import opening
from agingbench.traces.formats import FORMATS
from agingbench.traces.tracefiles import TraceFile, files_below, merged_copies, printable

HEAD = 64 << 10
ENOUGH = 0.3  # how sure a sniffer has to be
_WORKTREE = re.compile(
    r"([/\\]\.codex[/\\]worktrees)[/\\][^/\\]+(?=[/\\])"
)  # a folder per task, all of one project
_BROKEN = (OSError, EOFError, zlib.error)


@dataclass(frozen=True)
class Group:
    """One agent of a fleet: a project and the files that belong to it, traces or not."""

    name: str
    path: Path
    files: list[TraceFile] = field(default_factory=list)


def load_format(name: str) -> TraceFormat:
    """The format of a name, an alias, an entry point or module:Class."""
    made = FORMATS.load(name)
    return cast(TraceFormat, made() if isinstance(made, type) else made)


def sniff(path: Path | str) -> str:
    """The name of the format, by content; for a folder that of its first trace. What is no trace is
    an InputError.
    """
    formats = all_formats(None)
    for file in trace_files(path):
        found, _ = _sniffed(file, formats)
        if found is not None:
            return found.name
    raise _no_trace(path)


def read_events(
    path: Path | str, format: str = "auto", log: ReadLog | None = None
) -> Iterator[Event]:
    """The events of a file, a folder (walked completely) or an archive, file after file in a fixed
    order.

    `log` tells what became of every record. A file in a folder that is no trace is counted as
    ignored; a file that is named itself and is no trace is an InputError.
    """
    path = Path(path).expanduser()
    files = trace_files(path)
    log = ReadLog() if log is None else log
    formats = _candidates(format, log)
    if format == "auto" and path.is_file():
        found, head = _sniffed(files[0], formats)
        if found is None and head:
            raise _no_trace(path)
    return _events(files, formats, log, format == "auto")


def read_files(
    files: Iterable[TraceFile], format: str = "auto", log: ReadLog | None = None
) -> Iterator[Event]:
    """The events of these files, such as those of a Group."""
    log = ReadLog() if log is None else log
    return _events(files, _candidates(format, log), log, format == "auto")


def groups(path: Path | str) -> list[Group]:
    """The agents under a path: one per Claude Code project folder or Codex working directory, else
    the path itself.
    """
    path = Path(path).expanduser()
    files = trace_files(path)
    formats = all_formats(None)
    top = PurePath(path if path.is_dir() else path.parent)
    found = [(file, *_sniffed(file, formats)) for file in files]
    members: dict[str, list[TraceFile]] = {}
    strays: list[TraceFile] = []
    for file, format, head in found:
        if format is None:
            strays.append(file)
        else:
            members.setdefault(_project(file, format.name, head, top), []).append(file)
    for file in strays:
        below = [name for name in members if name and file.path.is_relative_to(top / name)]
        name = max(below, key=len, default=next(iter(members), ""))
        members.setdefault(name, []).append(file)
    own = top.name or str(top)
    return [
        Group(printable(name or own), Path(top / name), members[name]) for name in sorted(members)
    ]


def trace_files(path: Path | str) -> list[TraceFile]:
    """Every file to be read under a path, in a fixed order; an archive gives the files it keeps."""
    path = Path(path).expanduser()
    if not path.exists():
        raise InputError(f"no such file or folder: {path}")
    if not (
        path.is_dir() or path.is_file()
    ):  # a pipe would be waited for, and what is sniffed would be lost to it
        raise InputError(
            f"{path}: neither a file nor a folder; write what it gives to a file first"
        )
    if is_archive(path):
        return archived_files(path)
    found = files_below(path)
    inner = sorted({file.path.parent for file in found if file.path.name == MARKER})
    outside = [
        file for file in found if not any(file.path.is_relative_to(folder) for folder in inner)
    ]
    return outside + [file for folder in inner for file in archived_files(folder)]


def transcripts(path: Path | str) -> tuple[list[TraceFile], int]:
    """The files under a path that are traces, and how many others there are; what to archive."""
    files = trace_files(path)
    formats = all_formats(None)
    merged = merged_copies(files)
    found = [
        file for file in files if file.path not in merged and _sniffed(file, formats)[0] is not None
    ]
    return found, len(files) - len(found)


def all_formats(log: ReadLog | None) -> list[TraceFormat]:
    """Every format, plug-ins included; a plug-in that cannot be imported is flagged and left out."""
    found = []
    for name in FORMATS.names():
        try:
            found.append(load_format(name))
        except UnknownName:
            raise
        except InputError:
            if log is not None:
                log.flag(f"format_not_loaded:{name}")
    return found


def _candidates(format: str, log: ReadLog) -> list[TraceFormat]:
    return all_formats(log) if format == "auto" else [load_format(format)]


def _events(
    files: Iterable[TraceFile], formats: list[TraceFormat], log: ReadLog, auto: bool
) -> Iterator[Event]:
    for file in files:
        log.file = file.name
        try:
            head = _head(file)
            chosen = _recognised(head, formats) if auto else formats[0]
            if chosen is None:
                log.ignore(
                    f"not_a_trace:{printable(file.path.suffix or file.path.name)}"
                    if head
                    else "empty_file"
                )
                continue
            with file.open() as stream:
                yield from chosen.events(stream, log)
        except _BROKEN as error:
            log.bad(None, f"cannot be read on: {getattr(error, 'strerror', None) or error}")
    # What tells copies apart is by far the most that a reading keeps, and of no use after its last
    # file.
    log.seen.clear()
    log.kept.clear()


def _head(file: TraceFile) -> bytes:
    with file.open() as stream:
        return stream.read(HEAD)


def _recognised(head: bytes, formats: list[TraceFormat]) -> TraceFormat | None:
    best = 0.0
    chosen = None
    for candidate in formats if head.strip() else ():
        score = candidate.sniff(head)
        if score > best:
            best = score
            chosen = candidate
    return chosen if best >= ENOUGH else None


def _sniffed(file: TraceFile, formats: list[TraceFormat]) -> tuple[TraceFormat | None, bytes]:
    """The format of a file; one that cannot be read has none, and is told when it is its turn to be
    read.
    """
    try:
        head = _head(file)
    except _BROKEN:
        return None, b""
    return _recognised(head, formats), head


def _project(file: TraceFile, format: str, head: bytes, top: PurePath) -> str:
    """The name of the agent a file belongs to; empty for the path that was asked for."""
    if format == "codex":
        return next((cwd for value in opening(head) if (cwd := _working_directory(value))), "")
    if format != "claude_code":
        return ""
    home = PurePath(file.path).parent
    if (
        "subagents" in home.parts[len(top.parts) :]
    ):  # <project>/<session>/subagents/…: the project is two above
        at = len(top.parts) + home.parts[len(top.parts) :].index("subagents")
        home = PurePath(*home.parts[: max(at - 1, len(top.parts))])
    return "" if home == top else str(home.relative_to(top))


def _working_directory(value: Any) -> str | None:
    inner = value.get("payload") if isinstance(value, dict) else None
    cwd = inner.get("cwd") if isinstance(inner, dict) else None
    return _WORKTREE.sub(r"\1", cwd) if isinstance(cwd, str) and cwd else None


def _no_trace(path: Path | str) -> InputError:
    return InputError(
        f"{path}: no known trace format ({', '.join(FORMATS.names())}); say which with a format's"
        " name"
    )
