"""Times of foreign traces, in any unit or ISO 8601, as seconds UTC."""

from __future__ import annotations

import math
import re
import sys
from datetime import UTC, datetime
from typing import Any

from agingbench.records import ReadLog

LATEST = 7258118400.0  # the year 2200; beyond it a number is no date but a unit we do not know
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LONG_FRACTION = re.compile(r"(\.\d{6})\d+")


def seconds(value: Any, log: ReadLog) -> float | None:
    """Seconds since the epoch; None, with a flag in the log, for what is missing, unreadable or
    absurd.
    """
    if value is None or value == "" or isinstance(value, bool):
        log.flag("time_missing")
        return None

    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return _from_iso(value, log)
        value = float(value)

    if isinstance(value, datetime):
        return _in_range(_stamp(value, log), log)
    # JSON may hold integers that are larger than any float.
    if not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        log.flag("time_unreadable")
        return None

    return _in_range(_from_number(float(value)), log)


def _from_number(number: float) -> float:
    for above, unit in ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3)):
        if number >= above:
            return number / unit

    return number


def _from_iso(text: str, log: ReadLog) -> float | None:
    try:
        moment = datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", text.strip()[:64]))
        return _in_range(_stamp(moment, log), log)
    except (ValueError, OverflowError):
        log.flag("time_unreadable")
        return None


def _stamp(moment: datetime, log: ReadLog) -> float:
    if moment.tzinfo is None:
        log.flag("time_without_zone")
        moment = moment.replace(tzinfo=UTC)

    return moment.timestamp()


def _in_range(stamp: float, log: ReadLog) -> float | None:
    if 0 <= stamp <= LATEST:
        return stamp

    log.flag("time_absurd")
    return None


def milliseconds(start: float | None, end: float | None) -> float | None:
    """The time from start to end, both in seconds; None when one is missing or end is earlier."""
    if start is None or end is None or end < start:
        return None
    return (end - start) * 1000.0


def parse_time(value: Any, flags: list[str]) -> datetime | None:
    """A time with its zone, from a number or ISO 8601; one without a zone is taken as UTC.

    What is missing or unreadable gives None; the flags tell what was odd.
    """
    try:
        if is_number(value):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)

        moment = datetime.fromisoformat(value) if isinstance(value, str) and value else None
        if moment is not None and moment.tzinfo is not None:
            # The first and the last day of the calendar have no UTC in every zone.
            moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        flags.append("time_unreadable")
        return None

    if moment is not None and moment.tzinfo is None:
        flags.append("time_without_zone")
        moment = moment.replace(tzinfo=UTC)

    return moment


def is_number(value: Any) -> bool:
    """Whether a value of JSON is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
