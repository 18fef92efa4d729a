"""Calibrations on disk: one file per judge below calibration/gates, side by side.

A file holds labels, never a verdict: the gate is computed from them whenever it is needed.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import msgspec

from agingbench.errors import InputError
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import read_json, write_atomic


class StoredCalibration(msgspec.Struct, frozen=True):
    """The labels that one judge gave, and the hash of the grades they belong to."""

    identity: JudgeIdentity
    grades_sha256: str
    labels: list[str]
    retest: list[str] | None = None
    # What the report says of a judge when another one is calibrated; the gate asks the judge.
    withdrawn: dict[str, str] = {}
    tuned_on: int = 0


def gate_file(benchmark: BenchmarkFolder, judge: str) -> Path:
    """Return the file of a judge; another prompt or tokenizer takes the same file."""
    name = re.sub(r"[^a-z0-9]+", "-", judge.partition(" ")[0].lower()).strip("-")[:40]
    digest = hashlib.sha256(judge.encode()).hexdigest()[:8]
    return benchmark.gates / f"{name}-{digest}.json"


def save_calibration(benchmark: BenchmarkFolder, stored: StoredCalibration) -> None:
    """Write the calibration of a judge; those of other judges stay."""
    content = canonical_json(msgspec.to_builtins(stored))
    path = gate_file(benchmark, stored.identity.judge)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, msgspec.json.format(content, indent=1) + b"\n")


def stored_calibrations(benchmark: BenchmarkFolder) -> list[StoredCalibration]:
    """Return the calibrations of a folder, one per judge, by name.

    A gate.json of an older version counts where its judge has no file of its own.
    """
    paths = sorted(benchmark.gates.glob("*.json"))
    if benchmark.gate.is_file():
        paths.append(benchmark.gate)
    by_judge: dict[str, StoredCalibration] = {}
    for path in paths:
        stored = _read(path)
        by_judge.setdefault(stored.identity.judge, stored)
    return list(by_judge.values())


def _read(path: Path) -> StoredCalibration:
    try:
        return msgspec.convert(read_json(path), StoredCalibration)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{path}: not a gate ({error}); run `agingbench resumption calibrate` again"
        ) from error
