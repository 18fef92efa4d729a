"""The AgingCard of a trace audit: one JSON document, scrubbed, the same for the same evidence."""

from __future__ import annotations

import platform
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from agingbench import __version__
from agingbench.cards.check import seal_card, without_paths
from agingbench.cards.figures import Figure
from agingbench.cards.model import Maintenance, OwnMechanisms, Revision
from agingbench.errors import InputError
from agingbench.records import ReadLog
from agingbench.telemetry.card_lookups import diagnostic_signature, recommended_repair
from agingbench.telemetry.card_warnings import card_warnings
from agingbench.telemetry.inference.descriptive import descriptive_trends
from agingbench.telemetry.inference.dominant import dominant_mechanism
from agingbench.telemetry.inference.evidence import CI_LEVEL, Mechanism, Signal, verdict
from agingbench.telemetry.inference.headline import headline
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.inference.left_out_weeks import WindowCounts
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.panel.receipts import Receipts
from agingbench.telemetry.panel.spending import TraceSpending
from agingbench.telemetry.profile import MECHANISMS
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeCurve
from agingbench.telemetry.signals.details import MaintenanceDetails, RevisionDetails
from agingbench.telemetry.trace_card import (
    AuditHeadline,
    Coverage,
    MechanismAudit,
    NullModelSection,
    ProfileChoice,
    TraceAudit,
    TraceCard,
    TraceCost,
    TraceHeadline,
    TraceProvenance,
    TraceRecordCounts,
    TraceRegime,
    TraceSystem,
    WorkSection,
)
from agingbench.traces.scrub.scrubber import Scrubber

MOST_KINDS = 40  # of ignored records, listed on the card
MOST_MODELS = 20

# Fields of a mechanism whose names hold that of a series: `error_rate_slope` and so on.
SeriesFields = dict[str, float | str | list[float | None] | list[str] | None]

PROVIDERS = {  # how a model's name begins -> who provides it
    "claude": "anthropic",
    "gpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "gemini": "google",
}

RUN_ID_BYTES = 8


def renewed_card(card: TraceCard) -> TraceCard:
    """Return a card that was made before as one of now, with an id of its own."""
    run_id = secrets.token_hex(RUN_ID_BYTES)
    return msgspec.structs.replace(card, generated_at=_now(), run_id=run_id)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def make_card(
    trace: TraceSessions,
    inference: Inference,
    curve: OutcomeCurve,
    log: ReadLog,
    trace_format: str,
    receipts: Receipts,
    sut_hint: str | Mapping[str, Any] | None = None,
    scrubbed: bool = True,
    chosen_by: str = "named",
    windows: WindowCounts | None = None,
) -> TraceCard:
    """Make the finished card; `chosen_by` says why the profile is the one it is."""
    profile = trace.profile
    audit_headline = msgspec.to_builtins(headline(inference, curve))
    own_headline = {key: part for key, part in audit_headline.items() if key != "value"}

    checkpoints: list[tuple[float, float | None]] = []
    for t, rate in enumerate(curve.rates):
        if rate is not None:
            checkpoints.append((t, rate))

    card = TraceCard(
        generated_at=_now(),
        run_id=secrets.token_hex(RUN_ID_BYTES),
        scenario=f"telemetry::{profile.name}",
        scenario_version=__version__,
        tier=2,
        track="agent",
        sut=_system(trace, sut_hint, trace_format),
        seed=0,
        n_sessions=len(trace),
        pressure={},
        headline=TraceHeadline.read(own_headline),
        mechanism_metrics=_mechanism_metrics(inference),
        cost_and_efficiency=_cost(trace, receipts.spending),
        checkpoints=checkpoints,
        provenance=TraceProvenance(
            compute_environment=f"python {platform.python_version()} {platform.system().lower()}",
            agent_cli_version=_latest_client(trace),
            trace_format=trace_format,
            profile=profile.name,
            outcome_rules_hash=profile.rules_hash,
        ),
        warnings=card_warnings(trace, inference, curve, log, scrubbed),
        links={"trace": None, "metrics": None, "dependency_metrics": None},
        trace_audit=_trace_audit(
            trace,
            inference,
            curve,
            headline=AuditHeadline.read(audit_headline),
            receipts=receipts,
            trace_format=trace_format,
            chosen_by=chosen_by,
            windows=windows,
        ),
        records=record_counts(log),
    )
    document = card.document()

    if scrubbed:
        patterns = []
        for pattern, replacement in profile.privacy_patterns:
            patterns.append({"pattern": pattern, "replacement": replacement})

        document = Scrubber(patterns).json(document)

    document["sut"] = without_paths(document["sut"])
    document["provenance"] = without_paths(document["provenance"])
    try:
        card = TraceCard.read(document)
    except msgspec.ValidationError as error:
        # Every other field is ours; the hint is the caller's.
        raise InputError(f"sut_hint does not describe a system: {error}") from error

    # Reading turns the sessions of the curve into floats; in the file they are integers.
    return seal_card(msgspec.structs.replace(card, checkpoints=checkpoints))


