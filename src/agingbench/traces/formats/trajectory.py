"""The trace file of this project, generations 1 and 2, as one of the formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import msgspec

from agingbench.errors import InputError
from agingbench.records import ROLES, Event, ReadLog, Usage
from agingbench.traces.decoding.building import amount, count
from agingbench.traces.decoding.times import seconds
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.trajectory import FORMAT, Diagnostic, iter_trace_lines


class Trajectory(BaseFormat):
    """`trace.jsonl` or `trajectory.jsonl`: entries with `step` and `role`, one per line."""

    name = "trajectory"
    status = "verified"
    recipe = (
        "agingbench run writes trace.jsonl into every life's folder; other harnesses: one JSON"
        " entry per line"
    )

    def sniff(self, head: bytes) -> float:
        """Sure with a header of ours; likely when the first whole line is an entry."""
        for line in head.split(b"\n")[:3]:
            try:
                obj = msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf"))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue

            if isinstance(obj, dict):
                if obj.get("format") == FORMAT and "version" in obj:
                    return 1.0
                return 0.9 if type(obj.get("step")) is int and obj.get("role") in ROLES else 0.0

        return 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The entries, with times as seconds since the epoch; an odd field is flagged."""
        reported: set[int] = set()

        def on_problem(problem: Diagnostic) -> None:
            if problem.reason.endswith("kept as it is among the unknown keys"):
                log.flag("odd_field")
            elif problem.line not in reported:
                reported.add(problem.line)
                log.bad(problem.line, problem.reason)

        try:
            for event in iter_trace_lines(
                stream,
                log.file,
                on_problem,
                lambda _: log.ignore("header"),
                log.file,
            ):
                log.used += 1
                event.timestamp = seconds(event.timestamp, log)
                event.duration_ms = amount(event.duration_ms)
                if event.usage is not None:
                    usage = _usable(event.usage)
                    # A life notes also that a change of its memory took no call.
                    event.usage = None if usage == Usage() else usage
                yield event
        except (
            InputError
        ) as error:  # a header of a version that is not read: the rest of this file is not either
            log.bad(None, str(error))
            log.flag(log.UNKNOWN_VERSION)


def _usable(source: Usage) -> Usage:
    """A usage with cached tokens apart, in which figures too large to add up are unknown.

    Our models count cached tokens within the input; traces of all formats have them beside it.
    """
    input_tokens = count(source.input_tokens)
    read = count(source.cache_read_tokens)
    write = count(source.cache_write_tokens)
    cached = (read or 0) + (write or 0)
    # Fewer than its parts: they were counted without the cached ones.
    if input_tokens is not None and input_tokens >= cached:
        input_tokens -= cached
    return Usage(
        input_tokens,
        count(source.output_tokens),
        read,
        write,
        amount(source.cost_usd),
        source.calls,
    )
