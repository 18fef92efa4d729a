"""The viewer in real Chromium: every page draws, says what the cards say, and shows text as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route

from agingbench.trials.ledger import open_ledger
from tests.report.lives import life
from tests.report.pages.browser import PATIENCE, running_browser, serious_violations
from tests.trials.making import full, parsed
from tests.view.serving import Served, copy_lives, served, write_trace

HOSTILE = '</script><img src=x onerror="window.pwned=1">\u202e&amp;'
ERROR = 41_233
STEPS = 50_000
TRIALS = 8
LOWER = [0.8, 0.4, 0.2, 0.1, 0.1]


@dataclass
class Looked:
    """A page of the viewer in the browser, with all complaints and all foreign requests."""

    page: Page
    address: str
    complaints: list[str]
    requests: list[str]

    def go(self, path: str) -> Page:
        """Open a page of the viewer and wait until it is drawn."""
        self.page.goto(f"{self.address}{path}")
        self.page.wait_for_selector("html[data-drawn=yes]")
        return self.page


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("seen") / "runs"
    place.mkdir()
    copy_lives(place, "s6", "s6_stopped")
    cards = {"keeps": life("m+keeps"), "loses": life("m+loses", ms=list(LOWER))}
    cards["hostile"] = life(f"m+{HOSTILE}", 7, ms=list(LOWER))
    for name, card in cards.items():
        (place / name).mkdir()
        (place / name / "aging_card.json").write_text(json.dumps(card))
    write_trace(place / "long.jsonl", STEPS, {ERROR: HOSTILE, 12: "early"})
    with open_ledger(place / "ledger.sqlite") as ledger:
        line = json.dumps({"step": 0, "role": "user", "content": HOSTILE})
        for n in range(TRIALS):
            record = full() | {"trial_id": f"trial-{n:03}"}
            record["agent"] = record["agent"] | {"model": HOSTILE}
            files = {"plan.json": b'{"sessions":[]}', "trace.jsonl": f"{line}\n".encode()}
            ledger.add(parsed(record), files)
    return place


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def viewer(folder: Path) -> Iterator[Served]:
    with served(folder) as running:
        yield running


@pytest.fixture(scope="module")
def looked(browser: Browser, viewer: Served) -> Looked:
    return look(browser, viewer)


def look(browser: Browser, viewer: Served, **options: Any) -> Looked:
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    requests: list[str] = []

    def route(one: Route) -> None:
        if urlsplit(one.request.url).netloc == f"127.0.0.1:{viewer.port}":
            one.continue_()
            return
        requests.append(one.request.url)
        one.abort()

    context.route("**/*", route)
    page = context.new_page()
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return Looked(page, viewer.address, complaints, requests)


def a_run(folder: Path) -> str:
    place = next(folder.glob("s6/**/aging_card.json")).parent
    return quote(place.relative_to(folder).as_posix())


def every_page(folder: Path) -> list[str]:
    run = a_run(folder)
    return [
        "/",
        "/cells",
        "/trials",
        "/trial?id=trial-003",
        "/files",
        "/verify",
        f"/report?run={run}",
        f"/plan?run={run}",
        f"/trace?run={run}",
        "/trace?trial=trial-003",
        "/trace?file=long.jsonl",
        "/overlay?run=keeps&run=hostile",
        "/overlay?trial=trial-001&trial=trial-002",
        "/report?run=keeps&run=loses",
        "/report?run=hostile",
    ]


def values(page: Page, chart: str, dataset: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = page.evaluate(
        "([chart, name]) => window.reportCharts[chart].data(name).map((row) => ({...row}))",
        [chart, dataset],
    )
    return rows


# What pages share is looked at once in the dark; reports have such tests of their own.
NARROW = ("/", "/cells", "/trials", "/trace?trial", "/overlay?run")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_every_page_is_drawn_text_stays_text_and_no_barrier_is_serious(
    browser: Browser, viewer: Served, folder: Path, scheme: str, width: int
) -> None:
    seen = look(browser, viewer, color_scheme=scheme, viewport={"width": width, "height": 800})
    for path in every_page(folder):
        if width <= 400 and path.split("=")[0] not in NARROW:
            continue
        page = seen.go(path)
        if path.startswith("/trace"):
            page.wait_for_selector("#entries[data-ready]")
        assert (path, seen.complaints, seen.requests) == (path, [], [])
        assert page.evaluate("window.pwned") is None
        assert page.locator("main img").count() == 0
        assert "\u202e" not in (page.text_content("main") or "")
        assert (path, page.evaluate("document.documentElement.scrollWidth")) == (path, width)
        if not path.startswith("/report"):  # long, and looked at where reports are tested
            assert (path, serious_violations(page)) == (path, [])
        if path == "/trials":
            assert "<img src=x onerror=" in (page.text_content(".trials tbody") or "")
    seen.page.context.close()


def test_ticked_runs_are_laid_over_each_other_with_the_values_of_their_cards(
    looked: Looked, folder: Path
) -> None:
    page = looked.go("/?q=m%2B")
    overlay = page.get_by_role("button", name="Overlay")
    assert overlay.is_disabled()
    for name in ("keeps", "loses"):
        page.check(f"input[value={name}]")
    assert page.text_content(".chosen") == "2 selected"
    overlay.click()
    page.wait_for_selector("html[data-drawn=yes]")
    rows = values(page, "overlay", "overlay")
    for name in ("keeps", "loses"):
        card = json.loads((folder / name / "aging_card.json").read_text())
        points = [[row["t"], row["m"]] for row in rows if row["series"] == name]
        assert points == card["checkpoints"]


def test_a_report_of_the_viewer_shows_the_curve_of_its_card(looked: Looked, folder: Path) -> None:
    page = looked.go(f"/report?run={a_run(folder)}")
    file = next(folder.glob("s6/**/aging_card.json"))
    card = json.loads(file.read_text())
    rows = values(page, "curve", "curve")
    assert [[row["t"], row["m"]] for row in rows] == card["checkpoints"]
    page.locator("#chart-curve .mark-symbol.role-mark path").nth(1).click()
    page.wait_for_function("() => location.hash === '#s-1'")


def test_a_chart_and_the_card_are_saved_as_png(looked: Looked) -> None:
    page = looked.go("/overlay?run=keeps&run=loses")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as PNG").click()
    assert Path(saving.value.path()).read_bytes().startswith(b"\x89PNG")
    assert saving.value.suggested_filename == "overlay.png"
    page = looked.go("/report?run=keeps")
    with page.expect_download() as saving:
        page.get_by_role("link", name="Card as PNG").click()
    assert Path(saving.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_cell_leads_to_its_lives_and_to_their_report(looked: Looked, folder: Path) -> None:
    page = looked.go("/cells")
    cell = str(Path(unquote(a_run(folder))).parent)
    page.check(f"input[value='{cell}']")
    page.get_by_role("button", name="Report").click()
    page.wait_for_selector("html[data-drawn=yes]")
    card = json.loads(next(folder.glob("s6/**/aging_card.json")).read_text())
    assert [[row["t"], row["m"]] for row in values(page, "curve", "curve")] == card["checkpoints"]
    page = looked.go("/cells")
    page.locator(f"tr:has(input[value='{cell}']) th a").click()
    page.wait_for_selector("html[data-drawn=yes]")
    assert page.locator(".runs tbody tr").count() == 1


def test_the_table_is_sorted_filtered_and_turned(looked: Looked) -> None:
    page = looked.go("/")
    page.get_by_role("link", name="end", exact=True).click()
    page.wait_for_selector("html[data-drawn=yes]")
    heading = page.locator("th.c-end")
    assert heading.get_attribute("aria-sort") == "descending"
    ends = page.locator("td.c-end").all_text_contents()
    shares = [int(text.removesuffix(" %")) for text in ends if text != "–"]
    assert shares == sorted(shares, reverse=True)
    page.fill("input[name=q]", "loses")
    page.get_by_role("button", name="Show").click()
    page.wait_for_selector("html[data-drawn=yes]")
    assert page.locator(".runs tbody tr").count() == 1
    page = looked.go("/trials?q=trial-00&sort=trial_id&order=up")
    ids = page.locator(".trials tbody th").all_text_contents()
    assert ids == [f"trial-{n:03}" for n in range(TRIALS)]


def test_the_inspector_finds_an_error_among_fifty_thousand_steps(looked: Looked) -> None:
    page = looked.go("/trace?file=long.jsonl")
    page.wait_for_selector("#entries[data-ready]")
    assert "50,000 entries, 2 errors" in (page.text_content(".inspector-head") or "")
    page.get_by_role("button", name="Next error").click()
    page.wait_for_selector("#e-13.here")
    page.get_by_role("button", name="Next error").click()
    page.wait_for_selector(f"#e-{ERROR + 1}.here")
    here = page.locator(".here")
    assert "error" in (here.get_attribute("class") or "")
    assert "<img src=x onerror=" in (here.locator("pre").text_content() or "")
    assert page.evaluate("window.pwned") is None
    page.get_by_role("button", name="Next error").click()
    page.wait_for_selector("#said:has-text('no error further on')")
    page.get_by_role("button", name="Previous error").click()
    page.wait_for_selector("#e-13.here")


def test_entries_are_loaded_as_one_scrolls_and_few_are_kept(looked: Looked) -> None:
    page = looked.go("/trace?file=long.jsonl")
    page.wait_for_selector("#entries[data-ready]")
    assert page.locator(".entry").count() <= 60
    for target in (100, 250, 420):
        page.wait_for_function(
            "(n) => { const box = document.getElementById('entries'); box.scrollTop = box.scrollHeight;"
            " return !!document.getElementById('e-' + n); }",
            arg=target,
        )
    assert page.locator(".entry").count() <= 300
    assert page.locator("#e-1").count() == 0
    places = page.evaluate("[...document.querySelectorAll('.entry')].map((r) => +r.dataset.place)")
    assert places == list(range(places[0], places[0] + len(places)))
    page.fill("#find", "NOTE 17777")
    page.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_selector("#e-17778.here")
    assert page.locator(".here mark").text_content() == "note 17777"
    page.wait_for_function(
        "() => { const box = document.getElementById('entries'); box.scrollTop = 0;"
        " return !!document.getElementById('e-17700'); }"
    )


def test_what_is_under_way_and_the_state_of_the_ledger_are_shown(looked: Looked) -> None:
    page = looked.go("/")
    page.wait_for_selector("#progress li progress")
    assert "of 4" in (page.text_content("#progress li") or "")
    page = looked.go("/verify")
    page.get_by_role("button", name="Check every entry now").click()
    page.wait_for_selector("#verify[data-state=intact]")
    assert f"{TRIALS} entries" in (page.text_content("#verify") or "")
    assert looked.complaints == []
