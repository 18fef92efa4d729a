"""The five calls: they do what the commands do, with names, classes and objects."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import agingbench as ab
from agingbench.bench.life.system import Sut
from agingbench.bench.studies import runner
from agingbench.cli import main
from agingbench.engines import local
from agingbench.errors import AgingBenchError, InputError, UnknownName, UntrustedFile
from agingbench.front import doors
from agingbench.front.frames import frame_of
from agingbench.front.parts import name_of
from agingbench.front.results import Audits, Lives
from agingbench.memory.build import build_memory
from agingbench.models.build import build_model
from tests.cli.conftest import data
from tests.engines.jobs import Elsewhere
from tests.front.parts import Failing, LastTexts, Locked, Parrot, Shared
from tests.places import EXAMPLES

SHORT: dict[str, Any] = {"sessions": 2, "pressure": "light", "ledger": "none"}


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Lives:
    """Two lives with a memory of the caller's."""
    return ab.run("s2", memory=LastTexts, seeds=2, out=tmp_path_factory.mktemp("lives"), **SHORT)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, agingbench; assert 'run' in dir(agingbench);"
        "heavy = {'numpy', 'scipy', 'altair', 'pandas', 'pydantic', 'msgspec', 'yaml'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"


def test_the_package_says_what_it_does_not_have() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'runn'"):
        _ = ab.runn


def test_a_run_is_that_of_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    here = ab.run("s2", memory="append_only", memory_options={"k": 2}, out=tmp_path / "a", **SHORT)
    words = "run --scenario s2 --memory append_only --memory-option k=2 -n 2 -p light --no-plots"
    main.run([*words.split(), "--ledger", "none", "--json", "--out", str(tmp_path / "b")])
    (line,) = data(capsys.readouterr().out)
    assert here.documents[0]["content_hash"] == line["card"]["content_hash"]
    folder = here.folders[0]
    assert folder is not None
    relative = Path(line["run_dir"]).relative_to(tmp_path / "b")
    assert folder.relative_to(tmp_path / "a") == relative


def test_what_is_finished_is_not_lived_again(lives: Lives) -> None:
    folder = lives.files[0].parents[4]
    before = [file.stat().st_mtime_ns for file in lives.files]
    again = ab.run("s2", memory=LastTexts, seeds=range(2), out=str(folder), **SHORT)
    assert [file.stat().st_mtime_ns for file in again.files] == before
    assert again.documents == lives.documents


def test_events_bring_a_control_that_is_not_returned(tmp_path: Path) -> None:
    ran = ab.run("s2", memory="append_only", events="flush_history@1", out=tmp_path, **SHORT)
    assert [card.others["lifecycle_events"] for card in ran.cards] == [["flush_history@1"]]
    assert len(ab.load(tmp_path)) == 2


def test_every_life_gets_a_fresh_copy_of_an_object(tmp_path: Path) -> None:
    memory = LastTexts(7)
    name = name_of(memory, "memory")
    memory.texts.append("written later")
    model = build_model("extractive")
    first: Any = build_memory(name, model)
    second: Any = build_memory(name, model)
    assert first.k == second.k == 7
    assert first is not second
    assert first.texts == second.texts == []
    first.texts.append("x")
    assert second.texts == []
    assert type(memory) is LastTexts

    ran = ab.run("s2", memory=LastTexts(7), seeds=2, out=tmp_path, **SHORT)
    single = ab.run(
        "s2", memory=LastTexts, memory_options={"k": 7}, seeds=[1], out=tmp_path, **SHORT
    )
    assert ran.documents[1]["checkpoints"] == single.documents[0]["checkpoints"]


def test_a_model_can_be_an_object(tmp_path: Path) -> None:
    parrot = Parrot()
    ran = ab.run("s2", model=parrot, memory="append_only", out=tmp_path, **SHORT)
    assert ran.card.headline.m0.value == 0
    assert parrot.said == 0


@pytest.mark.parametrize(
    ("memory", "complaint"),
    [
        (Locked(), "memory: this Locked cannot be copied .*give the class"),
        (Shared(), "copies to itself, so that lives would share it"),
        (build_memory("lossy_compress", build_model("extractive")), "holds a model of its own"),
        (3.5, "memory"),
        (dict, "lacks"),
    ],
)
def test_what_cannot_be_copied_or_used_is_refused(
    memory: object, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=complaint):
        ab.run("s2", memory=memory, out=tmp_path, **SHORT)
    assert not list(tmp_path.rglob("plan.json"))


