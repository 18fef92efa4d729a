"""A life's AgingCard, made from the files of the run and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from agingbench import __version__
from agingbench.agents.react import PROTOCOL
from agingbench.bench.diagnosis.floor_and_ceiling import Bounds, bounds_section, not_asked
from agingbench.bench.diagnosis.hints import (
    MechanismShares,
    diagnosis_document,
    incomplete_warning,
    mechanism_shares,
)
from agingbench.bench.diagnosis.ladder import Diagnosis
from agingbench.bench.life.actions import ENABLE_TYPED_STATE
from agingbench.bench.life.control import ControlSection, action_of, control_section
from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scoring.conduct import FORBIDDEN, ask_for_acts
from agingbench.bench.scoring.life_card import (
    LifeCard,
    LifeCompression,
    LifeHeadline,
    LifeInterference,
    LifeMaintenance,
    LifeMechanisms,
    LifeProvenance,
    LifeRevision,
    LifeSystem,
    Trajectory,
)
from agingbench.bench.scoring.program_checks import NO_PROGRAM
from agingbench.bench.scoring.score import LifeScores, code_pass_rate
from agingbench.cards.check import seal_card, without_paths
from agingbench.cards.figures import Figure
from agingbench.cards.model import CostAndEfficiency, Track
from agingbench.memory.typed_state import SIDECAR, carries_sentinels
from agingbench.metrics.intervals import Estimate
from agingbench.metrics.mechanisms import WindowDelta, mean_value
from agingbench.records import AgentIdentity, Event, Usage
from agingbench.registry import without_folder
from agingbench.sandbox.interpreters import IN_PLACE_OF
from agingbench.traces.canonical import content_hash
from agingbench.trials.declarations import Declarations
from agingbench.trials.record import TrialRecord
from agingbench.trials.run_folder import (
    CONTROLLER_ACTION,
    LIFE_START,
    AnswerRow,
    LifeStart,
    SystemRecord,
    life_start,
)

ADEQUATE_PROBES = 10
MOST_UNFORMATTED = 0.2  # beyond this share the card warns
MOST_UNDECIDED = 0.2  # beyond this share of open tasks the card warns


def total_usage(events: Iterable[Event], answers: Iterable[AnswerRow]) -> Usage:
    """Add up what the whole life took; every call is either in the trace or in the answers."""
    total = Usage()
    for event in events:
        if event.usage is not None:
            total += event.usage
    for row in answers:
        total += row.usage
    return total


@dataclass(frozen=True)
class Findings:
    """The diagnosis and the bounds of a life, and how many answers its diagnosis still lacks."""

    diagnosis: Diagnosis | None = None
    bounds: Bounds | None = None
    missing: int = 0


NO_FINDINGS = Findings()


def make_card(
    plan: Plan,
    scenario: Scenario,
    sut: SystemRecord,
    scores: LifeScores,
    events: list[Event],
    answers: list[AnswerRow],
    findings: Findings = NO_FINDINGS,
) -> LifeCard:
    """Make the card of one life; `seal` adds its trial's reference and its hash."""
    start = life_start(events)
    diagnosis = findings.diagnosis
    product = start.agent or None

    warnings = _warnings(plan, sut, scores) + _idle_overlay(plan, sut, events)
    warnings += _confinement(product)
    if findings.missing:
        warnings.append(incomplete_warning(findings.missing))

    links: dict[str, str | None] = {
        "trace": "trace.jsonl",
        "metrics": "metrics.json",
        "dependency_metrics": "dependency_metrics.json",
    }
    if diagnosis:
        links["diagnosis"] = "diagnosis.json"

    monitor: str | UnsetType | None = UNSET
    control: ControlSection | UnsetType = UNSET
    if sut.controller:
        monitor = start.monitor or None
        control = control_section(sut.controller, monitor, events)

    return LifeCard(
        generated_at=_last_time(events),
        run_id=_run_id(plan, sut, events),
        scenario=plan.scenario,
        scenario_version=plan.scenario_version,
        tier=scenario.tier,
        track="agent" if product is not None else cast(Track, scenario.track),
        sut=_system(sut, start, events),
        seed=plan.seed,
        n_sessions=plan.n_sessions,
        pressure={"preset": plan.preset, **plan.pressure.as_dials()},
        pressure_turned=_turned_dials(plan, scenario),
        lifecycle_events=[str(event) for event in plan.events],
        probes_asked=plan.asked or UNSET,
        headline=_headline(scenario, scores, start, findings.bounds),
        mechanism_metrics=_mechanisms(plan, scores, diagnosis),
        cost_and_efficiency=_cost(plan, events, answers),
        checkpoints=[(point.t, point.m) for point in scores.curve],
        checkpoint_intervals=[(p.t, p.low, p.high, p.n) for p in scores.curve],
        provenance=LifeProvenance(
            git_sha=start.git_sha or None,
            agent_cli_version=product.version if product is not None else None,
            agent=start.agent,
            agingbench_version=start.agingbench_version or __version__,
            compute_environment=start.compute_environment or "unknown",
            plan_hash=plan.hash,
            prompt_hashes=start.prompt_hashes or {},
            memory_versions=start.memory_versions,
        ),
        warnings=warnings,
        links=links,
        diagnosis=diagnosis_document(diagnosis, plan) if diagnosis else UNSET,
        calibration=bounds_section(findings.bounds, plan) if findings.bounds else UNSET,
        paper=scores.paper if scores.dependable else UNSET,
        monitor=monitor,
        control=control,
    )


