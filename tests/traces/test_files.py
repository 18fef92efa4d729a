"""Tests of the atomic writer and of JSON reading."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import parse_json, read_json, write_atomic


def test_write_replaces_the_whole_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_atomic(path, b"a long first content")
    write_atomic(path, b"second")
    assert path.read_bytes() == b"second"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_failed_write_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_atomic(path, b"before")

    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        StorageError, match=r"cannot write .*a\.json: No space left on device; nothing was changed"
    ):
        write_atomic(path, b"after")
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_missing_folder_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file"):
        write_atomic(tmp_path / "none" / "a.json", b"x")


def test_a_file_where_a_folder_should_be_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="cannot write"):
        write_atomic(tmp_path / "file" / "a.json", b"x")


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_permissions(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)  # in a private folder every new file is private
    private = tmp_path / "private"
    kept = tmp_path / "kept"
    fresh = tmp_path / "fresh"
    write_atomic(private, b"x", private=True)
    kept.write_bytes(b"")
    kept.chmod(0o640)
    write_atomic(kept, b"x")
    write_atomic(fresh, b"x")
    plain = tmp_path / "plain"
    plain.touch()
    assert private.stat().st_mode & 0o777 == 0o600
    assert kept.stat().st_mode & 0o777 == 0o640
    assert fresh.stat().st_mode == plain.stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"before")
    link = tmp_path / "link"
    link.symlink_to("real")
    write_atomic(link, b"after")
    assert link.is_symlink()
    assert (tmp_path / "real").read_bytes() == b"after"


def test_json_is_read_with_or_without_a_bom(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": "NaN"}')
    assert read_json(path) == {"a": "NaN"}


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'{"a": 1,\n "b" 2}', "line 2, column 6: not JSON"),
        (b"", "line 1, column 1: not JSON"),
        (b'{"a": 1}\n{"b": 2}', "line 2, column 1: not JSON"),
        (b'["\\"NaN",\n  NaN]', "line 2, column 3: NaN is not a JSON number"),
        (b'{"a": -Infinity}', "line 1, column 7: -Infinity is not a JSON number"),
        (b'{"a":\n "\xff"}', "line 2, column 3: not UTF-8"),
        (b"[" * 100_000, "not readable as JSON"),
    ],
)
def test_bad_json_is_told_with_its_place(data: bytes, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_json(data, "the file")
    assert str(caught.value).startswith(f"the file: {place}")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.json: No such file"):
        read_json(tmp_path / "none.json")
