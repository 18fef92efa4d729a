"""Hosted evaluations of Prime, from saved files or through its command line."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.traces.decoding.building import first, mapping, string
from agingbench.traces.decoding.times import parse_time
from agingbench.traces.files import parse_json, read_bytes
from agingbench.traces.foreign_trial import slug
from agingbench.traces.formats.verifiers import Verifiers
from agingbench.trials.importers.importer import Importer, is_of_format
from agingbench.trials.importers.report import SILENT, ImportProgress, ImportReport
from agingbench.trials.importers.sample_fields import Origin
from agingbench.trials.importers.samples import RawSample, import_samples, lenient, read_samples
from agingbench.trials.ledger import Ledger

SAMPLE_FILE = "prime_sample.json"
PAGE = 100
MOST_PAGES = 10_000
PATIENCE_S = 300
_EVAL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}")


_EVALUATION_IDS = ("evaluation_id", "eval_id", "eval_name")


class PrimeImporter(Importer):
    """A Prime evaluation that was saved: in one file, or as a document and pages of samples."""

    name = "prime"
    expects = "one saved Prime evaluation with its samples, as JSON in one file or one folder"

    def sniff(self, path: Path) -> float:
        """Sure of a file with both, and of a folder with one evaluation and samples."""
        if path.is_file() and _is_export(path):
            return 0.98
        evaluations, samples = _saved_files(path if path.is_dir() else path.parent)
        if len(evaluations) != 1 or not samples:
            return 0.0
        return 0.97 if path.is_dir() or path in (*evaluations, *samples) else 0.0

    def import_path(
        self,
        ledger: Ledger,
        path: Path,
        experiment: str | None,
        progress: ImportProgress = SILENT,
    ) -> ImportReport:
        """Import all samples of a folder; of a file that is named, only those in it."""
        if path.is_file() and _is_export(path):
            return import_files(ledger, path, [path], experiment, progress)
        evaluations, samples = _saved_files(path if path.is_dir() else path.parent)
        if len(evaluations) != 1 or not samples:
            raise InputError(
                f"{path}: one evaluation and its samples are expected in a folder, as JSON; there"
                f" are {len(evaluations)} and {len(samples)}"
            )

        pages = [path] if path in samples else samples
        return import_files(ledger, evaluations[0], pages, experiment, progress)


def _saved_files(folder: Path) -> tuple[list[Path], list[Path]]:
    """The JSON files of a folder that hold an evaluation, and those that hold samples."""
    evaluations = []
    samples = []
    for file in sorted([*folder.glob("*.json"), *folder.glob("*.jsonl")]):
        if not file.is_file():
            continue

        if _is_export(file):
            evaluations.append(file)
            samples.append(file)
        elif is_of_format(file, Verifiers()):
            samples.append(file)
        elif file.suffix == ".json" and _is_evaluation(file):
            evaluations.append(file)

    return evaluations, samples


def _is_export(file: Path) -> bool:
    """Whether one file holds an evaluation and its samples."""
    return file.suffix == ".json" and is_of_format(file, Verifiers()) and _is_evaluation(file)


def _is_evaluation(file: Path) -> bool:
    try:
        document = parse_json(read_bytes(file), file.name)
    except InputError:
        return False

    return isinstance(document, dict) and any(name in document for name in _EVALUATION_IDS)


def import_files(
    ledger: Ledger,
    evaluation: Path,
    samples: list[Path],
    experiment: str | None,
    progress: ImportProgress = SILENT,
) -> ImportReport:
    """Import an evaluation that was saved to files; `samples` are pages, lists or lines."""
    document = parse_json(read_bytes(evaluation), str(evaluation))
    if not isinstance(document, dict):
        raise InputError(f"{evaluation}: not an evaluation (a JSON object is expected)")

    raw_samples = [
        sample for path in samples for sample in read_samples(read_bytes(path), path.name)
    ]
    report = _import(
        ledger,
        document,
        raw_samples,
        len(raw_samples),
        experiment,
        progress,
    )

    return report.require_content(
        samples[0], "samples are expected: a page, a list or lines, with `prompt` and `completion`"
    )


def import_live(
    ledger: Ledger,
    eval_id: str,
    experiment: str | None,
    progress: ImportProgress = SILENT,
) -> ImportReport:
    """Import a hosted evaluation with the `prime` command, page after page."""
    if not _EVAL_ID.fullmatch(eval_id):
        raise InputError(f"'{eval_id[:80]}' cannot be the id of an evaluation")

    document = parse_json(_prime("eval", "get", eval_id), "prime eval get")
    if not isinstance(document, dict):
        raise InputError("prime eval get: the answer is not an evaluation")

    first_page = _page(eval_id, 1)
    total = mapping(lenient(first_page)).get("total")
    samples = _hosted(eval_id, first_page)
    report = _import(
        ledger,
        document,
        samples,
        total if type(total) is int else 0,
        experiment,
        progress,
    )

    return report.require_content(eval_id, "the evaluation has no samples")


def _page(eval_id: str, number: int) -> bytes:
    return _prime(
        "eval",
        "samples",
        eval_id,
        "-n",
        str(PAGE),
        "-p",
        str(number),
    )


def _hosted(eval_id: str, data: bytes) -> Iterator[RawSample]:
    got = 0
    for number in range(1, MOST_PAGES + 1):
        samples = read_samples(data, f"page {number}")
        page = mapping(lenient(data))
        yield from samples
        here = len(
            next(
                (page[k] for k in ("samples", "results", "data") if isinstance(page.get(k), list)),
                [],
            )
        )
        got += here
        if not here or not _more(page, number, got):
            return
        data = _page(eval_id, number + 1)


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
            "the `prime` command is not installed; save the evaluation with it elsewhere and give"
            " --evaluation-json and --samples-json"
        )

    command = [program, *words, "--plain", "-o", "json"]
    try:
        process = subprocess.run(  # noqa: S603 - a fixed list of words, no shell
            command,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"`prime {words[0]} {words[1]}` did not answer: {error}") from error

    if process.returncode:
        message = process.stderr.decode("utf-8", "replace").strip()[-300:]
        raise InputError(
            f"`prime {words[0]} {words[1]}` failed with code {process.returncode}: {message}"
        )

    return process.stdout


def _import(
    ledger: Ledger,
    evaluation: dict[str, Any],
    samples: Iterable[RawSample],
    total: int,
    experiment: str | None,
    progress: ImportProgress,
) -> ImportReport:
    eval_id = (
        string(first(evaluation, "evaluation_id", "id", "eval_id", "eval_name", "name"))
        or "unnamed"
    )

    origin = _origin(
        evaluation,
        eval_id,
        slug(experiment or f"prime-eval-{eval_id}") or "prime-eval",
    )
    report = ImportReport(origin.experiment)
    progress.begin(report, total)

    def trial_id(sample: dict[str, Any], own: str) -> str:
        name = string(first(sample, "sample_id", "rollout_id"))
        return f"prime-{slug(eval_id, 60) or 'eval'}-{(slug(name) if name else own) or own}"

    import_samples(
        ledger,
        samples,
        origin,
        trial_id,
        report,
        progress,
    )

    return report


def _origin(evaluation: dict[str, Any], eval_id: str, experiment: str) -> Origin:
    metadata = mapping(evaluation.get("metadata"))
    model = string(first(evaluation, "model_name", "inference_model", "model")) or string(
        metadata.get("model")
    )
    name = string(first(evaluation, "name", "eval_name"))
    created = first(evaluation, "created_at", "timestamp")
    configuration = {
        "source": "prime-eval-samples",
        "evaluation_id": eval_id,
        "evaluation_name": name,
        "viewer_url": evaluation.get("viewer_url"),
        "eval_config": evaluation.get("eval_config"),
        "environment_names": evaluation.get("environment_names"),
        "metadata": metadata or None,
    }

    return Origin(
        adapter="prime-hosted",
        model=model or "unknown",
        experiment=experiment,
        environment="prime-hosted",
        configuration={k: v for k, v in configuration.items() if v is not None},
        raw_name=SAMPLE_FILE,
        task="prime",
        about={"source": "prime-eval-samples", "prime_evaluation_id": eval_id},
        when=parse_time(created if created is not None else metadata.get("timestamp"), []),
    )
