"""Calibration: a judge scores the hand grades, and the gate opens or stays closed.

Nothing overrides the gate: figures are made anew from grades and verdicts whenever they are needed,
so there is no flag in a file that could be set.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from agingbench.errors import InputError
from agingbench.interfaces import Judge
from agingbench.resumption.calibration.gate import CalibrationGate, component_gate, report_text
from agingbench.resumption.calibration.grades import Grade, graded_item, load_grades
from agingbench.resumption.calibration.labels import (
    LabelStore,
    accepted_label,
    asks_a_model,
    judge_grades,
)
from agingbench.resumption.calibration.paraphrases import measure_paraphrases
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import Episode
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.judges.claim import COMPONENTS
from agingbench.traces.canonical import canonical_json, content_hash
from agingbench.traces.files import read_json, write_atomic


def calibrate(
    benchmark: BenchmarkFolder,
    episodes: Sequence[Episode],
    judge: Judge,
    identity: JudgeIdentity,
    *,
    retest: bool = False,
    progress: Callable[[int], None] | None = None,
) -> CalibrationGate:
    """Judge the hand grades, write gate.json and kappa_report.md, and say whether the gate is
    passed.
    """
    by_id = {e.id: e for e in episodes}
    grades = load_grades(benchmark)
    kept = LabelStore(benchmark, identity) if asks_a_model(judge) else None
    labels = judge_grades(judge, grades, by_id, benchmark, kept, progress=progress)
    again = judge_grades(_second(judge), grades, by_id, benchmark, kept, time=1) if retest else None
    stored = {
        "identity": msgspec.to_builtins(identity),
        "grades_sha256": _grades_hash(grades, by_id),
        "labels": labels,
        "retest": again,
    }
    write_atomic(benchmark.gate, msgspec.json.format(canonical_json(stored), indent=1) + b"\n")
    gate = _gate(grades, labels, by_id, identity, None, again, _tuned_on(judge))
    write_atomic(benchmark.kappa_report, report_text(gate).encode())
    return gate


def _second(judge: Judge) -> Judge:
    asked_again: Callable[[int], Judge] | None = getattr(judge, "again", None)
    return asked_again(1) if asked_again else judge


def _tuned_on(judge: Judge) -> int:
    """How many grades the judge says it was tuned with; they lie in a file of their own."""
    return int(getattr(judge, "tuned_on", 0))


def _grades_hash(grades: Sequence[Grade], episodes: dict[str, Episode]) -> str:
    """Grades and the graded facts: another label or another wording is another calibration."""
    rows = [
        [*grade.key, grade.label, grade.split, graded_item(grade, episodes).model_dump(mode="json")]
        for grade in grades
    ]
    return content_hash(rows)


def current_gate(
    benchmark: BenchmarkFolder,
    episodes: Sequence[Episode],
    judge: Judge,
    identity: JudgeIdentity,
    domains: set[str] | None = None,
) -> CalibrationGate:
    """The gate as it stands for this judge, these prompts, this tokenizer and these grades; never
    taken on trust.
    """
    if not benchmark.gate.is_file():
        return _closed(
            "the judge was never calibrated; run `agingbench resumption calibrate`", identity
        )
    stored = _stored(benchmark)
    known = msgspec.convert(stored["identity"], JudgeIdentity)
    if known != identity:
        return _closed(_changed(known, identity), identity)
    by_id = {e.id: e for e in episodes}
    try:
        grades = load_grades(benchmark)
        digest = _grades_hash(grades, by_id)
    except InputError as error:
        return _closed(f"the hand grades cannot be used: {error}", identity)
    if digest != stored["grades_sha256"] or len(stored["labels"]) != len(grades):
        return _closed("hand grades or graded facts have changed since the calibration", identity)
    labels = stored["labels"]
    if not asks_a_model(judge):
        labels = judge_grades(
            judge, grades, by_id, benchmark
        )  # costs nothing, so nothing stored is believed
    return _gate(grades, labels, by_id, identity, domains, stored.get("retest"), _tuned_on(judge))


def _stored(benchmark: BenchmarkFolder) -> dict[str, Any]:
    stored = read_json(benchmark.gate)
    if not isinstance(stored, dict) or not {"identity", "grades_sha256", "labels"} <= set(stored):
        raise InputError(
            f"{benchmark.gate}: not a gate; run `agingbench resumption calibrate` again"
        )
    try:
        msgspec.convert(stored["identity"], JudgeIdentity)
        msgspec.convert(stored["labels"], list[str])
    except msgspec.ValidationError as error:
        raise InputError(f"{benchmark.gate}: not a gate ({error}); calibrate again") from error
    return stored


def _closed(reason: str, identity: JudgeIdentity) -> CalibrationGate:
    return CalibrationGate(False, False, [reason], [], identity)


def _changed(known: JudgeIdentity, now: JudgeIdentity) -> str:
    if known.judge != now.judge:
        return f"calibrated was the judge {known.judge}, not {now.judge}; calibrate this one"
    if known.tokenizer != now.tokenizer:
        return (
            f"calibrated with the tokenizer {known.tokenizer}, not {now.tokenizer}; calibrate again"
        )
    names = [name for name in now.prompts if known.prompts.get(name) != now.prompts[name]]
    return (
        f"the judge prompt for {' and '.join(names)} has changed since the calibration; calibrate"
        " again"
    )


def _gate(
    grades: Sequence[Grade],
    labels: Sequence[str],
    episodes: dict[str, Episode],
    identity: JudgeIdentity,
    domains: set[str] | None,
    again: Sequence[str] | None,
    tuned_on: int = 0,
) -> CalibrationGate:
    rows = [
        (
            grade,
            accepted_label(grade.label, graded_item(grade, episodes)),
            label,
            again[place] if again else None,
        )
        for place, (grade, label) in enumerate(zip(grades, labels, strict=True))
    ]
    wanted = (
        domains
        or {episodes[g.episode].domain for g in grades}
        or {e.domain for e in episodes.values()}
    )
    parts = []
    for domain in sorted(wanted):
        for component in COMPONENTS:
            mine = [
                r
                for r in rows
                if r[0].split == "gate"
                and r[0].component == component
                and episodes[r[0].episode].domain == domain
            ]
            same = [r[2] == r[3] for r in mine if r[3] is not None]
            parts.append(
                component_gate(
                    component,
                    domain,
                    [r[1] for r in mine],
                    [r[2] for r in mine],
                    [r[0].episode for r in mine],
                    sum(same) / len(same) if same else None,
                )
            )
    reasons = [f"{p.component} ({p.domain}): {why}" for p in parts for why in p.reasons]
    who = Counter(f"{g.grader.kind}: {g.grader.name}" for g in grades if g.split == "gate")
    tuned = tuned_on + sum(g.split == "tune" for g in grades)
    passed = bool(parts) and not reasons
    return CalibrationGate(
        passed,
        passed and any(p.weak for p in parts),
        reasons,
        parts,
        identity,
        dict(who),
        measure_paraphrases(rows),
        tuned,
    )


def grades_file_hash(benchmark: BenchmarkFolder) -> str | None:
    """SHA-256 of hand_grades.jsonl, for the card."""
    path = benchmark.hand_grades
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
