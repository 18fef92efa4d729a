"""The documentation site, built and opened from the file system without a network."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.places import ROOT
from tests.report.pages.browser import OpenPage, running_browser

PYTHON = ROOT / ".venv-docs" / "bin" / "python"
READY = "html.js"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON.exists(), reason="no site generator here: make docs installs it"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("docs")
    command = [str(PYTHON), "-m", "docs_site.build", "--out", str(out)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return out / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as one:
        yield one


def test_every_page_opens_without_a_complaint(site: Path, browser: Browser) -> None:
    opened = OpenPage(browser, site / "index.html", site, READY)
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 40
    for page in pages:
        opened.page.goto(page.as_uri())
        heading = opened.page.locator("h1").first.text_content()
        assert heading, page
    assert opened.complaints == []
    assert opened.requests == []


def test_search_finds_a_page_without_a_network(site: Path, browser: Browser) -> None:
    opened = OpenPage(browser, site / "index.html", site, READY)
    page = opened.page
    page.keyboard.press("/")
    page.keyboard.type("quickstart")
    page.wait_for_selector("a[href*='quickstart.html'] mark, a[href*='quickstart.html'] b, ol a")
    assert page.locator("ol a").count() > 0
    assert opened.complaints == []
    assert opened.requests == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_can_be_read_by_everybody(site: Path, browser: Browser, scheme: str) -> None:
    opened = OpenPage(browser, site / "index.html", site, READY, color_scheme=scheme)
    assert opened.serious() == []
