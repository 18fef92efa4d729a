"""`trials import-verifiers`: rollouts that vf-eval saved, with the metadata that lies beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.traces.decoding.building import mapping, string
from agingbench.traces.files import parse_json, read_bytes
from agingbench.trials.importers.door import UNWATCHED, ImportReport, Watch, slug
from agingbench.trials.importers.sample_fields import Origin, parse_time
from agingbench.trials.importers.samples import RawSample, import_samples, read_samples
from agingbench.trials.ledger import Ledger

RESULTS = "results.jsonl"
METADATA = "metadata.json"


def import_results(
    ledger: Ledger, path: Path, experiment: str | None, watch: Watch = UNWATCHED
) -> ImportReport:
    """Import one results file, or every `results.jsonl` below a folder."""
    files = sorted(f for f in path.rglob(RESULTS) if f.is_file()) if path.is_dir() else [path]
    if not files:
        raise InputError(
            f"{path}: there is no {RESULTS} below this folder; vf-eval writes one with"
            " --save-results"
        )
    report = ImportReport(slug(experiment or "verifiers") or "verifiers")
    if path.is_dir():
        watch.begin(report, sum(_count(file) for file in files))
    for file in files:
        name = str(file.relative_to(path)) if path.is_dir() else file.name
        try:
            samples = read_samples(read_bytes(file), name)
            about = _metadata(file)
        except InputError as error:
            report.bad(name, error, name)
            continue
        if file == path:
            watch.begin(report, len(samples))
        _import_file(ledger, file, samples, about, report, watch)
    return report.checked(
        path, "a file of rollouts is expected, one per line, with `prompt` and `completion`"
    )


def _count(file: Path) -> int:
    # The files of a folder are read twice, so that only one of them is held at a time.
    try:
        return len(read_samples(read_bytes(file), file.name))
    except InputError:
        return 0


def _import_file(
    ledger: Ledger,
    file: Path,
    samples: list[RawSample],
    about: dict[str, Any],
    report: ImportReport,
    watch: Watch,
) -> None:
    env = string(about.get("env_id")) or string(about.get("env"))
    run = file.resolve().parent.name
    origin = Origin(
        adapter="verifiers",
        model=string(about.get("model")) or "unknown",
        experiment=report.experiment,
        environment="verifiers",
        task=env or "verifiers",
        about={"source": "verifiers", "run": run, "env_id": env},
        configuration={k: v for k, v in about.items() if k != "model"},
        raw_name="verifiers_sample.json",
        when=parse_time(about.get("date"), []),
        salt=run.encode() + b"\0",
    )
    named = f"verifiers-{slug(env or 'rollout', 60) or 'rollout'}"
    import_samples(ledger, samples, origin, lambda _, own: f"{named}-{own}", report, watch)


def _metadata(file: Path) -> dict[str, Any]:
    beside = file.with_name(METADATA)
    return mapping(parse_json(read_bytes(beside), str(beside))) if beside.is_file() else {}
