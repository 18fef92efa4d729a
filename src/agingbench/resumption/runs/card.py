"""The AgingCard of a resumption run; it exists only behind a passed gate."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from agingbench import __version__
from agingbench.cards.check import (
    CARD_TYPE,
    SCHEMA_VERSION,
    empty_mechanisms,
    finish_card,
    without_paths,
)
from agingbench.metrics.intervals import Estimate
from agingbench.records import Usage
from agingbench.resumption.calibration.calibrate import grades_file_hash
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.calibration.paraphrases import paraphrase_warning
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.runs.store import EpisodeRow, RunConfig
from agingbench.resumption.runs.summary import RunSummary

SCENARIO = "resumption::v0"


def make_card(
    run_id: str,
    config: RunConfig,
    rows: Sequence[EpisodeRow],
    summary: RunSummary,
    gate: CalibrationGate,
    benchmark: BenchmarkFolder,
) -> dict[str, Any]:
    """The card. A resumption has no life, so curve and half-life are null and the figures stand
    under `resumption`.
    """
    usage = Usage()
    for row in rows:
        usage += row.usage
    model = None if config.agent == "embedded" else config.agent
    headline = summary.figures["all"]["quality"]
    card = {
        "schema_version": SCHEMA_VERSION,
        "card_type": CARD_TYPE,
        "card_kind": "resumption",
        "generated_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "run_id": run_id,
        "scenario": SCENARIO,
        "scenario_version": "v0",
        "suite_id": "adhoc",
        "sut": {
            "sut_id": f"{config.agent}+{config.consolidator}",
            "model_provider": model.partition(":")[0] if model else None,
            "model_id": model,
            "memory_policy_type": config.consolidator,
            "consolidator_model": config.model,
        },
        "seed": 0,
        "n_sessions": len(rows),
        "pressure": {"budget_tokens": config.budget, "tokenizer": config.tokenizer},
        "headline": {
            "metric_name": "resumption_quality",
            "m0": None,
            "m_final": None,
            "half_life": None,
            "decay_slope": None,
            "hazard_proxy": None,
            "aging_detected": None,
            **_figure("quality", headline),
        },
        "mechanism_metrics": empty_mechanisms(),
        "cost_and_efficiency": {
            "total_input_tokens": usage.input_tokens,
            "total_output_tokens": usage.output_tokens,
            "total_calls": usage.calls,
            "tokens_per_session_mean": None,
            "total_cost_usd": usage.cost_usd,
            "latency_ms_p50": None,
            "latency_ms_p95": None,
        },
        "checkpoints": [],
        "provenance": {
            "git_sha": None,
            "agingbench_version": __version__,
            "agent_cli_version": None,
            "compute_environment": (
                f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
            ),
            "fork_disclosed": False,
            "conflict_of_interest": False,
            "episodes_sha256": config.episodes,
            "prompt_hashes": config.judge.prompts,
            "hand_grades_sha256": grades_file_hash(benchmark),
        },
        "warnings": _warnings(config, summary, gate),
        "links": {"scores": "scores.parquet", "rows": "rows.jsonl"},
        "resumption": _block(config, rows, summary, gate),
    }
    return finish_card(without_paths(card))


def _block(
    config: RunConfig, rows: Sequence[EpisodeRow], summary: RunSummary, gate: CalibrationGate
) -> dict[str, Any]:
    groups = {
        group: (
            {key: part for name, e in figures.items() for key, part in _figure(name, e).items()}
            | {
                "context_tokens_mean": summary.tokens[group],
                "context_tokens_mean_n": figures["quality"].n,
            }
        )
        for group, figures in summary.figures.items()
    }
    return {
        "consolidator": config.consolidator,
        "budget": config.budget,
        "tokenizer": config.tokenizer,
        "agent": config.agent,
        "judge": config.judge.judge,
        "gate": gate.words,
        "groups": groups,
        "kappa": [
            {
                "component": p.component,
                "domain": p.domain,
                "kappa": p.kappa,
                "value": p.value,
                "value_ci": [p.low, p.high] if p.low is not None else None,
                "value_n": p.n,
                "weak": p.weak,
            }
            for p in gate.components
        ],
        "graders": gate.graders,
        "episodes": len(rows),
        "statuses": summary.statuses,
        "judge_failures": summary.judge_failures,
        "items": summary.items,
        "paraphrases": msgspec.to_builtins(gate.paraphrases),
    }


def _figure(name: str, e: Estimate) -> dict[str, Any]:
    bounds = None if e.low is None or e.high is None else [e.low, e.high]
    return {name: e.value, f"{name}_ci": bounds, f"{name}_n": e.n}


def _warnings(config: RunConfig, summary: RunSummary, gate: CalibrationGate) -> list[str]:
    out = [f"mechanism_not_exercised:{name}" for name in empty_mechanisms()]
    if gate.weak:
        names = ", ".join(f"{p.component} ({p.domain})" for p in gate.components if p.weak)
        out.append(f"weak gate: the lower bound of kappa is below 0.4 for {names}")
    if not any(who.startswith("human") for who in gate.graders):
        out.append(f"graders: no human graded the calibration set ({', '.join(gate.graders)})")
    if config.agent == "embedded":
        out.append(
            "embedded_agent: it lists the next steps that it reads, it is not a language model"
        )
    if blind := paraphrase_warning(gate.paraphrases):
        out.append(blind)
    skipped = summary.statuses.get("skipped", 0)
    if skipped:
        out.append(
            f"episodes_skipped: {skipped}, their traces are not here or the consolidator does not"
            " apply"
        )
    if summary.judge_failures:
        out.append(
            f"judge_failures: {summary.judge_failures} of {summary.items} items count for nothing"
        )
    return out
