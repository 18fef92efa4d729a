"""The trace inspector: steps of a trace in pages, search, and the way from error to error."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import msgspec

from agingbench.records import Event
from agingbench.report.text import printable_lines
from agingbench.traces.scrub.scrubber import scrub
from agingbench.traces.steps import step_numbers
from agingbench.trials.inspect.tool_errors import error_kind
from agingbench.trials.inspect.transcripts import Transcript

PAGE = 100
LARGEST_PAGE = 200
SHOWN = 1_500  # characters of an entry in the list; the whole is asked for one by one
SLACK = 500  # characters for which nothing is cut
LONGEST = 200_000
LONGEST_NAME = 12
KEPT = 4  # traces in memory
BINS = 240  # marks along the whole trace


class TraceEntry(msgspec.Struct, frozen=True):
    """One entry of a trace as the inspector shows it."""

    place: int
    step: int | None
    session: str
    role: str
    title: str
    text: str
    cut: int  # characters that are left out
    error: str
    tokens: str


class Inspected:
    """A trace that was read once: its events, its steps and where its errors are."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.events = transcript.events
        self.steps = step_numbers(self.events)
        self.errors: dict[int, str] = {}
        for place, event in enumerate(self.events):
            kind = error_kind(event) if event.role == "tool_result" else None
            if kind is not None:
                self.errors[place] = kind
        self.error_places = sorted(self.errors)

    def page(self, start: int, count: int) -> list[TraceEntry]:
        """The entries from a place on."""
        first = max(0, start)
        last = min(len(self.events), first + min(count, LARGEST_PAGE))
        return [self.entry(place, SHOWN) for place in range(first, last)]

    def entry(self, place: int, longest: int = LONGEST) -> TraceEntry:
        """One entry, scrubbed, with as much of its text as is asked for."""
        event = self.events[place]
        # Somewhat more is scrubbed than shown, so that a secret at the cut is seen whole.
        whole = event_text(event)
        if len(whole) <= longest + SLACK:
            longest = len(whole)
        text = printable_lines(scrub(whole[: longest + SLACK]))[:longest]
        usage = event.usage
        tokens = ""
        if usage is not None and usage.input_tokens is not None:
            tokens = f"{usage.input_tokens:,} in, {usage.output_tokens or 0:,} out"
        session = event.session if event.session is not None else event.session_id
        return TraceEntry(
            place=place,
            step=self.steps[place],
            session="" if session is None else _short_name(str(session)),
            role=event.role,
            title=printable_lines(event.tool_name or event.lifecycle or event.model or ""),
            text=text,
            cut=max(0, len(whole) - longest),
            error=self.errors.get(place, ""),
            tokens=tokens,
        )

    def find(self, text: str, start: int, backwards: bool) -> int | None:
        """The next place from `start` on whose entry holds a text, in any case; None for none."""
        wanted = text.lower()
        places = range(start, -1, -1) if backwards else range(max(0, start), len(self.events))
        for place in places:
            if place < len(self.events) and wanted in self._searched(place):
                return place
        return None

    def _searched(self, place: int) -> str:
        event = self.events[place]
        name = f"{event.tool_name or ''} {event.role} {event.lifecycle or ''}"
        return f"{name} {event_text(event)}".lower()

    def find_error(self, start: int, backwards: bool) -> int | None:
        """The next error from `start` on; None for none."""
        if backwards:
            return next((place for place in reversed(self.error_places) if place <= start), None)
        return next((place for place in self.error_places if place >= start), None)

    def error_bins(self) -> list[int]:
        """How many errors lie in each part of the trace."""
        n = min(BINS, max(1, len(self.events)))
        bins = [0] * n
        for place in self.error_places:
            bins[place * n // len(self.events)] += 1
        return bins


def _short_name(session: str) -> str:
    """A session's number, or the beginning of a long name such as a UUID."""
    text = printable_lines(session)
    return text if len(text) <= LONGEST_NAME else f"{text[:8]}…"


def event_text(event: Event) -> str:
    """What an entry says: its text, its command or arguments, its output."""
    parts: list[str] = []
    if event.content:
        parts.append(event.content)
    if event.command:
        parts.append(event.command)
    elif event.arguments is not None:
        parts.append(_json_text(event.arguments))
    for output in (event.stdout, event.stderr):
        if output and output not in parts:
            parts.append(output)
    if not parts and event.metadata:
        parts.append(_json_text(event.metadata))
    return "\n".join(parts)


def _json_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode(errors="replace")
    except (TypeError, ValueError, RecursionError):
        return str(value)


class TraceCache:
    """The traces that were looked at last; one at a time is read."""

    def __init__(self) -> None:
        self._traces: OrderedDict[Hashable, Inspected] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, read: Callable[[], Transcript]) -> Inspected:
        """The trace of a key, read where it is not kept."""
        with self._lock:
            trace = self._traces.get(key)
            if trace is None:
                trace = Inspected(read())
                self._traces[key] = trace
            self._traces.move_to_end(key)
            while len(self._traces) > KEPT:
                self._traces.popitem(last=False)
            return trace
