"""Everything that is computed from the files of a life: metrics, trial, diagnosis and card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from agingbench.bench.diagnosis.floor_and_ceiling import bounds_of
from agingbench.bench.diagnosis.hints import diagnosis_document
from agingbench.bench.diagnosis.ladder import diagnosis_of, missing_rows
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.bench.scoring.card import Findings, make_card, seal
from agingbench.bench.scoring.code_checks import (
    CodeCheck,
    OutcomeFile,
    Remembering,
    code_checks,
)
from agingbench.bench.scoring.documents import dependency_document, metrics_document
from agingbench.bench.scoring.life_card import LifeCard
from agingbench.bench.scoring.paired import in_context
from agingbench.bench.scoring.program_checks import ProgramRunner, program_checks
from agingbench.bench.scoring.score import LifeRecord, owns_workspace, score
from agingbench.bench.scoring.ticket_checks import ticket_checks
from agingbench.bench.scoring.trial import LivedFiles, make_trial, unfinished_trial
from agingbench.cards.check import save_card
from agingbench.cards.figures import document_of
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import write_atomic
from agingbench.traces.journal import append_bytes
from agingbench.trials.declarations import UNDECLARED
from agingbench.trials.evidence import FolderEvidence
from agingbench.trials.parts import as_earned
from agingbench.trials.record import read_trial, record_hash, write_trial
from agingbench.trials.run_folder import AnswerRow, Stop, read_answers


def score_files(
    run: RunDirectory,
    plan: Plan,
    scenario: Scenario,
) -> LifeCard:
    """Write metrics, trial and card of a life from its files and return the card.

    Equal files give equal bytes. Raises InputError where the life has not ended.
    """
    if not run.ended():
        raise InputError(
            f"{run.path}: this life has not ended; run it again to continue, then score it"
        )
    sut = run.sut()
    events = run.events()
    answers = run.answer_rows()
    check_answers(run, plan, answers)

    code = code_checks(plan, events, Remembering(run.code_checks)) + _program(run, plan)
    texts = run.texts(plan.n_sessions)
    scores = score(LifeRecord(plan, events, answers, texts, code))
    write_atomic(run.metrics, pretty(metrics_document(scores, plan)))
    write_atomic(run.dependency_metrics, pretty(dependency_document(scores, plan)))

    life = _lived_files(run, plan, scenario, events, answers)
    trial = make_trial(life, scores)
    trial = as_earned(trial, FolderEvidence(run.path))
    write_trial(trial, run.trial)

    findings = _findings(run, plan, events, answers)
    card = make_card(
        plan,
        scenario,
        sut,
        scores,
        events,
        answers,
        findings,
    )
    declares = life.identity.declares if life.identity else UNDECLARED
    card = seal(in_context(run.path, card), trial, record_hash(trial), declares)
    save_card(card.document(), run.card)
    return card


def _program(run: RunDirectory, plan: Plan) -> list[CodeCheck]:
    if not plan.checks_workspace:
        return []
    states = ((t, run.snapshot(t).state) for t in range(1, plan.n_sessions + 1))
    if plan.tickets:
        return ticket_checks(plan, states, remembered=OutcomeFile(run.code_checks))
    with ProgramRunner(OutcomeFile(run.code_checks)) as runner:
        return program_checks(plan, states, runner)


def record_stop(run: RunDirectory, plan: Plan, scenario: Scenario, reason: str) -> None:
    """Write down that a life stopped on its way: in stops.jsonl, and as a partial record.

    A life that has ended, and stopped while it was asked again, keeps the record it has.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    stop = Stop(now, run.points(), reason)
    append_bytes(run.stops_file, msgspec.json.encode(stop) + b"\n", advice="run again")
    if not run.ended():
        record_partial(run, plan, scenario)


def record_partial(run: RunDirectory, plan: Plan, scenario: Scenario) -> None:
    """Write the record of a life that has not ended; it names the partial record before it."""
    events = run.events() if run.trace.exists() else []
    answers = run.answer_rows() if run.answers.exists() else []
    trial = unfinished_trial(_lived_files(run, plan, scenario, events, answers))
    write_trial(trial, run.partial)


def _lived_files(
    run: RunDirectory,
    plan: Plan,
    scenario: Scenario,
    events: list[Event],
    answers: list[AnswerRow],
) -> LivedFiles:
    return LivedFiles(
        plan,
        scenario,
        run.sut(),
        events,
        answers,
        stops=run.stops(),
        identity=run.identity(),
        study=run.suite(),
        partial=read_trial(run.partial) if run.partial.exists() else None,
    )


def _findings(
    run: RunDirectory,
    plan: Plan,
    events: Sequence[Event],
    answers: Sequence[AnswerRow],
) -> Findings:
    # The diagnosis and the bounds, as far as they were asked after the life's end.
    diagnosis = None
    missing = 0
    if run.diagnosis_answers.exists():
        rows = read_answers(run.diagnosis_answers)
        missing = len(missing_rows(plan, rows))
        if not missing:
            diagnosis = diagnosis_of(plan, answers, rows, end_to_end=owns_workspace(events))
            write_atomic(run.diagnosis, pretty(diagnosis_document(diagnosis, plan)))

    bounds = None
    if run.calibration_answers.exists():
        bounds = bounds_of(plan, read_answers(run.calibration_answers))
    return Findings(diagnosis, bounds, missing)


def check_answers(
    run: RunDirectory,
    plan: Plan,
    answers: Sequence[AnswerRow],
) -> None:
    """Raise InputError unless every probe of the plan was answered exactly once."""
    counts = Counter(row.probe for row in answers if row.condition == "as_lived")
    errors = []
    for name in counts:
        if name not in plan.probe_by_id:
            errors.append(f"{name} is not in the plan")
    for probe in plan.probes:
        count = counts[probe.id]
        if count != 1:
            errors.append(f"{probe.id} {count} times")

    if errors:
        examples = ", ".join(errors[:3])
        raise InputError(f"{run.answers}: every probe must be answered once, but {examples}")


def pretty(document: object) -> bytes:
    """A document as JSON for people: indented, keys sorted, ends with a newline."""
    plain = canonical_json(document_of(document))
    return msgspec.json.format(plain, indent=1) + b"\n"
