"""Bounds one call to a hosted model: how long it may take in all, and how large its reply may be.

A read timeout alone does not end a reply that comes byte by byte. The SDKs try again after every
ordinary exception, so what ends a call for good must not be one.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from agingbench.errors import AgingBenchError

LARGEST_REPLY = 8 * 2**20  # bytes; a thousand times what the longest answer takes

_call = threading.local()  # the deadline of the call that this thread makes, and who watches it


class TryWatcher(Protocol):
    """Who wants to know how often a call goes out, and what comes back."""

    def begin(self) -> None:
        """One more try begins; an AgingBenchError raised here ends the call."""

    def sent(self) -> None:
        """The request of this try is on its way."""

    def refused(self) -> None:
        """The server answered this try with an error status."""


class GaveUp(BaseException):
    """Ends a call past the SDK's retries; it never leaves the provider."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End the calls of this thread inside the block after so many seconds."""
    _call.deadline = time.monotonic() + seconds
    _call.seconds = seconds
    try:
        yield
    finally:
        del _call.deadline


@contextmanager
def watch_tries(watcher: TryWatcher) -> Iterator[None]:
    """Tell the watcher of every try of the calls that this thread makes inside the block."""
    _call.watcher = watcher
    try:
        yield
    finally:
        _call.watcher = None


def call_hooks() -> dict[str, list[Callable[..., None]]]:
    """The event hooks of an HTTP client that keep its calls within their bounds."""
    return {"request": [_begin_try], "response": [_read_within_bounds]}


def _begin_try(request: Any) -> None:
    _check_time()
    watcher: TryWatcher | None = getattr(_call, "watcher", None)
    if watcher is None:
        return
    try:
        watcher.begin()
    except AgingBenchError as error:
        raise GaveUp(str(error)) from error

    def trace(name: str, _: object) -> None:
        if name.endswith("send_request_headers.started"):
            watcher.sent()

    request.extensions["trace"] = trace


def _check_time() -> None:
    deadline = getattr(_call, "deadline", None)
    if deadline is not None and time.monotonic() > deadline:
        raise GaveUp(f"no whole reply within {_call.seconds:g} s")


def _read_within_bounds(response: Any) -> None:
    watcher: TryWatcher | None = getattr(_call, "watcher", None)
    if watcher is not None and response.status_code >= 400:
        watcher.refused()

    # Which HTTP library it is depends on the SDK's version.
    library = importlib.import_module(type(response).__module__.partition(".")[0])
    inner = response.stream

    class BoundedStream(library.SyncByteStream):  # type: ignore[misc, name-defined]
        """The same bytes, up to the bounds."""

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for chunk in inner:
                size += len(chunk)
                if size > LARGEST_REPLY:
                    raise GaveUp(f"a reply of more than {LARGEST_REPLY:,} bytes")
                _check_time()
                yield chunk

        def close(self) -> None:
            inner.close()

    response.stream = BoundedStream()
    response.read()