def record_counts(log: ReadLog) -> TraceRecordCounts:
    """Count what became of every record of the input."""
    most_common = sorted(log.ignored.items(), key=lambda item: (-item[1], item[0]))
    return TraceRecordCounts(
        used=log.used,
        ignored=sum(log.ignored.values()),
        duplicate=log.duplicate,
        malformed=log.n_malformed,
        ignored_by_kind=dict(most_common[:MOST_KINDS]),
        flags=dict(sorted(log.flags.items())),
    )


def _trace_audit(
    trace: TraceSessions,
    inference: Inference,
    curve: OutcomeCurve,
    *,
    headline: AuditHeadline,
    receipts: Receipts,
    trace_format: str,
    chosen_by: str,
    windows: WindowCounts | None,
) -> TraceAudit:
    profile = trace.profile
    null = inference.null
    selection = dominant_mechanism(inference, profile, trace)
    tool_calls = sum(session.tool_calls for session in trace.sessions)
    audits = {name: _mechanism_audit(inference.mechanisms[name], null) for name in MECHANISMS}

    session_times: list[float | None] = []
    for session in trace.sessions:
        start = session.start
        session_times.append(None if start is None else round(start, 3))

    return TraceAudit(
        derived_from="behavioral_dag",
        deployment_type=profile.deployment_type,
        n_sessions_detected=len(trace),
        n_outcome_events=curve.linked,
        n_outcome_events_unlinked=curve.unlinked,
        session_detection_mode=trace.mode,
        outcome_rules_hash=profile.rules_hash,
        compression=audits["compression"],
        interference=audits["interference"],
        revision=audits["revision"],
        maintenance=audits["maintenance"],
        reliability=_mechanism_audit(inference.reliability, null),
        work=_work(inference),
        consistency=inference.consistency,
        headline=headline,
        trace_regime=TraceRegime(
            tool_using=tool_calls > 0,
            multi_session=len(trace) > 1,
            outcomes="linked" if curve.linked else "absent",
            n_sessions=len(trace),
            n_records=trace.n_events,
            n_tool_calls=tool_calls,
            n_days=None if null.days is None else len(set(null.days)),
            n_models=len(set(null.models)),
            adapter=trace_format,
        ),
        session_times=session_times,
        spending=receipts.spending,
        panel=receipts.panel,
        changes=receipts.changes,
        null_model=_null_model(inference),
        dominant_mechanism=selection,
        signature=diagnostic_signature(selection.dominant),
        repair=recommended_repair(selection.dominant),
        profile=ProfileChoice(name=profile.name, chosen_by=chosen_by),
        left_out_weeks=UNSET if windows is None else windows,
    )


def _work(inference: Inference) -> WorkSection:
    rose, fell = inference.work.moved_words()
    return WorkSection(
        covariates=[covariate.name for covariate in inference.work.covariates],
        words_that_rose=rose,
        words_that_fell=fell,
    )


def _mechanism_audit(mechanism: Mechanism, null: NullModel) -> MechanismAudit:
    series: SeriesFields = _descriptive(mechanism, null)
    for signal in mechanism.signals:
        series |= _series(signal)

    if mechanism.name == "revision":
        series |= _older_names(series)

    leading = mechanism.leading
    figures = None if leading is None else leading.figures()
    interval = None if figures is None else figures.effect_ci
    visible = None if figures is None else figures.smallest_visible_effect
    n = 0 if figures is None else figures.n
    strength = None if leading is None else round(mechanism.standardised_effect(), 6)

    return MechanismAudit(
        derived_from=mechanism.derived_from,
        weak_evidence=mechanism.weak,
        fired=mechanism.answer,
        reason=mechanism.reason,
        open_because=mechanism.open_because,
        changed_at_session=None if mechanism.step is None else mechanism.step.session,
        confounded_by=mechanism.confounder,
        p=mechanism.p,
        p_adjusted=mechanism.p_adjusted,
        p_days=None if mechanism.test is None else mechanism.test.p_days,
        leading_signal=None if leading is None else leading.name,
        effect=Figure(None if figures is None else figures.effect, interval),
        interval=interval,
        interval_ci_level=CI_LEVEL,
        effect_unit=None if figures is None else figures.effect_unit,
        n=n,
        smallest_visible_effect=visible,
        standardised_effect=strength,
        coverage=Coverage(
            verdict=mechanism.coverage,
            n=n,
            n_sessions=0 if figures is None else figures.n_sessions,
            smallest_visible_effect=visible,
        ),
        signals={s.name: s.figures() for s in mechanism.signals},
        others=msgspec.to_builtins(mechanism.details) | series,
    )


def _descriptive(mechanism: Mechanism, null: NullModel) -> SeriesFields:
    """Return slope, p and verdict of each series that is reported beside a mechanism's signals."""
    trends = descriptive_trends(mechanism.details.descriptive_series(), null)
    fields: SeriesFields = {}

    for trend in trends:
        fields[f"{trend.metric}_slope"] = trend.slope
        fields[f"{trend.metric}_p"] = trend.p
        fields[f"{trend.metric}_verdict"] = trend.verdict

    if trends:
        fields["shown_only"] = [trend.metric for trend in trends]

    return fields


