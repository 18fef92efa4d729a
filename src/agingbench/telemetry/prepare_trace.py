"""Merges a project's session files into one sorted by time: `python -m agingbench.telemetry.prepare_trace DIR`.

The module can be called: `from agingbench.telemetry import prepare_trace; prepare_trace("~/.claude/projects/x")`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import msgspec

from agingbench.errors import AgingBenchError, InputError
from agingbench.records import ReadLog
from agingbench.traces.files import write_atomic
from agingbench.traces.sources import LONGEST_LINE
from agingbench.traces.times import seconds

OUTPUT = "agingbench_trace.jsonl"


class _Stamp(msgspec.Struct):
    timestamp: str | int | float | None = None
    uuid: str | None = None


_decode = msgspec.json.Decoder(_Stamp).decode


def prepare(directory: Path | str, output: Path | str | None = None) -> Path:
    """Write all lines of the .jsonl files below a folder, sorted by time, into one file; returns its path.

    A line without a time stays behind the line it followed; a record that several files hold is written once. What the
    helper wrote itself is never read.
    """
    return _merge(Path(directory).expanduser(), output)[0]


def _merge(root: Path, output: Path | str | None) -> tuple[Path, int]:
    if not root.is_dir():
        raise InputError(f"{root} is not a folder of session files")
    target = root / OUTPUT if output is None else Path(output).expanduser()
    files = sorted(
        f for f in root.rglob("*.jsonl") if f.is_file() and f.name != OUTPUT and f.resolve() != target.resolve()
    )
    if not files:
        raise InputError(f"{root} holds no .jsonl session files")
    rows: list[tuple[float, int, bytes]] = []
    seen: set[str] = set()
    for file in files:
        _read(file, rows, seen)
    rows.sort(key=lambda row: row[:2])
    write_atomic(target, b"".join(line + b"\n" for _, _, line in rows))
    return target, len(rows)


def _read(file: Path, rows: list[tuple[float, int, bytes]], seen: set[str]) -> None:
    log, last = ReadLog(), 0.0
    waiting = 0  # lines before the first time take that time
    try:
        with file.open("rb") as stream:
            while line := stream.readline(LONGEST_LINE):
                bare = line.strip()
                if not bare:
                    continue
                try:
                    stamp = _decode(bare)
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                    stamp = _Stamp()  # kept as it is: the audit will say what is wrong with it
                if stamp.uuid is not None:
                    if stamp.uuid in seen:
                        continue
                    seen.add(stamp.uuid)
                time = None if stamp.timestamp is None else seconds(stamp.timestamp, log)
                if time is not None and waiting:
                    for i in range(len(rows) - waiting, len(rows)):
                        rows[i] = (time, rows[i][1], rows[i][2])
                    waiting = 0
                elif time is None and last == 0.0:
                    waiting += 1
                last = time if time is not None else last
                rows.append((last, len(rows), bare))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from error


prepare_trace = prepare


class _Callable(ModuleType):
    """A module that is its own function."""

    def __call__(self, directory: Path | str, output: Path | str | None = None) -> Path:
        return prepare(directory, output)


def main(arguments: list[str]) -> int:
    """The command: one folder, and where to write if not into it."""
    if not 1 <= len(arguments) <= 2 or arguments[0] in ("-h", "--help"):
        print("usage: python -m agingbench.telemetry.prepare_trace DIR [OUTPUT]", file=sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        target, n = _merge(Path(arguments[0]).expanduser(), arguments[1] if len(arguments) > 1 else None)
    except AgingBenchError as error:
        print(f"agingbench: {error}", file=sys.stderr)
        return error.exit_code
    print(f"wrote {target} ({n} events)")
    return 0


sys.modules[__name__].__class__ = _Callable

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
