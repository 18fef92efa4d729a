"""`agingbench autopsy` for people and for scripts, on one life and on folders of them."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from agingbench.bench.diagnosis.autopsy.autopsy import FILE
from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.system import Sut
from tests.bench.lives import run_life
from tests.cli.conftest import Cli, data


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        run_life(plan_for("s2", "light", sessions=3, seed=seed), Sut(), out)
    return out


@pytest.fixture
def runs(lived: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(lived, tmp_path / "runs"))


def one(runs: Path) -> Path:
    return sorted(runs.rglob("plan.json"))[0].parent


def test_one_life_for_scripts(cli: Cli, runs: Path) -> None:
    told = cli("autopsy", one(runs), "--json")
    assert (told.code, told.err) == (0, "")
    (found,) = data(told.out, "autopsy")["lives"]
    assert found.pop("run_dir") == str(one(runs))
    assert found == json.loads((one(runs) / FILE).read_text())
    assert found["summary"]["failed_probes"] == len(found["probes"]) > 0
    assert all(story["cause"] not in (None, "unknown") for story in found["probes"])


def test_one_life_for_people(cli: Cli, runs: Path) -> None:
    told = cli("autopsy", one(runs), "--all")
    assert (told.code, told.err) == (0, "")
    stories = json.loads((one(runs) / FILE).read_text())["probes"]
    assert all(f"{story['probe']}  {story['type']} at point" in told.out for story in stories)
    assert "Where facts were lost" in told.out
    assert "What dies first" in told.out
    assert "--all" not in told.out


@pytest.mark.parametrize(("flags", "most"), [((), 5), (("--limit", "2"), 2), (("--limit", "0"), 0)])
def test_only_the_first_stories_are_told_and_all_are_counted(
    cli: Cli, runs: Path, flags: tuple[str, ...], most: int
) -> None:
    told = cli("autopsy", one(runs), *flags)
    stories = json.loads((one(runs) / FILE).read_text())["probes"]
    assert len(stories) > 5
    shown = [
        story for story in stories if f"{story['probe']}  {story['type']} at point" in told.out
    ]
    assert shown == stories[:most]
    assert (
        f"{most} of {len(stories)} stories; --all tells the other {len(stories) - most}" in told.out
    )
    causes = Counter(story["cause"].replace("_", " ") for story in stories)
    for cause, n in causes.items():
        assert re.search(rf"^\s*{cause}\s+{n}\b", told.out, re.M), cause
    assert cli("autopsy", one(runs), "--limit", "-1").code == 2


def test_one_probe(cli: Cli, runs: Path) -> None:
    probe = data(cli("autopsy", one(runs), "--json").out)["lives"][0]["probes"][0]
    told = cli("autopsy", one(runs), "--probe", probe["probe"], "--json")
    assert data(told.out, "autopsy.probe") == {"run_dir": str(one(runs)), **probe}
    assert f"{probe['probe']}  " in cli("autopsy", one(runs), "--probe", probe["probe"]).out
    told = cli("autopsy", one(runs), "--probe", "p77.1")
    assert told.code == 2
    assert "no probe 'p77.1'" in told.err
    assert "holds 2 lives" in cli("autopsy", runs, "--probe", "p1.1").err


def test_a_folder_of_lives(cli: Cli, runs: Path) -> None:
    told = cli("autopsy", runs, "--json")
    found = data(told.out)
    assert len(found["lives"]) == found["summary"]["lives"] == 2
    assert found["summary"]["failed_probes"] == sum(len(life["probes"]) for life in found["lives"])
    assert len(list(runs.rglob(FILE))) == 2
    assert "in 2 lives" in cli("autopsy", runs).out


def test_one_broken_life_costs_only_itself(cli: Cli, runs: Path) -> None:
    (one(runs) / "answers.jsonl").write_text("nonsense\n")
    told = cli("autopsy", runs, "--json")
    assert told.code == 2
    assert "1 of 2 lives could not be examined" in told.err
    assert "answers.jsonl:1" in told.err
    assert ["error" in life for life in data(told.out)["lives"]] == [False, True]
    assert [file.parent for file in runs.rglob(FILE)] != [one(runs)]


def test_wrong_places(cli: Cli, tmp_path: Path) -> None:
    assert "no such directory" in cli("autopsy", tmp_path / "nowhere").err
    told = cli("autopsy", tmp_path)
    assert (told.code, told.out) == (2, "")
    assert "no run directory here" in told.err


def test_answers_that_are_missing_are_told_and_not_left_out(cli: Cli, runs: Path) -> None:
    answers = one(runs) / "answers.jsonl"
    answers.write_bytes(b"".join(answers.read_bytes().splitlines(keepends=True)[:-1]))
    told = cli("autopsy", runs, "--json")
    assert told.code == 2
    assert f"{answers}: every probe must be answered once" in told.err
    assert ["error" in life for life in data(told.out)["lives"]] == [False, True]