def _series(signal: Signal) -> SeriesFields:
    """Return trajectory, slope per session and verdict of a signal under its own name."""
    trajectory: list[float | None] = []
    for value in signal.trajectory:
        trajectory.append(None if value is None else round(signal.unit_of(value), 6))

    slope = None
    if signal.test is not None and signal.test.fit is not None:
        steps = max(1, len(trajectory) - 1)
        slope = round(signal.test.fit.effect / steps, 8)

    return {
        f"{signal.name}_trajectory": trajectory,
        f"{signal.name}_slope": slope,
        f"{signal.name}_verdict": verdict(signal),
    }


def _older_names(series: SeriesFields) -> SeriesFields:
    """Return the value supersession under the two families of names that older cards use."""
    trajectory = series["value_supersession_trajectory"]
    slope = series["value_supersession_slope"]
    shape = series["value_supersession_verdict"]
    return {
        "violation_trajectory": trajectory,
        "violation_trajectory_slope": slope,
        "violation_trajectory_verdict": shape,
        "per_session_violation_trajectory": trajectory,
        "per_session_violation_slope": slope,
        "per_session_violation_verdict": shape,
    }


def _null_model(inference: Inference) -> NullModelSection:
    null = inference.null
    phases = inference.phases
    return NullModelSection(
        permutations=len(null.orders) - 1 if null.n_sessions else 0,
        unit="session",
        days_hold_several_sessions=null.days_are_shared,
        task_phases=phases.count,
        p_task_phases=phases.p_tasks,
        neighbours_alike=phases.serially_correlated,
        p_neighbours=phases.p_behaviour,
        model_changes=sum(a != b for a, b in pairwise(null.models)),
        client_changes=sum(a != b for a, b in pairwise(null.clients)),
        correction=(
            "each mechanism has a level of its own, and so have reliability and outcomes:"
            " p_adjusted is compared with .05 where p is compared with that level"
        ),
    )


def _system(
    trace: TraceSessions,
    hint: str | Mapping[str, Any] | None,
    trace_format: str,
) -> TraceSystem:
    records: dict[str, int] = {}
    for session in trace.sessions:
        for model, n in session.models.items():
            records[model] = records.get(model, 0) + n

    models = sorted(records.items(), key=lambda item: (-item[1], item[0]))
    usual = max(records, key=lambda model: (records[model], model), default=None)

    # What the user says of the system stands before what the trace says.
    if isinstance(hint, str):
        hint = {"sut_id": hint}
    options = dict(hint or {})
    provider = None if usual is None else _provider(usual)

    return TraceSystem(
        sut_id=options.pop("sut_id", f"{trace_format}:{usual or 'unknown model'}"),
        model_provider=options.pop("model_provider", provider),
        model_id=options.pop("model_id", usual),
        memory_policy_type=options.pop("memory_policy_type", None),
        models=options.pop("models", dict(models[:MOST_MODELS])),
        others=options,
    )


def _provider(model: str) -> str | None:
    name = model.casefold()
    for prefix, provider in PROVIDERS.items():
        if name.startswith(prefix):
            return provider

    return None


def _mechanism_metrics(inference: Inference) -> OwnMechanisms:
    """Return the canonical fields that a trace can fill; those that need gold answers stay null."""
    revision = inference.mechanisms["revision"]
    stale = revision.details
    damage = inference.mechanisms["maintenance"].details
    assert isinstance(stale, RevisionDetails)
    assert isinstance(damage, MaintenanceDetails)
    rate = None if stale.late_stale_rate is UNSET else stale.late_stale_rate
    n = 0 if stale.late_n is UNSET else stale.late_n

    return OwnMechanisms(
        revision=Revision(
            coverage_verdict=revision.coverage,
            stale_residue_rate=Figure(rate, n=n),
        ),
        maintenance=Maintenance(shock_sessions=damage.shock_sessions or None),
    )


def _cost(trace: TraceSessions, spending: TraceSpending) -> TraceCost:
    sessions = trace.sessions
    durations: list[float] = []
    for session in sessions:
        durations.extend(session.durations)

    measured = [session for session in sessions if session.load_n or session.output_tokens]
    uncached = sum(session.input_tokens for session in measured)
    cached = sum(session.cache_tokens for session in measured)
    output = sum(session.output_tokens for session in measured)
    mean = None
    if measured:
        mean = (uncached + cached + output) / len(measured)

    return TraceCost(
        total_input_tokens=uncached + cached if measured else None,
        total_input_tokens_uncached=uncached if measured else None,
        total_output_tokens=output if measured else None,
        tokens_per_session_mean=mean,
        total_calls=sum(s.model_calls for s in sessions),
        total_cost_usd=spending.total.cost_usd,
        latency_ms_p50=float(np.percentile(durations, 50)) if durations else None,
        latency_ms_p95=float(np.percentile(durations, 95)) if durations else None,
    )


def _latest_client(trace: TraceSessions) -> str | None:
    for session in reversed(trace.sessions):
        if session.client:
            return session.client

    return None
