"""The `diagnose` command and `run --diagnose`: equal figures, several lives, one that is broken,
and bounds.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.places import directory_of, out_of
from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.studies.catalogue import SUITES
from agingbench.cards.check import load_card, validate_card
from tests.bench.lives import normal_files
from tests.cli.conftest import Cli, data, items

LIFE = (
    "--scenario",
    "s2",
    "--sessions",
    "4",
    "--pressure",
    "light",
    "--memory",
    "append_only",
    "--no-plots",
)
VERBS = {"diagnose": "diagnosed", "autopsy": "examined", "score": "scored"}


def lives(out: Path) -> list[Path]:
    return sorted(plan.parent for plan in out.rglob("plan.json"))


def test_diagnosing_later_gives_the_same_files_as_diagnosing_at_once(
    cli: Cli, tmp_path: Path
) -> None:
    events = ("--events", "flush_history@2", "--no-control")
    at_once = cli("run", *LIFE, *events, "--diagnose", "--json", "--out", tmp_path / "a")
    assert at_once.code == 0, at_once.err
    assert cli("run", *LIFE, *events, "--out", tmp_path / "b").code == 0
    later = cli("diagnose", tmp_path / "b", "--no-plots", "--json")
    assert later.code == 0, later.err
    card = items(at_once.out)[0]["card"]
    told = items(later.out)[0]
    assert told["diagnosis"] == card["diagnosis"]
    assert told["calls"] > 0
    assert normal_files(lives(tmp_path / "a")[0]) == normal_files(lives(tmp_path / "b")[0])
    assert card["headline"]["floor"] == 0.0
    assert card["headline"]["ceiling"] is not None


def test_a_second_diagnosis_makes_no_call(cli: Cli, tmp_path: Path) -> None:
    cli("run", *LIFE, "--diagnose", "--out", tmp_path)
    before = normal_files(tmp_path)
    again = cli("diagnose", *lives(tmp_path), "--no-plots", "--json")
    assert items(again.out)[0]["calls"] == 0
    assert normal_files(tmp_path) == before


def test_several_lives_are_diagnosed_and_a_broken_one_does_not_keep_the_others_from_it(
    cli: Cli, tmp_path: Path
) -> None:
    assert cli("run", *LIFE, "--seeds", "3", "--out", tmp_path).code == 0
    first, broken, last = lives(tmp_path)
    RunDirectory(broken).sut_file.write_text("{")
    told = cli("diagnose", tmp_path, "--no-plots")
    assert told.code == 2
    assert "1 of 3 lives could not be diagnosed" in told.err
    assert "Traceback" not in told.err
    for life in (first, last):
        card = load_card(RunDirectory(life).card)
        assert validate_card(card) == []
        assert card["diagnosis"]["n"] > 0
    assert not RunDirectory(broken).diagnosis.exists()


def test_people_see_the_profile_and_the_figures_are_drawn(cli: Cli, tmp_path: Path) -> None:
    cli("run", *LIFE, "--out", tmp_path)
    told = cli("diagnose", tmp_path)
    assert told.code == 0
    assert "Diagnosis" in told.out
    assert "t 4" in told.out
    assert RunDirectory(lives(tmp_path)[0]).diagnosis_png.read_bytes().startswith(b"\x89PNG")
    assert "Diagnosis" in cli("score", tmp_path, "--no-plots").out


def test_bounds_alone_ask_no_ladder(cli: Cli, tmp_path: Path) -> None:
    told = cli("run", *LIFE, "--bounds", "--out", tmp_path)
    assert told.code == 0, told.err
    assert "floor (no memory)" in told.out
    assert "ceiling (full context)" in told.out
    place = RunDirectory(lives(tmp_path)[0])
    assert place.calibration_answers.exists()
    assert not place.diagnosis_answers.exists()
    card = load_card(place.card)
    assert card["headline"]["floor_reason"] is None
    assert "diagnosis" not in card


def test_a_life_with_a_control_is_diagnosed_alone(cli: Cli, tmp_path: Path) -> None:
    told = cli(
        "run", *LIFE, "--events", "flush_history@2", "--diagnose", "--json", "--out", tmp_path
    )
    assert told.code == 0, told.err
    asked = [RunDirectory(life).diagnosis.exists() for life in lives(tmp_path)]
    assert sorted(asked) == [False, True]


def test_wrong_input_is_told_in_one_line(cli: Cli, tmp_path: Path) -> None:
    assert cli("diagnose", tmp_path / "nowhere").code == 2
    assert "no run directory here" in cli("diagnose", tmp_path).err
    cli("run", *LIFE, "--out", tmp_path / "a")
    life = lives(tmp_path / "a")[0]
    trace = RunDirectory(life).trace
    trace.write_bytes(b"".join(trace.read_bytes().splitlines(keepends=True)[:-1]))
    assert "has not ended" in cli("diagnose", life).err


def test_a_suite_is_diagnosed_as_it_is_lived(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {
        "sessions": 2,
        "pressures": "light",
        "grids": [{"scenarios": ["s1"]}, {"scenarios": ["s2"]}],
    }
    monkeypatch.setitem(
        SUITES, "lite", {**small, "events": ["recompact@1"], "memories": "careful_compress"}
    )
    suite = ("run", "--suite", "lite", "--out", tmp_path)
    told = cli(*suite, "--diagnose", "--dry-run")
    assert (told.code, lives(tmp_path)) == (0, [])
    assert "calls for what is asked of the lives after their end" in told.err
    assert cli(*suite).code == 0
    assert not any(RunDirectory(life).diagnosis.exists() for life in lives(tmp_path))
    told = cli(*suite, "--diagnose")
    assert told.code == 0, told.err
    assert "diagnosis" in told.out
    asked = {RunDirectory(life).diagnosis.exists(): life for life in lives(tmp_path)}
    assert set(asked) == {False, True}, (
        "of lives with events, and not of those that they are held against"
    )
    for life in lives(tmp_path):
        events = RunDirectory(life).plan().events
        assert RunDirectory(life).diagnosis.exists() == bool(events)
        assert ("diagnosis" in load_card(RunDirectory(life).card)) == bool(events)
    before = normal_files(tmp_path)
    again = cli(*suite, "--diagnose", "--json")
    assert items(again.out)[-1]["calls"] == 0
    assert normal_files(tmp_path) == before


def test_a_life_that_was_moved_is_diagnosed_all_the_same(cli: Cli, tmp_path: Path) -> None:
    cli("run", *LIFE, "--out", tmp_path / "a")
    shutil.move(lives(tmp_path / "a")[0], tmp_path / "life")
    told = cli("diagnose", tmp_path / "life", "--no-plots", "--json")
    assert told.code == 0, told.err


def test_a_longer_life_is_diagnosed_as_it_is_extended(cli: Cli, tmp_path: Path) -> None:
    cli("run", *LIFE, "--out", tmp_path / "a")
    told = cli(
        "run",
        "--extend",
        lives(tmp_path / "a")[0],
        "--sessions",
        "6",
        "--diagnose",
        "--no-plots",
        "--json",
    )
    assert told.code == 0, told.err
    assert len(items(told.out)[0]["card"]["diagnosis"]["sessions"]) == 6


def test_a_diagnosed_life_is_reproduced_with_its_diagnosis(cli: Cli, tmp_path: Path) -> None:
    cli("run", *LIFE, "--diagnose", "--out", tmp_path)
    told = cli("reproduce", lives(tmp_path)[0], "--json")
    assert told.code == 0, told.err
    assert items(told.out)[0]["same"]


def test_a_life_that_was_put_somewhere_else_keeps_everything_in_the_folder_around_it(
    tmp_path: Path,
) -> None:
    plan = plan_for("s2", "light", sessions=2)
    lived = directory_of(tmp_path / "out", plan, Sut()).path
    assert out_of(lived, plan) == tmp_path / "out"
    assert out_of(tmp_path / "kept" / "seed_0", plan) == tmp_path / "kept"
    assert out_of(Path("/seed_0"), plan) == Path("/")


def test_a_life_without_its_plan_is_told_of(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", *LIFE, "--seeds", "2", "--out", tmp_path).code == 0
    broken, _ = lives(tmp_path)
    shutil.copytree(broken, broken.with_name(f".{broken.name}.extending"))
    for spoil in (Path.unlink, lambda file: file.write_text("{}")):
        spoil(RunDirectory(broken).plan_file)
        for command in ("diagnose", "autopsy", "score"):
            told = cli(command, tmp_path, "--json")
            assert told.code == 2
            assert f"1 of 2 lives could not be {VERBS[command]}: {broken}" in told.err
            assert "plan.json" in told.err
            lives_told = data(told.out)["lives"] if command == "autopsy" else data(told.out)
            assert sum("error" not in life for life in lives_told) == 1
            assert [life["run_dir"] for life in lives_told if "error" in life] == [str(broken)]


def test_a_state_that_the_agent_cannot_take_up_names_the_life(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", *LIFE, "--out", tmp_path).code == 0
    (life,) = lives(tmp_path)
    (life / "memory" / "2.json").write_text('{"t": 2, "state": {"memory": {}}, "text": ""}')
    assert f"{life}: memory/2.json" in cli("diagnose", tmp_path, "--no-plots").err
