"""The AgingCard of a trace audit: one JSON document, scrubbed, the same for the same evidence."""

from __future__ import annotations

import platform
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from agingbench import __version__
from agingbench.cards.check import (
    CARD_TYPE,
    SCHEMA_VERSION,
    empty_mechanisms,
    finish_card,
    without_paths,
)
from agingbench.records import ReadLog
from agingbench.telemetry.card_lookups import diagnostic_signature, recommended_repair
from agingbench.telemetry.inference.descriptive import descriptive_trends
from agingbench.telemetry.inference.dominant import dominant_mechanism
from agingbench.telemetry.inference.evidence import Mechanism, Signal, verdict
from agingbench.telemetry.inference.headline import headline
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.profile import MECHANISMS
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeCurve
from agingbench.traces.scrub.scrubber import Scrubber

RETENTION_DAYS = 32  # clients delete transcripts after 30 days by default


def make_card(
    trace: TraceSessions,
    inference: Inference,
    curve: OutcomeCurve,
    log: ReadLog,
    trace_format: str,
    sut_hint: str | Mapping[str, Any] | None = None,
    scrubbed: bool = True,
    chosen_by: str = "named",
) -> dict[str, Any]:
    """The finished card; `chosen_by` says why the profile is the one it is."""
    audit = trace_audit(trace, inference, curve, trace_format)
    audit["profile"] = {"name": trace.profile.name, "chosen_by": chosen_by}
    head = {k: v for k, v in audit["headline"].items() if k != "value"}
    card: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "card_type": CARD_TYPE,
        "card_kind": "trace",
        "generated_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "run_id": secrets.token_hex(8),
        "scenario": f"telemetry::{trace.profile.name}",
        "scenario_version": __version__,
        "suite_id": "adhoc",
        "tier": 2,
        "track": "agent",
        "sut": _sut(trace, sut_hint, trace_format),
        "seed": 0,
        "n_sessions": len(trace),
        "pressure": {},
        "headline": head,
        "mechanism_metrics": _mechanism_metrics(inference),
        "cost_and_efficiency": _cost(trace),
        "checkpoints": [[t, rate] for t, rate in enumerate(curve.rates) if rate is not None],
        "provenance": {
            "git_sha": None,
            "agingbench_version": __version__,
            "compute_environment": (
                f"python {platform.python_version()} {platform.system().lower()}"
            ),
            "agent_cli_version": _latest_client(trace),
            "fork_disclosed": False,
            "conflict_of_interest": False,
            "trace_format": trace_format,
            "profile": trace.profile.name,
            "outcome_rules_hash": trace.profile.rules_hash,
        },
        "warnings": _warnings(trace, inference, curve, log, scrubbed),
        "links": {"trace": None, "metrics": None, "dependency_metrics": None},
        "trace_audit": audit,
        "records": records_of(log),
    }

    if scrubbed:
        rules = [{"pattern": p, "replacement": r} for p, r in trace.profile.privacy_patterns]
        card = Scrubber(rules).json(card)

    card["sut"], card["provenance"] = without_paths(card["sut"]), without_paths(card["provenance"])
    return finish_card(card)


def records_of(log: ReadLog) -> dict[str, Any]:
    """What became of every record of the input."""
    return {
        "used": log.used,
        "ignored": sum(log.ignored.values()),
        "duplicate": log.duplicate,
        "malformed": log.n_malformed,
        "ignored_by_kind": dict(sorted(log.ignored.items(), key=lambda kv: (-kv[1], kv[0]))[:40]),
        "flags": dict(sorted(log.flags.items())),
    }


def trace_audit(
    trace: TraceSessions, inference: Inference, curve: OutcomeCurve, trace_format: str
) -> dict[str, Any]:
    """The `trace_audit` block: one block per mechanism, consistency, headline, selector, signature
    and repair.
    """
    chosen = dominant_mechanism(inference, trace.profile, trace)
    tool_calls = sum(s.tool_calls for s in trace.sessions)
    return {
        "derived_from": "behavioral_dag",
        "deployment_type": trace.profile.deployment_type,
        "n_sessions_detected": len(trace),
        "n_outcome_events": curve.linked,
        "n_outcome_events_unlinked": curve.unlinked,
        "session_detection_mode": trace.mode,
        "outcome_rules_hash": trace.profile.rules_hash,
        **{
            name: mechanism_block(inference.mechanisms[name], inference.null) for name in MECHANISMS
        },
        "consistency": inference.consistency,
        "headline": headline(inference, curve),
        "trace_regime": {
            "tool_using": tool_calls > 0,
            "multi_session": len(trace) > 1,
            "outcomes": "linked" if curve.linked else "absent",
            "n_sessions": len(trace),
            "n_records": trace.n_events,
            "n_tool_calls": tool_calls,
            "n_days": None if inference.null.days is None else len(set(inference.null.days)),
            "n_models": len(set(inference.null.models)),
            "adapter": trace_format,
        },
        "session_times": [None if s.start is None else round(s.start, 3) for s in trace.sessions],
        "null_model": _null_model(inference),
        "dominant_mechanism": chosen,
        "signature": diagnostic_signature(chosen["dominant"]),
        "repair": recommended_repair(chosen["dominant"]),
    }