def _run_id(plan: Plan, sut: SystemRecord, events: Iterable[Event]) -> str:
    start = next((event for event in events if event.lifecycle == LIFE_START), None)
    about = start.metadata or {} if start else {}
    started_at = start.timestamp if start else None
    return content_hash([plan.hash, sut.document(), about, started_at])[:16]


def seal(card: LifeCard, trial: TrialRecord, record_hash: str, declares: Declarations) -> LifeCard:
    """Return the card with its content hash, its trial's name and what the user declared."""
    provenance = msgspec.structs.replace(
        card.provenance,
        trial_id=trial.trial_id,
        record_hash=record_hash,
        fork_disclosed=declares.fork_disclosed,
        conflict_of_interest=declares.conflict_of_interest,
    )
    return seal_card(msgspec.structs.replace(card, provenance=provenance))


def _system(sut: SystemRecord, start: LifeStart, events: Iterable[Event]) -> LifeSystem:
    model = without_folder(sut.model)
    memory = without_folder(sut.memory)
    provider, _, model_id = model.partition(":")
    if provider == "gguf":
        model_id = model_id.replace("\\", "/").rpartition("/")[2]
    return LifeSystem(
        sut_id=sut.sut_id,
        model_provider="embedded" if sut.model == "extractive" else provider,
        model_id=model_id or model,
        memory_policy_type=start.memory_policy_type or memory,
        memory=memory,
        memory_options=without_paths(sut.memory_options),
        agent=without_folder(sut.agent),
        config_hash_sha256=content_hash(sut.document()),
        tool_protocol=_tool_protocol(events),
        role=sut.role,
    )


def _confinement(product: AgentIdentity | None) -> list[str]:
    """A warning where a product could write outside its workspace or reach the network."""
    if product is None or product.confinement == "bubblewrap":
        return []
    return [
        f"unconfined_agent: {product.product} ran without confinement"
        f" ({product.confinement.removeprefix('none: ')}); its shell could leave its workspace"
    ]


def _tool_protocol(events: Iterable[Event]) -> str | UnsetType:
    """The protocol of tool calls where it is not the model's own."""
    for event in events:
        protocol = (event.metadata or {}).get(PROTOCOL)
        if isinstance(protocol, str):
            return protocol
    return UNSET


def _turned_dials(plan: Plan, scenario: Scenario) -> dict[str, int | float | None]:
    preset = PRESETS[plan.preset].effective(plan.n_sessions).as_dials()
    preset |= scenario.own_defaults
    dials = plan.pressure.as_dials()
    return {name: value for name, value in dials.items() if preset.get(name) != value}


