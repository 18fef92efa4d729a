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
from typing import Any

LARGEST_REPLY = 8 * 2**20  # bytes; a thousand times what the longest answer takes

_call = threading.local()  # the deadline of the call that this thread makes


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


def call_hooks() -> dict[str, list[Callable[..., None]]]:
    """The event hooks of an HTTP client that keep its calls within their bounds."""
    return {"request": [_check_time], "response": [_read_within_bounds]}


def _check_time(_: object = None) -> None:
    deadline = getattr(_call, "deadline", None)
    if deadline is not None and time.monotonic() > deadline:
        raise GaveUp(f"no whole reply within {_call.seconds:g} s")


def _read_within_bounds(response: Any) -> None:
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
