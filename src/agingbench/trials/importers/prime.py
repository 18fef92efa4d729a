"""`trials import-prime`: hosted evaluations of Prime, from saved files or through its command line."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.traces.building import first, mapping, string
from agingbench.traces.files import parse_json, read_bytes
from agingbench.trials.blobs import digest_of
from agingbench.trials.importers.door import ImportReport, admit, slug
from agingbench.trials.importers.sample_fields import Origin, parse_time
from agingbench.trials.importers.samples import lenient, read_samples, sample_record
from agingbench.trials.ledger import Ledger

SAMPLE_FILE = "prime_sample.json"
PAGE = 100
MOST_PAGES = 10_000
PATIENCE_S = 300
_EVAL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}")


def import_files(ledger: Ledger, evaluation: Path, samples: list[Path], experiment: str | None) -> ImportReport:
    """Import an evaluation that was saved to files; `samples` are pages, lists, lines or a document with results."""
    told = parse_json(read_bytes(evaluation), str(evaluation))
    if not isinstance(told, dict):
        raise InputError(f"{evaluation}: not an evaluation (a JSON object is expected)")
    return import_pages(ledger, told, [(read_bytes(path), path.name) for path in samples], experiment)


def import_live(ledger: Ledger, eval_id: str, experiment: str | None) -> ImportReport:
    """Import a hosted evaluation by asking the `prime` command, page after page."""
    if not _EVAL_ID.fullmatch(eval_id):
        raise InputError(f"'{eval_id[:80]}' cannot be the id of an evaluation")
    told = parse_json(_prime("eval", "get", eval_id), "prime eval get")
    if not isinstance(told, dict):
        raise InputError("prime eval get: the answer is not an evaluation")
    pages, got = [], 0
    for number in range(1, MOST_PAGES + 1):
        data = _prime("eval", "samples", eval_id, "-n", str(PAGE), "-p", str(number))
        pages.append((data, f"page {number}"))
        page = mapping(lenient(data))
        here = len(next((page[k] for k in ("samples", "results", "data") if isinstance(page.get(k), list)), []))
        got += here
        if not here or not _more(page, number, got):
            break
    return import_pages(ledger, told, pages, experiment)


def _more(page: dict[str, Any], number: int, got: int) -> bool:
    if isinstance(page.get("has_more"), bool):
        return bool(page["has_more"])
    if isinstance(page.get("total_pages"), int):
        return number < int(page["total_pages"])
    return got < page["total"] if isinstance(page.get("total"), int) else False


def _prime(*words: str) -> bytes:
    program = shutil.which("prime")
    if program is None:
        raise InputError(
            "the `prime` command is not installed; save the evaluation with it elsewhere and give --evaluation-json "
            "and --samples-json"
        )
    command = [program, *words, "--plain", "-o", "json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"`prime {words[0]} {words[1]}` did not answer: {error}") from error
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip()[-300:]
        raise InputError(f"`prime {words[0]} {words[1]}` failed with code {done.returncode}: {told}")
    return done.stdout


def import_pages(
    ledger: Ledger, evaluation: dict[str, Any], pages: list[tuple[bytes, str]], experiment: str | None
) -> ImportReport:
    """Import the samples of an evaluation; one that cannot be read is reported and costs itself only."""
    eval_id = string(first(evaluation, "evaluation_id", "id", "eval_id", "eval_name", "name")) or "unnamed"
    origin = _origin(evaluation, eval_id, slug(experiment or f"prime-eval-{eval_id}") or "prime-eval")
    report = ImportReport(origin.experiment)
    seen: Counter[str] = Counter()

    for data, name in pages:
        for place, raw, sample in read_samples(data, name):
            digest = digest_of(raw)
            seen[digest] += 1

            def trial_id(given: dict[str, Any], digest: str = digest) -> str:
                named = string(first(given, "sample_id", "rollout_id"))
                # Two samples of one content are two rollouts; without an id of their own they are told apart by count.
                own = slug(named) if named else digest[:16] + (f"-{seen[digest]}" if seen[digest] > 1 else "")
                return f"prime-{slug(eval_id, 60) or 'eval'}-{own or digest[:16]}"

            try:
                record, evidence = sample_record(sample, raw, origin, trial_id)
            except (InputError, ValueError) as error:
                report.bad(place, _one_line(error))
                continue
            admit(ledger, record, evidence, report)
    return report


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:500]


def _origin(evaluation: dict[str, Any], eval_id: str, experiment: str) -> Origin:
    metadata = mapping(evaluation.get("metadata"))
    model = string(first(evaluation, "model_name", "inference_model", "model")) or string(metadata.get("model"))
    name = string(first(evaluation, "name", "eval_name"))
    told = first(evaluation, "created_at", "timestamp")
    kept = {
        "source": "prime-eval-samples", "evaluation_id": eval_id, "evaluation_name": name,
        "viewer_url": evaluation.get("viewer_url"), "eval_config": evaluation.get("eval_config"),
        "environment_names": evaluation.get("environment_names"), "metadata": metadata or None,
    }  # fmt: skip
    return Origin(
        adapter="prime-hosted", model=model or "unknown", experiment=experiment, environment="prime-hosted",
        configuration={k: v for k, v in kept.items() if v is not None}, raw_name=SAMPLE_FILE, task="prime",
        about={"source": "prime-eval-samples", "prime_evaluation_id": eval_id},
        when=parse_time(told if told is not None else metadata.get("timestamp"), []),
    )  # fmt: skip
