"""Importing folder ledgers of both generations: what is carried over, what is kept aside, what is
broken.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.trials.importers.folder_ledgers import import_folder_ledger
from agingbench.trials.importers.generation2 import migrate
from agingbench.trials.inspect.summary import summarize
from agingbench.trials.inspect.targets import read_stored
from agingbench.trials.ledger import open_ledger
from tests.trials.making import DATA, kept, needs_data


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
        # It claims to be complete, with hashes that are none: the claim is not taken over, and that
        # is told.
        assert (source["completeness"], full.completeness) == ("complete", "partial")
        assert any(
            "claimed complete" in note
            for note in report.notes["experiment-001/trial-complete.json"]
        )
        assert ledger.verify().ok


@needs_data
def test_the_ledger_of_generation_2_and_its_artifacts(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        report = import_folder_ledger(ledger, DATA / "ledger_v2")
        assert (report.imported, report.problems, report.flags) == (5, [], {})
        failed = ledger.get("prime-eval-123-hosted-9")
        source = json.loads(kept(ledger, "prime-eval-123-hosted-9", "source_record.json"))
        references = [
            source["output"]["raw_output"],
            source["output"]["conversation"],
            source["provider_evidence"],
        ]
        blobs = {blob.sha256: blob.size for blob in failed.entry.blobs().values()}
        assert all(blobs[r["sha256"]] == r["size_bytes"] for r in references)
        assert failed.record.agent.model == "Qwen/Qwen3.5-4B:adapter-123"
        assert failed.record.experiment_id == "prime-fixture"
        beyond = report.notes["prime-fixture/prime-eval-123-hosted-9.json"]
        for name in (
            "execution_status",
            "evaluation_status",
            "evidence_status",
            "provider_evidence",
            "run_id",
            "output.artifacts",
            "manifest.source",
            "manifest.provider_route",
        ):
            assert any(note.endswith(f": {name}") for note in beyond), name
        result = failed.record.outputs.agent_result
        assert result is not None
        assert result["generation_2"]["execution_status"] == "failed"
        summary = summarize(read_stored(failed))
        assert (summary.source, summary.tool_calls) == ("conversation", 2)


@needs_data
def test_what_generation_2_holds_beyond_what_anybody_knows_is_listed(tmp_path: Path) -> None:
    root = DATA / "ledger_v2" / "prime-fixture"
    told = json.loads((root / "prime-eval-123-hosted-9.json").read_text())
    manifest = json.loads(next(root.glob("_runs/*.json")).read_text())
    places = {
        "novel": told,
        "input.novel": told["input"],
        "output.novel": told["output"],
        "output.agent_output.novel": told["output"]["agent_output"],
        "evaluation.novel": told["evaluation"],
        "evaluation.validity.novel": told["evaluation"]["validity"],
        "timing.novel": told["timing"],
        "cost.novel": told["cost"],
        "manifest.novel": manifest,
        "manifest.agent.novel": manifest["agent"],
        "manifest.execution_environment.novel": manifest["execution_environment"],
    }
    before = migrate(told, manifest, "x")
    for part in places.values():
        part["novel"] = 0
    after = migrate(told, manifest, "x")
    assert set(after.beyond) - set(before.beyond) == set(places)
    assert after.record.outputs.agent_result is not None
    assert all(after.record.outputs.agent_result["generation_2"][name] == 0 for name in places)


@needs_data
def test_artifacts_of_one_kind_do_not_take_each_others_place() -> None:
    root = DATA / "ledger_v2" / "prime-fixture"
    told = json.loads((root / "prime-eval-123-hosted-9.json").read_text())
    manifest = json.loads(next(root.glob("_runs/*.json")).read_text())
    told["authority_evidence"] = [
        {"authority_kind": "log", "artifact": {"sha256": d * 64}} for d in "abc"
    ]
    artifacts = migrate(told, manifest, "x").artifacts
    assert {"a" * 64, "b" * 64, "c" * 64} <= {a.sha256 for a in artifacts}
    assert len({a.name for a in artifacts}) == len(artifacts)


@needs_data
def test_both_ledgers_fit_into_one(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for _ in range(2):
            reports = [
                import_folder_ledger(ledger, DATA / name) for name in ("ledger_v1", "ledger_v2")
            ]
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
        assert "with other content" in report.problems[0].reason
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
    (root / "experiment-001" / "escape.json").write_text(
        json.dumps({**escape, "trial_id": "../../escape"})
    )
    (root / "experiment-001" / "link.json").symlink_to("/etc/hostname")
    naive = {
        **escape,
        "trial_id": "naive",
        "timestamp": "2026-03-13T10:00:00",
        "lifecycle": {"sessions": 3},
    }
    (root / "experiment-001" / "naive.json").write_text(json.dumps(naive))
    with open_ledger(tmp_path / "ours") as ledger:
        report = import_folder_ledger(ledger, root)
        assert report.imported == 6
        assert report.flags == {"artifact_mismatch": 4}
        names = {p.what.partition("/")[2] for p in report.problems}
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


def test_a_folder_that_is_no_ledger_adds_nothing(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    with open_ledger(tmp_path / "ours") as ledger:
        with pytest.raises(InputError, match="there is no record here"):
            import_folder_ledger(ledger, tmp_path / "theirs")
        (tmp_path / "theirs" / "package.json").write_text('{"name": "x"}')
        with pytest.raises(InputError, match="none of its 1 JSON files"):
            import_folder_ledger(ledger, tmp_path / "theirs")
        assert list(ledger.entries()) == []
        (tmp_path / "theirs" / "torn.json").write_text('{"trial_id": "t"')  # it may have been one
        assert len(import_folder_ledger(ledger, tmp_path / "theirs").problems) == 2
        assert len(list(ledger.entries("quarantine"))) == 2


def test_generation_2_needs_its_manifest() -> None:
    with pytest.raises(InputError, match="manifest"):
        migrate({"schema_version": 2, "run_id": "r"}, None, "x")
    with pytest.raises(InputError, match="2 is read here"):
        migrate({"schema_version": 7}, {}, "x")
    with pytest.raises(InputError, match="not a record of generation 2"):
        migrate({"schema_version": 2, "input": 4}, {"agent": 1}, "x")
