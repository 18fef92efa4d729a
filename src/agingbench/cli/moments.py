"""Reads moments as people write them: a date, a time, or how long ago."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime, timedelta

from agingbench.errors import InputError

_AGO = re.compile(
    r"(?P<count>\d{1,5}|an?)\s*"
    r"(?P<unit>hours?|h|days?|d|weeks?|w|months?|years?|y)(?:\s+ago)?",
    re.IGNORECASE,
)
_DAYS = {"today": 0, "yesterday": 1, "last week": 7}
_SPANS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
MONTHS_OF_A_YEAR = 12


def parse_moment(text: str, option: str, now: datetime | None = None) -> datetime:
    """The moment that a text names, in UTC; raises InputError."""
    words = " ".join(text.lower().split())
    now = datetime.now(UTC) if now is None else now
    if words in _DAYS:
        return _midnight(now - timedelta(days=_DAYS[words]))
    ago = _AGO.fullmatch(words)
    try:
        if ago is not None:
            return _before(now, ago.group("count"), ago.group("unit"))
        moment = datetime.fromisoformat(text.strip())
        return _in_utc(moment)
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{option} {text}: write a date as 2026-01-31 or 2026-01-31T08:00, or how long ago as"
            " '3 months ago'"
        ) from error


def _in_utc(moment: datetime) -> datetime:
    """The moment in UTC, which is meant where it names no zone."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def _before(now: datetime, count_words: str, unit: str) -> datetime:
    count = int(count_words) if count_words.isdigit() else 1
    if unit.startswith("h"):
        return now - count * _SPANS["h"]
    day = _midnight(now)
    if unit[0] in _SPANS:
        return day - count * _SPANS[unit[0]]
    months = count * MONTHS_OF_A_YEAR if unit.startswith("y") else count
    return _months_before(day, months)


def _months_before(day: datetime, months: int) -> datetime:
    """The same day of an earlier month, or the last one that it has."""
    year, month = divmod(day.year * MONTHS_OF_A_YEAR + day.month - 1 - months, MONTHS_OF_A_YEAR)
    if year < 1:
        raise ValueError("before the first year")
    last = calendar.monthrange(year, month + 1)[1]
    return day.replace(year=year, month=month + 1, day=min(day.day, last))


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
