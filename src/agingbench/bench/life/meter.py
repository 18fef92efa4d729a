"""Counts what lives take while they go on, for somebody who watches."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from agingbench.records import Usage


@dataclass(frozen=True)
class Reading:
    """What was taken so far; None where a call does not say it."""

    calls: int
    tokens: int | None
    cost_usd: float | None


class Meter:
    """Calls, tokens and dollars of all lives that share it, and how long the first call waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._usage = Usage()
        self._calls = 0
        self._first: tuple[str, float] | None = None

    def ask(self, model: str) -> None:
        """Note that a model is about to be asked."""
        if self._first is None:
            self._first = (model, time.monotonic())

    def count(self, usage: Usage) -> None:
        """Count a reply."""
        with self._lock:
            self._calls += 1
            self._usage += usage

    def read(self) -> Reading:
        """What was taken so far."""
        with self._lock:
            usage = self._usage
            calls = self._calls
        tokens = None
        if usage.input_tokens is not None and usage.output_tokens is not None:
            tokens = usage.input_tokens + usage.output_tokens
        return Reading(calls, tokens, usage.cost_usd)

    def waiting(self) -> tuple[str, float] | None:
        """The model whose first reply has not come, and the seconds since it was asked."""
        first = self._first
        if first is None or self._calls:
            return None
        model, start = first
        return model, time.monotonic() - start
