"""A life on disk read as data: the plan, the answers and every state of the memory."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agingbench.bench.life.folder import RunDirectory
from agingbench.errors import InputError
from agingbench.trials.run_folder import LIFE_END, LIFE_START, LifeFiles
from tests.bench.lives import small_plan


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from agingbench.bench.life.system import Sut
    from tests.bench.lives import run_life

    plan = small_plan(("flush_history@2",))
    return run_life(plan, Sut(memory="append_only"), tmp_path_factory.mktemp("life"))[0]


def test_the_plan_is_read_without_the_bench(folder: Path) -> None:
    plan = RunDirectory(folder).plan()
    record = LifeFiles(folder).plan_record()
    assert record.scenario == plan.scenario
    assert [session.material for session in record.sessions] == [s.material for s in plan.sessions]
    assert [probe.question for probe in record.probes] == [probe.question for probe in plan.probes]
    gold = [[value.text for value in probe.required] for probe in record.probes]
    assert gold == [[value.text for value in probe.required] for probe in plan.probes]
    assert [(event.name, event.at) for event in record.events] == [("flush_history", 2)]


def test_a_life_can_be_walked_point_by_point(folder: Path) -> None:
    files = LifeFiles(folder)
    plan = files.plan_record()
    assert files.ended()
    assert files.points() == plan.n_sessions + 1
    texts = dict(files.texts(plan.n_sessions))
    assert texts[0] == ""
    assert files.snapshot(1).text == texts[1] != ""
    assert files.before(2).text.startswith(texts[1])
    assert files.snapshot(2).text == ""
    answers = {row.probe for row in files.answer_rows()}
    assert answers == {probe.id for probe in plan.probes}
    marks = [event.lifecycle for event in files.events() if event.lifecycle]
    assert (marks[0], marks[-1]) == (LIFE_START, LIFE_END)


def test_a_missing_snapshot_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    life = tmp_path / "life"
    shutil.copytree(folder, life)
    (life / "memory" / "1.json").unlink()
    with pytest.raises(InputError, match=r"memory/1.json: .* is missing; copy it back .* or"):
        LifeFiles(life).snapshot(2)


def test_a_folder_without_a_life_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not a run directory \(there is no plan.json\)"):
        LifeFiles(tmp_path).plan_record()
    (tmp_path / "plan.json").write_text('{"scenario": 3}')
    with pytest.raises(InputError, match=r"plan.json: not a plan of this version"):
        LifeFiles(tmp_path).plan_record()
