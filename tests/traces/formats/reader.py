"""Writing and reading small traces, for the tests of the formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agingbench.records import Event, ReadLog
from agingbench.traces.reading import read_events, sniff


def read(path: Path, format: str, *values: Any, whole: bool = False) -> tuple[list[Event], ReadLog]:
    """The events of values written as lines, or of one value written as a document; the format is
    sniffed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps(values[0], indent=1)
        if whole
        else "\n".join(json.dumps(value) for value in values)
    )
    assert sniff(path) == format
    log = ReadLog()
    return list(read_events(path, log=log)), log


def total(log: ReadLog) -> int:
    """Every record, whatever became of it."""
    return log.used + log.duplicate + log.n_malformed + sum(log.ignored.values())
