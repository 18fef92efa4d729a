"""Runs: killed and continued, told apart by configuration, as Parquet, trials and card, and from
the command line.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
import yaml

from agingbench.cards.check import load_card, validate_card
from agingbench.errors import InputError
from agingbench.memory import MEMORY
from agingbench.resumption.contexts.build import build_consolidator
from agingbench.resumption.contexts.compaction import NotApplicable
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder, packaged_set
from agingbench.resumption.episodes.trajectory import (
    TOKENIZER,
    cut_at,
    trace_events,
    trajectory_events,
)
from agingbench.resumption.runs.run import RunSettings, run_benchmark
from agingbench.resumption.runs.scores_file import COLUMNS, read_scores
from agingbench.text.wording import count_tokens
from agingbench.trials.ledger import open_ledger
from tests.cli.conftest import Cli, cli, data
from tests.places import ROOT
from tests.resumption.making import DATA, PERFECT, example, make_benchmark, open_gate, write_grades

__all__ = ["cli"]


def many(benchmark: BenchmarkFolder, n: int) -> None:
    """n copies of the worked example under other ids."""
    text = (benchmark.episodes / "000.yaml").read_text()
    for i in range(1, n):
        (benchmark.episodes / f"{i:03d}.yaml").write_text(
            text.replace('id: "000"', f'id: "{i:03d}"')
        )


def test_a_run_killed_half_way_continues(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    many(benchmark, 12)
    open_gate(benchmark)
    name = "tests.resumption.making:Patient"
    command = [
        sys.executable,
        "-m",
        "agingbench",
        "resumption",
        "run",
        "-e",
        str(benchmark.root),
        "-c",
        name,
    ]
    started = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HELD": "1"},
        stdout=subprocess.DEVNULL,
    )
    rows: list[bytes] = []
    while len(rows) < 3:
        assert started.poll() is None
        files = list(benchmark.runs.glob("*/rows.jsonl"))
        rows = files[0].read_bytes().split(b"\n")[:-1] if files else []  # a line has its end
        time.sleep(0.02)
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert 3 <= len(rows) < 12
    (folder,) = (path.parent for path in benchmark.runs.glob("*/run.json"))
    assert not (folder / "scores.parquet").exists()
    with (folder / "rows.jsonl").open("ab") as file:
        file.write(b'{"episode": "torn')  # as a kill in the middle of a line leaves it
    before = (folder / "rows.jsonl").read_bytes().split(b"\n")[:3]
    result = run_benchmark(benchmark.root, RunSettings(name, 2000))
    assert result.path == folder
    assert (folder / "rows.jsonl").read_bytes().split(b"\n")[:3] == before
    assert len(read_scores(folder / "scores.parquet")) == 12
    assert result.card is not None


def test_parquet_opens_in_duckdb_with_the_documented_columns(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    found = duckdb.sql(f"SELECT * FROM '{result.path / 'scores.parquet'}'")
    assert found is not None
    assert list(COLUMNS) == found.columns
    assert [str(t) for t in found.types] == list(COLUMNS.values())
    (row,) = read_scores(result.path / "scores.parquet")
    assert row.tokenizer == TOKENIZER
    assert row.context_tokens == count_tokens((result.path / "contexts" / "000.txt").read_text())
    assert row.continuation_correctness is not None
    assert row.preservation_recall is not None
    assert row.forgetting_precision is not None
    product = row.continuation_correctness * row.preservation_recall * row.forgetting_precision
    assert row.quality == pytest.approx(product ** (1 / 3))
    documented = (ROOT / "docs" / "resumption.md").read_text()
    assert [name for name in COLUMNS if f"`{name}`" not in documented] == []


def test_the_card_is_valid_and_says_what_it_rests_on(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    card = load_card(result.path / "aging_card.json")
    assert validate_card(card) == []
    assert (card["scenario"], card["card_kind"]) == ("resumption::v0", "resumption")
    assert card["resumption"]["gate"] == "calibrated"
    assert card["headline"]["quality_n"] == 1
    assert any(w.startswith("graders: no human") for w in card["warnings"])
    shown = cli("card", "show", str(result.path))
    assert shown.code == 0
    assert "Resumption Card" in shown.out
    assert "preservation recall" in shown.out
    assert "half-life" not in shown.out
    for number, block in enumerate(({"groups": 5}, {"kappa": [{}]}, {"statuses": [1]})):
        odd = tmp_path / f"odd{number}.json"
        odd.write_text(json.dumps({**card, "resumption": block}))
        assert cli("card", "show", odd).code == 2
    again = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    assert again.card is not None
    assert again.card.content_hash == card["content_hash"]


def test_a_weak_gate_stands_on_the_card(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    weak = [("yes", "yes")] * 20 + [("no", "no")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 5
    write_grades(benchmark, {**PERFECT, "preservation": weak})
    told = cli("resumption", "calibrate", "-e", benchmark.root)
    assert told.code == 0
    assert "weak gate" in told.out
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    assert result.card is not None
    assert result.card.resumption.gate == "weak gate"
    assert any("weak gate" in w for w in result.card.warnings)
    assert "weak gate" in benchmark.kappa_report.read_text()


def test_a_closed_gate_takes_an_old_card_away(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    write_grades(benchmark, {**PERFECT, "preservation": PERFECT["preservation"][:20]})
    again = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    assert again.path == result.path
    assert again.card is None
    assert not (again.path / "aging_card.json").exists()
    (row,) = read_scores(again.path / "scores.parquet")
    assert row.quality is None


def test_every_episode_ends_as_a_trial(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    many(benchmark, 3)
    place = str(tmp_path / "ledger.sqlite")
    closed = run_benchmark(benchmark.root, RunSettings("structured", 2000), ledger=place)
    with open_ledger(place, create=False) as ledger:
        assert [row.reward for row in ledger.list()] == [None] * 3
    open_gate(benchmark)
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000), ledger=place)
    assert result.path == closed.path
    run_benchmark(benchmark.root, RunSettings("structured", 2000), ledger=place)
    with open_ledger(place, create=False) as ledger:
        *rows, whole = ledger.list()
        assert len(rows) == 6
        assert (whole.kind, whole.completeness) == ("resumption", "partial")
        assert set(ledger.get(whole.trial_id).entry.blobs()) == {"aging_card.json"}
        assert sorted(row.reward is None for row in rows) == [False] * 3 + [True] * 3
        assert {row.completeness for row in rows} == {"complete"}
        kept = ledger.get(next(row.trial_id for row in rows if row.reward is not None))
        assert kept.record.task.task_id.startswith("resumption::v0/")
        inputs = kept.record.inputs.input_files
        assert inputs is not None
        assert kept.record.task.task_revision == inputs[0].hash
        assert ledger.verify().problems == []
    assert cli("resumption", "run", "-e", benchmark.root, "-c", "raw").code == 0
    assert (benchmark.runs / "ledger.sqlite").is_file()
    assert (
        cli(
            "resumption",
            "run",
            "-e",
            benchmark.root,
            "-c",
            "raw",
            "--ledger",
            "none",
            "-o",
            tmp_path / "o",
        ).code
        == 0
    )
    assert not (tmp_path / "o" / "ledger.sqlite").exists()


def test_a_context_that_does_not_fit_is_a_trial_without_a_reward(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    place = str(tmp_path / "ledger.sqlite")
    for _ in range(2):
        run_benchmark(
            benchmark.root, RunSettings("tests.resumption.making:TooMuch", 100), ledger=place
        )
    with open_ledger(place, create=False) as ledger:
        (row,) = ledger.list()
        kept = ledger.get(row.trial_id).record
        assert ledger.verify().problems == []
    assert kept.evaluation.reward is None
    assert kept.evaluation.validity.verifier_completed is False
    assert "do not fit the budget of 100" in kept.evaluation.validity.errors[0]
    assert kept.outputs.agent_output is not None
    assert kept.outputs.agent_output.status == "failed"


@pytest.mark.parametrize(
    "name", [*(n for n in MEMORY.names() if n not in {*MEMORY.extras, "mcp"}), *MEMORY.aliases]
)
def test_every_memory_policy_is_a_consolidator_that_the_runner_takes_as_it_is(
    tmp_path: Path, name: str
) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    for budget in (60, 4000):
        (row,) = run_benchmark(benchmark.root, RunSettings(name, budget)).rows
        assert row.context_tokens is not None
        assert row.status == ("scored" if row.context_tokens <= budget else "refused")


def test_another_model_takes_over_and_is_compared_apart(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    loaded = yaml.safe_load((benchmark.episodes / "000.yaml").read_text())
    for i in range(1, 4):
        other = {**loaded, "id": f"{i:03d}", "resume_with": {"model": "extractive"}}
        (benchmark.episodes / f"{i:03d}.yaml").write_text(yaml.safe_dump(other))
    open_gate(benchmark)
    runs = [run_benchmark(benchmark.root, RunSettings(n, 2000)) for n in ("structured", "raw")]
    assert {row.episode: row.agent for row in runs[0].rows} == {"000": "embedded"} | dict.fromkeys(
        ("001", "002", "003"), "extractive"
    )
    assert "handover" in runs[0].summary.figures
    assert runs[0].summary.figures["all"]["quality"].n == 1
    told = cli("resumption", "compare", runs[0].path, runs[1].path, "--handover", "--json")
    assert data(told.out)[0]["shared"] == 3
    assert (
        data(cli("resumption", "compare", runs[0].path, runs[1].path, "--json").out)[0]["shared"]
        == 1
    )


def test_episodes_without_their_trace_are_skipped_with_a_reason(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    loaded = yaml.safe_load((benchmark.episodes / "000.yaml").read_text())
    loaded |= {
        "id": "001",
        "partial_trajectory": {"path": "far/away.jsonl", "at": 50, "sha256": "0" * 64},
    }
    (benchmark.episodes / "001.yaml").write_text(yaml.safe_dump(loaded))
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000), data=tmp_path)
    assert result.summary.statuses == {"scored": 1, "skipped": 1}
    assert "far/away.jsonl" in result.summary.skipped["001"]
    assert result.card is not None
    assert any("episodes_skipped: 1" in w for w in result.card.warnings)


def test_compaction_is_read_from_the_trace_and_skipped_without_one(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    without = run_benchmark(benchmark.root, RunSettings("compaction", 2000))
    assert "no compaction of its harness" in without.summary.skipped["000"]
    loaded = yaml.safe_load((benchmark.episodes / "000.yaml").read_text())
    said = "root cause: shared cache key. fix: per-test namespace. patch not yet written."
    loaded["partial_trajectory"].insert(
        20, {"role": "meta", "lifecycle": "compaction", "content": said}
    )
    (benchmark.episodes / "000.yaml").write_text(yaml.safe_dump(loaded))
    open_gate(benchmark)
    done = run_benchmark(benchmark.root, RunSettings("compaction", 2000))
    assert (done.path / "contexts" / "000.txt").read_text() == said


@pytest.mark.skipif(not DATA.is_dir(), reason="the public traces are not at ../shared/data")
def test_the_compaction_of_a_real_harness_is_found() -> None:
    path = (
        DATA
        / "traces/claude_code/entireio_cli/gtrrz-victor/aa4038a5-34b6-41e4-8541-9cca654dcbc5.jsonl"
    )
    events = trace_events(path)
    text = build_consolidator("compaction").consolidate("", cut_at(events, 200, path.name), 6000)
    assert text.startswith("This session is being continued")
    with pytest.raises(NotApplicable):
        build_consolidator("compaction").consolidate("", cut_at(events, 100, path.name), 6000)


def test_memory_policies_files_and_names_are_consolidators(tmp_path: Path) -> None:
    events = trajectory_events(example(), None)
    own = tmp_path / "mine.py"
    own.write_text(
        "class Mine:\n    def consolidate(self, task, events, budget):\n        return f'{task}:"
        " {len(list(events))}'\n"
    )
    for name in (
        "append_only",
        "lossy_compress",
        "careful_compress",
        "growing_history",
        "raw",
        "summary",
        f"{own}:Mine",
    ):
        text = build_consolidator(name).consolidate(example().initial_task, events, 500)
        assert text
        assert count_tokens(text) <= 500, name
    for wrong, said in (
        ("strucured", "did you mean structured"),
        (f"{own}:Their", "Their"),
        ("no.such:Thing", "no"),
    ):
        with pytest.raises(InputError, match=said):
            build_consolidator(wrong)


@pytest.mark.parametrize("budget", [1, 7, 40, 333, 5000])
@pytest.mark.parametrize("name", ["raw", "summary", "structured"])
def test_built_in_consolidators_keep_every_budget(name: str, budget: int) -> None:
    text = build_consolidator(name).consolidate(
        example().initial_task, trajectory_events(example(), None), budget
    )
    assert count_tokens(text) <= budget


def test_a_consolidator_that_was_changed_is_run_again(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    own = tmp_path / "mine.py"
    text = "class Mine:\n    def consolidate(self, task, events, budget):\n        return 'one'\n"
    own.write_text(text)
    first = run_benchmark(benchmark.root, RunSettings(f"{own}:Mine", 500))
    assert run_benchmark(benchmark.root, RunSettings(f"{own}:Mine", 500)).path == first.path
    own.write_text(text.replace("one", "two"))
    second = run_benchmark(benchmark.root, RunSettings(f"{own}:Mine", 500))
    assert second.path != first.path
    assert (second.path / "contexts" / "000.txt").read_text() == "two"


def test_a_consolidator_that_breaks_is_told(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    own = tmp_path / "bad.py"
    own.write_text(
        "class Bad:\n    def consolidate(self, task, events, budget):\n        raise"
        " KeyError('x')\n"
    )
    told = cli("resumption", "run", "-e", benchmark.root, "-c", f"{own}:Bad")
    assert told.code == 2
    assert "failed on episode 000: KeyError('x')" in told.err


# ---------------------------------------------------------------------------------------------------
# command line


def test_init_check_run_calibrate_plan_and_pareto(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("resumption", "init", ".").code == 0
    assert (tmp_path / "benchmark" / "RESUMPTION_BENCHMARK.md").is_file()
    assert sorted(p.name for p in (tmp_path / "benchmark").iterdir()) == [
        "RESUMPTION_BENCHMARK.md",
        "calibration",
        "episodes",
        "judges",
        "runs",
    ]
    assert cli("resumption", "check").code == 0
    assert cli("resumption", "calibrate").code == 3
    open_gate(BenchmarkFolder(tmp_path))
    told = cli("resumption", "run", "-c", "structured", "--json")
    assert told.code == 0
    assert data(told.out)["figures"]["all"]["quality"]["n"] == 1
    assert (
        cli("resumption", "pareto", "-c", "raw", "-c", "structured", "--budgets", "100,2000").code
        == 0
    )
    assert cli("resumption", "pareto", "-c", "raw", "--budgets", "x").code == 2
    runs = sorted(
        path.parent for path in (tmp_path / "benchmark" / "runs").glob("*-b2000-*/run.json")
    )
    assert data(cli("resumption", "compare", *runs, "--json").out)[0]["shared"] == 1
    assert (
        data(cli("resumption", "compare", *runs, "--source", "trace", "--json").out)[0]["shared"]
        == 0
    )
    assert data(cli("resumption", "plan", "--effect", "0.1", "--json").out)["episodes"] == 193
    assert "too few episodes to say anything" in " ".join(
        cli("resumption", "compare", *runs).out.split()
    )
    many(BenchmarkFolder(tmp_path), 4)
    tested = cli("resumption", "falsify")
    assert tested.code in (0, 1)
    assert tested.out.count("minimum") == 4
    assert all(f"{n}. " in tested.out for n in (1, 2, 3))
    assert cli("resumption", "run", "-c", "tests.resumption.making:TooMuch").code == 2


def test_the_packaged_gate_is_closed_and_nothing_is_written_into_the_package(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = cli("resumption", "run", "-c", "raw", "--kind", "text-only", "--json")
    # The embedded judge agrees with its author's grades and not well enough with those of others.
    assert told.code == 3
    document = data(told.out)
    assert (document["gate"], document["figures"]) == ("uncalibrated", {})
    assert document["headline"] == ""
    assert {reason.partition(": kappa 0.5")[0] for reason in document["reasons"]} >= {
        "continuation (late-written)",
        "preservation (late-written)",
        "forgetting (late-written)",
    }
    assert not (packaged_set() / "runs").exists()
    assert cli("resumption", "calibrate").code == 2
    text = (packaged_set() / "calibration" / "kappa_report.md").read_text()
    assert "of the held-out ones" in text


@pytest.mark.parametrize("budget", [500, 2000])
def test_structured_leads_on_the_worked_example_as_init_ships_it(
    tmp_path: Path, budget: int
) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    scores = {}
    for name in ("structured", "raw", "summary"):
        (row,) = run_benchmark(benchmark.root, RunSettings(name, budget)).rows
        scores[name] = row.scores
    qualities = {name: score.quality or 0.0 for name, score in scores.items()}
    assert qualities["structured"] > max(qualities["raw"], qualities["summary"])
    structured = scores["structured"]
    assert structured.preservation_recall == 1.0
    assert structured.forgetting_precision == 1.0
    assert structured.continuation_correctness == 1.0


def test_a_repeated_run_writes_no_skipped_row_twice(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    content = yaml.safe_load((benchmark.episodes / "000.yaml").read_text())
    content["id"] = "001"
    content["partial_trajectory"] = {"path": "traces/a.jsonl", "at": 2}
    (benchmark.episodes / "001.yaml").write_text(yaml.safe_dump(content))
    settings = RunSettings("raw", 2000)
    result = run_benchmark(benchmark.root, settings)
    rows = (result.path / "rows.jsonl").read_bytes()
    assert rows.count(b"\n") == 2
    again = run_benchmark(benchmark.root, settings)
    assert (again.path / "rows.jsonl").read_bytes() == rows
    assert [row.status for row in again.rows] == ["scored", "skipped"]

    other = run_benchmark(benchmark.root, settings, data=tmp_path)
    lines = (other.path / "rows.jsonl").read_bytes()
    assert lines.count(b"\n") == 3, "another reason is another row"


def test_falsify_says_why_it_publishes_nothing(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    done = cli("resumption", "falsify", "-e", str(benchmark.root), "--json")
    assert done.code == 3
    assert "the judge was never calibrated" in done.err
    assert all("never calibrated" in part["words"] for part in data(done.out)["conditions"])
