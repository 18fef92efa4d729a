"""Calibration: a judge labels the hand grades, and the calibration gate opens or stays closed.

Nothing overrides the gate: it is computed anew from grades and labels whenever it is needed, so
there is no flag in a file that could be set.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from agingbench.cards.resumption import Component, ComponentGate
from agingbench.errors import InputError
from agingbench.interfaces import Judge
from agingbench.resumption.calibration.gate import (
    CalibrationGate,
    closed_reasons,
    component_gate,
    open_domains,
    report_text,
)
from agingbench.resumption.calibration.grades import Grade, graded_item, load_grades
from agingbench.resumption.calibration.labels import (
    LabelStore,
    accepted_label,
    asks_a_model,
    judge_grades,
)
from agingbench.resumption.calibration.paraphrases import GradedLabel, measure_paraphrases
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import Episode
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.judges.claim import COMPONENTS
from agingbench.traces.canonical import canonical_json, content_hash
from agingbench.traces.files import read_json, write_atomic


class StoredCalibration(msgspec.Struct, frozen=True):
    """gate.json: the judge's labels, and the hash of the grades they belong to."""

    identity: JudgeIdentity
    grades_sha256: str
    labels: list[str]
    retest: list[str] | None = None


def calibrate(
    benchmark: BenchmarkFolder,
    episodes: Sequence[Episode],
    judge: Judge,
    identity: JudgeIdentity,
    *,
    retest: bool = False,
    progress: Callable[[int], None] | None = None,
) -> CalibrationGate:
    """Label the hand grades, write gate.json and kappa_report.md, and return the gate."""
    by_id = {episode.id: episode for episode in episodes}
    grades = load_grades(benchmark)
    store = LabelStore(benchmark, identity) if asks_a_model(judge) else None

    labels = judge_grades(judge, grades, by_id, benchmark, store, progress=progress)
    second_labels = None
    if retest:
        second_judge = judge.again(1)
        second_labels = judge_grades(second_judge, grades, by_id, benchmark, store, time=1)

    stored = StoredCalibration(identity, _grades_hash(grades, by_id), labels, second_labels)
    content = canonical_json(msgspec.to_builtins(stored))
    write_atomic(benchmark.gate, msgspec.json.format(content, indent=1) + b"\n")

    graded = _graded_labels(grades, labels, second_labels, by_id)
    gate = _build_gate(graded, by_id, identity, None, judge.tuned_on)
    write_atomic(benchmark.kappa_report, report_text(gate).encode())
    return gate


def _grades_hash(grades: Sequence[Grade], episodes: dict[str, Episode]) -> str:
    """Hash grades and graded facts: another label or wording is another calibration."""
    rows = []
    for grade in grades:
        item = graded_item(grade, episodes).model_dump(mode="json")
        rows.append([*grade.key, grade.label, grade.split, item])
    return content_hash(rows)


def current_gate(
    benchmark: BenchmarkFolder,
    episodes: Sequence[Episode],
    judge: Judge,
    identity: JudgeIdentity,
    domains: set[str] | None = None,
) -> CalibrationGate:
    """Return the gate for this judge, these prompts, this tokenizer and these grades."""
    if not benchmark.gate.is_file():
        return _closed_gate(
            "the judge was never calibrated; run `agingbench resumption calibrate`", identity
        )
    stored = _load_calibration(benchmark)
    if stored.identity != identity:
        return _closed_gate(_identity_change(stored.identity, identity), identity)

    by_id = {episode.id: episode for episode in episodes}
    try:
        grades = load_grades(benchmark)
        digest = _grades_hash(grades, by_id)
    except InputError as error:
        return _closed_gate(f"the hand grades cannot be used: {error}", identity)
    if digest != stored.grades_sha256 or len(stored.labels) != len(grades):
        return _closed_gate(
            "hand grades or graded facts have changed since the calibration", identity
        )

    labels = stored.labels
    if not asks_a_model(judge):
        # Costs nothing, so the stored labels are not relied on.
        labels = judge_grades(judge, grades, by_id, benchmark)
    graded = _graded_labels(grades, labels, stored.retest, by_id)
    return _build_gate(graded, by_id, identity, domains, judge.tuned_on)