def test_an_agent_is_given_as_a_class() -> None:
    agent: Any = LastTexts()
    with pytest.raises(InputError, match="agent: an object of LastTexts cannot be given"):
        ab.run(agent=agent)


def test_options_of_an_object_are_refused() -> None:
    with pytest.raises(InputError, match="unknown option of memory policy"):
        ab.run(memory=LastTexts(3), memory_options={"k": 4}, **SHORT)


def test_a_name_does_not_hide_another_class_of_the_session(tmp_path: Path) -> None:
    kinds = []
    for limit in (1, 30):

        class Mine(LastTexts):
            most = limit

            def read(self, query: str) -> str:
                return "\n".join(self.texts[-self.most :])

        kinds.append(Mine)
    ran = [ab.run(memory=kind, name="mine", out=tmp_path, **SHORT) for kind in kinds]
    names = [one.card.sut.sut_id for one in ran]
    assert all(name.startswith("mine-") for name in names)
    assert names[0] != names[1]
    assert ran[0].folders != ran[1].folders


def test_an_error_of_a_part_comes_with_its_cause(tmp_path: Path) -> None:
    with pytest.raises(AgingBenchError, match="no room") as caught:
        ab.run(memory=Failing, out=tmp_path, **SHORT)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_lives_run_in_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MANY", 1)
    monkeypatch.setattr(local, "ProcessPoolExecutor", None)
    assert len(ab.run(memory=LastTexts, seeds=2, workers=2, out=tmp_path, **SHORT)) == 2


# -- frames, tables and charts


def test_frames_hold_what_the_cards_hold(lives: Lives) -> None:
    pandas: Any = pytest.importorskip("pandas")
    frame = lives.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    rows = lives.to_frame(library="rows")
    assert len(frame) == len(rows) == len(lives.documents) == 2
    for row, document in zip(rows, lives.documents, strict=True):
        headline = document["headline"]
        for name in ("m0", "m_final", "time_average", "decay_slope", "half_life"):
            interval = headline[f"{name}_ci"]
            expected = [headline[name], *(interval or (None, None)), headline[f"{name}_n"]]
            found = [row[name], row[f"{name}_low"], row[f"{name}_high"], row[f"{name}_n"]]
            assert found == expected
        assert row["seed"] == document["seed"]
        assert row["aging_detected"] is headline["aging_detected"]
    points = lives.to_frame("curve", "rows")
    expected_points = [tuple(p) for document in lives.documents for p in document["checkpoints"]]
    assert [(row["t"], row["m"]) for row in points] == expected_points


def test_frames_without_a_library_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert frame_of([{"a": None}]) == [{"a": None}]
    with pytest.raises(InputError, match="give auto, pandas, polars or rows"):
        frame_of([], "excel")  # type: ignore[arg-type]


def test_one_card_is_asked_for_by_name_and_several_are_not(lives: Lives) -> None:
    with pytest.raises(InputError, match=r"there are 2 cards here, not one; use \.cards"):
        _ = lives.card
    assert [life.card.seed for life in lives] == [0, 1]


def test_a_chart_holds_the_points_of_the_cards(lives: Lives) -> None:
    spec = json.dumps(lives.plot("Mine").to_dict())
    assert "Mine" in spec
    for document in lives.documents:
        assert all(json.dumps(m)[:8] in spec for _, m in document["checkpoints"] if m)


def test_a_notebook_gets_a_table_of_text(tmp_path: Path) -> None:
    document = json.loads(next(EXAMPLES.rglob("*.json")).read_text())
    document["sut"]["sut_id"] = "<script>alert('1')</script>"
    from agingbench.cards.check import finish_card

    file = tmp_path / "aging_card.json"
    file.write_text(json.dumps(finish_card(document)))
    loaded = ab.load(file)
    shown = loaded._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "alert" in repr(loaded)


def test_a_report_is_written(lives: Lives, tmp_path: Path) -> None:
    file = lives.report(tmp_path / "all.html")
    assert file.read_text().startswith("<!doctype html>") or "<html" in file.read_text()[:200]


# -- studies, comparisons, audits, loading


def test_a_grid_of_parts_is_a_study(tmp_path: Path) -> None:
    ran = ab.study(
        memories=["no_memory", LastTexts, {"memory": "append_only", "options": {"k": 2}}],
        pressures="light",
        sessions=2,
        seeds=1,
        out=tmp_path,
        ledger="none",
    )
    assert len(ran) == 3
    assert {document["suite_id"] for document in ran.documents} == {"study"}
    assert len(ran.cells()) == 3


