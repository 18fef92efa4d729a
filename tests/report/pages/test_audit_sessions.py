"""Sessions of an audit's page: every link leads to a session that is there."""

from __future__ import annotations

from typing import Any

from agingbench.cards.audit import AuditCard
from agingbench.report.pages.audit import AuditPage, audit_page
from agingbench.report.pages.audit_sessions import session_link, session_table, worst_sessions
from tests.report.pages.test_audit_in_browser import SERIES, document


def with_records(*sessions: Any) -> dict[str, Any]:
    card = document()
    places = [{"session": one, "file": "a.jsonl", "line": 3} for one in sessions]
    signal = {"signal": "context_growth", "effect": 1.4, "records": places}
    card["trace_audit"]["dominant_mechanism"] = {"evidence": {"compression": [signal]}}
    return card


def page_of(card: dict[str, Any]) -> AuditPage:
    return audit_page(card, "x")


def test_every_session_of_the_card_has_a_row() -> None:
    table = page_of(document()).sessions
    assert table is not None
    assert [row.id for row in table.rows] == [f"session-{place}" for place in range(len(SERIES))]
    assert table.columns[:3] == ["session", "day", "context of the window"]
    assert [row.cells[2].text for row in table.rows[:4]] == ["20 %", "40 %", "–", "90 %"]


def test_records_and_sessions_lead_to_each_other() -> None:
    page = page_of(with_records(2, 2, 5))
    [evidence] = page.evidence
    assert [row[0].link for row in evidence.records] == ["session-2", "session-2", "session-5"]
    assert page.sessions is not None
    notes = {row.id: [(note.text, note.link) for note in row.notes] for row in page.sessions.rows}
    assert ("2 records of context growth", evidence.id) in notes["session-2"]
    assert ("1 record of context growth", evidence.id) in notes["session-5"]


def test_compactions_stand_at_their_sessions_and_in_the_chart_of_the_context() -> None:
    card = document()
    figure = {"scale": "ratio", "value": 150_000.0, "by_session": [None, 150_000.0]}
    panel = card["trace_audit"]["panel"]
    figures = panel["figures"] | {"context_at_compaction": figure}
    card["trace_audit"]["panel"] = panel | {"figures": figures}
    page = page_of(card)
    assert page.sessions is not None
    notes = [[note.text for note in row.notes] for row in page.sessions.rows[:2]]
    assert "context compacted at 150 k tokens" not in notes[0]
    assert "context compacted at 150 k tokens" in notes[1]
    assert [row[2].text for row in page.charts["context"].rows] == [
        "–",
        "at 150 k tokens",
        "–",
        "–",
    ]


def test_a_session_that_is_not_there_has_no_link() -> None:
    for session in (None, -1, 8, 10**12, True, "3", 2.0):
        assert session_link(session, 8) == ""
    page = page_of(with_records(99, "</script>", None))
    assert [row[0].link for row in page.evidence[0].records] == ["", "", ""]


def test_the_worst_sessions_lie_on_the_bad_side() -> None:
    factor = {"moderate_effect": 2.0, "effect_unit": "factor"}
    values = [1.0, None, 3.0, 2.0, True, 4.0]
    found = [cell.link for cell in worst_sessions(values, factor)]
    assert found == ["session-5", "session-2", "session-3"]
    falling = {"moderate_effect": -0.1, "effect_unit": "share"}
    assert worst_sessions(values, falling)[0].link == "session-0"
    assert worst_sessions(values, {}) == []
    assert worst_sessions([1.0, 1.0], factor) == []


def test_a_card_without_sessions_has_no_table() -> None:
    card = AuditCard.read({"trace_audit": {}, "headline": {}})
    assert session_table(card.trace_audit) is None


def test_the_fullest_session_is_named_and_a_missing_price_is_said() -> None:
    card = document()
    fullest = {"context_share_highest_session": 2, "context_share_highest_time": 1.7733e9}
    card["trace_audit"]["spending"] = {"context_share_highest": 0.95, **fullest}
    page = page_of(card)
    title = page.charts["context"].title
    assert title == "Session 3 (12 Mar) has the highest mean context: 90 % of the window"
    note = page.charts["context"].note
    assert note.endswith("largest single call of all sessions reached 95 % (session 2, 12 Mar).")
    [tile] = [tile for tile in page.tiles if tile.value == "95 %"]
    assert tile.name == "largest call"
    assert tile.note == "of the context window (session 2, 12 Mar)"
    spending = {
        "prices_as_of": "2026-10-01",
        "total": {"model_calls": 3, "input_tokens": 1000},
        "by_week": [{"week": "2026-03-02", "model_calls": 3, "input_tokens": 1000}],
        "models_without_price": ["x"],
    }
    card["trace_audit"]["spending"] = spending
    page = page_of(card)
    [cost] = [tile for tile in page.tiles if tile.name == "cost"]
    assert (cost.value, cost.note) == ("unknown", "no price for x")
    assert "list prices" not in page.charts["cost"].note
