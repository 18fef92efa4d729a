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
from collections.abc import Sequence
from typing import Any

import msgspec

from agingbench.records import Event
from agingbench.traces.error_kinds import CANCELLED, PROCESS, REFUSED, REJECTED
from agingbench.traces.steps import step_numbers
from agingbench.trials.inspect.turns import WARMUP

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


class ToolError(msgspec.Struct, frozen=True):
    """One tool result that is an error, with a pointer to its entry."""

    kind: str
    line: int | None
    step: int | None
    session: int | None
    tool_name: str | None
    text: str


def tool_errors(events: Sequence[Event]) -> list[ToolError]:
    """The errors among the tool results, in order, without warm-up entries."""
    errors = []
    numbers = step_numbers(events)
    for event, step in zip(events, numbers, strict=True):
        kind = error_kind(event) if event.role == "tool_result" else None
        if kind is None or event.call_type == WARMUP:
            continue
        error = ToolError(
            kind=kind,
            line=event.source.line if event.source else None,
            step=step,
            session=event.session,
            tool_name=event.tool_name,
            text=_text(event)[:SHOWN],
        )
        errors.append(error)
    return errors


def error_kind(event: Event) -> str | None:
    """The kind of error that a tool result is; None when nothing marks it as one."""
    objects = _objects(event)
    statuses = [_STATUS.get(str(fields.get("status")).lower()) for fields in objects]
    status = next((status for status in statuses if status), None)

    if status in (REJECTED, CANCELLED):
        return status
    if event.error_kind in (REJECTED, CANCELLED, REFUSED):
        return event.error_kind
    if event.exit_code or _has_exit_marker(event) or any(map(_has_exit_code, objects)):
        return PROCESS
    if status is not None:
        return status

    is_flagged = event.metadata is not None and event.metadata.get("is_error") is True
    if is_flagged or any(map(_has_error_field, objects)):
        return "error"
    if event.error_kind is not None:
        return PROCESS
    if _text(event).lstrip().startswith("Traceback (most recent call last"):
        return "text"
    return None


def _text(event: Event) -> str:
    return event.stderr or event.stdout or event.content or ""


def _has_exit_marker(event: Event) -> bool:
    for text in (event.stdout, event.stderr, event.content):
        if not text or "[exit code: " not in text:
            continue
        codes = _EXIT.findall(text)
        if codes:
            return int(codes[-1][:20]) != 0
    return False


def _has_exit_code(fields: dict[str, Any]) -> bool:
    codes = [fields.get(name) for name in _EXIT_FIELDS]
    return any(type(code) is int and code != 0 for code in codes)


def _has_error_field(fields: dict[str, Any]) -> bool:
    # Null, false, 0 and empty mean that there was none.
    if fields.get("is_error") is True or fields.get("isError") is True:
        return True
    return any(fields.get(name) for name in ("error", "error_code", "errors"))


def _objects(event: Event) -> list[dict[str, Any]]:
    """The texts of a result that are an object, in JSON or Python notation.

    A list of one member stands for that member.
    """
    objects = []
    for text in (event.stdout, event.stderr, event.content):
        bare = text.strip() if text else ""
        if bare[:1] not in ("{", "[") or bare[-1:] not in ("}", "]"):
            continue
        value = _parse(bare)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict):
            objects.append(value)
    return objects


def _parse(text: str) -> Any:
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
