"""A life's AgingCard, made from the files of the run and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from agingbench import __version__
from agingbench.bench.diagnosis.floor_and_ceiling import (
    Calibration,
    calibration_json,
    headline_bounds,
)
from agingbench.bench.diagnosis.hints import diagnosis_json, incomplete, mechanism_shares
from agingbench.bench.diagnosis.ladder import Diagnosis
from agingbench.bench.life.actions import ENABLE_TYPED_STATE
from agingbench.bench.life.control import action_of, control_json
from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scoring.score import Scores
from agingbench.cards.check import (
    CARD_TYPE,
    SCHEMA_VERSION,
    empty_mechanisms,
    finish_card,
    without_paths,
)
from agingbench.memory.typed_state import SIDECAR, carries_sentinels
from agingbench.metrics.intervals import Estimate
from agingbench.metrics.mechanisms import mean_value
from agingbench.records import Event, Usage
from agingbench.traces.canonical import content_hash
from agingbench.trials.record import TrialRecord
from agingbench.trials.run_folder import CONTROLLER_ACTION, LIFE_START, OWNS_WORKSPACE, AnswerRow


def total_usage(events: Iterable[Event], answers: Iterable[AnswerRow]) -> Usage:
    """What the whole life took: every call is in the trace or in the answers, and in one of them
    only.
    """
    total = Usage()
    for usage in [e.usage for e in events if e.usage is not None] + [row.usage for row in answers]:
        total += usage
    return total


@dataclass(frozen=True)
class Extra:
    """What was asked of a life after its end; `missing` answers of a diagnosis that was begun are
    still to come.
    """

    diagnosis: Diagnosis | None = None
    calibration: Calibration | None = None
    missing: int = 0


NOTHING = Extra()


def make_card(
    plan: Plan,
    scenario: Scenario,
    sut: dict[str, Any],
    scores: Scores,
    events: list[Event],
    answers: list[AnswerRow],
    extra: Extra = NOTHING,
) -> dict[str, Any]:
    """The card of one life, without its trial's reference and its hash."""
    start = next((e for e in events if e.lifecycle == LIFE_START), None)
    about = dict(start.metadata or {}) if start else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "card_type": CARD_TYPE,
        "card_kind": "life",
        "generated_at": _last_time(events),
        "run_id": content_hash([plan.hash, sut, about, start.timestamp if start else None])[:16],
        "scenario": plan.scenario,
        "scenario_version": plan.scenario_version,
        "suite_id": "adhoc",
        "tier": scenario.tier,
        "track": scenario.track,
        "sut": _sut(sut, about),
        "seed": plan.seed,
        "n_sessions": plan.n_sessions,
        "pressure": {"preset": plan.preset, **plan.pressure.as_dials()},
        "pressure_turned": _turned(plan, scenario),
        "lifecycle_events": [str(e) for e in plan.events],
        **control_json(sut.get("controller"), about, events),
        "headline": {**_headline(scenario, scores, about), **headline_bounds(extra.calibration)},
        "mechanism_metrics": _with_shares(_mechanisms(plan, scores), extra.diagnosis),
        "cost_and_efficiency": _cost(plan, events, answers),
        "checkpoints": [[p.t, p.m] for p in scores.curve],
        "checkpoint_intervals": [[p.t, p.low, p.high, p.n] for p in scores.curve],
        "provenance": {
            "git_sha": about.get("git_sha"),
            "agingbench_version": about.get("agingbench_version", __version__),
            "compute_environment": about.get("compute_environment", "unknown"),
            "agent_cli_version": None,
            "fork_disclosed": False,
            "conflict_of_interest": False,
            "plan_hash": plan.hash,
            "prompt_hashes": about.get("prompt_hashes", {}),
        },
        "warnings": (
            _warnings(plan, scenario, sut, scores)
            + _idle_overlay(plan, sut, events)
            + _unfinished(extra)
        ),
        "links": {
            "trace": "trace.jsonl",
            "metrics": "metrics.json",
            "dependency_metrics": "dependency_metrics.json",
            **({"diagnosis": "diagnosis.json"} if extra.diagnosis else {}),
        },
        **({"diagnosis": diagnosis_json(extra.diagnosis, plan)} if extra.diagnosis else {}),
        **({"calibration": calibration_json(extra.calibration, plan)} if extra.calibration else {}),
    }


def seal(card: dict[str, Any], trial: TrialRecord, record_hash: str) -> dict[str, Any]:
    """The finished card, naming the trial it belongs to."""
    provenance = {**card["provenance"], "trial_id": trial.trial_id, "record_hash": record_hash}
    return finish_card({**card, "provenance": provenance})


def _figure(name: str, estimate: Estimate) -> dict[str, Any]:
    ci = None if estimate.low is None else [estimate.low, estimate.high]
    return {name: estimate.value, f"{name}_ci": ci, f"{name}_n": estimate.n}


