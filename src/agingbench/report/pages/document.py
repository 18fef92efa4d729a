"""One HTML file from a template: everything inlined, everything escaped, no network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from agingbench import __version__
from agingbench.report.pages.bundle import chart_library
from agingbench.report.pages.charts import PageChart
from agingbench.report.text import printable_lines
from agingbench.traces.files import write_atomic

TEMPLATES = Path(__file__).parent / "templates"
# Signs that could end a script element, or a line within one, are written as escapes.
_SCRIPT_ESCAPES = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def write_page(out: Path, template: str, title: str, page: Any, charts: Sequence[PageChart]) -> int:
    """Write a page and return its size in bytes."""
    text = render_page(template, title, page, charts).encode()
    write_atomic(out, text)
    return len(text)


def render_page(template: str, title: str, page: Any, charts: Sequence[PageChart]) -> str:
    """A page as one HTML text: style sheet, scripts and the data of its charts included."""
    specs = script_json({chart.id: chart.spec for chart in charts if chart.spec})
    library = chart_library() if charts else ""  # most of a page, where it draws something
    script = _own("page.js")
    return (
        page_environment()
        .get_template(template)
        .render(
            title=title,
            page=page,
            version=__version__,
            policy=_policy(specs, library, script),
            style=Markup(_own("style.css")),  # noqa: S704 - files of ours, nobody's text
            charts=Markup(specs),  # noqa: S704 - escaped by script_json
            library=Markup(library),  # noqa: S704 - the chart library, checked when it was made
            script=Markup(script),  # noqa: S704
        )
    )


def script_json(value: Any) -> str:
    """JSON that is safe inside a script element; unsafe signs of the texts in it are escaped."""
    text = json.dumps(_printable(value), ensure_ascii=False, allow_nan=False)
    for sign, escape in _SCRIPT_ESCAPES.items():
        text = text.replace(sign, escape)
    return text


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable_lines(value)
    if isinstance(value, dict):
        return {printable_lines(str(key)): _printable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(part) for part in value]
    return value


def _policy(*scripts: str) -> str:
    """What the page may do: run these scripts and nothing else, load nothing."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _own(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def page_environment(*folders: Path) -> jinja2.Environment:
    """Templates of these folders, then ours, with everything escaped that they show."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """Text without characters that would turn a line around or hide in it; missing is a dash."""
    if value is None or value is msgspec.UNSET:
        return "–"
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable_lines(value)
    return value
