"""`agingbench trials import-*`: what cannot be read is told with file and line, and a stop loses
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agingbench.cli.trials import import_run
from agingbench.trials.entries import Receipt
from agingbench.trials.ledger import Ledger
from agingbench.trials.record import TrialRecord
from tests.cli.conftest import Cli
from tests.cli.trials.test_commands import told

SAMPLE = {"prompt": "Q", "completion": "A", "reward": 1.0}
TRACE = [
    '{"version": 1, "format": "aec-bench-trajectory"}',
    '{"step": 0, "role": "user", "content": "Go"}',
    '{"step": 1, "role": "assist',
    "[]",
    '{"step": 1, "role": "assistant", "content": "Gone."}',
]


def samples(file: Path, n: int) -> Path:
    file.write_text("".join(json.dumps({**SAMPLE, "example_id": i}) + "\n" for i in range(n)))
    return file


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("import-verifiers empty.jsonl", "nothing to import here; a file of rollouts is expected"),
        ("import-verifiers folder", "no results.jsonl below this folder"),
        ("import-inspect empty.eval", "nothing to import here; an Inspect log is expected"),
        ("import-inspect folder", "nothing to import here; an Inspect log is expected"),
        ("import-inspect wrong", "nothing to import here; an Inspect log is expected"),
        ("import-atif empty.json", "nothing to import here; an ATIF trajectory is expected"),
        ("import-atif wrong", "nothing to import here; an ATIF trajectory is expected"),
        ("import-harbor folder", "nothing to import here; an ATIF trajectory is expected"),
        (
            "import-prime --evaluation-json e.json --samples-json empty.json",
            "nothing to import here; samples are",
        ),
        ("import-prime --evaluation-json empty.json --samples-json e.json", "not JSON"),
        ("import-ledger folder", "there is no record here; a ledger is a folder"),
        ("import-ledger wrong", "none of its 1 JSON files is a trial record"),
        ("import-trajectory empty.jsonl", "the file is empty"),
        (
            "import-trajectory folder",
            "no trace.jsonl, trajectory.jsonl, conversation.jsonl below this folder",
        ),
        ("import-trajectory wrong/package.json", "--format NAME"),
        ("import-trajectory wrong/package.json --format claude", "did you mean claude_code"),
    ],
)
def test_nothing_to_import_is_wrong_input(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("empty.jsonl", "empty.json", "empty.eval"):
        Path(name).touch()
    Path("folder").mkdir()
    Path("wrong").mkdir()
    Path("wrong/package.json").write_text('{"name": "something else"}')
    Path("e.json").write_text('{"evaluation_id": "e"}')
    done = cli("trials", *words.split(), "--ledger", "l.sqlite")
    assert (done.code, done.out) == (2, "")
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.glob("l.*"))


def test_lost_lines_are_listed_with_file_and_line(cli: Cli, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "a"
    run.mkdir(parents=True)
    (run / "trajectory.jsonl").write_text("\n".join(TRACE))
    report = told(cli, "import-trajectory", tmp_path / "runs", "--ledger", tmp_path / "l")
    assert report["imported"] == 1
    assert [(p["file"], p["line"]) for p in report["problems"]] == [
        ("a/trajectory.jsonl", 3),
        ("a/trajectory.jsonl", 4),
    ]
    assert all(p["reason"] for p in report["problems"])
    done = cli("trials", "import-trajectory", run / "trajectory.jsonl", "--ledger", tmp_path / "m")
    assert done.code == 0
    assert "trajectory.jsonl: line 3" in done.out


def test_lines_lost_before_the_conversation_is_read_are_listed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "trajectory.jsonl").write_text("{torn\n")
    (tmp_path / "conversation.jsonl").write_text('{"role": "user", "content": "Go"}\n{torn\n')
    report = told(cli, "import-trajectory", tmp_path, "--ledger", tmp_path / "l")
    assert [(p["file"], p["line"]) for p in report["problems"]] == [
        ("trajectory.jsonl", 1),
        ("conversation.jsonl", 2),
    ]
    (summary,) = told(cli, "summary", tmp_path)
    assert summary["source"] == "conversation"
    assert [(p["file"], p["line"]) for p in summary["problems"]] == [
        ("trajectory.jsonl", 1),
        ("conversation.jsonl", 2),
    ]


def test_bad_samples_steps_and_files_are_listed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text(json.dumps(SAMPLE) + "\n{torn\n")
    (problem,) = told(cli, "import-verifiers", tmp_path, "--ledger", tmp_path / "l")["problems"]
    assert (problem["file"], problem["line"]) == ("results.jsonl", 2)
    step = {"step_id": 1, "source": "user", "message": "Go"}
    document = {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "agent": {"name": "a"},
        "steps": [step, 5],
    }
    (tmp_path / "trajectory.json").write_text(json.dumps(document))
    report = told(cli, "import-atif", tmp_path / "trajectory.json", "--ledger", tmp_path / "l")
    assert (report["imported"], [p["file"] for p in report["problems"]]) == (1, ["trajectory.json"])
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "torn.eval").write_bytes(b"PK\x03\x04 and no more")
    report = told(cli, "import-inspect", tmp_path / "logs", "--ledger", tmp_path / "l", code=2)
    assert [p["file"] for p in report["problems"]] == ["torn.eval"]


def test_beyond_a_thousand_lost_lines_they_are_counted(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "conversation.jsonl").write_text(
        '{"role": "user", "content": "Go"}\n' + "{torn\n" * 1200
    )
    problems = told(cli, "import-trajectory", tmp_path, "--ledger", tmp_path / "l")["problems"]
    assert (len(problems), problems[-1]["reason"]) == (1001, "and 200 more that are not listed")


def test_a_stopped_import_keeps_what_is_in_and_says_how_far_it_came(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = samples(tmp_path / "results.jsonl", 5)
    words = ("trials", "import-verifiers", file, "--ledger", tmp_path / "l")
    real = Ledger.add

    def stopping(
        self: Ledger, record: TrialRecord, evidence: Mapping[str, bytes] | None = None
    ) -> Receipt:
        if self.count() == 2:
            raise KeyboardInterrupt
        return real(self, record, evidence)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "add", stopping)
        done = cli(*words)
    assert (done.code, done.out) == (130, "")
    assert "stopped at record 3 of 5: 2 imported, 0 were there already" in done.err
    report = told(cli, *words[1:])
    assert (report["imported"], report["duplicates"]) == (3, 2)


@pytest.mark.parametrize(
    "command", ["import-verifiers", "import-trajectory", "import-ledger", "import-inspect"]
)
def test_every_record_moves_the_bar(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    seen: list[int] = []

    @contextmanager
    def bar(label: str, total: int, as_json: bool) -> Iterator[Any]:
        seen.append(total)
        yield lambda: seen.append(-1)

    monkeypatch.setattr(import_run, "progress_bar", bar)
    source = tmp_path / "source"
    for name in "ab":
        (source / name).mkdir(parents=True)
        samples(source / name / "results.jsonl", 2)
        (source / name / "trajectory.jsonl").write_text("\n".join(TRACE))
        (source / name / "record.json").write_text('{"trial_id": "torn"}')
        header = {"task": name, "model": "m"}
        message = [{"role": "user", "content": "Q"}]
        (source / name / "log.json").write_text(
            json.dumps({"eval": header, "samples": [{"id": 1, "messages": message}]})
        )
    cli("trials", command, source, "--ledger", tmp_path / "l")
    assert seen[0] == len(seen) - 1 > 1


def test_a_format_can_be_named(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text(
        '{"odd": 1}\n' * 6
        + '{"role": "user", "content": "Go"}\n{"role": "assistant", "content": "Gone"}\n'
    )
    assert told(cli, "summary", file)[0]["source"] == "generic"
    assert told(cli, "summary", file, "--format", "conversation")[0]["source"] == "conversation"
    report = told(
        cli, "import-trajectory", file, "--format", "conversation", "--ledger", tmp_path / "l"
    )
    assert report["imported"] == 1
    trace = tmp_path / "trace.jsonl"
    trace.write_text("\n".join(TRACE))
    assert told(cli, "classify", trace, "--format", "trajectory")[0]["sequence"] == "E"
    assert (
        told(cli, "compare", trace, trace, "--format", "generic")["trials"][0]["source"]
        == "generic"
    )
    done = cli("trials", "trace", trace, "--format", "trajectry")
    assert (done.code, "did you mean trajectory" in done.err) == (2, True)