def _headline(
    scenario: Scenario, scores: LifeScores, start: LifeStart, bounds: Bounds | None
) -> LifeHeadline:
    floor = bounds.floor if bounds else not_asked()
    ceiling = bounds.ceiling if bounds else not_asked()

    m0_basis = "session 0 in context"
    if start.owns_workspace:
        m0_basis = "workspace after session 0"

    headline = LifeHeadline(
        metric_name=scenario.headline,
        m0_basis=m0_basis,
        floor=Figure.of(floor.headline),
        floor_reason=floor.reason,
        ceiling=Figure.of(ceiling.headline),
        ceiling_reason=ceiling.reason,
        unformatted_share=Figure.of(scores.unformatted) if scores.unformatted.n else UNSET,
    )
    if not scores.dependable:
        return headline

    stats = scores.headline
    return msgspec.structs.replace(
        headline,
        m0=Figure.of(stats.m0),
        m_final=Figure.of(stats.m_final),
        decay_slope=Figure.of(stats.decay_slope),
        hazard_proxy=Figure.of(stats.hazard_proxy),
        time_average=Figure.of(stats.time_average),
        first_write_loss=Figure.of(stats.first_write_loss),
        half_life=Figure(stats.half_life, stats.half_life_ci or None, stats.n_points),
        half_life_censored=stats.half_life_censored,
        half_life_reason=stats.half_life_reason,
        half_life_first_crossing=stats.half_life_first_crossing,
        aging_detected=stats.aging_detected,
        aging_reason=stats.aging_reason,
    )


# -- mechanisms


def _mechanisms(plan: Plan, scores: LifeScores, diagnosis: Diagnosis | None) -> LifeMechanisms:
    shares = mechanism_shares(diagnosis) if diagnosis else {}
    unknown = MechanismShares()
    resistance = scores.probe_metrics["interference_resistance"]
    return LifeMechanisms(
        compression=_compression(plan, scores, shares.pop("compression", unknown)),
        interference=LifeInterference(
            resistance=Figure.of(resistance),
            n_probes=resistance.n,
            confusion_rate=_share(scores, "interference_resistance", ("confused", "both")),
            miss_rate=_share(scores, "interference_resistance", ("wrong", "unanswered", "stale")),
            confusion_given_stored=Figure.of(scores.stored.confusion_given_stored),
            plain_error_given_stored=Figure.of(scores.stored.plain_error_given_stored),
            stored_share=Figure.of(scores.stored.stored_share),
            plain_stored_share=Figure.of(scores.stored.plain_stored_share),
            others=shares.pop("interference", unknown).document(),
        ),
        revision=_revision(scores, shares.pop("revision", unknown)),
        maintenance=_maintenance(plan, scores, shares.pop("maintenance", unknown)),
        others={name: section.document() for name, section in shares.items()},
    )


def _compression(plan: Plan, scores: LifeScores, shares: MechanismShares) -> LifeCompression:
    metrics = scores.probe_metrics
    rows = scores.rows["compression_recall"]
    recall = []
    for t in sorted({row.t for row in rows}):
        point_rows = [row for row in rows if row.t == t]
        recall.append((t, mean_value(point_rows).value))

    fidelity = scores.memory_metrics["summarization_fidelity"]
    section = LifeCompression(
        score=Figure.of(metrics["compression_recall"]),
        trajectory=recall,
        first_write_loss=Figure.of(scores.headline.first_write_loss),
        summarization_fidelity_trajectory=_trajectory(fidelity),
        keyword_m_trajectory=_trajectory(scores.memory_metrics["keyword_m"]),
        dep_recall=Figure.of(metrics["dep_recall"]),
        code_pass_rate=Figure.of(scores.code_pass_rate) if scores.code else UNSET,
        others=shares.document(),
    )
    if plan.checks_workspace:
        by_point = {session + 1: part for session, part in scores.code_by_session.items()}
        section = msgspec.structs.replace(section, program_trajectory=_trajectory(by_point))

    if plan.tickets:
        downstream = Figure.of(code_pass_rate(check for check in scores.code if check.session > 0))
        section = msgspec.structs.replace(section, downstream_pass_rate=downstream)

    # Only where the agent has files of its own; stale values are counted apart and leave the
    # fidelity as it is.
    workspace_fidelity = scores.memory_metrics.get("workspace_fidelity")
    if workspace_fidelity is None:
        return section
    return msgspec.structs.replace(
        section,
        workspace_fidelity_trajectory=_trajectory(workspace_fidelity),
        stale_in_workspace=list(scores.stale_in_workspace.items()),
    )


