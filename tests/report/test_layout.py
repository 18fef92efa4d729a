"""Tests of the pieces that terminal reports are made of: numbers, intervals and small curves."""

from __future__ import annotations

import pytest

from agingbench.report.layout import MISSING, interval_text, number, sparkline


@pytest.mark.parametrize(
    ("value", "signed", "shown"),
    [
        (0.256, False, "0.26"),
        (0.256, True, "+0.26"),
        (-0.001, True, "0.00"),
        (None, False, MISSING),
        (True, False, MISSING),
        ("1", False, MISSING),
    ],
)
def test_a_number_is_rounded_and_nothing_else_becomes_one(
    value: object, signed: bool, shown: str
) -> None:
    assert number(value, 2, signed) == shown


def test_an_interval_may_lack_an_end_or_both() -> None:
    assert interval_text([-0.1, 0.25], 2, True) == "-0.10 to +0.25"
    assert interval_text([0.5, None], 1, False) == "0.5 to –"
    assert interval_text([None, None], 2, False) == interval_text(None, 2, False) == MISSING


def test_sparkline_keeps_gaps_scale_and_width() -> None:
    assert sparkline([(0, 0.0), (1, None), (2, 0.5), (3, 1.0)]) == "▁–▅█"
    assert sparkline([(0, -3.0), (1, 7.0)]) == "▁█"
    long: list[tuple[float, float | None]] = [(t, 1.0 if t < 500 else 0.0) for t in range(1000)]
    assert sparkline(long, 40) == "█" * 20 + "▁" * 20
    assert sparkline([]) == ""
