"""A life as a parcel: the same files on the other side, and nothing outside their folder."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.bench.life.parcel import Parcel, pack, recover, unpack
from agingbench.errors import InputError


def files(folder: Path) -> dict[str, bytes]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_there_and_back(tmp_path: Path) -> None:
    life = tmp_path / "life"
    (life / "memory").mkdir(parents=True)
    (life / "plan.json").write_text("{}")
    (life / "memory" / "0.json").write_bytes(b"\0\xff")
    expected = files(life)
    (life / ".lock").touch()
    (life / ".0123.tmp").touch()
    os.symlink("/etc/passwd", life / "link")

    target = tmp_path / "out" / "life"
    target.parent.mkdir()
    unpack(pack(life), target)
    assert files(target) == expected
    (target / "old.json").touch()
    unpack(pack(life), target)  # replaces what was there
    assert files(target) == expected
    assert [path.name for path in target.parent.iterdir()] == ["life"]


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "C:\\x", "", "a//b", "./x"])
def test_a_name_that_leads_outside_is_refused(tmp_path: Path, name: str) -> None:
    data = zlib.compress(msgspec.msgpack.encode(Parcel({name: b"x"})))
    with pytest.raises(InputError, match="not a plain relative path"):
        unpack(data, tmp_path / "in" / "life")
    assert list(tmp_path.iterdir()) == []


@given(st.binary(max_size=200))
def test_damage_is_told(data: bytes) -> None:
    with pytest.raises(InputError, match="damaged"):
        unpack(data, Path("nowhere") / "life")


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "life").mkdir()
    (tmp_path / "life" / "plan.json").write_bytes(b"0" * 10_000)
    monkeypatch.setattr("agingbench.bench.life.parcel.LARGEST", 1000)
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        unpack(pack(tmp_path / "life"), tmp_path / "other")


def test_a_replacement_that_was_interrupted_is_undone(tmp_path: Path) -> None:
    former = tmp_path / ".life.former"
    former.mkdir()
    recover(tmp_path / "life")
    assert (tmp_path / "life").exists()
    recover(tmp_path / "life")
    assert not former.exists()
