"""Holds what the code does now against the goldens: plans, commands, old folders, new lives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.planning import load_scenario
from tests.bench.lives import OF_ITS_STARTS
from tests.golden.cases import CASES
from tests.golden.compare import assert_same, differences, normal, parsed
from tests.golden.lives import LIVES, STOPPED, WHOLE, contents, run_words
from tests.golden.plans import plan_hashes, plan_names
from tests.golden.record import observed
from tests.golden.samples import SAMPLES, sample_words
from tests.golden.shell import COMMANDS, HERE, PLANS, agingbench, copy_in, files_below
from tests.sampling import one_in

SCORED = ("metrics.json", "dependency_metrics.json", "diagnosis.json")


def load(path: Path) -> Any:
    """The document in a file."""
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", one_in(4, plan_names()))
def test_a_plan_has_its_hash(name: str, tmp_path: Path) -> None:
    assert_same(f"agingbench plan {name}", load(PLANS)[name], plan_hashes(name, tmp_path))


@pytest.mark.parametrize("name", CASES)
def test_a_command_prints_and_writes_what_it_did(name: str, tmp_path: Path) -> None:
    work = tmp_path.resolve()
    golden = normal(load(COMMANDS / f"{name}.json"), work, CASES[name].fresh)
    assert_same(name, golden, observed(CASES[name], work))


def test_every_golden_has_its_case() -> None:
    assert {path.stem for path in COMMANDS.glob("*.json")} == set(CASES)
    assert set(load(PLANS)) == set(plan_names())
    assert {path.name for path in (HERE / "lives").iterdir()} == {*LIVES, STOPPED}


@pytest.mark.parametrize("name", LIVES)
def test_an_old_life_scores_to_the_same_bytes(name: str, tmp_path: Path) -> None:
    work, old = tmp_path.resolve(), HERE / "lives" / name
    copy_in(work, [f"lives/{name}"])
    before = files_below(old)
    scored = [path for path in files_below(work / "lives" / name).values() if path.name in SCORED]
    for path in scored:
        path.unlink()
    done = agingbench(work, "score", f"lives/{name}", "--no-plots", "--json")
    assert done.code == 0, done.err
    after = files_below(work / "lives" / name)
    assert set(before) == set(after)
    for key, path in before.items():
        if path.name == "aging_card.json":
            assert_same(key, load(path), load(after[key]))
        elif path.read_bytes() != after[key].read_bytes():
            found = differences(parsed(path.read_text()), parsed(after[key].read_text()))
            pytest.fail("\n  ".join([f"{key} has other bytes", *found[:20]]))


def skip_if_older(name: str) -> None:
    """Skip when the frozen life was lived by an older version of its scenario."""
    for path in sorted((HERE / "lives" / name).rglob("plan.json")):
        plan = load(path)
        now = load_scenario(plan["scenario"]).version
        if plan["scenario_version"] != now:
            pytest.skip(f"a life of version {plan['scenario_version']} cannot be lived by {now}")


@pytest.mark.parametrize("name", LIVES)
def test_a_life_lived_again_leaves_the_same_files(name: str, tmp_path: Path) -> None:
    skip_if_older(name)
    work = tmp_path.resolve()
    done = agingbench(work, *run_words(name, f"lives/{name}"))
    assert done.code == 0, done.err
    assert_same(name, life(HERE / "lives" / name, work), life(work / "lives" / name, work))


def test_a_life_that_was_stopped_is_lived_to_its_end(tmp_path: Path) -> None:
    skip_if_older(STOPPED)
    work = tmp_path.resolve()
    copy_in(work, [f"lives/{STOPPED}"])
    began = [
        path
        for path in files_below(work / "lives" / STOPPED).values()
        if path.name == "trace.jsonl"
    ]
    lines = {path: path.read_text(encoding="utf-8").splitlines() for path in began}
    done = agingbench(work, *run_words(WHOLE, f"lives/{STOPPED}"))
    assert done.code == 0, done.err
    for path, old in lines.items():  # what was lived is kept, not lived again
        assert path.read_text(encoding="utf-8").splitlines()[: len(old)] == old
    assert_same(STOPPED, life(HERE / "lives" / WHOLE, work), life(work / "lives" / STOPPED, work))


@pytest.mark.parametrize("path", one_in(4, SAMPLES), ids=lambda path: path.stem)
def test_a_sample_card_is_made_again(path: Path, tmp_path: Path) -> None:
    work, old = tmp_path.resolve(), load(path)
    done = agingbench(work, *sample_words(old))
    assert done.code == 0, done.err
    shown = parsed(done.out)
    card = shown["card"] if isinstance(shown, dict) else shown[-1]["card"]
    assert_same(path.name, normal(old, work, True), normal(card, work, True))


def life(folder: Path, work: Path) -> Any:
    """The files of a folder of lives without what may differ, such as when they were started."""
    files = contents(folder)
    kept = {name: file for name, file in files.items() if Path(name).name not in OF_ITS_STARTS}
    return normal(kept, work, True)


def test_the_comparer_names_places_and_opens_envelopes() -> None:
    old = {"a": [1, {"b": 2}], "c": "x\ny", "gone": 1}
    new = {"a": [1, {"b": 2.5}], "c": "x\nz", "new": None}
    assert differences(old, new) == [
        "$.a[1].b: 2, now 2.5",
        '$.c:line[1]: "y", now "z"',
        "$.gone: 1 is gone",
        "$.new: null is new",
    ]
    assert parsed('{"kind": "k", "version": 1, "data": {"a": 1}}') == parsed('{"a": 1}') == {"a": 1}
    assert parsed('{"a": 1}\n{"a": 2}\n') == parsed(
        '{"kind": "k", "version": 1, "data": [{"a": 1}, {"a": 2}]}'
    )
    assert normal({"run_id": None, "timestamp": "now"}, Path("/w"), True) == {
        "run_id": None,
        "timestamp": "<timestamp>",
    }
