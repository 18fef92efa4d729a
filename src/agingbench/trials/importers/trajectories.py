"""Run folders and trace files of any format that is read, as partial trials."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from agingbench.errors import InputError
from agingbench.records import Event, Problem, Usage
from agingbench.traces.blobs import digest_of
from agingbench.traces.decoding.building import count, first, mapping, string
from agingbench.traces.decoding.times import parse_time
from agingbench.traces.files import read_bytes
from agingbench.traces.foreign_trial import TRAJECTORY, ForeignTrial, slug, trace_bytes
from agingbench.trials.importers.foreign import import_trial
from agingbench.trials.importers.importer import Importer, visible_files
from agingbench.trials.importers.report import SILENT, ImportProgress, ImportReport
from agingbench.trials.inspect.transcripts import (
    AGENT_RESULTS,
    AUTO,
    CONVERSATIONS,
    TRAJECTORIES,
    Transcript,
    is_trace,
    read_path,
)
from agingbench.trials.ledger import Ledger

TRACES = (*TRAJECTORIES, *CONVERSATIONS)
STATUSES = ("completed", "partial", "failed", "empty")


class TrajectoryImporter(Importer):
    """A trace file of any format, a run's folder, or every run's folder below a folder."""

    name = "trajectory"
    expects = "run folders, or a trace file of any format"

    def __init__(self, format: str = AUTO) -> None:
        self.format = format  # how the traces are to be read

    def sniff(self, path: Path) -> float:
        """Sure of a run's folder, nearly of a folder with one below it, half of a trace file."""
        if path.is_dir():
            if any((path / name).is_file() for name in TRACES):
                return 1.0
            return 0.93 if any(visible_files(path, *TRACES)) else 0.0

        return 0.5 if is_trace(path) else 0.0

    def import_path(
        self,
        ledger: Ledger,
        path: Path,
        experiment: str | None,
        progress: ImportProgress = SILENT,
    ) -> ImportReport:
        """Import the runs at a path, one trial each."""
        report = ImportReport(slug(experiment or "trajectories") or "trajectories")
        runs = [path]
        if path.is_dir() and not any((path / name).is_file() for name in TRACES):
            runs = sorted({f.parent for name in TRACES for f in path.rglob(name) if f.is_file()})

        if not runs:
            raise InputError(
                f"{path}: no {', '.join(TRACES)} below this folder; name a trace file itself"
            )

        progress.begin(report, len(runs))
        for run in runs:
            progress.step()
            within = "" if run == path else run.relative_to(path).as_posix()
            try:
                reading = read_path(run, self.format)
                import_trial(ledger, _trial(run, within, reading), report)
                for problem in reading.problems:
                    file = str(PurePosixPath(within, problem.file))
                    report.add_lost_lines([Problem(file, problem.line, problem.reason)])
            except InputError as error:
                if run == path:
                    raise
                report.add_problem(within, error, within)

        return report


def _trial(run: Path, within: str, reading: Transcript) -> ForeignTrial:
    evidence = _evidence(run, reading)
    content = b"\0".join(name.encode() + b"\0" + data for name, data in sorted(evidence.items()))
    result = reading.agent_result
    status = result.get("status")
    model = string(first(result, "resolved_model", "model"))

    return ForeignTrial(
        trial_id=f"run-{slug(run.name, 60) or 'trace'}-{digest_of(content)[:12]}",
        task_id=f"trajectory/{within or run.name}",
        model=model or next((event.model for event in reading.events if event.model), None),
        adapter=string(result.get("adapter_name")) or "trajectory",
        events=reading.events,
        evidence=evidence,
        environment="unknown",
        status=status if status in STATUSES else None,
        error=string(result.get("provider_error")) or string(result.get("failure_kind")),
        configuration=mapping(result.get("configuration_record")),
        time=_first_time(reading.events),
        usage=_usage(result) if result else None,
        trajectory=next((name for name in TRAJECTORIES if name in evidence), None),
        conversation=next((name for name in CONVERSATIONS if name in evidence), None),
        about={
            **{key: value for key, value in result.items() if key != "configuration_record"},
            "source": "trajectory",
            "read_from": reading.source,
            "problems": len(reading.problems),
        },
    )


def _evidence(run: Path, reading: Transcript) -> dict[str, bytes]:
    """The files of a run's folder; for a trace file the file itself and a trace of ours."""
    if run.is_dir():
        names = (*TRACES, *AGENT_RESULTS, "output.md", "output.jsonl")
        return {name: read_bytes(run / name) for name in names if (run / name).is_file()}
    if reading.source == "trajectory":
        return {TRAJECTORY: read_bytes(run)}
    return {
        TRAJECTORY: trace_bytes(reading.events),
        "source_trace" + run.suffix: read_bytes(run),
    }


def _usage(result: dict[str, Any]) -> Usage:
    return Usage(
        count(result.get("input_tokens")),
        count(result.get("output_tokens")),
        count(result.get("cache_read_tokens")),
        count(result.get("cache_write_tokens")),
        None,
        1,
    )


def _first_time(events: Sequence[Event]) -> datetime | None:
    for event in events:
        time = parse_time(event.timestamp, [])
        if time is not None:
            return time

    return None