def test_a_study_file_is_that_of_the_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text("sessions: 2\npressures: [light]\nmemories: [append_only]\n")
    here = ab.study(file, out=tmp_path / "a", ledger="none")
    main.run(["study", str(file), "--out", str(tmp_path / "b"), "--ledger", "none", "--json"])
    (line,) = data(capsys.readouterr().out)["lives"]
    assert here.documents[0]["content_hash"] == line["content_hash"]
    with pytest.raises(InputError, match="give one or the other"):
        ab.study(file, seeds=3)


def test_a_study_and_an_audit_run_on_an_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid: dict[str, Any] = {"memories": ["append_only"], "pressures": "light", "sessions": 2}
    here = ab.study(**grid, out=tmp_path / "a", ledger="none")
    (trace,) = (tmp_path / "a").rglob("trace.jsonl")
    audited = ab.audit(trace)
    asked = []

    def build(spec: str, workers: int | None = None) -> Elsewhere:
        asked.append((spec, workers))
        return Elsewhere(1)

    monkeypatch.setattr(doors, "remote_engine", build)
    there = ab.study(**grid, out=tmp_path / "b", ledger="none", engine="ray:auto", workers=3)
    assert there.documents[0]["content_hash"] == here.documents[0]["content_hash"]
    again = ab.audit(trace, engine="ray")
    assert again.documents[0]["content_hash"] == audited.documents[0]["content_hash"]
    assert asked == [("ray:auto", 3), ("ray", None)]


def test_an_engine_must_exist_and_its_workers_must_find_the_parts(tmp_path: Path) -> None:
    class Own(LastTexts):
        """A class that no other process knows."""

    with pytest.raises(UnknownName, match="unknown engine 'rya'"):
        ab.study(memories=["append_only"], out=tmp_path, engine="rya")
    with pytest.raises(InputError, match="memory Own: only this session knows it"):
        ab.study(memories=[Own], out=tmp_path, engine="ray")


def test_a_study_file_that_names_code_needs_trust(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text("memories: ['tests.front.parts:LastTexts']\nsessions: 2\n")
    with pytest.raises(UntrustedFile):
        ab.study(file, out=tmp_path)


def test_systems_are_compared_by_name_and_by_path(lives: Lives, tmp_path: Path) -> None:
    other = ab.run("s2", memory="no_memory", seeds=2, out=tmp_path, **SHORT)
    compared = ab.compare(mine=lives, none=tmp_path)
    assert compared.comparisons.systems == ["mine", "none"]
    rows = compared.to_frame("rows")
    cell = compared.comparisons.comparisons[0].cells[0]
    assert [row["effect"] for row in rows] == [figure.effect for figure in cell.figures]
    assert {row["n"] for row in rows} <= {0, 1, 2}
    assert "mine" in compared._repr_html_()
    assert compared.plot().to_dict()["layer"]
    assert ab.compare(lives, other).comparisons.systems[1] == "extractive+no_memory"
    with pytest.raises(InputError, match="two systems or more"):
        ab.compare(lives)


def test_a_trace_is_audited(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    rows = [
        {"session_id": f"day-{day}", "role": role, "content": text}
        for day in range(6)
        for role, text in (("user", f"What is <b>{day}</b>?"), ("assistant", "893."))
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = ab.audit(str(file))
    assert isinstance(found, Audits)
    (row,) = found.to_frame(library="rows")
    assert (row["sessions"], row["aging_detected"]) == (6, found.card.headline.aging_detected)
    assert "<b>" not in found._repr_html_().replace("<body", "")
    with pytest.raises(InputError, match="do not say how many tokens"):
        found.plot()
    with pytest.raises(InputError, match="write a date"):
        ab.audit(file, since="soon")
    assert "<html" in found.report(tmp_path / "audit.html").read_text()[:200]


def test_loading_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no aging_card\.json here"):
        ab.load(tmp_path)
    with pytest.raises(InputError, match="load takes a path"):
        ab.load()


def test_a_class_in_a_module_goes_by_its_path() -> None:
    assert name_of(LastTexts, "memory") == "tests.front.parts:LastTexts"
    assert Sut(memory=name_of(LastTexts(3), "memory")).id.endswith("-LastTexts")
