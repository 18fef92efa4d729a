"""The texts of records that a card names, read from the traces and scrubbed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from agingbench.cards.audit import EvidencePlace
from agingbench.errors import AgingBenchError
from agingbench.traces.reading import trace_files
from agingbench.traces.scrub.scrubber import Scrubber
from agingbench.traces.tracefiles import TraceFile

LONGEST = 1200  # characters of one record that a page shows
LONGEST_LINE = 4_000_000  # bytes of a line that is looked at
# The parts of a record that somebody or something said.
TEXT_KEYS = frozenset(
    {"text", "content", "thinking", "input", "arguments", "output", "stdout", "stderr", "result"}
)
NOT_TEXT = frozenset({"id", "type", "role", "tool_use_id", "uuid", "sessionId", "timestamp"})


class RecordTexts:
    """Finds the records that a card names by file and line in the traces it was made from."""

    def __init__(self, path: Path) -> None:
        self._scrubber = Scrubber()
        self._files: dict[str, list[TraceFile]] = {}
        for file in trace_files(path):
            name = PurePath(file.name).name
            self._files.setdefault(name, []).append(file)
            clean = self._scrubber.text(name)
            if clean != name:  # the card may hold the name as it was scrubbed
                self._files.setdefault(clean, []).append(file)

    def words(self, place: EvidencePlace) -> str:
        """The scrubbed text of a record, or in brackets why there is none."""
        if not isinstance(place.line, int) or place.line < 1:
            return "(the card names no line)"
        files = self._files.get(str(place.file), [])
        if not files:
            return "(no such file in the traces that were given)"
        if len(files) > 1:
            return f"({len(files)} files have this name)"
        try:
            line = _line(files[0], place.line)
        except (AgingBenchError, OSError) as error:
            return f"(the file cannot be read: {self._scrubber.text(str(error))})"
        if line is None:
            return "(the file has no such line)"
        return self._text(line)

    def _text(self, line: bytes) -> str:
        raw = line.decode("utf-8", "replace")
        try:
            parts = list(_said(json.loads(raw), False))
        except (ValueError, RecursionError):
            parts = []
        # Scrubbed as a whole, before anything is cut: half a secret is known to no rule.
        text = self._scrubber.text("\n".join(parts) or raw)
        if len(text) <= LONGEST:
            return text
        return f"{text[:LONGEST]} … ({len(text) - LONGEST:,} more characters)"


def _line(file: TraceFile, number: int) -> bytes | None:
    with file.open() as stream:
        lines = iter(lambda: stream.readline(LONGEST_LINE), b"")
        return next(itertools.islice(lines, number - 1, None), None)


def _said(value: Any, is_text: bool) -> Iterator[str]:
    """Every text of a record below a key that holds such."""
    if isinstance(value, str):
        if is_text and value.strip():
            yield value
    elif isinstance(value, list):
        for part in value:
            yield from _said(part, is_text)
    elif isinstance(value, dict):
        for key, part in value.items():
            below = key not in NOT_TEXT and (is_text or key in TEXT_KEYS)
            yield from _said(part, below)
