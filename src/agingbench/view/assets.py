"""The style sheets and scripts of the viewer, by name; no other file is ever served."""

from __future__ import annotations

from pathlib import Path

from agingbench.errors import InputError
from agingbench.report.pages.bundle import chart_library
from agingbench.report.pages.document import TEMPLATES as REPORT_TEMPLATES

TEMPLATES = Path(__file__).parent / "templates"
CHARTS = "charts.js"
SCRIPT = "text/javascript"
ASSETS = {
    CHARTS: SCRIPT,
    "page.js": SCRIPT,
    "view.js": SCRIPT,
    "trace.js": SCRIPT,
    "style.css": "text/css",
    "view.css": "text/css",
}


def asset(name: str) -> tuple[str, str]:
    """The text of an asset and its media type."""
    if name not in ASSETS:
        raise InputError(f"there is no asset '{name}'")
    if name == CHARTS:
        return chart_library(), ASSETS[name]
    for folder in (TEMPLATES, REPORT_TEMPLATES):
        file = folder / name
        if file.is_file():
            return file.read_text(encoding="utf-8"), ASSETS[name]
    raise InputError(f"the asset '{name}' is missing from this installation")
