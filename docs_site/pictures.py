"""Makes the pictures of docs/img again, from lives that are lived for them.

Usage: python -m docs_site.pictures [--traces FOLDER]
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "img"
SITE_PYTHON = ROOT / ".venv-docs" / "bin" / "python"
LIMIT = 250_000  # bytes of a picture
LIFE = "run --scenario s2 --memory append_only --events flush_history@6 --sessions 10"
LIFE += " --diagnose --bounds --no-plots"
STUDY = "run --sessions 6 --seeds 3 --bounds --no-plots"
SCENARIOS = ("s1", "s2", "s3")
MEMORIES = ("append_only", "careful_compress", "lossy_compress")
WIDE = 1280
SMALL = 400
SMALL_HEIGHT = 860
DRAWN = "html[data-drawn=yes]"
SITE_READY = "html.js"


@dataclass(frozen=True)
class Subject:
    """A page to photograph, wide and small, light and dark."""

    name: str
    page: Path | str  # a file or an address
    height: int = 900  # of the wide pictures
    ready: str = DRAWN


@dataclass(frozen=True)
class Look:
    """How a page is looked at, and what its picture is called after that."""

    ending: str
    width: int
    dark: bool


LOOKS = (
    Look("", WIDE, False),
    Look("_dark", WIDE, True),
    Look("_small", SMALL, False),
    Look("_small_dark", SMALL, True),
)


def main() -> None:
    """Live the lives, write the reports, photograph them."""
    parser = argparse.ArgumentParser(description="Make the pictures of docs/img again.")
    parser.add_argument("--traces", type=Path, help="sessions of a real project, for the audit")
    traces = parser.parse_args().traces
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        subjects = [*_of_lives(work), *_of_audit(work, traces)]
        with _viewer(work / "study") as address:
            _photograph([*subjects, Subject("view", address, 820)])
        _photograph(_of_site(work))  # last: its pages show the other pictures


def _of_lives(work: Path) -> list[Subject]:
    _agingbench([*LIFE.split(), "--out", str(work / "life")])
    for scenario in SCENARIOS:
        for memory in MEMORIES:
            system = ["--scenario", scenario, "--memory", memory]
            _agingbench([*STUDY.split(), *system, "--out", str(work / "study")])
    life = _report(work, _with_events(work / "life"), "life")
    study = _report(work, work / "study", "study")
    return [Subject("report_life", life, 1440), Subject("report_study", study, 1000)]


def _with_events(folder: Path) -> Path:
    """The life with events; the same life without them lies beside it."""
    for card in folder.rglob("aging_card.json"):
        if json.loads(card.read_text())["lifecycle_events"]:
            return card.parent
    raise SystemExit(f"{folder}: no life with events")


def _of_audit(work: Path, traces: Path | None) -> list[Subject]:
    """The audit needs somebody's traces, which do not lie in the repository."""
    if traces is None:
        return []
    _agingbench(["audit", str(traces), "--out", str(work / "audit")])
    return [Subject("report_audit", _report(work, work / "audit", "audit"), 1180)]


def _of_site(work: Path) -> list[Subject]:
    """The documentation site, where its generator is installed."""
    if not SITE_PYTHON.exists():
        return []
    command = [str(SITE_PYTHON), "-m", "docs_site.build", "--out", str(work / "docs")]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)  # noqa: S603
    page = work / "docs" / "site" / "quickstart.html"
    return [Subject("docs", page, ready=SITE_READY)]


def _report(work: Path, path: Path, name: str) -> Path:
    out = work / f"{name}.html"
    _agingbench(["report", str(path), "--out", str(out)])
    return out


@contextmanager
def _viewer(folder: Path) -> Iterator[str]:
    """The address of a viewer that answers meanwhile."""
    command = [sys.executable, "-m", "agingbench", "view", str(folder), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as viewer:  # noqa: S603
        assert viewer.stdout is not None
        yield json.loads(viewer.stdout.readline())["data"]["address"]
        viewer.terminate()


def _agingbench(words: Sequence[str]) -> None:
    print("agingbench", *words, flush=True)
    command = [sys.executable, "-m", "agingbench", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own words


def _photograph(subjects: Sequence[Subject]) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for subject in subjects:
            for look in LOOKS:
                _take(browser, subject, look)
        browser.close()


def _take(browser: Browser, subject: Subject, look: Look) -> None:
    height = subject.height if look.width == WIDE else SMALL_HEIGHT
    page = browser.new_page(
        viewport={"width": look.width, "height": height},
        color_scheme="dark" if look.dark else "light",
    )
    place = subject.page.as_uri() if isinstance(subject.page, Path) else subject.page
    page.goto(place)
    page.wait_for_selector(subject.ready)
    file = IMAGES / f"{subject.name}{look.ending}.png"
    page.screenshot(path=file)
    page.close()
    size = file.stat().st_size
    if size > LIMIT:
        raise SystemExit(f"{file}: {size:,} bytes, more than {LIMIT:,}")
    print(f"{file.relative_to(ROOT)}: {size:,} bytes")


if __name__ == "__main__":
    main()
