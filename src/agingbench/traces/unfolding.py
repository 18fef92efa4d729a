"""gzip with a limit: what a small file may unfold to."""

from __future__ import annotations

import errno
import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

GZIP = b"\x1f\x8b"
BUFFER = 1 << 20
ALWAYS = 64 << 20  # bytes that any file may unfold to
MOST_FOLD = 300  # times its own size; transcripts fold to a tenth, repeated lines to a hundredth
LARGEST = 4 << 30  # bytes, as for the members of a zip file


@contextmanager
def unfolded(packed: IO[bytes], size: int) -> Iterator[IO[bytes]]:
    """The content of a gzip stream of `size` bytes; raises OSError beyond what it may unfold to."""
    limit = min(LARGEST, max(ALWAYS, MOST_FOLD * size))
    with (
        gzip.GzipFile(fileobj=packed) as source,
        io.BufferedReader(_Limited(source, limit), BUFFER) as stream,
    ):
        yield stream


class _Limited(io.RawIOBase):
    """A stream that refuses to give more than so many bytes."""

    def __init__(self, source: gzip.GzipFile, limit: int) -> None:
        self._source = source
        self._limit = limit

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._check(offset if whence == io.SEEK_SET else self._source.tell() + offset)
        return self._source.seek(offset, whence)

    def tell(self) -> int:
        return self._source.tell()

    def readinto(self, buffer: Any) -> int:
        count = self._source.readinto(buffer)
        self._check(self._source.tell())
        return count

    def _check(self, place: int) -> None:
        if place > self._limit:
            reason = (
                f"unfolds to more than {self._limit} bytes, which no trace does; unpack it first"
            )
            raise OSError(errno.EFBIG, reason)
