"""The receipts of an audit on the terminal: shares with the cases behind them."""

from __future__ import annotations

import pytest
from rich.console import Console

from agingbench.cards.audit import (
    AuditBlock,
    ChangesBlock,
    FigureBlock,
    MovedBlock,
    PanelBlock,
    TraceExtent,
)
from agingbench.report.audit_receipts import panel_parts
from agingbench.report.audit_sentence import drift_words

WEEKS = ["2026-03-02", "2026-03-09", "2026-03-16"]


def row_of(name: str, figure: FigureBlock) -> list[str]:
    """The words of the row that a panel of one figure shows."""
    panel = PanelBlock(weeks=WEEKS, sessions_by_week=[4, 4, 4], figures={name: figure})
    return screen(AuditBlock(panel=panel))[-2].split()


def screen(audit: AuditBlock) -> list[str]:
    """The lines of the panel as they are printed."""
    console = Console(width=100)
    with console.capture() as captured:
        for part in panel_parts(audit):
            console.print(part)
    return captured.get().splitlines()


@pytest.mark.parametrize(
    ("name", "scale", "counts", "cases"),
    [
        ("corrections", "share", [200.0, 0.0, 50.0], ["6"]),
        ("interrupts", "ratio", [200.0, 0.0, 50.0], ["6"]),
        ("calls_per_request", "ratio", [200.0, 0.0, 50.0], []),
        # Cards of earlier versions do not say of how many.
        ("corrections", "share", [], ["–"]),
    ],
)
def test_what_is_counted_case_by_case_says_how_many(
    name: str, scale: str, counts: list[float], cases: list[str]
) -> None:
    figure = FigureBlock(
        scale=scale,
        value=0.027,
        by_session=[0.02, None, 0.04],
        n_by_session=counts,
        by_week=[0.02, None, 0.04],
    )
    words = row_of(name, figure)
    before = words[: words.index("▅–█")]
    shown = "2.7 %".split() if scale == "share" else ["0.03"]
    assert before[-len(shown + cases) :] == shown + cases


def test_a_row_of_few_cases_has_no_curve() -> None:
    figure = FigureBlock(
        scale="share",
        value=0.02,
        by_session=[0.02, None, 0.04],
        n_by_session=[100.0, 0.0, 50.0],
        by_week=[0.02, None, 0.04],
    )
    assert row_of("corrections", figure)[-3:] == ["2.0", "%", "4"]


def test_weeks_of_few_sessions_are_not_compared_and_are_named() -> None:
    figure = FigureBlock(value=9.0, by_week=[1.0, 4.0, 8.0])
    panel = PanelBlock(
        weeks=WEEKS, sessions_by_week=[1, 4, 4], figures={"calls_per_request": figure}
    )
    lines = screen(AuditBlock(panel=panel))
    assert lines[-3].split()[-3:] == ["–▅█", "4.00", "8.00"]
    assert lines[-1] == "weeks of fewer than 3 sessions count under all alone: 2 Mar"


def test_calls_whose_end_is_unknown_are_told() -> None:
    figure = FigureBlock(
        scale="share", value=0.1, by_session=[0.1], n_by_session=[60.0], by_week=[0.1] * 3
    )
    panel = PanelBlock(weeks=WEEKS, sessions_by_week=[4] * 3, figures={"tool_errors": figure})
    extent = TraceExtent(True, 12, 90, "absent", "codex")
    lines = screen(AuditBlock(panel=panel, trace_regime=extent))
    assert lines[-1] == "failures are counted among the 60 of 90 calls that say how they ended"


def test_weeks_in_which_calls_do_not_say_how_they_ended_are_left_out() -> None:
    monday = 1_772_409_600.0  # 2 March 2026
    failing = FigureBlock(
        scale="share",
        value=0.1,
        by_session=[0.1, 0.1, 0.0],
        n_by_session=[80.0, 90.0, 40.0],
        by_week=[0.1, 0.1, 0.0],
    )
    calls = FigureBlock(
        value=10.0, by_session=[10.0] * 3, n_by_session=[10.0] * 3, by_week=[10.0] * 3
    )
    figures = {"tool_errors": failing, "calls_per_request": calls}
    panel = PanelBlock(weeks=WEEKS, sessions_by_week=[4] * 3, figures=figures)
    times: list[float | None] = [monday, monday + 7 * 86_400, monday + 14 * 86_400]
    extent = TraceExtent(True, 3, 300, "absent", "codex")
    lines = screen(AuditBlock(panel=panel, session_times=times, trace_regime=extent))
    assert lines[1].split()[-4:] == ["2", "Mar", "16", "Mar"]
    assert lines[2].split()[-4:] == ["██–", "10", "%", "–"]
    assert lines[3].split()[-1] == "10.0"  # what does not hang on how calls end is shown
    note = " ".join(" ".join(lines[-2:]).split())
    assert note.endswith("weeks in which most do not are left out: 16 Mar")


def test_failures_that_drift_are_left_out_where_weeks_do_not_say_how_calls_ended() -> None:
    drift = MovedBlock("tool_errors", 0.1, 0.0)
    other = MovedBlock("reads_per_change", 3.0, 1.0, worse=True)
    changes = ChangesBlock(drifts=[drift, other])
    panel = PanelBlock()
    assert len(drift_words(changes, panel)) == 2
    (line,) = drift_words(changes, panel, ("tool_errors",))
    assert "looks worse" in line
    assert "looks better" in drift_words(changes, panel)[0]
