"""Our trace file: one JSON object per line, written as generation 1, read as generation 1 and 2.

Lines are split on the byte `\\n` only, because tool output may hold U+2028 and its like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import msgspec

from agingbench.errors import InputError
from agingbench.records import ROLES, Event, Source, Usage
from agingbench.traces.journal import Journal, write_error

FORMAT = "aec-bench-trajectory"
VERSION = 1
READ_VERSIONS = (1,)

_TYPES = {f.name: f.type for f in msgspec.structs.fields(Event) if f.name != "extra"}
_NESTED: dict[str, frozenset[str]] = {
    name: frozenset(f.name for f in msgspec.structs.fields(struct))
    for name, struct in (("usage", Usage), ("source", Source))
}
_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]", re.DOTALL
)
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Diagnostic:
    """What was wrong with one line of a trace; lines count from 1."""

    line: int
    reason: str


@dataclass(frozen=True)
class TraceReading:
    """A trace read as a whole. `header` is None when the file has none."""

    events: list[Event]
    diagnostics: list[Diagnostic]
    header: dict[str, Any] | None

    @property
    def generation(self) -> int:
        """1 for a trace with a header, 2 for one without."""
        return 1 if self.header is not None else 2


class BadEvent(InputError):
    """An object that cannot be an Event."""


# -- one event, one line


def header_line() -> bytes:
    """The first line of a trace file, without its newline."""
    return msgspec.json.encode({"version": VERSION, "format": FORMAT})


def encode_event(event: Event) -> bytes:
    """An event as a line without its newline: step and role, what is set, then unknown keys.

    JSON has no lone surrogates and no NaN: the first become U+FFFD, the second null.
    """
    line: dict[str, object] = {"step": event.step, "role": event.role}
    for name in _TYPES:
        value = getattr(event, name)
        if value is not None:
            line[name] = value

    for key, value in event.extra.items():
        if key not in line:
            line[key] = value
        elif key in _NESTED and isinstance(value, dict):
            line[key] = value | msgspec.to_builtins(line[key])

    try:
        return msgspec.json.encode(line)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(msgspec.to_builtins(line)))


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_mended(key): _mended(inner) for key, inner in value.items()}
    return [_mended(inner) for inner in value] if isinstance(value, list) else value


def decode_event(obj: dict[str, Any], on_odd: Callable[[str], None] | None = None) -> Event:
    """The event in a decoded line; unknown keys go to `extra`.

    A field of the wrong type raises BadEvent, or, when `on_odd` is given, is told to it and kept in
    `extra`. Without a usable step and role there is no event, so these raise in either case.
    """
    step = obj.get("step")
    role = obj.get("role")
    if type(step) is not int or step < 0:
        raise BadEvent(f"step is {_shown(obj, 'step')}; it must be an integer of 0 or more")
    if role not in ROLES:
        raise BadEvent(f"role is {_shown(obj, 'role')}; known roles: {', '.join(ROLES)}")

    fields = {key: value for key, value in obj.items() if key in _TYPES}
    extra = {key: value for key, value in obj.items() if key not in _TYPES}
    try:
        event = msgspec.convert(fields, Event)
    except msgspec.ValidationError:
        for key, reason in _odd_fields(fields):
            if on_odd is None:
                raise BadEvent(f"{key}: {reason}") from None

            on_odd(f"{key}: {reason}; kept as it is among the unknown keys")
            extra[key] = fields.pop(key)

        event = msgspec.convert(fields, Event)

    for key, names in _NESTED.items():
        inner = fields.get(key)
        unknown = {k: v for k, v in inner.items() if k not in names} if inner else None
        if unknown:
            extra[key] = unknown

    event.extra = extra
    return event


def _shown(obj: dict[str, Any], key: str) -> str:
    return repr(obj[key])[:40] if key in obj else "missing"


def _odd_fields(fields: dict[str, Any]) -> list[tuple[str, str]]:
    odd = []
    for key, value in fields.items():
        try:
            msgspec.convert(value, _TYPES[key])
        except msgspec.ValidationError as error:
            odd.append((key, str(error)))

    return odd


# -- writing


class TraceWriter:
    """Appends events to a trace file, one line each; an existing file is continued."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._journal = Journal(self.path, sync=False)
        try:
            if self._journal.is_empty:
                self._journal.append(header_line())
            else:
                self._check_version()
        except BaseException:
            self._journal.close()
            raise

    def append(self, event: Event) -> None:
        """Write one event; when this returns, the line has left the process."""
        self._journal.append(encode_event(event))

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        self._journal.close()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_version(self) -> None:
        """Refuse a file of another version before it is touched."""
        try:
            with self.path.open("rb") as existing:
                first = _decode_line(existing.readline().removeprefix(_BOM))
        except OSError as error:
            raise write_error(self.path, error) from error

        if isinstance(first, dict) and _is_header(first):
            _check_header(first, f"{self.path}: line 1")


