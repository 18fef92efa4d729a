"""Merges a project's session files into one sorted by time.

Run it with `python -m agingbench.telemetry.prepare_trace DIR`.

The module can be called: `from agingbench.telemetry import prepare_trace;
prepare_trace("~/.claude/projects/x")`. Only the time and place of each line is held in memory; the
lines themselves go from file to file.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import IO

import msgspec
import numpy as np

from agingbench.errors import AgingBenchError, InputError
from agingbench.records import ReadLog
from agingbench.traces.decoding.sources import LONGEST_LINE, skip_line
from agingbench.traces.decoding.times import seconds
from agingbench.traces.files import write_atomic
from agingbench.traces.tracefiles import MERGED_NAME, files_below

MOST_OPEN = 200  # files at a time
PIECE = 1 << 20  # bytes that are copied at once


class _LineStamp(msgspec.Struct):
    timestamp: str | int | float | None = None
    uuid: str | None = None


_decode = msgspec.json.Decoder(_LineStamp).decode


class _LineIndex:
    """The time and place of every line that is kept, in the order of arrival."""

    def __init__(self) -> None:
        self.time = array("d")
        self.file = array("l")
        self.start = array("q")
        self.length = array("q")
        self.hashes: set[bytes] = set()  # of the ids of all lines so far

    def is_new(self, uuid: str) -> bool:
        """Return whether no earlier line had this id, and remember it by a short hash."""
        name = hashlib.blake2b(uuid.encode("utf-8", "replace"), digest_size=12).digest()
        if name in self.hashes:
            return False

        self.hashes.add(name)
        return True

    def add(self, time: float, file: int, start: int, length: int) -> None:
        self.time.append(time)
        self.file.append(file)
        self.start.append(start)
        self.length.append(length)


def prepare(directory: Path | str, output: Path | str | None = None) -> Path:
    """Write all lines of the .jsonl files below a folder, sorted by time, into one file.

    Returns the path of that file. A line without a time stays behind the line it followed; a record
    that several files hold is written once. What this function wrote itself is never read.
    """
    target, _ = _merge(Path(directory).expanduser(), output)
    return target


def _merge(root: Path, output: Path | str | None) -> tuple[Path, int]:
    if not root.is_dir():
        raise InputError(f"{root} is not a folder of session files")

    target = root / MERGED_NAME if output is None else Path(output).expanduser()
    # Under another name it would be taken for a session file the next time.
    if target.name != MERGED_NAME and target.resolve().is_relative_to(root.resolve()):
        raise InputError(
            f"{target}: inside {root} the merged file is called {MERGED_NAME}; give a place outside"
            " of it"
        )

    files = []
    for file in files_below(root):
        path = file.path
        is_session_file = path.suffix == ".jsonl" and path.name != MERGED_NAME
        if is_session_file and path.is_file() and path.resolve() != target.resolve():
            files.append(path)

    if not files:
        raise InputError(f"{root} holds no .jsonl session files")

    index = _LineIndex()
    for number, path in enumerate(files):
        try:
            with path.open("rb") as stream:
                _read(stream, number, index)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error

    write_atomic(target, _sorted_lines(index, files), private=True)
    return target, len(index.time)


def _read(stream: IO[bytes], number: int, index: _LineIndex) -> None:
    log = ReadLog()
    last = 0.0
    first = len(index.time)
    timed = False
    at = 0

    while line := stream.readline(LONGEST_LINE):
        start = at + len(line) - len(line.lstrip())
        bare = line.strip()
        length = len(bare)
        at = at + len(line)

        is_cut = len(line) == LONGEST_LINE and not line.endswith(b"\n")
        if is_cut:  # one line all the same, however long
            skip_line(stream)
            at = stream.tell()
            length = at - start

        if not bare:
            continue

        try:
            stamp = _decode(bare)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            stamp = _LineStamp()  # kept as it is: the audit will say what is wrong with it

        if stamp.uuid is not None and not index.is_new(stamp.uuid):
            continue

        time = None if stamp.timestamp is None else seconds(stamp.timestamp, log)
        if time is not None and not timed:
            timed = True
            for i in range(first, len(index.time)):  # lines before the first time take that time
                index.time[i] = time

        last = last if time is None else time
        index.add(last, number, start, length)


def _sorted_lines(index: _LineIndex, files: list[Path]) -> Iterator[bytes]:
    """Yield the lines in order of time, equal times in the order of files and lines."""
    if not index.time:
        return

    times = np.frombuffer(index.time, dtype=np.float64)
    order = np.argsort(times, kind="stable")
    streams: dict[int, IO[bytes]] = {}

    with ExitStack() as stack:
        stack.callback(lambda: [stream.close() for stream in streams.values()])
        for i in order:
            number = index.file[i]
            stream = streams.pop(number, None) or _open(files[number])
            streams[number] = stream  # the one used last stands last
            if len(streams) > MOST_OPEN:
                longest_unused = next(iter(streams))
                streams.pop(longest_unused).close()

            yield from _pieces(stream, index.start[i], index.length[i], files[number])
            yield b"\n"


def _open(file: Path) -> IO[bytes]:
    try:
        return file.open("rb")
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from error


def _pieces(stream: IO[bytes], start: int, length: int, file: Path) -> Iterator[bytes]:
    """Yield one line of a file in pieces; raises InputError where the file became shorter."""
    stream.seek(start)
    while length:
        piece = stream.read(min(length, PIECE))
        if not piece:
            raise InputError(f"{file} became shorter while it was merged; try again")
        length -= len(piece)
        yield piece.rstrip() if not length else piece


prepare_trace = prepare


class _CallableModule(ModuleType):
    """A module that is its own function."""

    def __call__(self, directory: Path | str, output: Path | str | None = None) -> Path:
        return prepare(directory, output)


def main(arguments: list[str]) -> int:
    """Run the command: one folder, and where to write if not into it; returns the exit code."""
    if not 1 <= len(arguments) <= 2 or arguments[0] in ("-h", "--help"):
        print("usage: python -m agingbench.telemetry.prepare_trace DIR [OUTPUT]", file=sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2

    directory = Path(arguments[0]).expanduser()
    output = arguments[1] if len(arguments) > 1 else None
    try:
        target, n = _merge(directory, output)
    except AgingBenchError as error:
        print(f"agingbench: {error}", file=sys.stderr)
        return error.exit_code

    print(f"wrote {target} ({n} events)")
    return 0


sys.modules[__name__].__class__ = _CallableModule

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
