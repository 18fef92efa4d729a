"""What a trace format may say about itself beyond `sniff` and `events`, with a default for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import IO

from agingbench.errors import InputError
from agingbench.interfaces import TraceFormat
from agingbench.records import Event, ReadLog
from agingbench.traces.foreign_trial import ForeignTrial


class BaseFormat:
    """A trace format: how to recognise it, read it, group its files and make trials of it.

    Subclasses set the three texts and implement `sniff` and `events`; the rest has defaults.
    """

    name: str
    status: str  # verified: run against the real source; reference: written from its documentation
    recipe: str  # how to export such traces
    coding = False  # whether only agents that write software leave such traces

    def sniff(self, head: bytes) -> float:
        """How sure the format is, from 0 to 1, that a file with these first bytes is its own."""
        raise NotImplementedError

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of a file; every record of the source is counted in the log."""
        raise NotImplementedError

    def project(self, file: PurePath, top: PurePath, head: bytes) -> str:
        """The name of the agent that a file below `top` belongs to; empty for one agent in all."""
        return ""

    def trial_count(self, file: Path) -> int:
        """How many trials a file holds, as far as that is known without reading it."""
        return 1

    def trials(self, file: Path, log: ReadLog) -> Iterator[ForeignTrial]:
        """The trials in a file; raises InputError in a format that knows none."""
        raise InputError(f"{file}: the format {self.name} holds no trials, only events")


class PlainFormat(BaseFormat):
    """A plug-in with only the members of the `TraceFormat` protocol, and the defaults added."""

    def __init__(self, plugin: TraceFormat) -> None:
        self.plugin = plugin
        self.name = plugin.name
        self.status = plugin.status
        self.recipe = plugin.recipe

    def sniff(self, head: bytes) -> float:
        return self.plugin.sniff(head)

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        return self.plugin.events(stream, log)
