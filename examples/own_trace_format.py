"""A trace format of your own: a plain chat log, "2026-01-02T03:04:05Z [session-7] user: text" to a
line.

Run it from this folder:

    agingbench audit chat.log --format own_trace_format.py:ChatLog
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
        """How sure it is, from the first bytes of a file, that the file is a chat log."""
        first = head.partition(b"\n")[0].decode(errors="replace")
        return 1.0 if LINE.fullmatch(first) else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of the file; every line is counted in the log."""
        for number, raw in enumerate(stream, start=1):
            line = raw.decode(errors="replace").rstrip("\r\n")
            match = LINE.fullmatch(line)
            if match is None:
                log.bad(number, "not a line of a chat log")
                continue
            log.used += 1
            moment, session, role, text = match.groups()
            yield Event(
                step=number,
                role="user" if role == "user" else "assistant",
                content=text,
                timestamp=seconds(moment, log),
                session_id=session,
                source=Source(log.file, number),
            )
