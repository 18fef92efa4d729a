"""Folders of lives: shards and merging, lives repeated, and lives prolonged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agingbench import __version__
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.limits import Endpoints, Resources
from agingbench.bench.life.system import Sut, sut_from_record
from agingbench.bench.scoring.score import judged
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.extending import extend
from agingbench.bench.studies.grid import load_study
from agingbench.bench.studies.reproducing import CodeRevision, MergeCounts, merge, reproduce
from agingbench.bench.studies.runner import run_study
from agingbench.errors import AgingBenchError, InputError
from tests.bench.lives import normal_files, raw_files, score_run
from tests.bench.studies.studies import GRID, Counting, served_by
from tests.models.stub_server import Body, Says, StubServer

# -- shards and merging


def test_shards_merged_are_the_whole(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(GRID)
    whole = load_study(str(file))
    run_study(whole.cells, tmp_path / "whole", Resources(), workers=1)
    for part in (1, 2):
        run_study(whole.shard(part, 2).cells, tmp_path / str(part), Resources(), workers=1)
    assert merge([tmp_path / "1", tmp_path / "2"], tmp_path / "merged") == MergeCounts(8, 0)
    assert normal_files(tmp_path / "merged") == normal_files(tmp_path / "whole")
    assert merge([tmp_path / "whole"], tmp_path / "merged") == MergeCounts(0, 8)
    second = run_study(whole.cells, tmp_path / "merged", Resources(), workers=1)
    assert sum(outcome.calls for outcome in second) == 0


def test_the_same_life_with_other_content_is_refused(tmp_path: Path) -> None:
    cell = Cell("s2", Sut(), 2, "light")
    for name in ("one", "two"):
        run_study([cell], tmp_path / name, Resources())
    place = cell.place(tmp_path / "two")
    rows = place.answers.read_text().splitlines()
    rows[0] = json.dumps({**json.loads(rows[0]), "text": "something else"})
    place.answers.write_text("\n".join(rows) + "\n")
    with pytest.raises(InputError, match="different content; nothing was merged"):
        merge([tmp_path / "one", tmp_path / "two"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="no such folder"):
        merge([tmp_path / "nowhere"], tmp_path / "out")


# -- again and further


def test_a_life_is_reproduced_with_its_control(tmp_path: Path) -> None:
    cells = [
        Cell(
            "s2", Sut(memory="careful_compress"), 3, "light", events=("flush_history@2",), suite="x"
        )
    ]
    cells.insert(0, cells[0].without_events())
    outcome = run_study(cells, tmp_path / "out", Resources())[1]
    result = reproduce(outcome.path, tmp_path / "again", Resources())
    assert result.same
    assert result.same_revision
    assert result.answers == []
    assert result.content_hash[0] == result.content_hash[1]


def test_another_revision_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell("s2", Sut(memory="careful_compress"), 2, "light")
    (outcome,) = run_study([cell], tmp_path / "out", Resources())
    monkeypatch.setattr("agingbench.bench.life.environment.__version__", "99.0")
    monkeypatch.setattr("agingbench.bench.life.environment.git_sha", lambda: "f" * 40)
    result = reproduce(outcome.path, tmp_path / "again", Resources())
    assert (result.same, result.same_revision) == (True, False)
    assert result.revision.now == CodeRevision("99.0", "f" * 40)
    assert result.revision.recorded.agingbench_version == __version__


def test_what_differs_is_told(tmp_path: Path) -> None:
    cell = Cell("s2", Sut(memory="careful_compress"), 2, "light")
    (outcome,) = run_study([cell], tmp_path / "out", Resources())
    run = RunDirectory(outcome.path)
    right = next(
        answer.probe.id
        for answer in judged(run.plan(), run.answer_rows())
        if answer.probe.t == 0 and answer.probe.weight is not None and answer.outcome.value == 1
    )
    rows = [json.loads(line) for line in run.answers.read_text().splitlines()]
    changed = next(row for row in rows if row["probe"] == right)
    changed["text"] = "I do not know."
    run.answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    score_run(run.path)
    result = reproduce(run.path, tmp_path / "again", Resources())
    assert not result.same
    assert [change.probe for change in result.answers] == [right]
    assert "headline.m0" in {change.path for change in result.figures}


@pytest.mark.parametrize(
    "sut",
    [
        Sut(),
        Sut(memory="careful_compress", memory_options={"words": 100}),
        Sut(memory="append_only", memory_options={"k": 3}, agent_options={"max_turns": 4}),
        Sut(memory="append_only", sut_id="mine"),
        Sut(model="openai:x", model_options={"base_url": "http://127.0.0.1:9", "api_key": "s"}),
    ],
)
def test_a_system_comes_back_from_its_record(sut: Sut) -> None:
    back = sut_from_record(sut.record("s2"))
    assert back.id == sut.id
    assert back.memory_options == sut.memory_options
    assert "api_key" not in back.model_options


@pytest.mark.parametrize("memory", ["careful_compress", "append_only"])
def test_an_extended_life_is_the_longer_life(tmp_path: Path, memory: str) -> None:
    sut = Sut(memory=memory)
    events = ("flush_history@4",)
    short = Cell("s2", sut, 10, "light", events=events, control=False)
    long = Cell("s2", sut, 12, "light", events=events, control=False)
    run_study([short], tmp_path / "out", Resources())
    run_study([long], tmp_path / "fresh", Resources())
    source = short.place(tmp_path / "out").path
    before = raw_files(source)
    longer = extend(source, 12, None, Resources())
    path, card = longer.folder.path, longer.score()
    assert path == long.place(tmp_path / "out").path
    assert normal_files(path) == normal_files(long.place(tmp_path / "fresh").path)
    assert card.n_sessions == 12
    assert raw_files(source) == before
    longer = extend(source, 12, None, Resources())
    again, same = longer.folder.path, longer.score()
    assert (again, same) == (path, card)


@pytest.mark.usefixtures("prices")
def test_extending_asks_only_what_is_new(tmp_path: Path) -> None:
    stub = Counting()
    with StubServer(stub) as server:
        cell = served_by(server, 1, sessions=3)[0]
        run_study([cell], tmp_path, Resources(Endpoints(4)))
        asked = stub.served
        longer = extend(cell.place(tmp_path).path, 5, None, Resources(Endpoints(4)))
        path, card = longer.folder.path, longer.score()
    plan = RunDirectory(path).plan()
    new = sum(probe.t > 3 for probe in plan.probes) + sum(
        len(s.tasks) + 1 for s in plan.sessions[3:]
    )
    assert stub.served - asked == new
    assert card.cost_and_efficiency.total_calls == stub.served


class Forgetful(Counting):
    """Says something else each time it condenses, and dies at the first task of a session when it
    is told to.
    """

    dies = False

    def __call__(self, path: str, body: Body) -> tuple[int, Body]:
        text = json.dumps(body)
        if self.dies and "<text>" in text:
            return 500, {"error": {"message": "not now", "type": "x", "code": None}}
        status, said = super().__call__(path, body)
        if "<text>" in text:
            said = Says(f"Summary {self.served}.", input_tokens=1000, output_tokens=100).openai(
                body
            )
        return status, said


@pytest.mark.usefixtures("prices")
def test_an_event_at_the_last_point_is_not_suffered_again(tmp_path: Path) -> None:
    stub = Forgetful()
    with StubServer(stub) as server:
        cell = replace(served_by(server, 1, sessions=3)[0], events=("recompact@3",), control=False)
        run_study([cell], tmp_path, Resources(Endpoints(4)))
        short = RunDirectory(cell.place(tmp_path).path)
        asked = stub.served
        stub.dies = True
        with pytest.raises(AgingBenchError):
            extend(short.path, 5, None, Resources(Endpoints(4)))
        stub.dies = False
        lost = stub.served - asked
        longer = extend(short.path, 5, None, Resources(Endpoints(4)))
        path, card = longer.folder.path, longer.score()
    run = RunDirectory(path)
    plan = run.plan()
    new = sum(probe.t > 3 for probe in plan.probes) + sum(
        len(s.tasks) + 1 for s in plan.sessions[3:]
    )
    assert stub.served - asked - lost == new
    assert card.cost_and_efficiency.total_calls == stub.served - lost
    assert run.snapshot(3) == short.snapshot(3) != run.before(3)
    assert run.before(3) == short.before(3)
    assert [event.lifecycle for event in run.events()].count("recompact") == 1
    steps = [event.step for event in run.events() if event.session == 3]
    assert steps == list(range(len(steps)))


@pytest.mark.usefixtures("prices")
def test_a_model_that_came_at_the_last_point_stays(tmp_path: Path) -> None:
    stub = Counting()
    with StubServer(stub) as server:
        cell = replace(
            served_by(server, 1, sessions=3)[0],
            events=("model_swap@3:model=extractive",),
            control=False,
        )
        run_study([cell], tmp_path, Resources(Endpoints(4)))
        asked = stub.served
        longer = extend(cell.place(tmp_path).path, 5, None, Resources(Endpoints(4)))
        path, _ = longer.folder.path, longer.score()
    assert stub.served == asked
    assert {
        event.model for event in RunDirectory(path).events() if event.session == 4 and event.model
    } == {"extractive"}


def test_what_cannot_be_extended_is_told(tmp_path: Path) -> None:
    cell = Cell("s2", Sut(), 2, "light")
    (outcome,) = run_study([cell], tmp_path, Resources())
    with pytest.raises(InputError, match="2 sessions already"):
        extend(outcome.path, 2, None, Resources())
    run = RunDirectory(outcome.path)
    lines = run.trace.read_bytes().splitlines(keepends=True)
    run.trace.write_bytes(b"".join(lines[:-1]))
    with pytest.raises(AgingBenchError, match="has not ended"):
        extend(outcome.path, 4, None, Resources())
    with pytest.raises(InputError, match="has not ended"):
        reproduce(outcome.path, tmp_path / "again", Resources())
