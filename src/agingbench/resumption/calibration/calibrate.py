"""Calibration: a judge labels the reference grades, and the calibration gate opens or stays closed.

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
    left_out,
)
from agingbench.resumption.calibration.paraphrases import GradedLabel, measure_paraphrases
from agingbench.resumption.calibration.stored import (
    StoredCalibration,
    save_calibration,
    stored_calibrations,
)
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import LATE, Episode
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.judges.claim import COMPONENTS
from agingbench.traces.canonical import content_hash
from agingbench.traces.files import write_atomic

CHANGED = "reference grades or graded facts have changed since the calibration"


def calibrate(
    benchmark: BenchmarkFolder,
    episodes: Sequence[Episode],
    judge: Judge,
    identity: JudgeIdentity,
    *,
    retest: bool = False,
    progress: Callable[[int], None] | None = None,
) -> CalibrationGate:
    """Label the reference grades, store the labels, write kappa_report.md and return the gate.

    Calibrations of other judges stay, and the report holds all of them.
    """
    by_id = {episode.id: episode for episode in episodes}
    grades = load_grades(benchmark)
    store = LabelStore(benchmark, identity) if asks_a_model(judge) else None

    labels = judge_grades(judge, grades, by_id, benchmark, store, progress=progress)
    second_labels = None
    if retest:
        second_judge = judge.again(1)
        second_labels = judge_grades(second_judge, grades, by_id, benchmark, store, time=1)

    stored = StoredCalibration(
        identity=identity,
        grades_sha256=_grades_hash(grades, by_id),
        labels=labels,
        retest=second_labels,
        withdrawn=dict(judge.withdrawn),
        tuned_on=judge.tuned_on,
    )
    save_calibration(benchmark, stored)

    graded = _graded_labels(grades, labels, second_labels, by_id)
    gate = _build_gate(graded, by_id, identity, None, judge)
    others = _other_gates(benchmark, stored, grades, by_id)
    write_atomic(benchmark.kappa_report, report_text([gate, *others]).encode())
    return gate


def _other_gates(
    benchmark: BenchmarkFolder,
    current: StoredCalibration,
    grades: Sequence[Grade],
    episodes: dict[str, Episode],
) -> list[CalibrationGate]:
    """Return the gates of the other judges from their labels, or that they have to be renewed."""
    gates = []
    for stored in stored_calibrations(benchmark):
        identity = stored.identity
        if identity.judge == current.identity.judge:
            continue
        if stored.grades_sha256 != current.grades_sha256 or len(stored.labels) != len(grades):
            gates.append(_closed_gate(CHANGED, identity))
        else:
            graded = _graded_labels(grades, stored.labels, stored.retest, episodes)
            gates.append(_build_gate(graded, episodes, identity, None, stored))
    return gates


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
    calibrations = {stored.identity.judge: stored for stored in stored_calibrations(benchmark)}
    if not calibrations:
        return _closed_gate(
            "the judge was never calibrated; run `agingbench resumption calibrate`", identity
        )
    stored = calibrations.get(identity.judge)
    if stored is None:
        names = " and ".join(sorted(calibrations))
        return _closed_gate(
            f"calibrated was the judge {names}, not {identity.judge}; calibrate this one", identity
        )
    if stored.identity != identity:
        return _closed_gate(_identity_change(stored.identity, identity), identity)

    by_id = {episode.id: episode for episode in episodes}
    try:
        grades = load_grades(benchmark)
        digest = _grades_hash(grades, by_id)
    except InputError as error:
        return _closed_gate(f"the reference grades cannot be used: {error}", identity)
    if digest != stored.grades_sha256 or len(stored.labels) != len(grades):
        return _closed_gate(CHANGED, identity)

    labels = stored.labels
    if not asks_a_model(judge):
        # Costs nothing, so the stored labels are not relied on.
        labels = judge_grades(judge, grades, by_id, benchmark)
    graded = _graded_labels(grades, labels, stored.retest, by_id)
    return _build_gate(graded, by_id, identity, domains, judge)


def _closed_gate(reason: str, identity: JudgeIdentity) -> CalibrationGate:
    return CalibrationGate(
        passed=False, weak=False, reasons=[reason], components=[], identity=identity
    )


def _identity_change(stored: JudgeIdentity, current: JudgeIdentity) -> str:
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
        reference = accepted_label(grade.label, graded_item(grade, episodes))
        retest = second_labels[place] if second_labels else None
        graded.append(GradedLabel(grade, reference, label, retest))
    return graded


def _build_gate(
    labels: Sequence[GradedLabel],
    episodes: dict[str, Episode],
    identity: JudgeIdentity,
    domains: set[str] | None,
    judge: Judge | StoredCalibration,
) -> CalibrationGate:
    """Apply the rule to every component of every domain.

    Late-written episodes are a domain of their own, whatever they are about, and their grades
    always count.
    """
    gate_labels = [label for label in labels if label.grade.split == "gate"]
    early = [label for label in labels if episodes[label.grade.episode].gate_domain != LATE]
    if not domains:
        domains = {episodes[label.grade.episode].gate_domain for label in labels}
    if not domains:
        domains = {episode.gate_domain for episode in episodes.values()}

    if len(early) < len(labels):
        domains = {*domains, LATE}
    components = []
    for domain in sorted(domains):
        in_domain = [
            label for label in gate_labels if episodes[label.grade.episode].gate_domain == domain
        ]
        for component in COMPONENTS:
            rows = [label for label in in_domain if label.grade.component == component]
            part = _component_gate(component, domain, rows)
            if component in judge.withdrawn:
                reason = f"the judge is withdrawn here: {judge.withdrawn[component]}"
                part = msgspec.structs.replace(
                    part, passed=False, weak=False, reasons=[*part.reasons, reason]
                )
            components.append(part)

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
        paraphrases=measure_paraphrases(early),
        tuned_on=judge.tuned_on + sum(label.grade.split == "tune" for label in labels),
    )


def _component_gate(
    component: Component, domain: str, labels: Sequence[GradedLabel]
) -> ComponentGate:
    repeats = [label.judge == label.retest for label in labels if label.retest is not None]
    # In the spec forgetting is a boolean: was it left out? The few late-written episodes hold too
    # few bare mentions to be told apart.
    scale = left_out if domain == LATE else str
    return component_gate(
        component,
        domain,
        reference=[scale(label.reference) for label in labels],
        judged=[scale(label.judge) for label in labels],
        clusters=[label.grade.episode for label in labels],
        retest=sum(repeats) / len(repeats) if repeats else None,
    )


def _count_graders(labels: Iterable[GradedLabel]) -> dict[str, int]:
    graders = [label.grade.grader for label in labels]
    return dict(Counter(f"{grader.kind}: {grader.name}" for grader in graders))


def grades_file_hash(benchmark: BenchmarkFolder) -> str | None:
    """Return the SHA-256 of hand_grades.jsonl, or None without the file."""
    path = benchmark.reference_grades
    if not path.is_file():
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()
