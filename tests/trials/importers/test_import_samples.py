"""Importing samples of verifiers and Prime: every shape, nothing invented, nothing overwritten."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from agingbench.trials.importers.prime import import_files, import_live
from agingbench.trials.importers.verifiers import VerifiersImporter
from agingbench.trials.inspect.summary import summarize
from agingbench.trials.inspect.targets import read_stored
from agingbench.trials.ledger import open_ledger
from agingbench.trials.record import read_trial
from tests.trials.making import DATA, kept, needs_data


@pytest.mark.parametrize("reward", ["0.5", "NaN"])
def test_one_sample_over_many_lines_is_one_sample(tmp_path: Path, reward: str) -> None:
    sample = {"sample_id": "s1", "prompt": "2+2?", "completion": "4", "reward": 0.5}
    (tmp_path / "evaluation.json").write_text('{"evaluation_id": "e1", "model_name": "m"}')
    (tmp_path / "sample.json").write_text(json.dumps(sample, indent=2).replace("0.5", reward))
    with open_ledger(tmp_path) as ledger:
        report = import_files(
            ledger, tmp_path / "evaluation.json", [tmp_path / "sample.json"], "pilot"
        )
        assert (report.trial_ids, report.problems) == (["prime-e1-s1"], [])
        none = import_files(
            ledger, tmp_path / "evaluation.json", [tmp_path / "evaluation.json"], "pilot"
        )
    assert len(none.problems) == 1  # it is no sample, and that is said once, not once per line


@needs_data
def test_all_558_verifiers_samples(tmp_path: Path) -> None:
    root = DATA / "verifiers_results"
    raw = [
        line
        for f in sorted(root.rglob("results.jsonl"))
        for line in f.read_bytes().split(b"\n")
        if line.strip()
    ]
    rewards = Counter(json.loads(line)["reward"] for line in raw)
    with open_ledger(tmp_path) as ledger:
        report = VerifiersImporter().import_path(ledger, root, "v")
        assert (report.imported, report.duplicates, report.problems, report.renamed) == (
            558,
            0,
            [],
            [],
        )
        rows = ledger.list()
        assert len(rows) == len(raw) == 558
        # No reward is invented: those in 0..1 are as they were, the 70 others are null and kept
        # raw.
        assert Counter(r.reward for r in rows if r.reward is not None) == Counter(
            {r: n for r, n in rewards.items() if 0 <= r <= 1}
        )
        assert report.flags["reward_out_of_range"] == 70
        outside = [ledger.get(r.trial_id).record.evaluation for r in rows if r.reward is None]
        assert sum(e.breakdown is not None and "raw_reward" in e.breakdown for e in outside) == 70
        assert all(r.completeness == "partial" for r in rows)
        unnamed = calls = 0
        for row in rows:
            stored = ledger.get(row.trial_id)
            events = read_stored(stored).events
            said = bool(
                json.loads(kept(ledger, row.trial_id, "verifiers_sample.json"))["completion"]
            )
            assert any(e.role in ("assistant", "tool_call") for e in events) == said
            assert said == (row.status != "empty")
            tools = [e for e in events if e.role in ("tool_call", "tool_result")]
            calls += sum(e.role == "tool_call" for e in tools)
            unnamed += sum(not e.tool_name for e in tools)
        assert (calls, unnamed) == (296, 0)
        assert sorted(kept(ledger, r.trial_id, "verifiers_sample.json") for r in rows) == sorted(
            r.strip() for r in raw
        )
        again = VerifiersImporter().import_path(ledger, root, "v")
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
        report = VerifiersImporter().import_path(ledger, file, None)
        assert report.imported == len(samples)
        assert [r.total_seconds for r in ledger.list()] == [seconds for _, seconds in samples]
        assert report.flags["duration_not_recorded"] == 2
        assert report.flags["time_not_recorded"] == len(samples)


def test_a_bad_sample_costs_itself_only(tmp_path: Path) -> None:
    good = {
        "prompt": [{"role": "user", "content": "Q"}],
        "completion": [{"role": "assistant", "content": "A"}],
    }
    lines = [
        json.dumps({**good, "reward": None}),
        "{torn",
        "[]",
        json.dumps({"prompt": "only"}),
        json.dumps({**good, "reward": "high"}),
        json.dumps({**good, "reward": 1e308}),
        '{"prompt": "a", "completion": "b", "reward": NaN}',
        json.dumps({**good, "reward": True}),
        json.dumps(
            {
                **good,
                "reward": 0.5,
                "completion": [{"role": "assistant", "tool_calls": ["{", 7, None, {}]}],
            }
        ),
        json.dumps({"prompt": "\ud800", "completion": "\udfff", "reward": 0.25}),
    ]
    file = tmp_path / "results.jsonl"
    file.write_text("\n".join(lines))
    with open_ledger(tmp_path) as ledger:
        report = VerifiersImporter().import_path(ledger, file, None)
        assert [p.what for p in report.problems] == [f"results.jsonl: line {n}" for n in (2, 3, 4)]
        rewards = [r.reward for r in ledger.list()]
        assert rewards == [None, None, None, None, None, 0.5, 0.25]
        assert ledger.verify().ok


def test_equal_samples_are_not_lost(tmp_path: Path) -> None:
    line = json.dumps({"prompt": "Q", "completion": "A", "reward": 1.0})
    file = tmp_path / "results.jsonl"
    file.write_text("\n".join([line] * 3))
    with open_ledger(tmp_path) as ledger:
        assert VerifiersImporter().import_path(ledger, file, None).imported == 3
        assert VerifiersImporter().import_path(ledger, file, None).duplicates == 3


# ---------------------------------------------------------------------------------------------------------------
# Prime


@needs_data
@pytest.mark.parametrize(
    ("evaluation", "samples", "n"),
    [
        ("evaluation_v1", "samples_v1", 1),
        ("evaluation_v2", "samples_v2", 4),
        ("prime_cli_eval_example",) * 2 + (2,),
    ],
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
            assert (
                kept(ledger, trial_id, "prime_sample.json") in files[1].read_bytes()
            )  # the very bytes
            assert stored.record.evaluation.reward == sample["reward"]
            assert stored.record.completeness == "partial"
            summary = summarize(read_stored(stored))
            assert "unnamed" not in summary.tool_calls_by_name
        assert import_files(ledger, files[0], [files[1]], "pilot").duplicates == n


@needs_data
def test_a_prime_sample_field_by_field(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        import_files(
            ledger, DATA / "prime/evaluation_v1.json", [DATA / "prime/samples_v1.json"], "pilot"
        )
        record = ledger.get("prime-eval-123-hosted-7").record
        told = import_files(
            ledger, DATA / "prime/evaluation_v2.json", [DATA / "prime/samples_v2.json"], "pilot"
        )
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
        {
            "id": f"c{i}",
            "name": "submit_answer",
            "arguments": json.dumps({"path": p, "content": f"forged {i}"}),
        }
        for i, p in enumerate(paths)
    ]
    return {
        "sample_id": "s1",
        "prompt": "Q",
        "completion": [
            {"role": "assistant", "content": "", "tool_calls": [json.dumps(c) for c in calls]}
        ],
        "reward": 1.0,
    }


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
        assert (
            kept(ledger, report.trial_ids[0], output) == b"forged 1"
        )  # the last word counts, and both are listed
        result = stored.record.outputs.agent_result
        assert result is not None
        assert [s["path"] for s in result["submissions"]] == ["output.md", path]
    within = tmp_path / "deep" / "ledger"
    outside = [f for f in tmp_path.rglob("*") if f.is_file() and not f.is_relative_to(within)]
    assert {f.name for f in outside} == {"e.json", "s.json"}
    assert {f.name for f in within.iterdir()} <= {
        "ledger.sqlite",
        "ledger.blobs",
        "ledger.head.json",
        "ledger.lock",
    }


def fake_prime(folder: Path, pages: list[list[dict[str, Any]]], style: str) -> None:
    """A `prime` command that answers from files, in one of the ways pages have been announced."""
    folder.mkdir()
    (folder / "get.json").write_text(json.dumps({"evaluation_id": "live", "model_name": "m"}))
    total = sum(map(len, pages))
    for number, page in enumerate(pages, 1):
        told: dict[str, Any] = {"samples": page, "page": number, "limit": 100}
        told[style] = {"total": total, "has_more": number < len(pages), "total_pages": len(pages)}[
            style
        ]
        (folder / f"page{number}.json").write_text(json.dumps(told))
    script = folder / "prime"
    script.write_text(
        f'#!/bin/sh\nif [ "$2" = get ]; then cat {folder}/get.json; else cat {folder}/page$7.json;'
        " fi\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize("style", ["total", "has_more", "total_pages"])
def test_hosted_evaluations_are_read_page_by_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    pages = [
        [
            {"sample_id": f"s{p}-{i}", "prompt": "Q", "completion": "A", "reward": 1}
            for i in range(2)
        ]
        for p in range(3)
    ]
    fake_prime(tmp_path / "bin", pages, style)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    with open_ledger(tmp_path) as ledger:
        report = import_live(ledger, "live", None)
        assert (report.imported, report.experiment) == (6, "prime-eval-live")


def test_a_prime_command_that_is_missing_or_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
