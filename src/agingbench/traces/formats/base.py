"""What a trace format may say about itself beyond `sniff` and `events`, with a default for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

from agingbench.errors import InputError
from agingbench.interfaces import TraceFormat
from agingbench.records import ReadLog
from agingbench.traces.foreign_trial import ForeignTrial


class BaseFormat(TraceFormat):
    """A trace format: how to recognise it, read it, group its files and make trials of it.

    A plug-in needs the members of `TraceFormat`; the rest has its default here.
    """

    coding = False  # whether only agents that write software leave such traces

    def project(self, file: PurePath, top: PurePath, head: bytes) -> str:
        """The name of the agent that a file below `top` belongs to; empty for one agent in all."""
        return ""

    def trial_count(self, file: Path) -> int:
        """How many trials a file holds, as far as that is known without reading it."""
        return 1

    def trials(self, file: Path, log: ReadLog) -> Iterator[ForeignTrial]:
        """The trials in a file; raises InputError in a format that knows none."""
        raise InputError(f"{file}: the format {self.name} holds no trials, only events")
