"""`trials import-atif` and `import-harbor`: ATIF documents, and the folders in which Harbor keeps
its trials.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.records import ReadLog, Usage
from agingbench.traces.blobs import digest_of
from agingbench.traces.decoding.building import amount, count, first, mapping, string
from agingbench.traces.files import parse_json, read_bytes
from agingbench.traces.formats.atif import Atif
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


def import_atif(
    ledger: Ledger, path: Path, experiment: str | None, watch: Watch = UNWATCHED
) -> ImportReport:
    """An ATIF document, a Harbor trial's folder, or every one of them below a folder."""
    report = ImportReport(slug(experiment or "atif") or "atif")
    files = [path] if path.is_file() else sorted(f for f in path.rglob("*.json") if f.is_file())
    watch.begin(report, len(files))
    for file in files:
        watch.step()
        name = file.name if file == path else str(file.relative_to(path))
        try:
            data = read_bytes(file)
            if Atif().sniff(data[: 1 << 16]):
                log = ReadLog()
                log.file = name
                import_found(ledger, _atif(file, data, log), report)
                report.lost(listed(log))
        except InputError as error:
            if file == path:
                raise
            report.bad(name, error, name)
    return report.checked(
        path, "an ATIF trajectory is expected (JSON whose `schema_version` begins with ATIF-v)"
    )


def _atif(file: Path, data: bytes, log: ReadLog) -> Found:
    document = parse_json(data, str(file))
    events = list(Atif().events(io.BytesIO(data), log))
    agent = mapping(document.get("agent"))
    metrics = mapping(document.get("final_metrics"))
    harbor = _harbor(file)
    session = string(document.get("session_id"))
    found = Found(
        trial_id=(
            f"atif-{slug(harbor.get('trial_name') or session or file.stem, 80)}-{digest_of(data)[:12]}"
        ),
        task_id=string(harbor.get("task_name")) or f"atif/{session or file.stem}",
        adapter=string(agent.get("name")) or "atif",
        adapter_revision=string(agent.get("version")),
        model=string(agent.get("model_name")),
        events=events,
        environment="harbor" if harbor else "atif",
        evidence={TRAJECTORY: trace_bytes(events), "atif.json": data},
        configuration=mapping(agent.get("extra")),
        about={
            "source": "atif",
            "schema_version": document.get("schema_version"),
            "session_id": session,
            "final_metrics": metrics,
            "copied_steps": log.duplicate,
            "unreadable_steps": log.n_malformed,
        },
    )
    return _with_harbor(found, harbor, file)


def _harbor(file: Path) -> dict[str, Any]:
    """Harbor's result of the trial, when the trajectory lies in a trial's folder."""
    for folder in (file.parent, file.parent.parent):
        result = folder / "result.json"
        if result.is_file():
            told = mapping(parse_json(read_bytes(result), str(result)))
            if "trial_name" in told or "verifier_result" in told:
                return told
    return {}


def _with_harbor(found: Found, told: dict[str, Any], file: Path) -> Found:
    if not told:
        return found
    verifier = mapping(told.get("verifier_result"))
    agent = mapping(told.get("agent_result"))
    rewards = mapping(verifier.get("rewards"))
    reward = (
        amount(first(verifier, "reward")) if "reward" in verifier else amount(rewards.get("reward"))
    )
    found.reward = in_range(reward, found.flags)
    found.breakdown = {**rewards, "raw_reward": reward} if reward is not None else rewards or None
    start, end = (parse_time(told.get(k), found.flags) for k in ("started_at", "finished_at"))
    found.time = start
    found.seconds = (end - start).total_seconds() if start and end and end >= start else None
    failure = mapping(told.get("exception_info"))
    if failure:
        found.status = "failed"
        found.error = string(first(failure, "exception_message", "exception_type")) or "failed"
    taken = count(first(agent, "n_input_tokens"))
    found.usage = (
        Usage(
            taken,
            count(first(agent, "n_output_tokens")),
            count(first(agent, "n_cache_tokens")),
            None,
            amount(agent.get("cost_usd")),
            1,
        )
        if taken is not None
        else None
    )
    result = file.parent / "result.json"
    found.evidence["harbor_result.json"] = read_bytes(
        result if result.is_file() else file.parent.parent / "result.json"
    )
    found.about["harbor"] = {
        k: told.get(k) for k in ("trial_name", "task_name", "task_checksum", "source")
    }
    return found
