"""Which tool results are errors, of which kind, and where: from exit codes, markers and fields,
never from a guess.

Readers of traces say whose error a result is that its source marks as failed
(`traces/error_kinds.py`). Here the question is an earlier one: whether a result of any trial is an
error at all, and what says so. Where both name a kind, it is the same one.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from agingbench.records import Event
from agingbench.traces.error_kinds import CANCELLED, PROCESS, REFUSED, REJECTED

# What each kind rests on, strongest first; a result counts once, for the first that holds.
KINDS = {
    REJECTED: "a status of rejected, denied or declined",
    CANCELLED: "a status of cancelled or aborted",
    REFUSED: "the harness did not run it (told by the trace)",
    PROCESS: "an exit code other than 0, as a field or as [exit code: N]",
    "failed": "a status of failed, failure, error or timeout",
    "error": "is_error, error, error_code or a list of errors",
    "text": "the output begins with a traceback and nothing else marks it",
}
_STATUS = {
    **dict.fromkeys(("rejected", "denied", "declined"), REJECTED),
    **dict.fromkeys(("cancelled", "canceled", "aborted"), CANCELLED),
    **dict.fromkeys(("failed", "failure", "error", "errored", "timeout", "timed_out"), "failed"),
}
_EXIT = re.compile(r"\[exit code: (-?\d+)\]\s*$", re.MULTILINE)
_EXIT_FIELDS = ("exit_code", "exitCode", "returncode", "return_code")
_LONGEST_REPR = 200_000
SHOWN = 200


class ToolError(NamedTuple):
    """One tool result that is an error, with a pointer to its entry."""

    kind: str
    line: int | None
    step: int
    session: int | None
    tool_name: str | None
    text: str


def tool_errors(events: Iterable[Event]) -> list[ToolError]:
    """The errors among the results, in order."""
    found = []
    for event in events:
        kind = error_kind(event) if event.role == "tool_result" else None
        if kind is not None:
            line = event.source.line if event.source else None
            found.append(
                ToolError(
                    kind, line, event.step, event.session, event.tool_name, _text(event)[:SHOWN]
                )
            )
    return found


def error_kind(event: Event) -> str | None:
    """The kind of error that a tool result is; None when nothing says so."""
    fields = _fields(event)
    status = next(
        (s for s in (_STATUS.get(str(f.get("status")).lower()) for f in fields) if s), None
    )
    if status in (REJECTED, CANCELLED):
        return status
    if event.error_kind in (REJECTED, CANCELLED, REFUSED):
        return event.error_kind
    if event.exit_code or _exit_marker(event) or any(_exit_field(f) for f in fields):
        return PROCESS
    if status is not None:
        return status
    flagged = event.metadata is not None and event.metadata.get("is_error") is True
    if flagged or any(_error_field(f) for f in fields):
        return "error"
    if event.error_kind is not None:
        return PROCESS
    return "text" if _text(event).lstrip().startswith("Traceback (most recent call last") else None


def _text(event: Event) -> str:
    return event.stderr or event.stdout or event.content or ""


def _exit_marker(event: Event) -> bool:
    for text in (event.stdout, event.stderr, event.content):
        marks = _EXIT.findall(text) if text and "[exit code: " in text else []
        if marks:
            return int(marks[-1][:20]) != 0
    return False


def _exit_field(fields: dict[str, Any]) -> bool:
    codes = [fields.get(name) for name in _EXIT_FIELDS]
    return any(type(code) is int and code != 0 for code in codes)


def _error_field(fields: dict[str, Any]) -> bool:
    # Null, false, 0 and empty mean that there was none.
    return (
        fields.get("is_error") is True
        or fields.get("isError") is True
        or any(bool(fields.get(name)) for name in ("error", "error_code", "errors"))
    )


def _fields(event: Event) -> list[dict[str, Any]]:
    """The object that a result's text is, as JSON or as Python writes it; a list stands for its
    only member.
    """
    found = []
    for text in (event.stdout, event.stderr, event.content):
        bare = text.strip() if text else ""
        if bare[:1] in ("{", "[") and bare[-1:] in ("}", "]"):
            value = _value(bare)
            value = value[0] if isinstance(value, list) and len(value) == 1 else value
            if isinstance(value, dict):
                found.append(value)
    return found


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    if len(text) > _LONGEST_REPR:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
