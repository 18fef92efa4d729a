"""Inspect logs: `.eval` archives and JSON logs; every sample and epoch is a session of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from agingbench.records import Event, ReadLog
from agingbench.traces.decoding.sources import first_values
from agingbench.traces.foreign_trial import ForeignTrial
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.formats.inspect.log import ZIP, count_samples, read_log
from agingbench.traces.formats.inspect.samples import sample_events
from agingbench.traces.formats.inspect.trial import trials_in

_MEMBERS = (b"_journal/start.json", b"samples/", b"header.json")


class Inspect(BaseFormat):
    """`.eval` and `.json` logs of inspect_ai."""

    name = "inspect"
    status = "verified"
    recipe = "inspect eval writes logs/*.eval; older or converted logs are .json"

    def sniff(self, head: bytes) -> float:
        """By the members of the archive, or by the blocks of a JSON log."""
        if head.startswith(ZIP):
            return 0.95 if any(member in head for member in _MEMBERS) else 0.0

        value = next(iter(first_values(head)), None)
        if not isinstance(value, dict) or not isinstance(value.get("eval"), dict):
            return 0.0
        return 0.95 if {"task", "model"} <= value["eval"].keys() else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The messages of every sample, with tokens and times from its model and tool events."""
        header, samples = read_log(stream, log)
        for sample in samples:
            log.used += 1
            yield from sample_events(header, sample.content, log)

    def trial_count(self, file: Path) -> int:
        """How many samples an archive lists; a JSON log counts as one."""
        return count_samples(file)

    def trials(self, file: Path, log: ReadLog) -> Iterator[ForeignTrial]:
        """One trial per sample and epoch."""
        return trials_in(file, log)
