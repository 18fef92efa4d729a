"""The report of an audit in real Chromium: values of the card, weak signals, hostile names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.report.null_band import null_band
from agingbench.report.pages.audit import audit_page, fleet_page, page_charts, spark_points
from agingbench.report.pages.document import write_page
from agingbench.report.pages.records import RecordTexts
from tests.report.pages.browser import OpenPage, running_browser
from tests.report.test_audit_sentence import CHANGES, PANEL, REGIME

HOSTILE = '</script><img src=x onerror="window.pwned=1">'
SERIES = [1.0, None, 1.5, 1.25, 1.5, 1.75, 2.0, 2.25]
TIMES = [1.7726e9, 1.773e9, None, *(1.7733e9 + 86_400 * place for place in range(5))]
SPENDING = {
    "prices_as_of": "2026-10-01",
    "total": {"model_calls": 30, "input_tokens": 1000, "output_tokens": 500, "cost_usd": 3.5},
    "by_week": [
        {"week": "2026-03-02", "input_tokens": 600, "output_tokens": 200, "cost_usd": 1.5},
        {"week": "2026-03-09", "input_tokens": 400, "output_tokens": 300, "cost_usd": 2.0},
    ],
    "by_model": [{"model": HOSTILE, "model_calls": 30, "input_tokens": 1000, "cost_usd": 3.5}],
    "by_week_and_model": [
        {"week": "2026-03-02", "model": HOSTILE, "input_tokens": 600, "cost_usd": 1.0},
        {"week": "2026-03-02", "model": "small", "output_tokens": 200, "cost_usd": 0.5},
        {"week": "2026-03-09", "model": HOSTILE, "output_tokens": 700, "cost_usd": 2.0},
    ],
    "compactions": 2,
}
EVIDENCE = {
    "compression": [
        {
            "signal": "context_growth",
            "effect": 1.4,
            "p": 0.01,
            "n": 9,
            "records": [{"file": HOSTILE}],
        }
    ]
}


def document() -> dict[str, Any]:
    headline = {"aging_detected": True, "aging_reason": "a reason"}
    signal = {"effect": 1.4, "effect_ci": [1.1, 1.8], "effect_ci_level": 0.9, "verdict": "rising"}
    compression = {
        "fired": True,
        "leading_signal": "context_growth",
        "signals": {"context_growth": signal},
        "context_growth_trajectory": SERIES,
        "saturation_trajectory": [0.2, 0.4, None, 0.9],
    }
    audit = {
        "headline": headline,
        "trace_regime": REGIME,
        "panel": PANEL,
        "changes": CHANGES,
        "spending": SPENDING,
        "compression": compression,
        "revision": {"weak_evidence": True, "reason": HOSTILE},
        "dominant_mechanism": {"evidence": EVIDENCE},
        "session_times": TIMES,
    }
    return {"headline": headline, "trace_audit": audit, "n_sessions": 4, "warnings": [HOSTILE]}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPage]:
    page = audit_page(document(), HOSTILE)
    out = tmp_path_factory.mktemp("audit") / "report.html"
    write_page(out, "audit.html.j2", page.title, page, page_charts(page))
    with running_browser() as browser:
        yield OpenPage(browser, out)


def test_every_chart_shows_the_values_of_the_card(opened: OpenPage) -> None:
    fields = ("week", "series", "cost")
    weeks = [tuple(row[name] for name in fields) for row in opened.values("cost", "weeks")]
    assert weeks == [
        ("2026-03-02", HOSTILE, 1.0),
        ("2026-03-02", "other models", 0.5),
        ("2026-03-09", HOSTILE, 2.0),
    ]
    errors = [row["share"] for row in opened.values("errors", "errors")]
    assert errors == PANEL["figures"]["tool_errors"]["by_week"]  # type: ignore[index]
    context = [row["share"] for row in opened.values("context", "context")]
    assert context == [0.2, 0.4, None, 0.9]
    rows = opened.values("signal-compression_context_growth", "signal_compression_context_growth")
    assert [row["value"] for row in rows] == SERIES
    band = opened.values("signal-compression_context_growth", "band_compression_context_growth")
    expected = [msgspec.to_builtins(point) for point in null_band(SERIES, TIMES)]
    assert [{key: row[key] for key in ("t", "mean", "low", "high")} for row in band] == expected
    changes = [row["what"] for row in opened.values("changes", "changes")]
    assert changes == ["client 2.1.69", "client 2.1.70"]


def test_the_page_is_safe_and_can_be_read_by_everybody(opened: OpenPage) -> None:
    page = opened.page
    assert opened.complaints == []
    assert opened.requests == []
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img").count() == 0
    assert "</script><img" in (page.locator(".kicker").text_content() or "")
    assert "</script><img" in (page.locator("#evidence").text_content() or "")
    assert opened.serious() == []


def test_signals_of_text_patterns_are_visibly_weaker(opened: OpenPage) -> None:
    assert opened.page.locator("#mechanism-revision.weak .badge.weak").count() == 2
    assert opened.page.locator("#mechanism-compression.weak").count() == 0


def test_a_point_of_a_signal_opens_its_session(opened: OpenPage) -> None:
    page = opened.page
    chart = "#chart-signal-compression_context_growth"
    page.locator(f"{chart} .mark-symbol.role-mark path").nth(1).click()
    page.wait_for_function("() => location.hash === '#session-2'")  # session 1 has no value
    assert page.locator("#session-2").is_visible()
    links = page.eval_on_selector_all("main a[href^='#']", "all => all.map((a) => a.hash.slice(1))")
    missing = [one for one in links if page.evaluate("(id) => !document.getElementById(id)", one)]
    assert missing == []


def test_a_link_into_the_sessions_lands_below_the_names_of_its_columns(opened: OpenPage) -> None:
    page = opened.page
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": 1280, "height": 320})
    page.evaluate("location.hash = '#session-7'")
    page.wait_for_function("() => document.querySelector('#session-7').checkVisibility()")
    edges = """() => {
        const box = (query) => document.querySelector(query).getBoundingClientRect();
        const head = box("#sessions thead th");
        return [box(".topbar").bottom - 2, head.top, head.bottom, box("#session-7").top];
    }"""
    page.wait_for_function(f"() => ({edges})()[3] < innerHeight")
    places = page.evaluate(edges)
    page.set_viewport_size(size)
    assert places == sorted(places)


def test_small_screens_keep_the_head_and_the_first_column_of_sessions_in_view(
    opened: OpenPage,
) -> None:
    page = opened.page
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": 400, "height": 240})
    page.evaluate("location.hash = '#session-6'")
    top = "document.querySelector('#session-6').getBoundingClientRect().top"
    page.wait_for_function(f"() => {top} > 0 && {top} < innerHeight")
    head, row, box = page.evaluate(
        """() => {
          const box = document.querySelector(".scroll.tall");
          box.scrollLeft = 80;
          const places = [box.querySelector("thead th"), document.getElementById("session-6"), box];
          return places.map((one) => one.getBoundingClientRect().toJSON());
        }"""
    )
    is_wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    page.set_viewport_size(size)

    assert not is_wide
    assert head["top"] >= -1
    assert head["top"] == pytest.approx(box["top"], abs=1)
    assert row["top"] >= head["bottom"] - 1
    assert row["bottom"] <= box["bottom"] + 1
    assert head["left"] == pytest.approx(box["left"], abs=1)


def test_what_the_card_does_not_hold_is_left_out(tmp_path: Path) -> None:
    bare = document()
    parts = ("panel", "changes", "spending", "compression", "dominant_mechanism", "session_times")
    for name in parts:
        del bare["trace_audit"][name]
    page = audit_page(bare, "bare")
    assert page_charts(page) == []
    assert [tile.name for tile in page.tiles] == ["sessions"]
    assert page.evidence == []
    assert page.sessions is None
    size = write_page(tmp_path / "bare.html", "audit.html.j2", "bare", page, [])
    assert size > 0


def test_texts_of_records_are_shown_when_traces_are_given(tmp_path: Path) -> None:
    line = json.dumps({"message": {"content": HOSTILE}})
    (tmp_path / "a.jsonl").write_text(line)
    card = document()
    [signal] = card["trace_audit"]["dominant_mechanism"]["evidence"]["compression"]
    signal = {**signal, "records": [{"file": "a.jsonl", "line": 1, "session": 0}]}
    card["trace_audit"]["dominant_mechanism"] = {"evidence": {"compression": [signal]}}
    assert [cell.text for cell in audit_page(card, "x").evidence[0].records[0]][-1] == "–"
    page = audit_page(card, "x", RecordTexts(tmp_path))
    assert [cell.text for cell in page.evidence[0].records[0]][-1] == HOSTILE
    write_page(tmp_path / "page.html", "audit.html.j2", "x", page, page_charts(page))
    assert "&lt;/script&gt;&lt;img" in (tmp_path / "page.html").read_text()


def test_a_fleet_has_a_row_per_project(tmp_path: Path) -> None:
    fleet = fleet_page([("one", document()), (HOSTILE, document())])
    assert fleet.answer == "2 of 2 agents are seen to get worse."
    assert [row.tokens for row in fleet.rows] == ["1.5 k", "1.5 k"]
    write_page(tmp_path / "fleet.html", "fleet.html.j2", fleet.answer, fleet, [])
    text = (tmp_path / "fleet.html").read_text()
    assert "&lt;/script&gt;&lt;img" in text
    assert json.dumps({}) in text


def fleet_card(detected: bool | None, open_because: str | None = None) -> dict[str, Any]:
    headline = {"aging_detected": detected, "open_because": open_because, "aging_reason": "few"}
    return {"headline": headline, "trace_audit": {"headline": headline}}


@pytest.mark.parametrize(
    ("cards", "answer"),
    [
        (
            [fleet_card(None), fleet_card(None)],
            "Whether they got worse cannot be told for any of the 2 agents.",
        ),
        (
            [fleet_card(None), fleet_card(None, "effort_rose")],
            "p1 is not called aging, and not healthy."
            " For 1 of 2 agents it cannot be told whether it got worse.",
        ),
        ([fleet_card(False), fleet_card(False)], "None of 2 agents are seen to get worse."),
        (
            [fleet_card(True), fleet_card(None), fleet_card(False)],
            "1 of 3 agents is seen to get worse."
            " For 1 of 3 agents it cannot be told whether it got worse.",
        ),
    ],
)
def test_a_fleet_says_what_cannot_be_told(cards: list[dict[str, Any]], answer: str) -> None:
    page = fleet_page([(f"p{place}", card) for place, card in enumerate(cards)])
    assert page.answer == answer


def test_a_fleet_leads_to_each_page_or_names_the_command(tmp_path: Path) -> None:
    cards = [("one", document()), ("two", document())]
    texts = []
    for links in ([], ["/report?run=one", "/report?run=two"]):
        fleet = fleet_page(cards, links)
        write_page(tmp_path / "fleet.html", "fleet.html.j2", fleet.answer, fleet, [])
        texts.append((tmp_path / "fleet.html").read_text())
    alone, linked = texts
    assert "<code>agingbench report CARD</code>" in alone
    assert "<code>agingbench report CARD</code>" not in linked
    assert '<a href="/report?run=two">two</a>' in linked


def test_a_small_line_needs_two_values() -> None:
    assert spark_points([1.0, None]) == ""
    assert spark_points([0.0, 2.0]) == "0.0,20.0 100.0,0.0"


def test_a_signal_leads_to_the_records_behind_it() -> None:
    page = audit_page(document(), "x")
    [signal] = [one for one in page.mechanisms[0].signals if one.leads]
    assert signal.records == page.evidence[0].id == "evidence-compression-context_growth"
    without = document()
    without["trace_audit"]["dominant_mechanism"] = {}
    assert audit_page(without, "x").mechanisms[0].signals[0].records == ""