def mechanism_block(mechanism: Mechanism, null: NullModel) -> dict[str, Any]:
    """One mechanism as it stands on the card."""
    leading = mechanism.leading
    top = leading.figures() if leading is not None else {}
    block: dict[str, Any] = {
        "derived_from": mechanism.derived_from,
        "weak_evidence": mechanism.weak,
        "fired": mechanism.answer,
        "reason": mechanism.reason,
        "confounded_by": mechanism.confounder,
        "p": mechanism.p,
        "p_adjusted": mechanism.p_adjusted,
        "p_days": None if mechanism.test is None else mechanism.test.p_days,
        "leading_signal": None if leading is None else leading.name,
        "effect": top.get("effect"),
        "effect_ci": top.get("effect_ci"),
        "interval": top.get("effect_ci"),
        "effect_unit": top.get("effect_unit"),
        "n": top.get("n", 0),
        "smallest_visible_effect": top.get("smallest_visible_effect"),
        "standardised_effect": (
            round(mechanism.standardised_effect(), 6) if leading is not None else None
        ),
        "coverage": {
            "verdict": mechanism.coverage,
            "n": top.get("n", 0),
            "n_sessions": top.get("n_sessions", 0),
            "smallest_visible_effect": top.get("smallest_visible_effect"),
        },
        "signals": {s.name: s.figures() for s in mechanism.signals},
        **mechanism.details,
        **descriptive_trends(mechanism, null),
    }

    for signal in mechanism.signals:
        block |= _series(signal)

    if mechanism.name == "revision":
        block |= _aliases(block)

    return block


def _series(signal: Signal) -> dict[str, Any]:
    trajectory = [None if v is None else round(signal.unit_of(v), 6) for v in signal.trajectory]
    slope = None if signal.test is None or signal.test.fit is None else signal.test.fit.effect
    return {
        f"{signal.name}_trajectory": trajectory,
        f"{signal.name}_slope": (
            None if slope is None else round(slope / max(1, len(trajectory) - 1), 8)
        ),
        f"{signal.name}_verdict": verdict(signal),
    }


def _aliases(block: dict[str, Any]) -> dict[str, Any]:
    """The older names of value supersession, both families."""
    found: dict[str, Any] = {"violation_trajectory": block["value_supersession_trajectory"]}
    for part in ("trajectory", "slope", "verdict"):
        found[f"per_session_violation_{part}"] = block[f"value_supersession_{part}"]
        if part != "trajectory":
            found[f"violation_trajectory_{part}"] = block[f"value_supersession_{part}"]

    return found


def _null_model(inference: Inference) -> dict[str, Any]:
    null = inference.null
    phases = inference.phases
    return {
        "permutations": len(null.orders) - 1 if null.n_sessions else 0,
        "unit": "session",
        "days_hold_several_sessions": null.days_are_shared,
        "task_phases": phases.count,
        "p_task_phases": phases.p_tasks,
        "neighbours_alike": phases.serially_correlated,
        "p_neighbours": phases.p_behaviour,
        "model_changes": sum(a != b for a, b in pairwise(null.models)),
        "client_changes": sum(a != b for a, b in pairwise(null.clients)),
        "correction": (
            "Holm over the mechanisms tested, the tool mix with a larger share of the level"
        ),
    }