def _load_calibration(benchmark: BenchmarkFolder) -> StoredCalibration:
    try:
        return msgspec.convert(read_json(benchmark.gate), StoredCalibration)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{benchmark.gate}: not a gate ({error}); run `agingbench resumption calibrate` again"
        ) from error


def _closed_gate(reason: str, identity: JudgeIdentity) -> CalibrationGate:
    return CalibrationGate(
        passed=False, weak=False, reasons=[reason], components=[], identity=identity
    )


def _identity_change(stored: JudgeIdentity, current: JudgeIdentity) -> str:
    if stored.judge != current.judge:
        return f"calibrated was the judge {stored.judge}, not {current.judge}; calibrate this one"
    if stored.tokenizer != current.tokenizer:
        return (
            f"calibrated with the tokenizer {stored.tokenizer}, not {current.tokenizer}; calibrate"
            " again"
        )
    prompts = current.prompts
    changed = [name for name in prompts if stored.prompts.get(name) != prompts[name]]
    return (
        f"the judge prompt for {' and '.join(changed)} has changed since the calibration; calibrate"
        " again"
    )


def _graded_labels(
    grades: Sequence[Grade],
    labels: Sequence[str],
    second_labels: Sequence[str] | None,
    episodes: dict[str, Episode],
) -> list[GradedLabel]:
    graded = []
    for place, (grade, label) in enumerate(zip(grades, labels, strict=True)):
        hand = accepted_label(grade.label, graded_item(grade, episodes))
        retest = second_labels[place] if second_labels else None
        graded.append(GradedLabel(grade, hand, label, retest))
    return graded


def _build_gate(
    labels: Sequence[GradedLabel],
    episodes: dict[str, Episode],
    identity: JudgeIdentity,
    domains: set[str] | None,
    tuned_on: int,
) -> CalibrationGate:
    """Apply the rule to every component of every domain."""
    gate_labels = [label for label in labels if label.grade.split == "gate"]
    if not domains:
        domains = {episodes[label.grade.episode].domain for label in labels}
    if not domains:
        domains = {episode.domain for episode in episodes.values()}

    components = []
    for domain in sorted(domains):
        in_domain = [
            label for label in gate_labels if episodes[label.grade.episode].domain == domain
        ]
        for component in COMPONENTS:
            rows = [label for label in in_domain if label.grade.component == component]
            components.append(_component_gate(component, domain, rows))

    open_parts = [part for part in components if part.domain in open_domains(components)]
    passed = bool(open_parts)
    weak = any(part.weak for part in open_parts)

    return CalibrationGate(
        passed=passed,
        weak=weak,
        reasons=closed_reasons(components),
        components=components,
        identity=identity,
        graders=_count_graders(gate_labels),
        paraphrases=measure_paraphrases(labels),
        tuned_on=tuned_on + sum(label.grade.split == "tune" for label in labels),
    )


def _component_gate(
    component: Component, domain: str, labels: Sequence[GradedLabel]
) -> ComponentGate:
    repeats = [label.judge == label.retest for label in labels if label.retest is not None]
    return component_gate(
        component,
        domain,
        hand=[label.hand for label in labels],
        judged=[label.judge for label in labels],
        clusters=[label.grade.episode for label in labels],
        retest=sum(repeats) / len(repeats) if repeats else None,
    )


def _count_graders(labels: Iterable[GradedLabel]) -> dict[str, int]:
    graders = [label.grade.grader for label in labels]
    return dict(Counter(f"{grader.kind}: {grader.name}" for grader in graders))


def grades_file_hash(benchmark: BenchmarkFolder) -> str | None:
    """Return the SHA-256 of hand_grades.jsonl, or None without the file."""
    path = benchmark.hand_grades
    if not path.is_file():
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()
