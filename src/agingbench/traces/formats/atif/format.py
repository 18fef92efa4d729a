"""ATIF (Harbor's Agent Trajectory Interchange Format), versions 1.0 to 1.8: one JSON document of
steps per session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from agingbench.records import Event, ReadLog
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.foreign_trial import ForeignTrial
from agingbench.traces.formats.atif.steps import trajectory_events
from agingbench.traces.formats.atif.trial import trial_in
from agingbench.traces.formats.base import BaseFormat

_VERSION = re.compile(r"ATIF-v1\.\d+")


class Atif(BaseFormat):
    """`trajectory.json` of Harbor and of the harnesses that write its format."""

    name = "atif"
    status = "verified"
    recipe = (
        "Harbor writes agent/trajectory.json into every trial's folder; nothing has to be exported"
    )

    def sniff(self, head: bytes) -> float:
        """By the version that stands at the top of every document."""
        value = next(iter(first_values(head)), None)
        version = value.get("schema_version") if isinstance(value, dict) else None
        return 1.0 if isinstance(version, str) and version.startswith("ATIF-v") else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """A step is a record; steps copied from another trajectory for context are duplicates."""
        for line, value in records(stream, log):
            if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
                log.bad(line, "no ATIF trajectory: there are no steps")
                continue

            version = value.get("schema_version")
            if not isinstance(version, str) or not _VERSION.fullmatch(version):
                log.flag("unknown_version")
            yield from trajectory_events(value, log, line)

    def trials(self, file: Path, log: ReadLog) -> Iterator[ForeignTrial]:
        """The one trial of a document, with Harbor's result if that is beside it."""
        yield trial_in(file, log, lambda stream: list(self.events(stream, log)))
