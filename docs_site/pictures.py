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

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "img"
LIMIT = 200_000  # bytes of a picture
LIFE = "run --scenario s2 --memory append_only --events flush_history@6 --sessions 10"
LIFE += " --diagnose --bounds --no-plots"
STUDY = "run --scenario s2 --sessions 6 --seeds 2 --bounds --no-plots"
MEMORIES = ("append_only", "careful_compress", "lossy_compress")


@dataclass(frozen=True)
class Picture:
    """A report to photograph: its name, its page, and how it is looked at."""

    name: str
    page: Path | str  # a file or an address
    scheme: str = "light"
    height: int = 900
    anchor: str = ""


def main() -> None:
    """Live the lives, write the reports, photograph them."""
    parser = argparse.ArgumentParser(description="Make the pictures of docs/img again.")
    parser.add_argument("--traces", type=Path, help="sessions of a real project, for the audit")
    traces = parser.parse_args().traces
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        pictures = [*_of_lives(work), *_of_audit(work, traces)]
        with _viewer(work / "study") as address:
            _photograph([*pictures, Picture("view", address, height=820)])


def _of_lives(work: Path) -> list[Picture]:
    _agingbench([*LIFE.split(), "--out", str(work / "life")])
    for memory in MEMORIES:
        _agingbench([*STUDY.split(), "--memory", memory, "--out", str(work / "study")])
    life = _report(work, _with_events(work / "life"), "life")
    study = _report(work, work / "study", "study")
    return [
        Picture("report_life", life, height=1180),
        Picture("report_study", study, "dark", 1000),
    ]


def _with_events(folder: Path) -> Path:
    """The life with events; the same life without them lies beside it."""
    for card in folder.rglob("aging_card.json"):
        if json.loads(card.read_text())["lifecycle_events"]:
            return card.parent
    raise SystemExit(f"{folder}: no life with events")


def _of_audit(work: Path, traces: Path | None) -> list[Picture]:
    """The audit needs somebody's traces, which do not lie in the repository."""
    if traces is None:
        return []
    _agingbench(["audit", str(traces), "--out", str(work / "audit")])
    return [Picture("report_audit", _report(work, work / "audit", "audit"), height=1180)]


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


def _photograph(pictures: Sequence[Picture]) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for picture in pictures:
            page = browser.new_page(
                viewport={"width": 1280, "height": picture.height},
                color_scheme="dark" if picture.scheme == "dark" else "light",
            )
            place = picture.page.as_uri() if isinstance(picture.page, Path) else picture.page
            page.goto(f"{place}{picture.anchor}")
            page.wait_for_selector("html[data-drawn=yes]")
            file = IMAGES / f"{picture.name}.png"
            page.screenshot(path=file)
            size = file.stat().st_size
            if size > LIMIT:
                raise SystemExit(f"{file}: {size:,} bytes, more than {LIMIT:,}")
            print(f"{file.relative_to(ROOT)}: {size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
