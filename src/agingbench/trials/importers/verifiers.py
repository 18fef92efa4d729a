"""`trials import-verifiers`: rollouts that vf-eval saved, with the metadata that lies beside them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.traces.building import mapping, string
from agingbench.traces.files import parse_json, read_bytes
from agingbench.trials.blobs import digest_of
from agingbench.trials.importers.door import ImportReport, admit, slug
from agingbench.trials.importers.sample_fields import Origin, parse_time
from agingbench.trials.importers.samples import read_samples, sample_record
from agingbench.trials.ledger import Ledger

RESULTS = "results.jsonl"
METADATA = "metadata.json"


def import_results(ledger: Ledger, path: Path, experiment: str | None) -> ImportReport:
    """Import one results file, or every `results.jsonl` below a folder."""
    files = sorted(path.rglob(RESULTS)) if path.is_dir() else [path]
    if not files:
        raise InputError(f"{path}: there is no {RESULTS} below this folder")
    report = ImportReport(slug(experiment or "verifiers") or "verifiers")
    for file in files:
        _import_file(ledger, file, str(file.relative_to(path)) if path.is_dir() else file.name, report)
    return report


def _import_file(ledger: Ledger, file: Path, name: str, report: ImportReport) -> None:
    try:
        data, about = read_bytes(file), _metadata(file)
    except InputError as error:
        report.bad(name, str(error))
        return
    env, run = string(about.get("env_id")) or string(about.get("env")), file.resolve().parent.name
    origin = Origin(
        adapter="verifiers", model=string(about.get("model")) or "unknown", experiment=report.experiment,
        environment="verifiers", task=env or "verifiers", about={"source": "verifiers", "run": run, "env_id": env},
        configuration={k: v for k, v in about.items() if k != "model"}, raw_name="verifiers_sample.json",
        when=parse_time(about.get("date"), []),
    )  # fmt: skip
    seen: Counter[str] = Counter()
    for place, raw, sample in read_samples(data, name):
        digest = digest_of(run.encode() + b"\0" + raw)
        seen[digest] += 1

        def trial_id(_: dict[str, Any], digest: str = digest) -> str:
            again = f"-{seen[digest]}" if seen[digest] > 1 else ""
            return f"verifiers-{slug(env or 'rollout', 60) or 'rollout'}-{digest[:16]}{again}"

        try:
            record, evidence = sample_record(sample, raw, origin, trial_id)
        except (InputError, ValueError) as error:
            report.bad(place, " ".join(str(error).split())[:500])
            continue
        admit(ledger, record, evidence, report)


def _metadata(file: Path) -> dict[str, Any]:
    beside = file.with_name(METADATA)
    return mapping(parse_json(read_bytes(beside), str(beside))) if beside.is_file() else {}
