"""Every failed probe has a story and one cause, and the stories add up."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.bench.diagnosis.autopsy.autopsy import (
    FILE,
    autopsy_run,
    examine,
    examine_probe,
    summarise,
)
from agingbench.bench.diagnosis.autopsy.stories import CAUSES, STAGES
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, with_defaults
from agingbench.bench.plan.plan import parse_events
from agingbench.errors import InputError
from tests.bench.lives import run_life, score_run
from tests.sampling import one_in

SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6", "s7")


def life(
    folder: Path, scenario: str, seed: int, memory: str | None = None, sessions: int | None = None
) -> Path:
    """A life of a scenario as it prefers to be lived, or with another memory that suffers a reset
    half-way.
    """
    loaded = load_scenario(scenario)
    length = sessions or loaded.default_sessions
    prefers = getattr(loaded, "default_events", None)
    events = (
        ["partial_reset@5"]
        if memory and length >= 5
        else []
        if prefers is None or memory
        else prefers(length)
    )
    sut = Sut(memory=memory) if memory else with_defaults(Sut(), loaded, ())
    plan = plan_for(
        scenario, "medium", sessions=length, seed=seed, events=parse_events(events, length)
    )
    return run_life(plan, sut, folder)[0]


def check_complete(path: Path) -> dict[str, Any]:
    """Each probe without full credit has one story, each story one cause, and the cause goes with
    the story.
    """
    table = json.loads((path / "metrics.json").read_text())["answers"]
    found: dict[str, Any] = json.loads(json.dumps(autopsy_run(path).as_json()))
    assert found == json.loads((path / FILE).read_text())
    failed = [row["probe"] for row in table if row["verdict"] not in ("correct", "failed")]
    assert [story["probe"] for story in found["probes"]] == failed
    assert {row["probe"]: row["verdict"] for row in table if row["probe"] in failed} == {
        story["probe"]: story["verdict"] for story in found["probes"]
    }
    for story in found["probes"]:
        assert story["stage"] == CAUSES[story["cause"]]
        assert story["stage"] in STAGES
        assert bool(story["facts"]) == (story["type"] != "retracted"), story
        lost = [f for f in story["facts"] for f in f.get("missing", [f]) if not f["retrieved"]]
        if story["stage"] in ("write", "store", "retrieval"):
            assert lost, story
        elif story["stage"] == "utilization" and story["type"] != "multi_hop":
            assert all(f["retrieved"] or f["in_answer"] for f in story["facts"]), story
    summed = found["summary"]
    assert (
        sum(summed["causes"].values())
        == sum(summed["stages"].values())
        == summed["failed_probes"]
        == len(failed)
    )
    assert summed["causes"] == dict(Counter(story["cause"] for story in found["probes"]))
    return found


@pytest.mark.parametrize("scenario", one_in(3, SCENARIOS))
def test_every_failed_probe_is_accounted_for(scenario: str, tmp_path: Path) -> None:
    found = check_complete(life(tmp_path, scenario, 3, sessions=6))
    assert found["summary"]["failed_probes"] > 5


@pytest.mark.parametrize(
    "memory", ["append_only", "lossy_episodic", "growing_history", "no_memory"]
)
def test_every_failed_probe_is_accounted_for_whatever_the_memory(
    memory: str, tmp_path: Path
) -> None:
    found = check_complete(life(tmp_path, "s2", 3, memory, 6))
    causes = found["summary"]["causes"]
    if memory == "append_only":
        assert causes["lost_at_event"] > 5
        assert "never_written" not in causes, "it keeps everything until the event"
    if memory == "no_memory":
        # On day one the session stands before the reader; later there is nothing to read.
        later = [story for story in found["probes"] if story["t"] > 0]
        assert {story["cause"] for story in later} == {"never_written"}
        assert causes["never_written"] == len(later)


@pytest.mark.slow
@pytest.mark.parametrize("memory", [None, "append_only"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_failed_probe_of_twenty_lives_is_accounted_for(
    scenario: str, memory: str | None, tmp_path: Path
) -> None:
    if scenario == "s5" and memory:
        pytest.skip("s5 lives in files of its own")
    for seed in range(20):
        check_complete(life(tmp_path, scenario, seed, memory))


@pytest.mark.slow
def test_a_life_of_a_hundred_sessions(tmp_path: Path) -> None:
    check_complete(life(tmp_path, "s2", 0, "append_only", 100))


def test_lives_are_summed(tmp_path: Path) -> None:
    found = [autopsy_run(life(tmp_path, "s1", seed, sessions=4)) for seed in (0, 1)]
    both = summarise(found)
    single = [summarise([one]) for one in found]
    assert both.probes == sum(one.probes for one in single)
    assert both.failed_probes == sum(one.failed_probes for one in single)
    assert both.transport == sum(one.transport for one in single)
    assert both.lives == sum(one.lives for one in single)
    assert sum(row.told for row in both.losses) == sum(
        row.told for one in single for row in one.losses
    )
    assert sum(row.n for row in both.kinds) == sum(row.n for one in single for row in one.kinds)


# -- files


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return life(tmp_path_factory.mktemp("lives"), "s2", 0, "append_only", 6)


@pytest.fixture
def copied(lived: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(lived, tmp_path / "life"))


def test_the_same_files_give_the_same_bytes(copied: Path) -> None:
    autopsy_run(copied)
    first = (copied / FILE).read_bytes()
    autopsy_run(copied)
    assert (copied / FILE).read_bytes() == first
    assert score_run(copied)["headline"], "an autopsy does not stand in the way of scoring"


def test_a_probe_that_was_answered_right_has_a_life_and_no_cause(copied: Path) -> None:
    table = {r.probe: r for r in RunDirectory(copied).answer_rows()}
    wrong = {story.probe for story in examine(copied).stories}
    right = next(p for p in table if p not in wrong)
    story = examine_probe(copied, right)
    assert (story.cause, story.stage, story.said.what) == (None, None, "right")
    with pytest.raises(InputError, match=r"no probe 'p99\.0'"):
        examine_probe(copied, "p99.0")


def test_calls_that_broke_are_listed_apart(copied: Path) -> None:
    file = RunDirectory(copied).answers
    rows = RunDirectory(copied).answer_rows()
    rows[3] = msgspec.structs.replace(rows[3], text="", status="failed", reason="timeout")
    file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    found = examine(copied)
    assert found.transport == [rows[3].probe]
    assert rows[3].probe not in {story.probe for story in found.stories}
    assert examine_probe(copied, rows[3].probe).cause is None


def test_answers_of_a_diagnosis_beside_them_change_nothing(copied: Path) -> None:
    before = examine(copied).stories
    with RunDirectory(copied).answers.open("ab") as file:
        for row in RunDirectory(copied).answer_rows():
            file.write(
                msgspec.json.encode(msgspec.structs.replace(row, condition="oracle_context"))
                + b"\n"
            )
    assert examine(copied).stories == before


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("plan.json", "{}", "not a plan"),
        ("answers.jsonl", '{"t": 1}\n', r"answers\.jsonl:1"),
        (
            "answers.jsonl",
            '{"t":1,"probe":"p9.99","condition":"as_lived","text":""}\n',
            r"p9\.99 is not in the plan",
        ),
        ("memory/3.json", "[]", r"3\.json"),
        ("memory/3.json", '{"t": 3, "state": {}, "text": {"$more": []}}', r"3\.json"),
        ("memory/5_before.json", "{", r"5_before\.json"),
    ],
)
def test_broken_files_are_named(copied: Path, file: str, content: str, complaint: str) -> None:
    (copied / file).write_text(content)
    with pytest.raises(InputError, match=complaint):
        autopsy_run(copied)
    assert not (copied / FILE).exists()


def edited(copied: Path, change: Callable[[dict[str, Any]], None]) -> None:
    plan = json.loads((copied / "plan.json").read_text())
    change(plan)
    (copied / "plan.json").write_text(json.dumps(plan))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda p: p["probes"][0].update(facts=["f9999"]), r"probe p0\.0 asks for nothing"),
        (lambda p: p["probes"][0].update(facts=[]), r"probe p0\.0 asks for nothing"),
        (lambda p: p["probes"][0].update(required=[]), r"probe p0\.0 asks for nothing"),
        (lambda p: p["probes"][0].update(account="a7"), r"probe p0\.0 asks for nothing"),
        (lambda p: p["probes"][-1].update(t=99), r"probe p6\.\d+ asks for nothing"),
        (
            lambda p: p["probes"][0].update(facts=[p["graph"]["facts"][-1]["id"]]),
            "does not hold at its point",
        ),
        (lambda p: p["graph"]["facts"][0].update(versions=[]), "f0 is not told"),
        (lambda p: p["graph"]["facts"][0]["versions"][0].update(session=6), "f0 is not told"),
        (lambda p: p["graph"]["facts"][0]["versions"][0].update(session=-1), "f0 is not told"),
        (lambda p: p["graph"]["accounts"][0]["deltas"][0].update(session=5), "a0 is not told"),
        (
            lambda p: p["graph"]["facts"][0]["versions"][0]["value"].update(kind="soul"),
            "unknown kind",
        ),
        (
            lambda p: p["graph"]["facts"][0]["versions"][0]["value"].update(kind="date", text="x"),
            "cannot be read",
        ),
    ],
)
def test_a_plan_that_does_not_hold_together_is_refused(
    copied: Path, change: Callable[[dict[str, Any]], None], complaint: str
) -> None:
    edited(copied, change)
    with pytest.raises(InputError, match=complaint):
        examine(copied)


def test_a_life_that_has_not_ended_is_refused(copied: Path) -> None:
    trace = RunDirectory(copied).trace
    trace.write_bytes(b"".join(trace.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match="has not ended"):
        examine(copied)
