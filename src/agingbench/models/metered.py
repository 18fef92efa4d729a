"""Counts what the calls through a model took, so that calls made inside a memory are not lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from agingbench.interfaces import Model
from agingbench.models.replies import checked
from agingbench.records import Message, Reply, Tool, Usage


class Metered(Model):
    """Counts usage and time of a model's calls; `take` returns the tally and starts a new one."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.name = model.name
        self._lock = threading.Lock()
        self._usage = Usage()
        self._ms = 0.0
        self._thread = threading.local()

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        start = time.perf_counter()
        reply = checked(self.model.complete(messages, tools, max_tokens, seed), self.name)
        if getattr(self._thread, "aside", False):
            return reply
        with self._lock:
            self._usage += reply.usage
            self._ms += (time.perf_counter() - start) * 1000
        return reply

    def swap(self, model: Model) -> None:
        """Send all further calls to another model."""
        self.model = model
        self.name = model.name

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leave out the calls that this thread makes inside the block; the caller counts them."""
        self._thread.aside = True
        try:
            yield
        finally:
            self._thread.aside = False

    def take(self) -> tuple[Usage, float]:
        """Usage and milliseconds since the last call of this method."""
        with self._lock:
            tally = (self._usage, self._ms)
            self._usage = Usage()
            self._ms = 0.0
        return tally