# -- reading


def read_trace(path: Path | str, strict: bool = False) -> TraceReading:
    """The whole trace; a bad line becomes a diagnostic, or with `strict` raises InputError."""
    diagnostics: list[Diagnostic] = []
    headers: list[dict[str, Any]] = []

    def on_problem(problem: Diagnostic) -> None:
        if strict:
            raise InputError(f"{path}: line {problem.line}: {problem.reason}")
        diagnostics.append(problem)

    events = list(iter_trace(path, on_problem, headers.append))

    return TraceReading(events, diagnostics, headers[0] if headers else None)


def iter_trace(
    path: Path | str,
    on_problem: Callable[[Diagnostic], None],
    on_header: Callable[[dict[str, Any]], None] | None = None,
    locate: bool = False,
) -> Iterator[Event]:
    """The events one by one, for files of any size; `locate` adds file name and line to `source`.

    A header of a version that cannot be read is an InputError wherever it stands.
    """
    path = Path(path)
    try:
        with path.open("rb") as stream:
            yield from iter_trace_lines(
                stream,
                str(path),
                on_problem,
                on_header,
                path.name if locate else None,
            )
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def iter_trace_lines(
    stream: IO[bytes],
    name: str,
    on_problem: Callable[[Diagnostic], None],
    on_header: Callable[[dict[str, Any]], None] | None = None,
    locate: str | None = None,
) -> Iterator[Event]:
    """The events of an open trace, called `name` in errors; `locate` is the file for `source`."""
    for number, raw in enumerate(stream, start=1):
        line = raw.removeprefix(_BOM) if number == 1 else raw
        if not line.strip():
            continue

        event = _line_event(name, number, line, on_problem, on_header)
        if event is not None:
            if locate is not None and event.source is None:
                event.source = Source(locate, number)
            yield event


def _line_event(
    path: str,
    number: int,
    line: bytes,
    on_problem: Callable[[Diagnostic], None],
    on_header: Callable[[dict[str, Any]], None] | None,
) -> Event | None:
    obj = _decode_line(line)
    if isinstance(obj, _NotJson):
        torn = "" if line.endswith(b"\n") else "torn last line, "
        on_problem(Diagnostic(number, f"{torn}{obj.reason}"))
        return None

    if not isinstance(obj, dict):
        on_problem(Diagnostic(number, f"not a JSON object but {type(obj).__name__}"))
        return None

    if _is_header(obj):
        _check_header(obj, f"{path}: line {number}")
        if on_header is not None:
            on_header(obj)
        return None

    odd: list[str] = []
    try:
        event = decode_event(obj, odd.append)
    except BadEvent as error:
        on_problem(Diagnostic(number, str(error)))
        return None

    for reason in odd:
        on_problem(Diagnostic(number, reason))
    return event


@dataclass(frozen=True)
class _NotJson:
    reason: str


def _decode_line(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except UnicodeDecodeError as error:
        return _NotJson(f"not UTF-8 ({error.reason})")
    except RecursionError:
        return _NotJson("nested too deeply")
    except msgspec.MsgspecError as error:
        return _NotJson("lone surrogate" if _LONE_SURROGATE.search(line) else f"not JSON ({error})")


def _is_header(obj: dict[str, Any]) -> bool:
    return "version" in obj and "role" not in obj and "step" not in obj


def _check_header(header: dict[str, Any], where: str) -> None:
    version = header["version"]
    kind = header.get("format", FORMAT)
    readable = ", ".join(map(str, READ_VERSIONS))

    if type(version) is not int or version not in READ_VERSIONS:
        raise InputError(
            f"{where}: trace version {version!r} cannot be read; versions read: {readable}"
        )

    if kind != FORMAT:
        raise InputError(
            f"{where}: trace format {kind!r} cannot be read; format read: {FORMAT}, versions"
            f" {readable}"
        )
