"""A running total on the terminal: the truth, and what each system said."""

from __future__ import annotations

import io

from rich.console import Console

from agingbench.metrics.mechanisms import AccountReading
from agingbench.report.accounts import print_account


def test_each_point_shows_what_was_true_and_what_was_said() -> None:
    readings = {
        "careful": [AccountReading(2, "a0", 1250, 1250), AccountReading(3, "a0", 1200, 1250)],
        "[b]own[/b]": [AccountReading(3, "a0", 1200, None)],
    }
    out = io.StringIO()
    print_account("savings", readings, Console(file=out, width=60))
    lines = [line.split() for line in out.getvalue().splitlines() if line.strip()]
    assert lines[0][:4] == ["A", "running", "total", "savings"]
    assert lines[1:] == [
        ["t", "2", "t", "3"],
        ["true", "1,250", "1,200"],
        ["careful", "1,250", "1,250"],
        ["[b]own[/b]", "–", "–"],
    ]
