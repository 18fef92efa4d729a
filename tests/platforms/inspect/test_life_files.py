"""A life's files on their way through a log: enough to score it, and no way out of their folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.bench.life.life import Life
from agingbench.errors import InputError
from agingbench.platforms.inspect.life_files import pack_life, score_packed


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Life:
    out = tmp_path_factory.mktemp("lived")
    life = Life.new("s3", out=out, sessions=1, pressure="none", memory="append_only")
    life.live()
    return life


def test_packed_files_score_as_the_folder_does(life: Life) -> None:
    files = pack_life(life.folder)
    assert {"plan.json", "sut.json", "trace.jsonl", "answers.jsonl", "memory/1.json"} <= set(files)
    assert score_packed(files).content_hash == life.score().content_hash


@pytest.mark.parametrize(
    "name", ["../up", "/etc/x", "memory/../x", "memory/a/b", "", "memory/", "other/x", "..\\x"]
)
def test_no_name_leads_out_of_the_folder(life: Life, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        score_packed({**pack_life(life.folder), name: "x"})


def test_files_of_a_life_that_did_not_end_are_refused(life: Life) -> None:
    files = pack_life(life.folder)
    del files["trace.jsonl"]
    with pytest.raises(InputError):
        score_packed(files)
