"""The report of a life in real Chromium: values, addresses, hostile text, accessibility."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from agingbench.bench.diagnosis.autopsy.autopsy import autopsy_run
from agingbench.bench.life.life import Life
from agingbench.report.pages.build import write_report
from agingbench.report.pages.sources import find_cards
from tests.report.pages.browser import OpenPage, running_browser

HOSTILE = '</script><img src=x onerror="window.pwned=1"><!-- \' " & \u2028 \u202e x \u0645\u0631\u062d\u0628\u0627'
LONG = "w" * 1_000_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short life with an event, scored, diagnosed and examined."""
    life = Life.new(
        "s2",
        memory="lossy_compress",
        pressure="light",
        sessions=4,
        seed=1,
        events=["flush_history@2"],
        out=tmp_path_factory.mktemp("life"),
    )
    life.live()
    life.diagnose()
    life.score()
    path = life.folder.path
    autopsy_run(path)
    return path


@pytest.fixture(scope="module")
def card(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "aging_card.json").read_text())
    return document


@pytest.fixture(scope="module")
def report(folder: Path) -> Path:
    out = folder.parent / "report.html"
    write_report(find_cards([folder]), out)
    return out


@pytest.fixture(scope="module")
def opened(browser: Browser, report: Path) -> OpenPage:
    return OpenPage(browser, report)


def test_the_page_asks_for_nothing_and_complains_of_nothing(opened: OpenPage) -> None:
    assert opened.requests == []
    assert opened.complaints == []


def test_the_curve_shows_the_values_of_the_card(opened: OpenPage, card: dict[str, Any]) -> None:
    rows = opened.values("curve", "curve")
    assert [[row["t"], row["m"]] for row in rows] == card["checkpoints"]
    intervals = {t: (low, high) for t, low, high, _ in card["checkpoint_intervals"]}
    assert {row["t"]: (row["low"], row["high"]) for row in rows} == intervals
    assert [row["label"] for row in opened.values("curve", "events")] == ["flush history"]


def test_the_bars_show_the_shares_of_the_diagnosis(opened: OpenPage, card: dict[str, Any]) -> None:
    wanted = set()
    names = {"U": "utilization", "W": "write", "R": "retrieval", "W+R": "write+retrieval"}
    for session in card["diagnosis"]["sessions"]:
        for key, share in session["shares"].items():
            wanted.add((session["t"], names[key], share["value"]))
    rows = opened.values("stages", "stages")
    assert {(row["t"], row["series"], row["share"]) for row in rows} == wanted


def test_tokens_add_up_to_those_of_the_card(opened: OpenPage, card: dict[str, Any]) -> None:
    rows = opened.values("tokens", "tokens")
    totals = {"read": 0, "written": 0}
    for row in rows:
        totals[row["series"]] += row["tokens"]
    cost = card["cost_and_efficiency"]
    assert totals == {"read": cost["total_input_tokens"], "written": cost["total_output_tokens"]}


def test_a_point_opens_its_session_with_the_questions_of_the_plan(
    opened: OpenPage, folder: Path
) -> None:
    plan = json.loads((folder / "plan.json").read_text())
    page = opened.page
    for t in (0, 3, 4):
        page.evaluate("location.hash = ''")
        page.locator("#chart-curve .plot").scroll_into_view_if_needed()
        marks = page.locator("#chart-curve .mark-symbol.role-mark path")
        marks.nth(t).click()
        page.wait_for_function(f"() => location.hash === '#s-{t}'")
        # The page opens the session once it hears of the new address, a moment later.  Both
        # conditions are functions: a plain expression is evaluated anew at every look, which
        # the page forbids.
        page.wait_for_function(f"() => document.getElementById('s-{t}').open")
        session = page.locator(f"#s-{t}")
        asked = sum(probe["t"] == t for probe in plan["probes"])
        assert session.locator("li.question").count() == asked > 0


def test_every_address_leads_somewhere(opened: OpenPage) -> None:
    dead = opened.page.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.getAttribute('href').slice(1))"
        ".filter((id) => !document.getElementById(id))"
    )
    assert dead == []
    twice = opened.page.evaluate(
        "[...document.querySelectorAll('[id]')].map((one) => one.id)"
        ".filter((id, place, all) => all.indexOf(id) !== place)"
    )
    assert twice == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_no_serious_barrier_and_nothing_wider_than_the_screen(
    browser: Browser, report: Path, scheme: str, width: int
) -> None:
    screen = {"width": width, "height": 800}
    opened = OpenPage(browser, report, color_scheme=scheme, viewport=screen)
    assert opened.page.evaluate("document.documentElement.dataset.theme") == scheme
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.evaluate("document.querySelector('#s-2').open = true")
    assert opened.serious() == []
    opened.page.context.close()


def test_the_chosen_colours_stay_and_a_small_screen_shows_every_section(
    browser: Browser, report: Path
) -> None:
    screen = {"width": 400, "height": 800}
    opened = OpenPage(browser, report, color_scheme="light", viewport=screen)
    page = opened.page
    page.click("#theme")
    page.reload()
    page.wait_for_selector("html[data-drawn=yes]")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    ends = page.eval_on_selector_all(
        ".topbar nav a", "links => links.map((one) => one.getBoundingClientRect().right)"
    )
    assert ends
    assert max(ends) <= 400
    page.context.close()


def test_hostile_text_shows_as_text(browser: Browser, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "life"
    copy.mkdir()
    for name in ("aging_card.json", "plan.json", "answers.jsonl", "metrics.json"):
        (copy / name).write_bytes((folder / name).read_bytes())
    plan = json.loads((copy / "plan.json").read_text())
    plan["sessions"][1]["material"] = HOSTILE
    plan["sessions"][2]["material"] = LONG
    plan["probes"][0]["question"] = HOSTILE
    (copy / "plan.json").write_text(json.dumps(plan))
    card = json.loads((copy / "aging_card.json").read_text())
    card["sut"]["sut_id"] = HOSTILE
    card["lifecycle_events"] = [f"{HOSTILE}@2"]
    (copy / "aging_card.json").write_text(json.dumps(card))

    out = tmp_path / "report.html"
    written = write_report(find_cards([copy]), out)
    assert written.bytes < 3_000_000
    opened = OpenPage(browser, out)
    page = opened.page
    assert opened.complaints == []
    assert opened.requests == []
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img").count() == 0
    told = page.locator("#s-1 .text").first.text_content() or ""
    assert '</script><img src=x onerror="window.pwned=1"><!-- \' " &' in told
    assert "\u0645\u0631\u062d\u0628\u0627" in told
    assert "\u202e" not in told
    assert "</script><img" in (page.locator(".kicker").text_content() or "")
    assert "</script>" in opened.values("curve", "events")[0]["label"]
    long = page.locator("#s-2 .text").first.text_content() or ""
    assert long.startswith("www")
    assert "980,000 more characters are not shown" in long
    page.context.close()
