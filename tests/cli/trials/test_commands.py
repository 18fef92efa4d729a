"""`agingbench trials`: as users and scripts call it, with its JSON and exit codes."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agingbench.report.trials import print_comparison, print_listing
from agingbench.trials.columns import TrialRow
from agingbench.trials.inspect.comparison import ComparedTrial, TrialComparison
from agingbench.trials.ledger import open_ledger
from agingbench.trials.record import TrialRecord, write_trial
from tests.cli.conftest import Cli, data
from tests.trials.making import filled, record

TRACE = """{"version": 1, "format": "aec-bench-trajectory"}
{"step": 0, "role": "user", "content": "Mail ann@example.com"}
{"step": 1, "role": "assistant", "content": "Looking."}
{"step": 1, "role": "tool_call", "tool_name": "read_file", "arguments": {"path": "a.md"}}
{"step": 1, "role": "tool_result", "tool_name": "read_file", "stdout": "{\\"status\\": \\"rejected\\"}", "exit_code": 0}
{"step": 2, "role": "assistant", "content": "Done."}
"""


def told(cli: Cli, *words: object, code: int = 0) -> Any:
    done = cli("trials", *words, "--json")
    assert done.code == code, done.err
    return data(done.out)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "trace.jsonl").write_text(TRACE)
    write_trial(record("run-1", outputs={"trajectory_path": "trace.jsonl"}), folder / "trial.json")
    return folder


def test_a_trial_goes_in_and_is_looked_at(cli: Cli, run: Path, tmp_path: Path) -> None:
    ledger = ("--ledger", tmp_path / "l.sqlite")
    assert told(cli, "add", run, *ledger)["added"] == 1
    assert told(cli, "add", run.parent, *ledger)["duplicates"] == 1
    listed = told(cli, "list", *ledger)
    assert (listed["total"], listed["trials"][0]["trial_id"]) == (1, "run-1")
    shown = told(cli, "show", "run-1", *ledger)
    assert shown["summary"]["tool_errors"]["rejected"] == 1
    assert "ann@example.com" not in json.dumps(shown)
    assert told(cli, "summary", "run-1", *ledger)[0]["record_hash"] == shown["record_hash"]
    assert told(cli, "classify", "run-1", *ledger)[0]["sequence"] == "XE"
    assert (
        told(cli, "review", "run-1", "--reviewer", "ana", "--judgment", "pass", *ledger)["number"]
        == 2
    )
    assert told(cli, "agreement", *ledger) == {"pairs": []}
    assert told(cli, "rank", *ledger)["left_out"] == {"partial record": 1}
    assert told(cli, "export", tmp_path / "x.parquet", *ledger)["exported"] == 1
    assert told(cli, "classify", "run-1", "--save", *ledger)[0]["classifier"] == "rules-1"
    verdict = told(cli, "verify", *ledger)
    assert (verdict["ok"], verdict["entries"], verdict["problems"]) == (True, 3, [])
    for command in (
        "list",
        "show run-1",
        "trace run-1",
        "summary run-1",
        "classify run-1",
        "agreement",
        "verify",
        "rank",
        "compare run-1 run-1",
        "quarantined",
    ):
        done = cli("trials", *command.split(), *ledger)
        assert (done.code, done.err) == (0, ""), command
        assert done.out.strip()
        assert "ann@example.com" not in done.out


def test_summary_and_classify_take_what_is_in_no_ledger(cli: Cli, run: Path) -> None:
    for target in (run, run / "trace.jsonl"):
        (summary,) = told(cli, "summary", target)
        assert (summary["assistant_turns"], summary["tool_calls"], summary["source"]) == (
            2,
            1,
            "trajectory",
        )
        assert summary["tool_errors"]["rejected"] == 1
        assert summary["first_error"]["line"] == 5
        assert told(cli, "classify", target)[0]["sequence"] == "XE"
    assert len(told(cli, "summary", run, run)) == 2
    assert len(told(cli, "trace", run)) == 5
    assert len(told(cli, "trace", run, "--errors")) == 1
    assert told(cli, "compare", run, run / "trace.jsonl")["trials"][1]["edit_distance"] == 0


def test_verify_prints_what_happened_and_exits_one(cli: Cli, tmp_path: Path) -> None:
    filled(tmp_path).close()
    head = told(cli, "verify", "--ledger", tmp_path)["head"]
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    db.execute("DROP TRIGGER entries_no_update")
    db.execute("UPDATE entries SET body = replace(body, '0.5', '0.9') WHERE number = 2")
    db.commit()
    db.close()
    verdict = told(cli, "verify", "--ledger", tmp_path, "--head", head, code=1)
    assert not verdict["ok"]
    assert [(p["entry"], p["kind"]) for p in verdict["problems"]] == [(2, "edited")]
    assert verdict.keys() == {"ok", "problems", "entries", "head", "blobs", "warnings"}
    assert set(verdict["problems"][0]) == {"entry", "kind", "detail"}
    done = cli("trials", "verify", "--ledger", tmp_path)
    assert done.code == 1
    assert "was changed" in done.out
    other = told(cli, "verify", "--ledger", tmp_path, "--head", "a" * 64, code=1)
    assert "truncated" in {p["kind"] for p in other["problems"]}


def test_sealing_from_the_command_line(cli: Cli, run: Path, tmp_path: Path) -> None:
    ledger = ("--ledger", tmp_path / "l")
    (tmp_path / "plan.json").write_text("{}")
    told(cli, "add", run, *ledger)
    words = (
        "--adapter-revision",
        "1",
        "--tool",
        "python=3.11",
        "--input",
        tmp_path / "plan.json",
        "--task-file",
        "plan.json",
    )
    sealed = told(cli, "seal", "run-1", *words, *ledger)
    assert (sealed["trial_id"], sealed["supersedes"]) == ("run-1.sealed", "run-1")
    assert told(cli, "rank", *ledger)["used"] == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("show", "nobody"), "no trial 'nobody'"),
        (("show", "trial-01"), "did you mean trial-001?"),
        (("show", "\udcff"), "is not a text"),
        (("list", "--task", "\udcff"), "is not a text"),
        (("list", "--limit", "9" * 30), "is not in the range"),
        (("list", "--min-reward", "nan"), "a reward is a number from 0 to 1"),
        (("list", "--min-reward", "2"), "is not in the range"),
        (("list", "--since", "0001-01-01T00:00:00+14:00"), "write a date as"),
        (("lst",), "did you mean list"),
        (("export", "no/such/folder.parquet"), "cannot write"),
        (("summary", "no/such/file"), "no such file or folder"),
        (("summary", "gone.jsonl"), "no such file or folder"),
        (("verify", "--head", "xyz"), "64 hexadecimal"),
        (("list", "--since", "soon"), "write a date as"),
        (("list", "--sort", "rewrd"), "did you mean reward"),
        (("export", "x.txt"), ".csv or .parquet"),
        (("compare", "one"), "at least two"),
        (("seal", "trial-001"), "cannot be sealed"),
        (("import-prime",), "give an EVAL_ID"),
        (("import-prime", "--evaluation-json", "e.json"), "belong together"),
        (("import-prime", "x", "--evaluation-json", "e.json"), "give an EVAL_ID"),
        (("import-ledger", "none"), "not a folder"),
        (("import-inspect", "none"), "no such file"),
        (("add", "none"), "no trial.json"),
        (("review", "trial-001", "--reviewer", "a", "--judgment", "perhaps"), "perhaps"),
    ],
)
def test_wrong_input_is_one_line(
    cli: Cli, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    filled(tmp_path, 1).close()
    done = cli("trials", *words, "--ledger", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err


def test_a_ledger_that_is_not_there_is_told(cli: Cli, tmp_path: Path) -> None:
    review = ("review", "t", "--reviewer", "ana", "--judgment", "pass")
    for command in (("list",), ("verify",), ("rank",), ("agreement",), ("seal", "t"), review):
        done = cli("trials", *command, "--ledger", tmp_path / "none")
        assert done.code == 2
        assert "there is no ledger" in done.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("folder", "a folder, where the ledger's file is to be"),
        ("mysql://host/database", "give a path or a postgresql:// URL"),
        ("", "none is named"),
    ],
)
def test_what_cannot_be_a_ledger_is_told(
    cli: Cli, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder/ledger.sqlite").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    for command in (("list",), ("verify",), ("add", run)):
        done = cli("trials", *command, "--ledger", place)
        assert (done.code, done.out) == (2, "")
        assert reason in done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_filter_that_leaves_nothing_says_what_was_perhaps_meant(cli: Cli, tmp_path: Path) -> None:
    filled(tmp_path, 1).close()
    for words in (("list",), ("rank",), ("export", tmp_path / "x.jsonl")):
        done = cli(
            "trials", *words, "--model", "script", "--harness", "bench", "--ledger", tmp_path
        )
        assert done.code == 0
        assert done.err == "no trial has the model 'script'; did you mean scripted?\n"


def test_a_record_that_cannot_be_added_costs_itself_only(
    cli: Cli, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "trial.json").write_text("{")
    liar = TrialRecord.model_validate({**record("liar").model_dump(), "completeness": "complete"})
    (tmp_path / "liar").mkdir()
    write_trial(liar, tmp_path / "liar" / "trial.json")
    done = told(
        cli, "add", tmp_path / "bad", run, tmp_path / "liar", "--ledger", tmp_path / "l", code=1
    )
    assert (done["added"], len(done["problems"])) == (1, 2)
    with open_ledger(tmp_path / "l") as ledger:
        assert ledger.count() == 1
    done = told(
        cli, "add", tmp_path / "bad", tmp_path / "liar", "--ledger", tmp_path / "none", code=2
    )
    assert (done["added"], len(done["problems"])) == (0, 2)
    assert not (tmp_path / "none").exists()


def test_the_start_of_an_id_is_enough_wherever_a_trial_is_named(cli: Cli, tmp_path: Path) -> None:
    with filled(tmp_path, 3) as ledger:
        ledger.add(record("lonely-7"))
    place = ("--ledger", tmp_path)
    assert told(cli, "show", "lone", *place)["trial_id"] == "lonely-7"
    assert told(cli, "summary", "lone", *place)[0]["trial_id"] == "lonely-7"
    assert told(cli, "classify", "lone", *place)[0]["target"] == "lonely-7"
    assert (
        told(cli, "review", "lone", "--reviewer", "ana", "--judgment", "pass", *place)["trial_id"]
        == "lonely-7"
    )
    assert len(told(cli, "show", "lonely-7", *place)["reviews"]) == 1
    done = cli("trials", "show", "trial", *place)
    assert (done.code, "may be trial-001, trial-002 and trial-003" in done.err) == (2, True)


@pytest.mark.parametrize("width", [40, 80, 140])
def test_ids_are_printed_in_one_piece(width: int) -> None:
    name = f"s2_lifestyle_assistant.{'x' * 70}.seed_0"
    row = TrialRow(
        number=1,
        trial_id=name,
        experiment_id="e",
        dataset_id=None,
        task_id="t",
        task_revision="r",
        model="m",
        harness="h",
        timestamp="2026-03-13T10:00:00.000000Z",
        status=None,
        completeness="partial",
        reward=0.5,
        total_seconds=None,
        tokens_in=None,
        tokens_out=None,
        cost_usd=None,
        record_hash="0" * 64,
        supersedes=None,
    )
    trial = ComparedTrial(
        target=name,
        source="trajectory",
        reward=0.5,
        completeness="partial",
        assistant_turns=3,
        tool_calls=2,
        tool_errors_total=1,
        unmatched_calls=0,
        total_messages=5,
        tool_errors={},
        tokens=None,
        tokens_total=1200,
        cost_usd=0.5,
        sequence="EEE",
        edit_distance=0,
        similarity=None,
        differs={},
    )
    page = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    print_listing([row], 1, page)
    print_comparison(TrialComparison([trial]), page)
    assert isinstance(page.file, io.StringIO)
    text = page.file.getvalue()
    assert text.count(name) == 2
    for figure in ("m", "–", "partial", "0.500", "3", "2", "1", "0"):
        assert (
            figure in text.replace(name, "").split()
            or f"{figure}," in text.replace(name, "").split()
        )


def test_importing_from_the_command_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "e.json").write_text('{"evaluation_id": "e1", "model_name": "m"}')
    sample = {"sample_id": "s", "prompt": "Q", "completion": "A", "reward": None}
    (tmp_path / "s.json").write_text(json.dumps({"samples": [sample, {"prompt": 1}]}))
    words = (
        "import-prime",
        "--evaluation-json",
        tmp_path / "e.json",
        "--samples-json",
        tmp_path / "s.json",
    )
    done = told(cli, *words, "--experiment", "pilot", "--ledger", tmp_path / "l")
    assert (done["imported"], len(done["problems"]), done["experiment"]) == (1, 1, "pilot")
    assert told(cli, "list", "--ledger", tmp_path / "l", "--not-evaluated")["total"] == 1
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "x.json").write_text("{")
    done = told(cli, "import-ledger", tmp_path / "bad", "--ledger", tmp_path / "l", code=2)
    assert done["problems"][0]["what"] == "x.json"
    assert (
        told(cli, "quarantined", "--ledger", tmp_path / "l")["quarantined"][0]["source"] == "x.json"
    )
