"""Evidence by content: files named by their SHA-256, written once, readable by their owner only."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import write_atomic

SHA256 = re.compile(r"[0-9a-f]{64}")


def digest_of(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


class NotAFile(OSError):
    """Something that is no plain file stands where evidence is to be."""


class BlobFolder:
    """A folder of blobs: `ab/ab12…`. What lies there under its own hash is never written again."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, sha256: str) -> Path:
        """Where a blob lies; what is not a hash has no place."""
        if not SHA256.fullmatch(sha256):
            raise InputError(f"not a SHA-256: {sha256[:80]!r}")
        return self.root / sha256[:2] / sha256

    def put(self, data: bytes) -> str:
        """Keep bytes; returns their hash."""
        sha256 = digest_of(data)
        path = self.path(sha256)
        if self.check(sha256, len(data)) is None:
            # what is not the blob it is named for is put right, and `verify` has nothing to say
            return sha256
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if path.is_symlink():  # else it would be followed, and what it leads to overwritten
                path.unlink()
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
        write_atomic(path, data, private=True)
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of a blob, checked against its name."""
        try:
            with self._open(sha256) as stream:
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

    def _open(self, sha256: str) -> BufferedReader:
        # A link could lead to what somebody else changes later, and a pipe or a device would be
        # read for ever.
        path = self.path(sha256)
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NotAFile(errno.EINVAL, "a link, a folder or a device stands in its place")
        return path.open("rb")

    def check(self, sha256: str, size: int) -> tuple[str, str] | None:
        """What is wrong with a blob, as kind and detail; None when it is what its name says."""
        try:
            with self._open(sha256) as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
                length = stream.tell()
        except InputError as error:
            return "blob_replaced", str(error)
        except FileNotFoundError:
            return "blob_missing", f"evidence {sha256} is not there"
        except NotAFile as error:
            return "blob_replaced", f"evidence {sha256}: {error.strerror}"
        except OSError as error:
            return "blob_missing", f"evidence {sha256} cannot be read ({error.strerror})"
        if found != sha256 or length != size:
            return (
                "blob_replaced",
                f"evidence {sha256} of {size} bytes now is {found} of {length} bytes",
            )
        return None

    def names(self) -> Iterator[str]:
        """The hashes that blobs lie under."""
        with contextlib.suppress(FileNotFoundError):
            for folder in os.scandir(self.root):
                if folder.is_dir():
                    yield from (f.name for f in os.scandir(folder.path) if SHA256.fullmatch(f.name))
