"""Importing traces of other harnesses: ATIF, Harbor, Inspect logs, run folders and plain
trajectories.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from agingbench.records import ReadLog
from agingbench.traces.formats import FORMATS
from agingbench.traces.formats.inspect import log as inspect_log
from agingbench.traces.formats.inspect.format import Inspect
from agingbench.trials.importers.format_logs import AtifImporter, InspectImporter
from agingbench.trials.importers.trajectories import TrajectoryImporter
from agingbench.trials.inspect.summary import summarize
from agingbench.trials.inspect.targets import read_stored
from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from tests.trials.making import DATA, TRACES, needs_data, needs_traces


@needs_traces
def test_atif_documents(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        report = AtifImporter().import_path(ledger, TRACES / "atif", None)
        assert report.problems == []
        assert report.imported + report.duplicates == 14
        assert AtifImporter().import_path(ledger, TRACES / "atif", None).imported == 0
        for row in ledger.list():
            assert row.reward is None
            summary = summarize(read_stored(ledger.get(row.trial_id)))
            assert summary.source == "trajectory"
            assert summary.assistant_turns > 0


def harbor(folder: Path, reward: object, **result: Any) -> None:
    (folder / "agent").mkdir(parents=True)
    steps = [
        {"step_id": 1, "source": "user", "message": "Do it"},
        {"step_id": 2, "source": "agent", "message": "Done", "metrics": {"prompt_tokens": 10}},
        {"step_id": 3, "source": "agent", "message": "Copied", "is_copied_context": True},
    ]
    document = {
        "schema_version": "ATIF-v1.7",
        "session_id": folder.name,
        "agent": {"name": "a", "version": "1", "model_name": "m"},
        "steps": steps,
    }
    (folder / "agent" / "trajectory.json").write_text(json.dumps(document))
    told = {
        "trial_name": folder.name,
        "task_name": "hello",
        "verifier_result": {"rewards": {"reward": reward}},
        "started_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:01:00Z",
        **result,
    }
    (folder / "result.json").write_text(json.dumps(told))


def test_harbor_folders_bring_reward_time_and_failure(tmp_path: Path) -> None:
    harbor(tmp_path / "job" / "t1", 1.0)
    harbor(tmp_path / "job" / "t2", 7.0)
    harbor(
        tmp_path / "job" / "t3",
        None,
        exception_info={"exception_type": "Timeout", "exception_message": "late"},
    )
    with open_ledger(tmp_path / "l") as ledger:
        report = AtifImporter().import_path(ledger, tmp_path / "job", "h")
        rows = {r.trial_id.split("-")[1]: r for r in ledger.list()}
    assert report.problems == []
    assert [rows[t].reward for t in ("t1", "t2", "t3")] == [1.0, None, None]
    assert [rows[t].status for t in ("t1", "t2", "t3")] == ["completed", "completed", "failed"]
    assert rows["t1"].total_seconds == 60
    assert rows["t1"].task_id == "hello"
    assert report.flags["reward_out_of_range"] == 1


@needs_traces
def test_inspect_logs(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        root = TRACES / "inspect" / "inspect_ai"
        report = InspectImporter().import_path(ledger, root, None)
        assert report.problems == []
        assert report.imported > 25
        assert InspectImporter().import_path(ledger, root, None).imported == 0
        rewards = Counter(r.reward for r in ledger.list())
        assert set(rewards) == {0.0, 1.0, None}
        told = [
            summarize(read_stored(ledger.get(r.trial_id)))
            for r in ledger.list(Query(min_reward=1.0))
        ]
        assert all(summary.assistant_turns > 0 for summary in told)
        assert sum(summary.tokens is not None for summary in told) > 10


def eval_file(samples: dict[str, bytes], level: int = 9) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        archive.writestr(
            "header.json", json.dumps({"status": "success", "eval": {"task": "t", "model": "m"}})
        )
        for name, content in samples.items():
            archive.writestr(name, content)
    return data.getvalue()


def one_sample(number: int) -> bytes:
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": f"A{number}"}]
    return json.dumps(
        {"id": number, "epoch": 1, "messages": messages, "scores": {"s": {"value": "C"}}}
    ).encode()


def test_a_zip_bomb_costs_its_record_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = b'{"messages": "' + b"0" * (64 << 20) + b'"}'
    file = tmp_path / "log.eval"
    file.write_bytes(
        eval_file(
            {
                "samples/1_epoch_1.json": one_sample(1),
                "samples/2_epoch_1.json": bomb,
                "samples/3_epoch_1.json": b"{torn",
                "samples/4_epoch_1.json": one_sample(4),
                "samples/../../evil.json": one_sample(5),
            }
        )
    )
    assert file.stat().st_size < 100_000
    with open_ledger(tmp_path) as ledger:
        report = InspectImporter().import_path(ledger, file, None)
        assert report.imported == 2
        reasons = [p.reason for p in report.problems]
        assert len(reasons) == 2
        assert "not unpacked" in reasons[0]
        assert "samples/3_epoch_1.json" in reasons[1]
        assert [r.reward for r in ledger.list()] == [1.0, 1.0]
    monkeypatch.setattr(inspect_log, "LARGEST_TOTAL", 100)
    log = ReadLog()
    assert list(Inspect().events(io.BytesIO(file.read_bytes()), log)) == []
    assert log.n_malformed >= 2


def test_a_member_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    data = bytearray(eval_file({"samples/1_epoch_1.json": one_sample(1)}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = (4).to_bytes(4, "little")
    file = tmp_path / "log.eval"
    file.write_bytes(data)
    with open_ledger(tmp_path) as ledger:
        report = InspectImporter().import_path(ledger, file, None)
        assert (report.imported, len(report.problems)) == (0, 1)


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"PK\x03\x04" + b"\0" * 500, b"{}", b'{"eval": 1}', b"\xff\xfe"]
)
def test_broken_logs_are_told(tmp_path: Path, data: bytes) -> None:
    for name in ("inspect", "atif", "verifiers"):
        log = ReadLog()
        format = FORMATS.load(name)()
        assert 0 <= format.sniff(data) <= 1
        assert list(format.events(io.BytesIO(data), log)) == []
        assert log.n_malformed or not data


@needs_data
@pytest.mark.slow
def test_real_run_folders_become_trials(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        report = TrajectoryImporter().import_path(ledger, DATA / "real_runs", "runs")
        assert (report.imported, report.problems) == (138, [])
        rows = ledger.list()
        assert Counter(r.status for r in rows) == {"completed": 129, "failed": 9}
        assert {r.reward for r in rows} == {None}
        assert {r.model for r in rows} == {"au.anthropic.claude-sonnet-4-6"}
        assert (
            TrajectoryImporter().import_path(ledger, DATA / "real_runs", "runs").duplicates == 138
        )


@needs_data
def test_a_study_of_real_runs_becomes_trials(tmp_path: Path) -> None:
    root = DATA / "real_runs" / "asw-7-rollout-control"
    runs = len(list(root.rglob("trajectory.jsonl")))
    with open_ledger(tmp_path) as ledger:
        report = TrajectoryImporter().import_path(ledger, root, "runs")
        assert (report.imported, report.problems) == (runs, [])
        assert TrajectoryImporter().import_path(ledger, root, "runs").duplicates == runs


@pytest.mark.parametrize(
    "stamp", ["1e20", "1e300", "-1e18", "1e15", '"9999-12-31T23:59:59-23:59"', '"nonsense"']
)
def test_a_time_that_is_none_costs_no_trial(tmp_path: Path, stamp: str) -> None:
    entry = '{"step": 0, "role": "user", "content": "Go", "timestamp": %s}\n'
    (tmp_path / "trace.jsonl").write_text(entry % stamp + entry % stamp)
    with open_ledger(tmp_path / "l") as ledger:
        report = TrajectoryImporter().import_path(ledger, tmp_path / "trace.jsonl", None)
        assert (report.imported, report.problems, report.flags["time_not_recorded"]) == (1, [], 1)
        assert ledger.verify().ok


def test_a_trace_of_which_nothing_can_be_read_is_an_error_with_its_line(tmp_path: Path) -> None:
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-08-07", "cwd": "/"}
    trace = tmp_path / "broken.jsonl"
    trace.write_text(json.dumps(header) + '\n{"type":"agent_start"\n')

    with (
        open_ledger(tmp_path / "ledger") as ledger,
        pytest.raises(InputError, match=r"broken\.jsonl:2: not JSON"),
    ):
        TrajectoryImporter().import_path(ledger, trace, None)