def _revision(scores: LifeScores, shares: MechanismShares) -> LifeRevision:
    metrics = scores.probe_metrics
    errors = scores.accumulator
    conduct = scores.conduct
    tests = [task for task in scores.tasks if task.expected == FORBIDDEN]
    undecided = [task for task in tests if task.decided is None]

    section = LifeRevision(
        version_accuracy=Figure.of(metrics["version_accuracy"]),
        forget_accuracy=Figure.of(metrics["forget_accuracy"]),
        accumulator_accuracy=Figure.of(metrics["accumulator_accuracy"]),
        accumulator_abs_error=Figure(errors.absolute, n=errors.n),
        accumulator_rel_error=Figure(errors.relative, n=errors.n),
        accumulator_unanswered=errors.n_unanswered,
        compounding_detected=scores.compounding,
        stale_residue_rate=_share(scores, "version_accuracy", ("stale", "both")),
        coverage_verdict=_coverage(metrics["version_accuracy"].n),
        cvr=Figure.of(conduct.cvr),
        cvr_undecided=len(undecided),
        others=shares.document(),
    )
    if not ask_for_acts(scores.tasks):
        return section
    return msgspec.structs.replace(
        section,
        over_refusal_rate=Figure.of(conduct.over_refusal_rate),
        undecided_share=Figure.of(conduct.undecided_share),
        cite_accuracy=Figure.of(conduct.cite_accuracy),
        unasked_violations=conduct.unasked_violations,
    )


def _maintenance(plan: Plan, scores: LifeScores, shares: MechanismShares) -> LifeMaintenance:
    if not plan.events:
        return LifeMaintenance(others=shares.document())

    window = scores.windows[str(plan.events[0])]
    section = LifeMaintenance(
        pre_shock=Figure(window.pre, n=window.n_pre),
        post_shock=Figure(window.post, n=window.n_post),
        delta=Figure(window.delta, n=window.n_pre + window.n_post),
        basis="pre/post window of two points",
        shock_sessions=[event.at for event in plan.events],
        events=[str(event) for event in plan.events],
        others=shares.document(),
    )
    if not plan.checks_workspace:
        return section
    return msgspec.structs.replace(
        section,
        recall_deltas=_deltas(scores.windows),
        program_deltas=_deltas(scores.code_windows),
    )


def _deltas(windows: Mapping[str, WindowDelta]) -> list[tuple[str, float | None]]:
    return [(event, window.delta) for event, window in windows.items()]


def _trajectory(series: Mapping[int, Estimate]) -> Trajectory:
    return [(t, estimate.value, estimate.n) for t, estimate in series.items()]


def _share(scores: LifeScores, metric: str, verdicts: tuple[str, ...]) -> Figure:
    rows = [row for row in scores.rows[metric] if row.value is not None]
    if not rows:
        return Figure(None, n=0)
    hits = sum(row.verdict in verdicts for row in rows)
    return Figure(hits / len(rows), n=len(rows))


def _coverage(n: int) -> str:
    if n == 0:
        return "not_exercised"
    if n < ADEQUATE_PROBES:
        return "underpowered"
    return "adequate"


# -- cost and warnings


