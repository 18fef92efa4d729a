"""Moments as people write them."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.cli.moments import parse_moment
from agingbench.errors import InputError

NOW = datetime(2026, 5, 31, 15, 30, tzinfo=UTC)
CASES = {
    "2026-01-31": "2026-01-31T00:00:00+00:00",
    "2026-01-31T08:00": "2026-01-31T08:00:00+00:00",
    "2026-01-31T08:00:00+02:00": "2026-01-31T06:00:00+00:00",
    "3 months ago": "2026-02-28T00:00:00+00:00",
    "3 Months  Ago": "2026-02-28T00:00:00+00:00",
    "a month ago": "2026-04-30T00:00:00+00:00",
    "2 weeks ago": "2026-05-17T00:00:00+00:00",
    "10 days": "2026-05-21T00:00:00+00:00",
    "10d": "2026-05-21T00:00:00+00:00",
    "1 year ago": "2025-05-31T00:00:00+00:00",
    "6 hours ago": "2026-05-31T09:30:00+00:00",
    "yesterday": "2026-05-30T00:00:00+00:00",
    "today": "2026-05-31T00:00:00+00:00",
    "last week": "2026-05-24T00:00:00+00:00",
}


@pytest.mark.parametrize(("text", "moment"), CASES.items())
def test_a_moment_is_read(text: str, moment: str) -> None:
    assert parse_moment(text, "--since", NOW).isoformat() == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "0001-01-01T00:00:00+14:00",
        "3 moons ago",
        "99999 years ago",
        "2026-13-01",
        "-1d",
    ],
)
def test_what_is_no_moment_is_told_with_examples(text: str) -> None:
    with pytest.raises(InputError, match=r"--since .*: write a date as .* '3 months ago'"):
        parse_moment(text, "--since", NOW)


@given(st.text(max_size=30))
def test_any_text_is_a_moment_or_an_error_of_ours(text: str) -> None:
    with contextlib.suppress(InputError):
        assert parse_moment(text, "--since", NOW).tzinfo is not None


@given(st.integers(0, 1200))
def test_months_go_back_to_a_day_that_exists(months: int) -> None:
    moment = parse_moment(f"{months} months ago", "--since", NOW)
    assert moment.day <= NOW.day
    between = (NOW.year - moment.year) * 12 + NOW.month - moment.month
    assert between == months
