"""The JavaScript that draws charts in a page, made once and kept in the user's cache folder."""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import version
from pathlib import Path

from agingbench.errors import AgingBenchError
from agingbench.report.chart_frame import grammar_version
from agingbench.traces.files import private_folder, read_bytes, write_atomic

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
# Nothing that ends a script element may stand in one.
_FORBIDDEN = ("</script", "<!--")


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and vega-embed as one script that needs no network."""
    grammar = grammar_version()
    file = _cache_folder() / f"charts-{version('vl-convert-python')}-{grammar}.js"
    stored = _stored(file)
    if stored is not None:
        return stored

    import vl_convert

    script: str = vl_convert.javascript_bundle(_SNIPPET, grammar)
    for mark in _FORBIDDEN:
        script = script.replace(mark, mark.replace("<", "\\x3c"))
    _store(file, script)
    return script


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "agingbench"


def _stored(file: Path) -> str | None:
    try:
        script = read_bytes(file).decode()
    except (AgingBenchError, UnicodeDecodeError):
        return None  # it is made anew
    is_whole = "vegaEmbed" in script and not any(mark in script for mark in _FORBIDDEN)
    return script if is_whole else None


def _store(file: Path, script: str) -> None:
    try:
        private_folder(file.parent)
        write_atomic(file, script.encode())
    except (AgingBenchError, OSError):
        return  # a home that cannot be written to costs time, not the report
