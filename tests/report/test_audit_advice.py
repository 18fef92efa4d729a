"""What an audit advises: the tool behind errors that rose is named."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.cards.audit import AuditCard
from agingbench.report.audit_advice import advice

RISEN = {"tool": "Bash npm", "early": 0.08, "late": 0.21, "n": 140}


def card(rows: Any) -> AuditCard:
    """A card on which reliability fired."""
    finding = {"fired": True, "errors_that_rose": rows}
    return AuditCard.read(
        {"headline": {"aging_detected": True}, "trace_audit": {"reliability": finding}}
    )


def test_errors_that_rose_most_are_named() -> None:
    (line,) = advice(card([RISEN, {**RISEN, "tool": "Edit"}]))
    assert line.startswith("reliability: look at what failed more")
    assert line.endswith("most of all Bash npm: 8.0 % failed early, 21 % late")


@pytest.mark.parametrize("rows", [None, [], "x", [3], [{}], [{**RISEN, "late": "x"}]])
def test_a_card_that_names_none_advises_in_general(rows: Any) -> None:
    (line,) = advice(card(rows))
    assert "most of all" not in line