def _sut(
    trace: TraceSessions, hint: str | Mapping[str, Any] | None, trace_format: str
) -> dict[str, Any]:
    models: dict[str, int] = {}
    for session in trace.sessions:
        for model, n in session.models.items():
            models[model] = models.get(model, 0) + n

    usual = max(models, key=lambda m: (models[m], m)) if models else None
    told = {"sut_id": hint} if isinstance(hint, str) else dict(hint or {})
    provider = None

    if usual is not None:
        known = {
            "claude": "anthropic",
            "gpt": "openai",
            "o1": "openai",
            "o3": "openai",
            "gemini": "google",
        }
        provider = next((v for k, v in known.items() if usual.casefold().startswith(k)), None)

    return {
        "sut_id": f"{trace_format}:{usual or 'unknown model'}",
        "model_provider": provider,
        "model_id": usual,
        "memory_policy_type": None,
        "models": dict(sorted(models.items(), key=lambda kv: (-kv[1], kv[0]))[:20]),
        **told,
    }


def _mechanism_metrics(inference: Inference) -> dict[str, Any]:
    """The canonical fields that a trace can fill; gold-based ones stay null."""
    blocks = empty_mechanisms()
    revision = inference.mechanisms["revision"]
    damage = inference.mechanisms["maintenance"].details
    blocks["revision"]["coverage_verdict"] = revision.coverage
    late = revision.details.get("late_stale_rate")
    blocks["revision"] |= {
        "stale_residue_rate": late,
        "stale_residue_rate_n": revision.details.get("late_n", 0),
    }
    blocks["maintenance"]["shock_sessions"] = damage["shock_sessions"] or None

    return blocks


def _cost(trace: TraceSessions) -> dict[str, Any]:
    sessions = trace.sessions
    measured = [s for s in sessions if s.load_n or s.output_tokens]
    tokens = [s.input_tokens + s.cache_tokens + s.output_tokens for s in measured]
    costs = [s.cost for s in sessions if s.cost is not None]
    durations = [d for s in sessions for d in s.durations]

    return {
        "total_input_tokens": (
            sum(s.input_tokens + s.cache_tokens for s in measured) if measured else None
        ),
        "total_input_tokens_uncached": sum(s.input_tokens for s in measured) if measured else None,
        "total_output_tokens": sum(s.output_tokens for s in measured) if measured else None,
        "tokens_per_session_mean": sum(tokens) / len(tokens) if tokens else None,
        "total_calls": sum(s.model_calls for s in sessions),
        "total_cost_usd": sum(costs) if costs else None,
        "latency_ms_p50": float(np.percentile(durations, 50)) if durations else None,
        "latency_ms_p95": float(np.percentile(durations, 95)) if durations else None,
    }


def _latest_client(trace: TraceSessions) -> str | None:
    return next((s.client for s in reversed(trace.sessions) if s.client), None)


def _warnings(
    trace: TraceSessions, inference: Inference, curve: OutcomeCurve, log: ReadLog, scrubbed: bool
) -> list[str]:
    out = ["telemetry_partial"]
    if not len(trace):
        out.append("telemetry_empty_trace")
    if not curve.linked:
        out.append("telemetry_no_outcome_events")

    if curve.unlinked:
        out.append(
            f"outcomes_not_linked: {curve.unlinked} outcome events belong to no session of this"
            " trace"
        )

    out += [
        f"mechanism_not_exercised:{m.name}" for m in inference.mechanisms.values() if m.p is None
    ]
    out += [
        f"confounded:{m.name}: {m.confounder}"
        for m in inference.mechanisms.values()
        if m.confounder
    ]
    if inference.phases.count > 1:
        out.append(f"task_phases: the tasks come in {inference.phases.count} stretches")
    if inference.consistency.get("encoder_note"):
        out.append(f"similarity: {inference.consistency['encoder_note']}")

    out += _truncation(trace)
    if log.n_malformed:
        out.append(f"malformed_records: {log.n_malformed}")

    out += [f"{name}: {n}" for name, n in sorted({**trace.flags, **log.flags}.items()) if n]
    if not scrubbed:
        out.append("not_scrubbed: this card was made with --no-scrub")

    return out


def _truncation(trace: TraceSessions) -> list[str]:
    """Left truncation by the client's retention, and sessions that were cut at the window."""
    out = []
    times = [s.start for s in trace.sessions if s.start is not None]

    if not trace.logical and len(times) > 1 and any(s.clients for s in trace.sessions):
        span = (max(times) - min(times)) / 86_400
        if 20 <= span <= RETENTION_DAYS:
            out.append(
                "left_truncated: clients delete transcripts after 30 days; keep them with"
                " `agingbench archive`"
            )

    full = sum(1 for s in trace.sessions if s.window_n and s.saturated / s.window_n > 0.85)
    if full > 0.25 * max(1, len(trace)):
        out.append(
            f"length_censored: {full} of {len(trace)} sessions ran near the full context window"
        )

    return out
