"""Append-only files of lines: what was appended stays, and a torn last line costs only itself."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec
import pytest

from agingbench.errors import InputError, StorageError
from agingbench.traces import journal
from agingbench.traces.journal import Journal


class Row(msgspec.Struct):
    """A record of these tests."""

    n: int


def test_lines_are_appended_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    assert journal.records(path, Row, "a row") == []
    for n in range(3):
        journal.append(path, Row(n))
    assert path.read_bytes() == b'{"n":0}\n{"n":1}\n{"n":2}\n'
    assert [row.n for row in journal.records(path, Row, "a row")] == [0, 1, 2]


def test_a_torn_last_line_is_left_out_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"n":0}\n{"n":')
    assert [row.n for row in journal.records(path, Row, "a row")] == [0]
    journal.mend(path)
    assert path.read_bytes() == b'{"n":0}\n'
    journal.mend(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_broken_line_inside_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"n":0}\n{"n":\n{"n":2}\n')
    with pytest.raises(InputError, match=r"rows\.jsonl: line 2: not a row"):
        journal.records(path, Row, "a row")


def test_an_open_journal_continues_a_file_and_closes_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\nto")
    with Journal(path) as lines:
        assert not lines.is_empty
        assert path.read_bytes() == b"one\nto"  # opening alone changes nothing
        lines.append(b"two")
        lines.append(b"three")
    assert path.read_bytes() == b"one\nto\ntwo\nthree\n"


def test_a_private_journal_is_its_owners_only_and_no_link(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with Journal(path, private=True) as lines:
        assert lines.is_empty
        lines.append(b"one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(StorageError, match=r"cannot write .*link"):
        Journal(tmp_path / "link", private=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_with_what_to_do() -> None:
    lines = Journal(Path("/dev/full"), sync=False, advice="run again")
    with pytest.raises(StorageError, match="No space left on device; run again"):
        lines.append(b"one")
    lines.close()
    with pytest.raises(StorageError, match="cannot write /dev/full: No space left"):
        journal.append_bytes(Path("/dev/full"), b"one\n", sync=False)


def test_a_folder_in_the_way_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        Journal(tmp_path)
    with pytest.raises(StorageError, match=os.strerror(21)):
        journal.append(tmp_path, Row(1))
