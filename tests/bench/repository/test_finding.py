"""The builder finds hunks and their tests by running them; chain files are checked when read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from agingbench.bench.repository.backend import SuiteSetting
from agingbench.bench.repository.chain import CHAIN_FILE, ChainFile, chain_of, load_chain
from agingbench.bench.repository.finding import find_tickets
from agingbench.bench.repository.sdist import SdistBackend
from agingbench.errors import InputError
from agingbench.sandbox.confinement import available
from tests.bench.repository.standin import SOURCE

confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")


@confined
def test_tickets_are_found_between_two_releases(standin: ChainFile) -> None:
    said: list[str] = []
    setting = SuiteSetting("3.11")
    search = find_tickets(SdistBackend(standin), "1.0", "1.1", setting, said.append, ["sums"])
    rows = [(one.hunks, one.fails, one.breaks) for one in search.candidates]
    assert rows == [
        ({SOURCE: [1]}, ["sums.tests.SumTests.test_spread"], []),
        ({SOURCE: [0]}, ["sums.tests.SumTests.test_total"], []),
    ]
    assert search.tickets == [101, 102]
    assert search.unclear == []
    assert said


def changed(file: ChainFile, folder: Path, **fields: object) -> Path:
    document = yaml.safe_load(file.path.read_text())
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump({**document, **fields}))
    return path


def test_a_wrong_chain_file_is_said(standin: ChainFile, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no release '1\.0'"):
        load_chain(str(changed(standin, tmp_path, releases={})))
    with pytest.raises(InputError, match="unknown field"):
        load_chain(str(changed(standin, tmp_path, more=1)))
    with pytest.raises(InputError, match="not below tests"):
        load_chain(str(changed(standin, tmp_path, family="tests")))
    with pytest.raises(InputError, match="cannot read"):
        load_chain(str(tmp_path / "nowhere.yaml"))
    with pytest.raises(InputError, match="unknown chain"):
        load_chain("nonsense")
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(InputError, match="not YAML"):
        load_chain(str(tmp_path / "bad.yaml"))


@pytest.mark.parametrize(
    "fields",
    [
        {"family": "../outside"},
        {"family": "django; rm -rf x"},
        {"family": "/etc"},
        {"package": "../Django"},
        {"name": "a/b"},
        {"instances": "../../secret.jsonl"},
        {"pythons": ["3.11", "3.12/../x"]},
        {"releases": {"1.0": {"file": "../../x.tar.gz", "sha256": "0" * 64}}},
        {"releases": {"1.0": {"file": "x.tar.gz", "sha256": "../" * 4}}},
        {"releases": {"../1.0": {"file": "x.tar.gz", "sha256": "0" * 64}}},
        {"wheels": [[{"name": "..", "version": "1", "file": "x.whl", "sha256": "0" * 64}]]},
    ],
)
def test_words_of_a_chain_file_lead_nowhere(
    standin: ChainFile, tmp_path: Path, fields: dict[str, object]
) -> None:
    with pytest.raises(InputError, match="matching regex"):
        load_chain(str(changed(standin, tmp_path, **fields)))


@pytest.mark.parametrize("word", ["--settings=evil", "a/../b", "", "a b", "../x"])
def test_a_test_of_a_chain_file_is_no_option_and_no_path(
    standin: ChainFile, tmp_path: Path, word: str
) -> None:
    branches = yaml.safe_load(standin.path.read_text())["branches"]
    branches[0]["tickets"][0]["fails"] = [word]
    with pytest.raises(InputError, match="matching regex"):
        load_chain(str(changed(standin, tmp_path, branches=branches)))


def test_a_plan_of_another_chain_is_refused(
    standin: ChainFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chain_of("standin").chain == standin.chain
    monkeypatch.delenv(CHAIN_FILE)
    with pytest.raises(InputError, match="name its file in AGINGBENCH_CHAIN"):
        chain_of("standin")
