"""`trials import-trajectory`: run folders and trace files of any format that is read, as partial
trials.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from agingbench.errors import InputError
from agingbench.records import Event, Problem, Usage
from agingbench.traces.blobs import digest_of
from agingbench.traces.decoding.building import count, first, mapping, string
from agingbench.traces.files import read_bytes
from agingbench.trials.importers.door import UNWATCHED, ImportReport, Watch, slug
from agingbench.trials.importers.sample_fields import parse_time
from agingbench.trials.importers.traces import TRAJECTORY, Found, import_found, trace_bytes
from agingbench.trials.inspect.reading import (
    AGENT_RESULTS,
    AUTO,
    CONVERSATIONS,
    TRAJECTORIES,
    Reading,
    read_path,
)
from agingbench.trials.ledger import Ledger


def import_trajectories(
    ledger: Ledger, path: Path, experiment: str | None, watch: Watch = UNWATCHED, format: str = AUTO
) -> ImportReport:
    """A trace file, a run's folder, or every run's folder below a folder."""
    report = ImportReport(slug(experiment or "trajectories") or "trajectories")
    wanted = (*TRAJECTORIES, *CONVERSATIONS)
    runs = [path]
    if path.is_dir() and not any((path / name).is_file() for name in wanted):
        runs = sorted({f.parent for name in wanted for f in path.rglob(name) if f.is_file()})
    if not runs:
        raise InputError(
            f"{path}: no {', '.join(wanted)} below this folder; name a trace file itself"
        )
    watch.begin(report, len(runs))
    for run in runs:
        watch.step()
        within = "" if run == path else run.relative_to(path).as_posix()
        try:
            reading = read_path(run, format)
            import_found(ledger, _plain(run, within, reading), report)
            report.lost(
                [
                    Problem(str(PurePosixPath(within, p.file)), p.line, p.reason)
                    for p in reading.problems
                ]
            )
        except InputError as error:
            if run == path:
                raise
            report.bad(within, error, within)
    return report


def _plain(run: Path, within: str, reading: Reading) -> Found:
    if run.is_dir():
        names = (*TRAJECTORIES, *CONVERSATIONS, *AGENT_RESULTS, "output.md", "output.jsonl")
        evidence = {name: read_bytes(run / name) for name in names if (run / name).is_file()}
    else:
        evidence = {
            TRAJECTORY: read_bytes(run)
            if reading.source == "trajectory"
            else trace_bytes(reading.events)
        }
        if reading.source != "trajectory":
            evidence["source_trace" + run.suffix] = read_bytes(run)
    told = reading.agent_result
    digest = digest_of(
        b"\0".join(name.encode() + b"\0" + data for name, data in sorted(evidence.items()))
    )
    status = (
        told.get("status")
        if told.get("status") in ("completed", "partial", "failed", "empty")
        else None
    )
    model = string(first(told, "resolved_model", "model")) or next(
        (e.model for e in reading.events if e.model), None
    )
    return Found(
        trial_id=f"run-{slug(run.name, 60) or 'trace'}-{digest[:12]}",
        task_id=f"trajectory/{within or run.name}",
        model=model,
        adapter=string(told.get("adapter_name")) or "trajectory",
        events=reading.events,
        evidence=evidence,
        environment="unknown",
        status=status,
        error=string(told.get("provider_error")) or string(told.get("failure_kind")),
        configuration=mapping(told.get("configuration_record")),
        time=_first_time(reading.events),
        usage=_usage(told) if told else None,
        trajectory=next((n for n in TRAJECTORIES if n in evidence), None),
        conversation=next((n for n in CONVERSATIONS if n in evidence), None),
        about={
            **{k: v for k, v in told.items() if k != "configuration_record"},
            "source": "trajectory",
            "read_from": reading.source,
            "problems": len(reading.problems),
        },
    )


def _usage(told: dict[str, Any]) -> Usage:
    taken, given, read, written = (
        count(told.get(name))
        for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    )
    return Usage(taken, given, read, written, None, 1)


def _first_time(events: Sequence[Event]) -> datetime | None:
    for event in events:
        found = parse_time(event.timestamp, [])
        if found is not None:
            return found
    return None
