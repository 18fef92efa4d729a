"""A real Chromium for the tests of pages, cut off from every network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120_000  # milliseconds; a busy machine needs long for what takes a moment elsewhere


def chromium() -> str:
    """The path of the browser; without one the tests fail where it is needed and skip elsewhere."""
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    reason = "no Chromium on this machine: apt-get install chromium"
    if os.environ.get("AGINGBENCH_NEED_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A browser without a window."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"], timeout=PATIENCE
        )
        yield browser
        browser.close()


class OpenPage:
    """A report in the browser, with everything it complained about and everything it asked for."""

    def __init__(
        self,
        browser: Browser,
        file: Path,
        folder: Path | None = None,
        ready: str = "html[data-drawn=yes]",
        **options: Any,
    ) -> None:
        """Open a file, which may load itself, or anything of a folder, and nothing else."""
        self.address = file.as_uri()
        self.folder = None if folder is None else f"{folder.as_uri()}/"
        self.complaints: list[str] = []
        self.requests: list[str] = []
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.route("**/*", self._route)
        self.page: Page = context.new_page()
        self.page.on("console", lambda message: self._hear(message.type, message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(self.address)
        self.page.wait_for_selector(ready)

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def _route(self, route: Route) -> None:
        address = route.request.url
        is_own = address.partition("#")[0] == self.address
        if is_own or (self.folder is not None and address.startswith(self.folder)):
            route.continue_()
            return
        self.requests.append(address)
        route.abort()

    def values(self, chart: str, dataset: str) -> list[dict[str, Any]]:
        """The rows that a chart was drawn from, as the page holds them."""
        rows: list[dict[str, Any]] = self.page.evaluate(
            "([chart, name]) => window.reportCharts[chart].data(name).map((row) => ({...row}))",
            [chart, dataset],
        )
        return rows

    def serious(self) -> list[str]:
        """Violations of accessibility that are serious or worse."""
        return serious_violations(self.page)


def serious_violations(page: Page) -> list[str]:
    """Violations of accessibility that are serious or worse."""
    from axe_playwright_python.sync_playwright import Axe

    results = Axe().run(page, options={"resultTypes": ["violations"]})
    found = []
    for violation in results.response["violations"]:
        if violation["impact"] in ("serious", "critical"):
            nodes = [node["html"][:120] for node in violation["nodes"][:3]]
            found.append(f"{violation['id']}: {nodes}")
    return found
