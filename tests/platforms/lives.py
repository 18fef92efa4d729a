"""One small life with tools, a lifecycle event and a planted secret, for the tests of exports."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agingbench.bench.life.life import Life
from agingbench.platforms.items import ExportItem, find_items

SECRET = "sk-ant-api03-" + "Zx9" * 12
SESSIONS = 2


def lived(out: Path) -> Path:
    """Live it below a folder, score it, and return its own folder."""
    life = Life.new(
        "s2",
        out=out,
        sessions=SESSIONS,
        pressure="none",
        memory="careful_compress",
        events=["flush_history@1"],
    )
    life.live()
    life.score()
    trace = life.folder.trace
    before = trace.read_text()
    planted = before.replace('"content":"', f'"content":"{SECRET} ', 1)
    assert planted != before
    trace.write_text(planted)
    return life.folder.path


@cache
def item_at(folder: Path) -> ExportItem:
    """The item of the life in a folder."""
    (item,) = find_items([str(folder)])
    return item