def _sut(sut: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    provider, _, model_id = sut["model"].partition(":")
    model_id = model_id.replace("\\", "/").rpartition("/")[2] if provider == "gguf" else model_id
    return {
        "sut_id": sut["sut_id"],
        "model_provider": "embedded" if sut["model"] == "extractive" else provider,
        "model_id": model_id or sut["model"],
        "memory_policy_type": about.get("memory_policy_type", sut["memory"]),
        "memory": sut["memory"],
        "memory_options": without_paths(sut["memory_options"]),
        "agent": sut["agent"],
        "config_hash_sha256": content_hash(sut),
    }


def _turned(plan: Plan, scenario: Scenario) -> dict[str, Any]:
    preset = PRESETS[plan.preset].effective(plan.n_sessions).as_dials() | getattr(
        scenario, "own_defaults", {}
    )
    return {
        name: value for name, value in plan.pressure.as_dials().items() if preset.get(name) != value
    }


def _headline(scenario: Scenario, scores: Scores, about: dict[str, Any]) -> dict[str, Any]:
    basis = "workspace after session 0" if about.get(OWNS_WORKSPACE) else "session 0 in context"
    name: dict[str, Any] = {
        "metric_name": scenario.headline,
        "scope": "this life",
        "m0_basis": basis,
    }
    if not scores.dependable:
        return {
            **name,
            **dict.fromkeys(
                ("m0", "m_final", "half_life", "decay_slope", "hazard_proxy", "aging_detected")
            ),
        }
    stats = scores.headline
    figures: dict[str, Any] = {}
    for key in ("m0", "m_final", "decay_slope", "hazard_proxy", "time_average", "first_write_loss"):
        figures |= _figure(key, getattr(stats, key))
    return {
        **name,
        **figures,
        "half_life": stats.half_life,
        "half_life_ci": list(stats.half_life_ci) if stats.half_life_ci else None,
        "half_life_n": stats.n_points,
        "half_life_censored": stats.half_life_censored,
        "half_life_reason": stats.half_life_reason,
        "half_life_first_crossing": stats.half_life_first_crossing,
        "aging_detected": stats.aging_detected,
        "aging_reason": stats.aging_reason,
    }


def _mechanisms(plan: Plan, scores: Scores) -> dict[str, Any]:
    blocks = empty_mechanisms()
    metrics = scores.probe_metrics
    fidelity = scores.memory_metrics["summarization_fidelity"]
    blocks["compression"] |= {
        **_figure("score", metrics["compression_recall"]),
        "trajectory": [[t, e.value] for t, e in _by_point(scores, "compression_recall").items()],
        **_figure("first_write_loss", scores.headline.first_write_loss),
        "summarization_fidelity_trajectory": [[t, e.value, e.n] for t, e in fidelity.items()],
        "keyword_m_trajectory": [
            [t, e.value, e.n] for t, e in scores.memory_metrics["keyword_m"].items()
        ],
        **_figure("dep_recall", metrics["dep_recall"]),
        **_workspace(scores),
        **(_figure("code_pass_rate", scores.code_pass_rate) if scores.code else {}),
    }
    blocks["interference"] |= {
        **_figure("resistance", metrics["interference_resistance"]),
        "n_probes": metrics["interference_resistance"].n,
        **_share(scores, "interference_resistance", "confusion_rate", ("confused", "both")),
        **_share(scores, "interference_resistance", "miss_rate", ("wrong", "unanswered", "stale")),
    }
    blocks["revision"] |= {
        **_figure("version_accuracy", metrics["version_accuracy"]),
        **_figure("forget_accuracy", metrics["forget_accuracy"]),
        **_figure("accumulator_accuracy", metrics["accumulator_accuracy"]),
        "accumulator_abs_error": scores.accumulator.absolute,
        "accumulator_abs_error_n": scores.accumulator.n,
        "accumulator_rel_error": scores.accumulator.relative,
        "accumulator_rel_error_n": scores.accumulator.n,
        "accumulator_unanswered": scores.accumulator.n_unanswered,
        "compounding_detected": scores.compounding,
        **_share(scores, "version_accuracy", "stale_residue_rate", ("stale", "both")),
        "coverage_verdict": _coverage(metrics["version_accuracy"].n),
        **_figure("cvr", scores.cvr),
        "cvr_undecided": sum(t.expected == "flag" and t.decided is None for t in scores.tasks),
    }
    if plan.events:
        first = scores.windows[str(plan.events[0])]
        blocks["maintenance"] |= {
            "pre_shock": first.pre,
            "pre_shock_n": first.n_pre,
            "post_shock": first.post,
            "post_shock_n": first.n_post,
            "delta": first.delta,
            "delta_n": first.n_pre + first.n_post,
            "basis": "pre/post window of two points",
            "shock_sessions": [e.at for e in plan.events],
            "events": [str(e) for e in plan.events],
        }
    return blocks


def _with_shares(blocks: dict[str, Any], diagnosis: Diagnosis | None) -> dict[str, Any]:
    for name, shares in mechanism_shares(diagnosis).items() if diagnosis else ():
        blocks.setdefault(name, {}).update(shares)
    return blocks


def _unfinished(extra: Extra) -> list[str]:
    return [incomplete(extra.missing)] if extra.missing else []


def _workspace(scores: Scores) -> dict[str, Any]:
    # Only where the agent kept files of its own; stale values are counted apart, never taken off
    # the fidelity.
    fidelity = scores.memory_metrics.get("workspace_fidelity")
    if fidelity is None:
        return {}
    return {
        "workspace_fidelity_trajectory": [[t, e.value, e.n] for t, e in fidelity.items()],
        "stale_in_workspace": [[t, n] for t, n in scores.stale_in_workspace.items()],
    }


def _by_point(scores: Scores, metric: str) -> dict[int, Estimate]:
    rows = scores.rows[metric]
    return {t: mean_value([r for r in rows if r.t == t]) for t in sorted({r.t for r in rows})}


def _share(scores: Scores, metric: str, name: str, verdicts: tuple[str, ...]) -> dict[str, Any]:
    rows = [r for r in scores.rows[metric] if r.value is not None]
    if not rows:
        return {name: None, f"{name}_n": 0}
    return {name: sum(r.verdict in verdicts for r in rows) / len(rows), f"{name}_n": len(rows)}


def _coverage(n: int) -> str:
    return "not_exercised" if n == 0 else "underpowered" if n < 10 else "adequate"


def _cost(plan: Plan, events: list[Event], answers: list[AnswerRow]) -> dict[str, Any]:
    usage = total_usage(events, answers)
    took = [e.duration_ms for e in events if e.role == "assistant" and e.duration_ms is not None]
    took += [row.latency_ms for row in answers if row.latency_ms is not None]
    tokens = (
        None
        if usage.input_tokens is None or usage.output_tokens is None
        else usage.input_tokens + usage.output_tokens
    )
    return {
        "total_input_tokens": usage.input_tokens,
        "total_output_tokens": usage.output_tokens,
        "total_calls": usage.calls,
        "tokens_per_session_mean": None if tokens is None else tokens / plan.n_sessions,
        "total_cost_usd": usage.cost_usd,
        "latency_ms_p50": float(np.percentile(took, 50)) if took else None,
        "latency_ms_p95": float(np.percentile(took, 95)) if took else None,
    }


def _warnings(plan: Plan, scenario: Scenario, sut: dict[str, Any], scores: Scores) -> list[str]:
    metrics = scores.probe_metrics
    exercised = {
        "compression": metrics["compression_recall"].n,
        "interference": metrics["interference_resistance"].n,
        "revision": (
            metrics["version_accuracy"].n
            + metrics["forget_accuracy"].n
            + metrics["accumulator_accuracy"].n
        ),
        "maintenance": len(plan.events),
    }
    out = [f"mechanism_not_exercised:{name}" for name, n in exercised.items() if n == 0]
    if not scores.dependable:
        out.append(f"no_headline: {scores.failed_share:.0%} of the probes failed in transport")
    elif scores.failed_share:
        out.append(
            f"failed_probes: {scores.failed_share:.1%} of the probes failed in transport and count"
            " for nothing"
        )
    refused = [check.detail for check in scores.code if check.status == "unavailable"]
    if refused:
        out.append(f"code_not_executed: {len(refused)} of {len(scores.code)} checks, {refused[0]}")
    elif scores.code and scores.code_pass_rate.n == 0:
        out.append("code_not_exercised: no reply holds a block of code")
    if sut["model"] == "extractive":
        out.append("embedded_reader: extractive is a rule-based reader, not a language model")
    return out


def _idle_overlay(plan: Plan, sut: dict[str, Any], events: Iterable[Event]) -> list[str]:
    enabled = any(
        e.lifecycle == CONTROLLER_ACTION and action_of(e).name == ENABLE_TYPED_STATE for e in events
    )
    if not (enabled or sut["memory"].startswith(SIDECAR)) or any(
        carries_sentinels(s.text) for s in plan.sessions
    ):
        return []
    return ["typed_state_without_sentinels: the sessions carry none, so the overlay did nothing"]


def time_of(event: Event) -> datetime:
    """When it happened; what does not say happened now."""
    return datetime.fromisoformat(event.timestamp) if event.timestamp else datetime.now(UTC)


def _last_time(events: list[Event]) -> str:
    return time_of(events[-1]).isoformat().replace("+00:00", "Z")
