"""`trials import-inspect`: logs of inspect_ai, one trial per sample and epoch."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.blobs import digest_of
from agingbench.traces.decoding.building import amount, first, mapping, string, usage
from agingbench.traces.formats.inspect import Inspect, read_log, sample_events
from agingbench.traces.reading import HEAD
from agingbench.trials.importers.door import UNWATCHED, ImportReport, Watch, slug
from agingbench.trials.importers.sample_fields import parse_time
from agingbench.trials.importers.traces import (
    TRAJECTORY,
    Found,
    import_found,
    in_range,
    trace_bytes,
)
from agingbench.trials.inspect.reading import listed
from agingbench.trials.ledger import Ledger

_GRADES = {
    "C": 1.0,
    "I": 0.0,
    "P": 0.5,
    "N": 0.0,
}  # how Inspect itself turns its letters into numbers
_CONFIGURATION = ("task_args", "solver", "solver_args", "model_args", "config")


def import_inspect(
    ledger: Ledger, path: Path, experiment: str | None, watch: Watch = UNWATCHED
) -> ImportReport:
    """An Inspect log (.eval or .json) or every one below a folder: one trial per sample and epoch."""
    files = (
        [path]
        if path.is_file()
        else sorted(f for f in path.rglob("*") if f.suffix in (".eval", ".json"))
    )
    report = ImportReport(slug(experiment or "inspect") or "inspect")
    watch.begin(report, len(files) if path.is_dir() else _samples(path))
    for file in files:
        name = file.name if file == path else str(file.relative_to(path))
        try:
            _import_file(ledger, file, name, report, watch if file == path else UNWATCHED)
        except OSError as error:
            report.bad(name, error.strerror or error, name)
        if path.is_dir():
            watch.step()
    return report.checked(
        path, "an Inspect log is expected (.eval, or JSON with an `eval` block and samples)"
    )


def _samples(file: Path) -> int:
    """How many samples an archive lists; a JSON log is one document."""
    try:
        with zipfile.ZipFile(file) as archive:
            return sum(name.startswith("samples/") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return 1


def _import_file(ledger: Ledger, file: Path, name: str, report: ImportReport, watch: Watch) -> None:
    log = ReadLog()
    log.file = name
    with file.open("rb") as stream:
        if not Inspect().sniff(stream.read(HEAD)) and file.suffix != ".eval":
            return  # other JSON files lie beside logs
        stream.seek(0)
        header, samples = read_log(stream, log)
        for sample in samples:
            events = list(sample_events(header, sample.content, log))
            import_found(ledger, _inspect(header, sample.content, sample.raw, events), report)
            watch.step()
    report.lost(listed(log))


def _inspect(
    header: dict[str, Any], sample: dict[str, Any], raw: bytes | None, events: list[Event]
) -> Found:
    about = mapping(header.get("eval"))
    error = mapping(sample.get("error"))
    kept = raw if raw is not None else _compact(sample)
    grades = {
        name: mapping(score).get("value") for name, score in mapping(sample.get("scores")).items()
    }
    grades = (
        grades or {"score": mapping(sample.get("score")).get("value")}
        if sample.get("score")
        else grades
    )
    flags: list[str] = []
    limit = mapping(sample.get("limit"))
    task = string(about.get("task")) or "inspect"
    packages = mapping(about.get("packages"))
    return Found(
        trial_id=(
            f"inspect-{slug(task, 60)}-{slug(str(sample.get('id')), 30) or 'sample'}-{digest_of(kept)[:12]}"
        ),
        task_id=f"{task}/{sample.get('id')}",
        adapter="inspect",
        model=string(about.get("model")),
        events=events,
        adapter_revision=string(packages.get("inspect_ai")),
        environment="inspect",
        evidence={TRAJECTORY: trace_bytes(events), "inspect_sample.json": kept},
        configuration={k: about[k] for k in _CONFIGURATION if about.get(k)},
        status="failed" if error else "partial" if limit else None,
        error=string(error.get("message")),
        usage=_usage(sample, events),
        reward=_grade(grades, flags),
        breakdown=grades or None,
        seconds=amount(sample.get("total_time")),
        agent_seconds=amount(sample.get("working_time")),
        time=parse_time(first(sample, "started_at") or about.get("created"), flags),
        flags=flags,
        about={
            "source": "inspect",
            "eval_id": about.get("eval_id"),
            "run_id": about.get("run_id"),
            "sample_id": sample.get("id"),
            "epoch": sample.get("epoch"),
            "uuid": sample.get("uuid"),
            "target": sample.get("target"),
            "limit": limit or None,
            "status": header.get("status"),
        },
    )


def _usage(sample: dict[str, Any], events: list[Event]) -> Usage | None:
    """What the sample says it took as a whole, where its model calls do not say it one by one."""
    if any(event.usage is not None for event in events):
        return None
    told = [mapping(of) for of in mapping(sample.get("model_usage")).values()]
    each = [
        usage(
            of.get("input_tokens"),
            of.get("output_tokens"),
            of.get("input_tokens_cache_read"),
            of.get("input_tokens_cache_write"),
            includes_cache=False,
        )
        for of in told
    ]
    return sum((u for u in each if u is not None), Usage()) if any(each) else None


def _grade(grades: dict[str, Any], flags: list[str]) -> float | None:
    """The reward, where there is one score and it is a grade or a number; several scores are no
    single reward.
    """
    if len(grades) > 1:
        flags.append("several_scores")
    if len(grades) != 1:
        return None
    value = next(iter(grades.values()))
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        return _GRADES.get(value)
    return in_range(amount(value), flags)


def _compact(obj: Any) -> bytes:
    return json.dumps(obj, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
