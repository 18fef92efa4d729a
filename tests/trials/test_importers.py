"""Importing: every sample of every shape, nothing invented, nothing overwritten, and both generations of ledgers."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from agingbench.records import ReadLog
from agingbench.traces.formats import FORMATS
from agingbench.traces.formats import inspect as inspect_format
from agingbench.trials.folder_ledgers import import_folder_ledger
from agingbench.trials.generation2 import migrate
from agingbench.trials.importers.atif import import_atif
from agingbench.trials.importers.inspect import import_inspect
from agingbench.trials.importers.prime import import_files, import_live
from agingbench.trials.importers.trajectories import import_trajectories
from agingbench.trials.importers.verifiers import import_results
from agingbench.trials.inspecting import read_stored
from agingbench.trials.ledger import Ledger, open_ledger
from agingbench.trials.queries import Query
from agingbench.trials.record import read_trial
from agingbench.trials.summary import summarize
from tests.trials.making import DATA, TRACES, needs_data, needs_traces


def kept(ledger: Ledger, trial_id: str, name: str) -> bytes:
    with ledger.get(trial_id).files.open(name) as stream:
        return stream.read()


@pytest.mark.parametrize("reward", ["0.5", "NaN"])
def test_one_sample_over_many_lines_is_one_sample(tmp_path: Path, reward: str) -> None:
    sample = {"sample_id": "s1", "prompt": "2+2?", "completion": "4", "reward": 0.5}
    (tmp_path / "evaluation.json").write_text('{"evaluation_id": "e1", "model_name": "m"}')
    (tmp_path / "sample.json").write_text(json.dumps(sample, indent=2).replace("0.5", reward))
    with open_ledger(tmp_path) as ledger:
        report = import_files(ledger, tmp_path / "evaluation.json", [tmp_path / "sample.json"], "pilot")
        assert (report.trial_ids, report.problems) == (["prime-e1-s1"], [])
        none = import_files(ledger, tmp_path / "evaluation.json", [tmp_path / "evaluation.json"], "pilot")
    assert len(none.problems) == 1  # it is no sample, and that is said once, not once per line


# ----------------------------------------------------------------------------------------------------------- verifiers


@needs_data
def test_all_558_verifiers_samples(tmp_path: Path) -> None:
    root = DATA / "verifiers_results"
    raw = [line for f in sorted(root.rglob("results.jsonl")) for line in f.read_bytes().split(b"\n") if line.strip()]
    rewards = Counter(json.loads(line)["reward"] for line in raw)
    with open_ledger(tmp_path) as ledger:
        report = import_results(ledger, root, "v")
        assert (report.imported, report.duplicates, report.problems, report.renamed) == (558, 0, [], [])
        rows = ledger.list()
        assert len(rows) == len(raw) == 558
        # No reward is invented: those in 0..1 are as they were, the 70 others are null and kept raw.
        assert Counter(r["reward"] for r in rows if r["reward"] is not None) == Counter(
            {r: n for r, n in rewards.items() if 0 <= r <= 1}
        )
        assert report.flags["reward_out_of_range"] == 70
        outside = [ledger.get(r["trial_id"]).record.evaluation for r in rows if r["reward"] is None]
        assert sum(e.breakdown is not None and "raw_reward" in e.breakdown for e in outside) == 70
        assert all(r["completeness"] == "partial" for r in rows)
        unnamed = calls = 0
        for row in rows:
            stored = ledger.get(row["trial_id"])
            events = read_stored(stored).events
            said = bool(json.loads(kept(ledger, row["trial_id"], "verifiers_sample.json"))["completion"])
            assert any(e.role in ("assistant", "tool_call") for e in events) == said
            assert said == (row["status"] != "empty")
            tools = [e for e in events if e.role in ("tool_call", "tool_result")]
            calls += sum(e.role == "tool_call" for e in tools)
            unnamed += sum(not e.tool_name for e in tools)
        assert (calls, unnamed) == (296, 0)
        assert sorted(kept(ledger, r["trial_id"], "verifiers_sample.json") for r in rows) == sorted(
            r.strip() for r in raw
        )
        again = import_results(ledger, root, "v")
        assert (again.imported, again.duplicates) == (0, 558)
        assert ledger.verify().ok


def test_times_in_any_unit_and_what_is_missing(tmp_path: Path) -> None:
    base = {"prompt": "Q", "completion": "A", "reward": 0.5}
    samples: list[tuple[dict[str, Any], float | None]] = [
        ({**base, "total_ms": 1500, "generation_ms": 1000}, 1.5),
        ({**base, "timing": {"total_ms": 2500}}, 2.5),
        ({**base, "timing": {"total": 3.5, "generation": {"duration": 3.0}}}, 3.5),
        ({**base, "info": {"timing": {"generation_ms": 700, "scoring_ms": 300}}}, 1.0),
        ({**base, "latency_ms": 250}, 0.25),
        ({**base, "total_time": 12.5}, 12.5),
        ({**base, "answer": "x"}, None),
        ({**base, "total_ms": -5}, None),
    ]
    file = tmp_path / "results.jsonl"
    file.write_text("\n".join(json.dumps(s) for s, _ in samples))
    with open_ledger(tmp_path) as ledger:
        report = import_results(ledger, file, None)
        assert report.imported == len(samples)
        assert [r["total_seconds"] for r in ledger.list()] == [seconds for _, seconds in samples]
        assert report.flags["duration_not_recorded"] == 2
        assert report.flags["time_not_recorded"] == len(samples)


def test_a_bad_sample_costs_itself_only(tmp_path: Path) -> None:
    good = {"prompt": [{"role": "user", "content": "Q"}], "completion": [{"role": "assistant", "content": "A"}]}
    lines = [
        json.dumps({**good, "reward": None}),
        "{torn",
        "[]",
        json.dumps({"prompt": "only"}),
        json.dumps({**good, "reward": "high"}),
        json.dumps({**good, "reward": 1e308}),
        '{"prompt": "a", "completion": "b", "reward": NaN}',
        json.dumps({**good, "reward": True}),
        json.dumps({**good, "reward": 0.5, "completion": [{"role": "assistant", "tool_calls": ["{", 7, None, {}]}]}),
        json.dumps({"prompt": "\ud800", "completion": "\udfff", "reward": 0.25}),
    ]
    file = tmp_path / "results.jsonl"
    file.write_text("\n".join(lines))
    with open_ledger(tmp_path) as ledger:
        report = import_results(ledger, file, None)
        assert [p["what"] for p in report.problems] == [f"results.jsonl: line {n}" for n in (2, 3, 4)]
        rewards = [r["reward"] for r in ledger.list()]
        assert rewards == [None, None, None, None, None, 0.5, 0.25]
        assert ledger.verify().ok


def test_equal_samples_are_not_lost(tmp_path: Path) -> None:
    line = json.dumps({"prompt": "Q", "completion": "A", "reward": 1.0})
    file = tmp_path / "results.jsonl"
    file.write_text("\n".join([line] * 3))
    with open_ledger(tmp_path) as ledger:
        assert import_results(ledger, file, None).imported == 3
        assert import_results(ledger, file, None).duplicates == 3


# --------------------------------------------------------------------------------------------------------------- Prime


@needs_data
@pytest.mark.parametrize(
    ("evaluation", "samples", "n"),
    [("evaluation_v1", "samples_v1", 1), ("evaluation_v2", "samples_v2", 4), ("prime_cli_eval_example",) * 2 + (2,)],
)
def test_prime_shapes(tmp_path: Path, evaluation: str, samples: str, n: int) -> None:
    files = DATA / "prime" / f"{evaluation}.json", DATA / "prime" / f"{samples}.json"
    told = json.loads(files[1].read_bytes())
    raw = told.get("samples") or told["results"]
    with open_ledger(tmp_path) as ledger:
        report = import_files(ledger, files[0], [files[1]], "pilot")
        assert (report.imported, report.problems) == (n, [])
        for sample, trial_id in zip(raw, report.trial_ids, strict=True):
            stored = ledger.get(trial_id)
            assert json.loads(kept(ledger, trial_id, "prime_sample.json")) == sample
            assert kept(ledger, trial_id, "prime_sample.json") in files[1].read_bytes()  # the very bytes
            assert stored.record.evaluation.reward == sample["reward"]
            assert stored.record.completeness == "partial"
            summary = summarize(read_stored(stored))
            assert "unnamed" not in summary["tool_calls_by_name"]
        assert import_files(ledger, files[0], [files[1]], "pilot").duplicates == n


@needs_data
def test_a_prime_sample_field_by_field(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        import_files(ledger, DATA / "prime/evaluation_v1.json", [DATA / "prime/samples_v1.json"], "pilot")
        record = ledger.get("prime-eval-123-hosted-7").record
        told = import_files(ledger, DATA / "prime/evaluation_v2.json", [DATA / "prime/samples_v2.json"], "pilot")
        second = [ledger.get(t).record for t in told.trial_ids]
    reference = read_trial(DATA / "ledger_v1" / "prime-fixture" / "prime-eval-123-hosted-7.json")
    for part in ("trial_id", "dataset_id", "timestamp", "timing", "inputs", "environment", "cost"):
        assert getattr(record, part) == getattr(reference, part), part
    assert record.task.task_id == reference.task.task_id
    assert record.evaluation.breakdown == reference.evaluation.breakdown
    assert record.outputs.agent_result is not None
    assert record.outputs.agent_result["stop_condition"] == "has_final_env_response"
    assert record.outputs.agent_result["tool_calls"] == 2
    assert record.outputs.agent_result["submit_answer_calls"] == 1
    statuses = [r.outputs.agent_output.status for r in second if r.outputs.agent_output]
    assert statuses == ["completed", "completed", "failed", "partial"]
    assert [r.timing.total_seconds for r in second] == [12.5] * 4


def submitting(*paths: str) -> dict[str, Any]:
    calls = [
        {"id": f"c{i}", "name": "submit_answer", "arguments": json.dumps({"path": p, "content": f"forged {i}"})}
        for i, p in enumerate(paths)
    ]
    return {"sample_id": "s1", "prompt": "Q", "completion": [{"role": "assistant", "content": "",
            "tool_calls": [json.dumps(c) for c in calls]}], "reward": 1.0}  # fmt: skip


@pytest.mark.parametrize(
    "path",
    ["conversation.jsonl", "prime_sample.json", "../../x", "ABSOLUTE", "a/../../b", "trial.json"],
)
def test_no_path_of_a_model_overwrites_anything(tmp_path: Path, path: str) -> None:
    path = str(tmp_path / "escape.md") if path == "ABSOLUTE" else path
    (tmp_path / "e.json").write_text('{"evaluation_id": "e", "model_name": "m"}')
    sample = submitting("output.md", path)
    (tmp_path / "s.json").write_text(json.dumps({"samples": [sample]}))
    with open_ledger(tmp_path / "deep" / "ledger") as ledger:
        report = import_files(ledger, tmp_path / "e.json", [tmp_path / "s.json"], None)
        assert report.problems == []
        stored = ledger.get(report.trial_ids[0])
        names = set(stored.entry.blobs())
        assert {n for n in names if not n.startswith("submitted_output.")} == {
            "conversation.jsonl",
            "prime_sample.json",
        }
        assert json.loads(kept(ledger, report.trial_ids[0], "prime_sample.json")) == sample
        assert b"submit_answer" in kept(ledger, report.trial_ids[0], "conversation.jsonl")
        output = stored.record.outputs.raw_output_path
        assert output is not None
        assert kept(ledger, report.trial_ids[0], output) == b"forged 1"  # the last word counts, and both are listed
        result = stored.record.outputs.agent_result
        assert result is not None
        assert [s["path"] for s in result["submissions"]] == ["output.md", path]
    within = tmp_path / "deep" / "ledger"
    outside = [f for f in tmp_path.rglob("*") if f.is_file() and not f.is_relative_to(within)]
    assert {f.name for f in outside} == {"e.json", "s.json"}
    assert {f.name for f in within.iterdir()} <= {"ledger.sqlite", "ledger.blobs", "ledger.head.json", "ledger.lock"}


def fake_prime(folder: Path, pages: list[list[dict[str, Any]]], style: str) -> None:
    """A `prime` command that answers from files, in one of the ways pages have been announced."""
    folder.mkdir()
    (folder / "get.json").write_text(json.dumps({"evaluation_id": "live", "model_name": "m"}))
    total = sum(map(len, pages))
    for number, page in enumerate(pages, 1):
        told: dict[str, Any] = {"samples": page, "page": number, "limit": 100}
        told[style] = {"total": total, "has_more": number < len(pages), "total_pages": len(pages)}[style]
        (folder / f"page{number}.json").write_text(json.dumps(told))
    script = folder / "prime"
    script.write_text(f'#!/bin/sh\nif [ "$2" = get ]; then cat {folder}/get.json; else cat {folder}/page$7.json; fi\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize("style", ["total", "has_more", "total_pages"])
def test_hosted_evaluations_are_read_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, style: str) -> None:
    pages = [
        [{"sample_id": f"s{p}-{i}", "prompt": "Q", "completion": "A", "reward": 1} for i in range(2)] for p in range(3)
    ]
    fake_prime(tmp_path / "bin", pages, style)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    with open_ledger(tmp_path) as ledger:
        report = import_live(ledger, "live", None)
        assert (report.imported, report.experiment) == (6, "prime-eval-live")


def test_a_prime_command_that_is_missing_or_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_ledger(tmp_path) as ledger:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(InputError, match="not installed"):
            import_live(ledger, "x", None)
        with pytest.raises(InputError, match="cannot be the id"):
            import_live(ledger, "--plain", None)
        script = tmp_path / "prime"
        script.write_text("#!/bin/sh\necho no such evaluation >&2\nexit 3\n")
        script.chmod(0o700)
        with pytest.raises(InputError, match="code 3: no such evaluation"):
            import_live(ledger, "x", None)


# ---------------------------------------------------------------------------------------------------- folder ledgers


@needs_data
def test_the_ledger_of_generation_1(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        report = import_folder_ledger(ledger, DATA / "ledger_v1")
        assert (report.imported, report.problems) == (3, [])
        full = ledger.get("trial-complete").record
        source = json.loads(kept(ledger, "trial-complete", "source_record.json"))
        assert full.cost is not None
        assert full.cost.model_dump() == source["cost"]
        assert full.adaptation is not None
        assert full.adaptation.model_dump() == source["adaptation"]
        # It claims to be complete, with hashes that are none: the claim is not taken over, and that is told.
        assert (source["completeness"], full.completeness) == ("complete", "partial")
        assert any("claimed complete" in note for note in report.notes["experiment-001/trial-complete.json"])
        assert ledger.verify().ok


@needs_data
def test_the_ledger_of_generation_2_and_its_artifacts(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        report = import_folder_ledger(ledger, DATA / "ledger_v2")
        assert (report.imported, report.problems, report.flags) == (5, [], {})
        failed = ledger.get("prime-eval-123-hosted-9")
        source = json.loads(kept(ledger, "prime-eval-123-hosted-9", "source_record.json"))
        references = [source["output"]["raw_output"], source["output"]["conversation"], source["provider_evidence"]]
        blobs = {blob.sha256: blob.size for blob in failed.entry.blobs().values()}
        assert all(blobs[r["sha256"]] == r["size_bytes"] for r in references)
        assert failed.record.agent.model == "Qwen/Qwen3.5-4B:adapter-123"
        assert failed.record.experiment_id == "prime-fixture"
        beyond = report.notes["prime-fixture/prime-eval-123-hosted-9.json"]
        for name in ("execution_status", "evaluation_status", "evidence_status", "provider_evidence", "run_id",
                     "output.artifacts", "manifest.source", "manifest.provider_route"):  # fmt: skip
            assert any(note.endswith(f": {name}") for note in beyond), name
        result = failed.record.outputs.agent_result
        assert result is not None
        assert result["generation_2"]["execution_status"] == "failed"
        summary = summarize(read_stored(failed))
        assert (summary["source"], summary["tool_calls"]) == ("conversation", 2)


@needs_data
def test_both_ledgers_fit_into_one(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for _ in range(2):
            reports = [import_folder_ledger(ledger, DATA / name) for name in ("ledger_v1", "ledger_v2")]
        assert [r.duplicates for r in reports] == [3, 5]
        assert ledger.count() == 8
        assert len(reports[1].renamed) == 2


@needs_data
def test_a_record_changed_in_its_folder_is_an_error(tmp_path: Path) -> None:
    root = tmp_path / "theirs" / "e"
    root.mkdir(parents=True)
    told = json.loads((DATA / "ledger_v1" / "experiment-001" / "trial-001.json").read_text())
    with open_ledger(tmp_path / "ours") as ledger:
        for reward in (1.0, 0.5):
            told["evaluation"]["reward"] = reward
            (root / "trial-001.json").write_text(json.dumps(told))
            report = import_folder_ledger(ledger, root.parent)
        assert (report.imported, report.renamed) == (0, [])
        assert "with other content" in report.problems[0]["reason"]
        assert ledger.get("trial-001").record.evaluation.reward == 1.0


@needs_data
def test_a_broken_folder_ledger_hides_nothing(tmp_path: Path) -> None:
    root = tmp_path / "theirs"
    shutil.copytree(DATA / "ledger_v2", root)
    for file in [root, *root.rglob("*")]:
        file.chmod(0o755 if file.is_dir() else 0o644)
    artifact = next((root / "_artifacts").rglob("8d93d50c*"))
    artifact.write_bytes(b"forged")
    (root / "experiment-001" / "bad.json").write_text("{")
    (root / "experiment-001" / "list.json").write_text("[1]")
    (root / "experiment-001" / "future.json").write_text('{"schema_version": 3}')
    escape = json.loads((DATA / "ledger_v1" / "experiment-001" / "trial-001.json").read_text())
    (root / "experiment-001" / "escape.json").write_text(json.dumps({**escape, "trial_id": "../../escape"}))
    (root / "experiment-001" / "link.json").symlink_to("/etc/hostname")
    naive = {**escape, "trial_id": "naive", "timestamp": "2026-03-13T10:00:00", "lifecycle": {"sessions": 3}}
    (root / "experiment-001" / "naive.json").write_text(json.dumps(naive))
    with open_ledger(tmp_path / "ours") as ledger:
        report = import_folder_ledger(ledger, root)
        assert report.imported == 6
        assert report.flags == {"artifact_mismatch": 4}
        names = {p["what"].partition("/")[2] for p in report.problems}
        assert names == {"bad.json", "list.json", "future.json", "escape.json"}
        assert len(list(ledger.entries("quarantine"))) == 4
        assert import_folder_ledger(ledger, root).imported == 0
        assert len(list(ledger.entries("quarantine"))) == 4
        told = ledger.get("naive").record
        assert told.outputs.agent_result is not None
        assert told.outputs.agent_result["beyond_generation_1"] == {"lifecycle": {"sessions": 3}}
        assert any("no zone" in note for note in report.notes["experiment-001/naive.json"])
        assert ledger.verify().ok
    assert not (tmp_path / "escape.json").exists()


def test_generation_2_needs_its_manifest() -> None:
    with pytest.raises(InputError, match="manifest"):
        migrate({"schema_version": 2, "run_id": "r"}, None, "x")
    with pytest.raises(InputError, match="2 is read here"):
        migrate({"schema_version": 7}, {}, "x")
    with pytest.raises(InputError, match="not a record of generation 2"):
        migrate({"schema_version": 2, "input": 4}, {"agent": 1}, "x")


# ----------------------------------------------------------------------------------------- ATIF, Inspect, trajectories


@needs_traces
def test_atif_documents(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        report = import_atif(ledger, TRACES / "atif", None)
        assert report.problems == []
        assert report.imported + report.duplicates == 14
        assert import_atif(ledger, TRACES / "atif", None).imported == 0
        for row in ledger.list():
            assert row["reward"] is None
            summary = summarize(read_stored(ledger.get(row["trial_id"])))
            assert summary["source"] == "trajectory"
            assert summary["assistant_turns"] > 0


def harbor(folder: Path, reward: object, **result: Any) -> None:
    (folder / "agent").mkdir(parents=True)
    steps = [{"step_id": 1, "source": "user", "message": "Do it"},
             {"step_id": 2, "source": "agent", "message": "Done", "metrics": {"prompt_tokens": 10}},
             {"step_id": 3, "source": "agent", "message": "Copied", "is_copied_context": True}]  # fmt: skip
    document = {"schema_version": "ATIF-v1.7", "session_id": folder.name, "agent": {"name": "a", "version": "1",
                "model_name": "m"}, "steps": steps}  # fmt: skip
    (folder / "agent" / "trajectory.json").write_text(json.dumps(document))
    told = {"trial_name": folder.name, "task_name": "hello", "verifier_result": {"rewards": {"reward": reward}},
            "started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:01:00Z", **result}  # fmt: skip
    (folder / "result.json").write_text(json.dumps(told))


def test_harbor_folders_bring_reward_time_and_failure(tmp_path: Path) -> None:
    harbor(tmp_path / "job" / "t1", 1.0)
    harbor(tmp_path / "job" / "t2", 7.0)
    harbor(tmp_path / "job" / "t3", None, exception_info={"exception_type": "Timeout", "exception_message": "late"})
    with open_ledger(tmp_path / "l") as ledger:
        report = import_atif(ledger, tmp_path / "job", "h")
        rows = {r["trial_id"].split("-")[1]: r for r in ledger.list()}
    assert report.problems == []
    assert [rows[t]["reward"] for t in ("t1", "t2", "t3")] == [1.0, None, None]
    assert [rows[t]["status"] for t in ("t1", "t2", "t3")] == ["completed", "completed", "failed"]
    assert rows["t1"]["total_seconds"] == 60
    assert rows["t1"]["task_id"] == "hello"
    assert report.flags["reward_out_of_range"] == 1


@needs_traces
def test_inspect_logs(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        root = TRACES / "inspect" / "inspect_ai"
        report = import_inspect(ledger, root, None)
        assert report.problems == []
        assert report.imported > 25
        assert import_inspect(ledger, root, None).imported == 0
        rewards = Counter(r["reward"] for r in ledger.list())
        assert set(rewards) == {0.0, 1.0, None}
        told = [summarize(read_stored(ledger.get(r["trial_id"]))) for r in ledger.list(Query(min_reward=1.0))]
        assert all(summary["assistant_turns"] > 0 for summary in told)
        assert sum(summary["tokens"] is not None for summary in told) > 10


def eval_file(samples: dict[str, bytes], level: int = 9) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        archive.writestr("header.json", json.dumps({"status": "success", "eval": {"task": "t", "model": "m"}}))
        for name, content in samples.items():
            archive.writestr(name, content)
    return data.getvalue()


def one_sample(number: int) -> bytes:
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": f"A{number}"}]
    return json.dumps({"id": number, "epoch": 1, "messages": messages, "scores": {"s": {"value": "C"}}}).encode()


def test_a_zip_bomb_costs_its_record_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = b'{"messages": "' + b"0" * (64 << 20) + b'"}'
    file = tmp_path / "log.eval"
    file.write_bytes(eval_file({"samples/1_epoch_1.json": one_sample(1), "samples/2_epoch_1.json": bomb,
                                "samples/3_epoch_1.json": b"{torn", "samples/4_epoch_1.json": one_sample(4),
                                "samples/../../evil.json": one_sample(5)}))  # fmt: skip
    assert file.stat().st_size < 100_000
    with open_ledger(tmp_path) as ledger:
        report = import_inspect(ledger, file, None)
        assert report.imported == 2
        reasons = [p["reason"] for p in report.problems]
        assert len(reasons) == 2
        assert "not unpacked" in reasons[0]
        assert "samples/3_epoch_1.json" in reasons[1]
        assert [r["reward"] for r in ledger.list()] == [1.0, 1.0]
    monkeypatch.setattr(inspect_format, "LARGEST_TOTAL", 100)
    log = ReadLog()
    assert list(inspect_format.Inspect().events(io.BytesIO(file.read_bytes()), log)) == []
    assert log.n_malformed >= 2


def test_a_member_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    data = bytearray(eval_file({"samples/1_epoch_1.json": one_sample(1)}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = (4).to_bytes(4, "little")
    file = tmp_path / "log.eval"
    file.write_bytes(data)
    with open_ledger(tmp_path) as ledger:
        report = import_inspect(ledger, file, None)
        assert (report.imported, len(report.problems)) == (0, 1)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"PK\x03\x04" + b"\0" * 500, b"{}", b'{"eval": 1}', b"\xff\xfe"])
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
        report = import_trajectories(ledger, DATA / "real_runs", "runs")
        assert (report.imported, report.problems) == (138, [])
        rows = ledger.list()
        assert Counter(r["status"] for r in rows) == {"completed": 129, "failed": 9}
        assert {r["reward"] for r in rows} == {None}
        assert {r["model"] for r in rows} == {"au.anthropic.claude-sonnet-4-6"}
        assert import_trajectories(ledger, DATA / "real_runs", "runs").duplicates == 138


@needs_data
def test_a_study_of_real_runs_becomes_trials(tmp_path: Path) -> None:
    root = DATA / "real_runs" / "asw-7-rollout-control"
    runs = len(list(root.rglob("trajectory.jsonl")))
    with open_ledger(tmp_path) as ledger:
        report = import_trajectories(ledger, root, "runs")
        assert (report.imported, report.problems) == (runs, [])
        assert import_trajectories(ledger, root, "runs").duplicates == runs
