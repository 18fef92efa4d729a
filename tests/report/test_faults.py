"""The table of planted faults says what was named, what was planted, and what was missed."""

from __future__ import annotations

import io
from typing import Any

import msgspec
from rich.console import Console

from agingbench.cards.validity import FaultsReport
from agingbench.report.validity import print_faults

ROW = {
    "stage": "store",
    "strength": 0.25,
    "memory": "blob",
    "lookalikes": False,
    "n": 30,
    "share": 0.4,
    "ci": [0.2, 0.6],
    "planted": 0.26,
    "measured": None,
    "coverage": 0.9,
}
RESULT: dict[str, Any] = {
    "accuracy_by_stage": {"write": 0.9, "store": None},
    "confusion": {
        "write": {"write": 18, "write+retrieval": 9, "none": 3},
        "store": {},
        "none": {"none": 5},
    },
    "coverage_interval": {"share": 0.93, "ci": [0.91, 0.95], "n": 400},
    "by_strength": [ROW, {**ROW, "stage": "retrieval", "memory": "units", "lookalikes": True}],
    "coverage": 0.93,
    "n": 400,
    "accuracy": {},
    "coverage_by_share": [],
    "bystanders_calm": {"share": None, "ci": None, "n": 0},
    "false_alarms": {"share": None, "ci": None, "n": 0},
    "by_scenario": [],
    "missed": ["write: named in 0.900 of 30 cases"],
    "ok": False,
}


def printed(result: dict[str, Any], width: int = 80) -> str:
    page = io.StringIO()
    report = msgspec.convert(result, FaultsReport)
    print_faults(report, Console(file=page, width=width))
    return page.getvalue()


def test_the_matrix_the_strengths_and_the_verdict() -> None:
    text = printed(RESULT)
    rows = [line.split() for line in text.splitlines()]
    assert ["write", "30", "0.900", "18", "9", "3"] in rows
    assert ["none", "5", "–", "·", "·", "5"] in rows
    assert ["store,", "blob", "0.25", "30", "0.400", "0.260", "–", "0.900"] in rows
    assert "0.930, 0.910 to 0.950, n = 400" in text
    assert "missed:" in text
    assert "every stage is named" in printed({**RESULT, "ok": True})


def test_nothing_was_measured() -> None:
    empty = {
        **RESULT,
        "confusion": {"write": {}},
        "by_strength": [],
        "missed": [],
        "ok": True,
        "coverage_interval": {"share": None, "ci": None, "n": 0},
    }
    assert "n = 0" in printed(empty)
