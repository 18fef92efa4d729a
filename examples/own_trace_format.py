"""A trace format of one's own: a plain chat log, "2026-01-02T03:04:05Z [session-7] user: text" to a
line.

Run it from this folder:

    agingbench audit chat.log --format own_trace_format:ChatLog
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from agingbench.records import Event, ReadLog, Source
from agingbench.traces.decoding.times import seconds

LINE = re.compile(r"(\S+) \[([^\]]+)\] (user|assistant): (.*)")


class ChatLog:
    """Lines of a chat log."""

    name = "chat_log"
    status = "reference"
    recipe = "point at the log"

    def sniff(self, head: bytes) -> float:
        """How sure are we, from the first bytes of a file, that it is ours?"""
        first = head.partition(b"\n")[0].decode(errors="replace")
        return 1.0 if LINE.fullmatch(first) else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events; every record is counted, whatever becomes of it."""
        for number, raw in enumerate(stream, start=1):
            line = raw.decode(errors="replace").rstrip("\r\n")
            found = LINE.fullmatch(line)
            if found is None:
                log.bad(number, "not a line of a chat log")
                continue
            log.used += 1
            moment, session, role, text = found.groups()
            yield Event(
                step=number,
                role="user" if role == "user" else "assistant",
                content=text,
                timestamp=seconds(moment, log),
                session_id=session,
                source=Source(log.file, number),
            )
