"""Builds the documentation site; a dead link of any kind ends the build.

Usage: python -m docs_site.build [--out FOLDER]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from docs_site.built import dead_addresses
from docs_site.links import dead_links
from docs_site.stage import ROOT_PAGES, stage_pages

WORKER = "worker.js"
REMOTE_WORKER = "https://unpkg.com/iframe-worker/shim"
ROOT = Path(__file__).resolve().parents[1]


def build_site(root: Path, out: Path) -> Path:
    """Build the site below `out` and return its folder; SystemExit names what is wrong."""
    pages = [root / name for name in ROOT_PAGES] + sorted((root / "docs").rglob("*.md"))
    _stop_at([str(link) for link in dead_links(root, pages)])
    out = out.resolve()
    stage_pages(root, out / "pages")
    shutil.copyfile(root / "docs_site" / "site.css", out / "pages" / "site.css")
    shutil.copyfile(root / "docs_site" / "zensical.toml", out / "zensical.toml")
    site = out / "site"
    if site.exists():
        shutil.rmtree(site)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    process = subprocess.run(command, cwd=out, check=False)  # noqa: S603 - our own words
    if process.returncode:
        raise SystemExit(f"the site was not built (exit {process.returncode})")
    _keep_search_offline(root, site)
    _stop_at(list(dead_addresses(site)))
    return site


def _keep_search_offline(root: Path, site: Path) -> None:
    """Put our own script where the generator would load one from the network."""
    shutil.copyfile(root / "docs_site" / WORKER, site / "assets" / WORKER)
    for page in site.rglob("*.html"):
        depth = len(page.relative_to(site).parts) - 1
        text = page.read_text(encoding="utf-8")
        text = text.replace(REMOTE_WORKER, f"{'../' * depth}assets/{WORKER}")
        page.write_text(text, encoding="utf-8")


def _stop_at(problems: list[str]) -> None:
    if problems:
        listed = "\n".join(problems)
        raise SystemExit(f"{listed}\n{len(problems)} dead links; the site was not built")


def main() -> None:
    """Build the site and say where it lies."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    site = build_site(ROOT, parser.parse_args().out)
    pages = len(list(site.rglob("*.html")))
    print(f"{pages} pages; open {site / 'index.html'}")


if __name__ == "__main__":
    main()
