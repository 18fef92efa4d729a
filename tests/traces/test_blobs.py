"""Files named by their content: written once, checked when read, mended when damaged."""

from __future__ import annotations

import gzip
import stat
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.traces.blobs import BlobFolder, digest_of

DATA = b"evidence\n" * 100


@pytest.mark.parametrize("packed", [False, True])
def test_what_is_put_comes_back(tmp_path: Path, packed: bool) -> None:
    blobs = BlobFolder(tmp_path / "blobs", packed=packed)
    sha256 = blobs.put(DATA)
    assert sha256 == digest_of(DATA)
    assert blobs.get(sha256) == DATA
    assert blobs.check(sha256, len(DATA)) is None
    assert list(blobs.names()) == [sha256]
    path = blobs.path(sha256)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = path.read_bytes()
    assert (gzip.decompress(content) if packed else content) == DATA


@pytest.mark.parametrize("packed", [False, True])
def test_a_damaged_blob_is_told_and_put_right(tmp_path: Path, packed: bool) -> None:
    blobs = BlobFolder(tmp_path, packed=packed)
    sha256 = blobs.put(DATA)
    other = gzip.compress(b"other") if packed else b"other"
    blobs.path(sha256).write_bytes(other)
    found = blobs.check(sha256, len(DATA))
    assert found is not None
    assert found[0] == "blob_replaced"
    with pytest.raises(InputError, match="another content"):
        blobs.get(sha256)
    assert blobs.put_missing(DATA) == 0  # a file of that name exists, and is trusted
    blobs.put(DATA)
    assert blobs.get(sha256) == DATA


def test_a_missing_blob_is_stored_once(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path, packed=True)
    size = blobs.put_missing(DATA)
    assert size == blobs.path(digest_of(DATA)).stat().st_size
    assert blobs.put_missing(DATA) == 0


def test_links_and_what_is_no_hash_are_refused(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path / "blobs")
    sha256 = blobs.put(DATA)
    (tmp_path / "copy").write_bytes(DATA)
    blobs.path(sha256).unlink()
    blobs.path(sha256).symlink_to(tmp_path / "copy")
    found = blobs.check(sha256, len(DATA))
    assert found is not None
    assert found[0] == "blob_replaced"
    with pytest.raises(InputError, match="not a SHA-256"):
        blobs.path("../../etc/passwd")
    assert blobs.check(digest_of(b"none"), 4) == (
        "blob_missing",
        f"evidence {digest_of(b'none')} is not there",
    )
