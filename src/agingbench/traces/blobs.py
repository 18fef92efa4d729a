"""Files named by the SHA-256 of their content: written once, readable by their owner only."""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import cast

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import write_atomic

SHA256 = re.compile(r"[0-9a-f]{64}")


def digest_of(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


class NotAFile(OSError):
    """A link, a folder or a device stands where a blob is expected."""


class BlobFolder:
    """A folder of blobs, `ab/ab12…`; a packed one holds each as gzip, `ab/ab12….gz`.

    A blob that is intact is never written again.
    """

    def __init__(self, root: Path, *, packed: bool = False) -> None:
        self.root = root
        self.packed = packed

    def path(self, sha256: str) -> Path:
        """The file of a blob; raises InputError for what is not a hash."""
        if not SHA256.fullmatch(sha256):
            raise InputError(f"not a SHA-256: {sha256[:80]!r}")

        name = f"{sha256}.gz" if self.packed else sha256
        return self.root / sha256[:2] / name

    def put(self, data: bytes) -> str:
        """Store bytes and return their hash; a damaged blob of that name is replaced."""
        sha256 = digest_of(data)
        if self.check(sha256, len(data)) is not None:
            self._write(sha256, data)
        return sha256

    def put_missing(self, data: bytes) -> int:
        """Store bytes unless a file of their name exists, without checking what that file holds.

        Returns the bytes written to disk.
        """
        sha256 = digest_of(data)
        if self.path(sha256).exists():
            return 0
        return self._write(sha256, data)

    def _write(self, sha256: str, data: bytes) -> int:
        path = self.path(sha256)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # A link would be followed, and what it leads to overwritten.
            if path.is_symlink():
                path.unlink()
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror or error}") from error

        content = gzip.compress(data, compresslevel=6, mtime=0) if self.packed else data
        write_atomic(path, content, private=True)
        return len(content)

    def get(self, sha256: str) -> bytes:
        """The bytes of a blob; raises InputError when they cannot be read or are not its own."""
        try:
            with self.open(sha256) as stream:
                data = stream.read()
        except OSError as error:
            raise InputError(
                f"evidence {sha256[:12]} cannot be read: {error.strerror or error}"
            ) from error

        if digest_of(data) != sha256:
            raise InputError(
                f"evidence {sha256[:12]} has another content than its name says; run `trials"
                " verify`"
            )

        return data

    def open(self, sha256: str) -> BufferedReader:
        """A stream of a blob's bytes, unpacked but not checked; raises OSError."""
        # A link could lead to what somebody else changes later, and a pipe or a device would be
        # read for ever.
        path = self.path(sha256)
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NotAFile(errno.EINVAL, "a link, a folder or a device stands in its place")
        if self.packed:
            return cast("BufferedReader", gzip.GzipFile(path, "rb"))
        return path.open("rb")

    def check(self, sha256: str, size: int) -> tuple[str, str] | None:
        """What is wrong with a blob, as kind and detail; None when it is intact."""
        try:
            with self.open(sha256) as stream:
                content_hash = hashlib.file_digest(stream, "sha256").hexdigest()
                length = stream.tell()
        except InputError as error:
            return "blob_replaced", str(error)
        except FileNotFoundError:
            return "blob_missing", f"evidence {sha256} is not there"
        except NotAFile as error:
            return "blob_replaced", f"evidence {sha256}: {error.strerror}"
        except OSError as error:
            return "blob_missing", f"evidence {sha256} cannot be read ({error.strerror})"

        if content_hash != sha256 or length != size:
            return (
                "blob_replaced",
                f"evidence {sha256} of {size} bytes now is {content_hash} of {length} bytes",
            )

        return None

    def names(self) -> Iterator[str]:
        """The hashes of all blobs in the folder."""
        with contextlib.suppress(FileNotFoundError):
            for folder in os.scandir(self.root):
                if not folder.is_dir():
                    continue

                for file in os.scandir(folder.path):
                    name = file.name.removesuffix(".gz") if self.packed else file.name
                    if SHA256.fullmatch(name):
                        yield name