def _cost(plan: Plan, events: list[Event], answers: list[AnswerRow]) -> CostAndEfficiency:
    usage = total_usage(events, answers)
    durations = [event.duration_ms for event in events if event.role == "assistant"]
    durations += [row.latency_ms for row in answers]
    latencies = [duration for duration in durations if duration is not None]

    tokens_per_session = None
    if usage.input_tokens is not None and usage.output_tokens is not None:
        tokens_per_session = (usage.input_tokens + usage.output_tokens) / plan.n_sessions

    return msgspec.structs.replace(
        CostAndEfficiency.of(usage),
        tokens_per_session_mean=tokens_per_session,
        latency_ms_p50=_percentile(latencies, 50),
        latency_ms_p95=_percentile(latencies, 95),
        probe_turns_mean=_mean_told(row.turns for row in answers),
        probe_tool_calls_mean=_mean_told(row.tool_calls for row in answers),
    )


def _mean_told(counts: Iterable[int | None]) -> float | UnsetType:
    """The mean of what was counted; unset where nothing was."""
    told = [count for count in counts if count is not None]
    return sum(told) / len(told) if told else UNSET


def _percentile(latencies: list[float], percent: int) -> float | None:
    if not latencies:
        return None
    return float(np.percentile(latencies, percent))


def _warnings(plan: Plan, sut: SystemRecord, scores: LifeScores) -> list[str]:
    metrics = scores.probe_metrics
    revision = ("version_accuracy", "forget_accuracy", "accumulator_accuracy")
    exercised = {
        "compression": metrics["compression_recall"].n,
        "interference": metrics["interference_resistance"].n,
        "revision": sum(metrics[name].n for name in revision),
        "maintenance": len(plan.events),
    }
    warnings = [f"mechanism_not_exercised:{name}" for name, n in exercised.items() if n == 0]

    if not scores.dependable:
        warnings.append(f"no_headline: {scores.failed_share:.0%} of the probes failed in transport")
    elif scores.failed_share:
        warnings.append(
            f"failed_probes: {scores.failed_share:.1%} of the probes failed in transport and count"
            " for nothing"
        )

    unformatted = scores.unformatted.value
    if unformatted is not None and unformatted > MOST_UNFORMATTED:
        warnings.append(
            f"unformatted_answers: {unformatted:.0%} of the answers lack the line that was asked"
            " for and were read as free text"
        )

    refusals = [check.detail for check in scores.code if check.status == "unavailable"]
    if refusals:
        checks = f"{len(refusals)} of {len(scores.code)} checks"
        warnings.append(f"code_not_executed: {checks}, {refusals[0]}")
    elif plan.checks and all(check.detail.startswith(NO_PROGRAM) for check in scores.code):
        warnings.append("no_program: the workspace never held the program, so every check failed")
    elif scores.code and scores.code_pass_rate.n == 0:
        warnings.append("code_not_exercised: no reply holds a block of code")

    elsewhere = [check.detail for check in scores.code if IN_PLACE_OF in check.detail]
    if elsewhere:
        checks = f"{len(elsewhere)} of {len(scores.code)} checks"
        warnings.append(f"other_python: {checks}, such as: {elsewhere[0]}")

    undecided = scores.conduct.undecided_share.value
    if undecided is not None and undecided > MOST_UNDECIDED:
        warnings.append(
            f"undecided_tasks: {undecided:.0%} of the tasks were neither done nor declined, and cvr"
            " says nothing about them"
        )

    if sut.model == "extractive":
        warnings.append("embedded_reader: extractive is a rule-based reader, not a language model")
    return warnings


def _idle_overlay(plan: Plan, sut: SystemRecord, events: Iterable[Event]) -> list[str]:
    actions = [action_of(event).name for event in events if event.lifecycle == CONTROLLER_ACTION]
    typed_state = ENABLE_TYPED_STATE in actions or sut.memory.startswith(SIDECAR)
    if not typed_state:
        return []
    if any(carries_sentinels(session.text) for session in plan.sessions):
        return []
    return ["typed_state_without_sentinels: the sessions carry none, so the overlay did nothing"]


def time_of(event: Event) -> datetime:
    """Return when an event happened; an event without a timestamp counts as happening now."""
    if not event.timestamp:
        return datetime.now(UTC)
    return datetime.fromisoformat(event.timestamp)


def _last_time(events: list[Event]) -> str:
    return time_of(events[-1]).isoformat().replace("+00:00", "Z")
