"""Files of a version that nobody here can read are refused, never read as something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.records import ReadLog
from agingbench.traces.formats.pi import Pi
from agingbench.trials.importers.importer import find_importer
from agingbench.trials.importers.prime import PrimeImporter
from agingbench.trials.inspect.comparison import compare_trials
from agingbench.trials.inspect.transcripts import read_path
from agingbench.trials.ledger import open_ledger
from tests.cli.conftest import Cli

HEADER = {"type": "session", "id": "s", "timestamp": "2026-08-07T01:02:03Z", "cwd": "/w"}
REPLY = {
    "role": "assistant",
    "content": [{"type": "text", "text": "Done."}],
    "usage": {"input": 12, "output": 3},
    "timestamp": 1786064524000,
}


def session(path: Path, version: object, *records: dict[str, object]) -> Path:
    lines = [{**HEADER, "version": version}, *records]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def tool(number: int, error: bool = False) -> dict[str, object]:
    return {
        "type": "tool_execution_end",
        "toolCallId": f"t{number}",
        "toolName": "bash",
        "args": {"command": "ls"},
        "result": {"content": f"file {number}"},
        "isError": error,
    }


@pytest.mark.parametrize("version", [4, 0, 3.5])
def test_a_session_of_another_version_is_refused(tmp_path: Path, version: object) -> None:
    file = session(tmp_path / "x.jsonl", version, {"type": "message", "message": REPLY})
    with pytest.raises(InputError, match=r"x\.jsonl:1: version .* versions read: 1, 2, 3"):
        read_path(file)
    log = ReadLog()
    log.file = "x.jsonl"
    with file.open("rb") as stream:
        assert list(Pi().events(stream, log)) == []
    assert log.n_malformed == 1


@pytest.mark.parametrize("version", [1, 3, "0.73.1", None])
def test_known_versions_and_names_of_programs_are_read(tmp_path: Path, version: object) -> None:
    file = session(tmp_path / "x.jsonl", version, {"type": "message", "message": REPLY})
    assert [event.content for event in read_path(file).events] == ["Done."]


def test_a_log_of_events_is_read_once(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"type": "message_start", "message": {**REPLY, "content": []}},
        tool(1),
        tool(2, error=True),
        {"type": "compaction_end", "result": {"summary": "what was kept"}},
        {"type": "message_end", "message": REPLY},
        {"type": "turn_end", "message": REPLY},
        {"type": "agent_end", "messages": [REPLY]},
    ]
    events = read_path(session(tmp_path / "x.jsonl", 3, *records)).events
    roles = [event.role for event in events]
    assert roles == ["tool_call", "tool_result", "tool_call", "tool_result", "meta", "assistant"]
    assert [event.stdout for event in events if event.stdout] == ["file 1", "file 2"]
    assert events[4].content == "what was kept"


def test_an_import_of_another_version_makes_no_ledger(cli: Cli, tmp_path: Path) -> None:
    file = session(tmp_path / "x.jsonl", 4)
    done = cli("trials", "import", file, "--ledger", tmp_path / "l.sqlite")
    assert done.code == 2
    assert "version 4 cannot be read" in done.err
    assert not (tmp_path / "l.sqlite").exists()


# -- one file, one argument


EXPORT = {
    "eval_name": "sums",
    "model_name": "m-1",
    "metadata": {"timestamp": "2026-03-01T00:00:00Z"},
    "results": [
        {
            "example_id": n,
            "prompt": [{"role": "user", "content": "1 + 1?"}],
            "completion": [{"role": "assistant", "content": "2"}],
            "reward": 1.0,
        }
        for n in range(2)
    ],
}


@pytest.mark.parametrize("command", ["import", "import-prime"])
def test_a_prime_export_of_one_file_is_one_argument(cli: Cli, tmp_path: Path, command: str) -> None:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(EXPORT))
    place = tmp_path / "l.sqlite"
    done = cli("trials", command, file, "--ledger", place, "--json")
    assert done.code == 0, done.err
    assert isinstance(find_importer(file), PrimeImporter)
    with open_ledger(place, create=False) as ledger:
        rows = ledger.list()
        assert [row.model for row in rows] == ["m-1", "m-1"]
        assert {row.experiment_id for row in rows} == {"prime-eval-sums"}
        assert {row.kind for row in rows} == {"rollout"}


def test_compared_folders_have_names_of_their_own(tmp_path: Path) -> None:
    targets = []
    for system in ("careful", "lossy"):
        folder = tmp_path / system / "seed_0"
        folder.mkdir(parents=True)
        entry = {"step": 0, "role": "assistant", "content": system}
        (folder / "trajectory.jsonl").write_text(json.dumps(entry) + "\n")
        targets.append(str(folder))

    def no_ledger() -> object:
        raise AssertionError("no ledger is needed")

    compared = compare_trials(targets, no_ledger)  # type: ignore[arg-type]
    assert [trial.target for trial in compared.trials] == ["careful/seed_0", "lossy/seed_0"]
