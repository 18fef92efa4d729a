"""Rollouts that vf-eval saved, with the metadata that lies beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.traces.decoding.building import mapping, string
from agingbench.traces.decoding.times import parse_time
from agingbench.traces.files import parse_json, read_bytes
from agingbench.traces.foreign_trial import slug
from agingbench.traces.reading import load_format
from agingbench.trials.importers.importer import Importer, is_of_format, visible_files
from agingbench.trials.importers.report import SILENT, ImportProgress, ImportReport
from agingbench.trials.importers.sample_fields import Origin
from agingbench.trials.importers.samples import RawSample, import_samples, read_samples
from agingbench.trials.ledger import Ledger

RESULTS = "results.jsonl"
METADATA = "metadata.json"


class VerifiersImporter(Importer):
    """Verifiers rollouts: a results.jsonl, or every one below a folder."""

    name = "verifiers"
    expects = "verifiers rollouts, results.jsonl"

    def sniff(self, path: Path) -> float:
        """Sure of a file of rollouts, and of a folder with a `results.jsonl` that is one."""
        files = [path] if path.is_file() else visible_files(path, RESULTS)
        verifiers = load_format("verifiers")
        return 0.9 if any(is_of_format(file, verifiers) for file in files) else 0.0

    def import_path(
        self,
        ledger: Ledger,
        path: Path,
        experiment: str | None,
        progress: ImportProgress = SILENT,
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
            progress.begin(report, sum(_count(file) for file in files))

        for file in files:
            name = str(file.relative_to(path)) if path.is_dir() else file.name
            try:
                samples = read_samples(read_bytes(file), name)
                about = _metadata(file)
            except InputError as error:
                report.add_problem(name, error, name)
                continue

            if file == path:
                progress.begin(report, len(samples))
            _import_file(
                ledger,
                file,
                samples,
                about,
                report,
                progress,
            )

        return report.require_content(
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
    progress: ImportProgress,
) -> None:
    env = string(about.get("env_id")) or string(about.get("env"))
    run = file.resolve().parent.name
    origin = Origin(
        adapter="verifiers",
        model=string(about.get("model")) or "unknown",
        experiment=report.experiment,
        environment="verifiers",
        task=env or "verifiers",
        about={
            "source": "verifiers",
            "run": run,
            "env_id": env,
        },
        configuration={k: v for k, v in about.items() if k != "model"},
        raw_name="verifiers_sample.json",
        when=parse_time(about.get("date"), []),
        salt=run.encode() + b"\0",
    )
    prefix = f"verifiers-{slug(env or 'rollout', 60) or 'rollout'}"
    import_samples(
        ledger,
        samples,
        origin,
        lambda _, own: f"{prefix}-{own}",
        report,
        progress,
    )


def _metadata(file: Path) -> dict[str, Any]:
    beside = file.with_name(METADATA)
    return mapping(parse_json(read_bytes(beside), str(beside))) if beside.is_file() else {}
