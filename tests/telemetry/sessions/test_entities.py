"""Every key that the public reference and the design name stands on a card, with a word of the
right enumeration.
"""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.telemetry import trace_to_card_v11
from agingbench.telemetry.signals.details import (
    CompressionDetails,
    InterferenceDetails,
    MaintenanceDetails,
    MechanismDetails,
)
from agingbench.validity.simulated_agents import SimulatedAgent, simulate
from agingbench.validity.simulated_files import write_files

COVERAGE = {"strong", "adequate", "weak", "underpowered", "no_test_fired"}
VERDICTS = {"no_signal", "flat"} | {
    f"{shape}_{health}"
    for shape in ("rising", "falling", "floor", "ceiling")
    for health in ("degradation", "healthy")
}
MECHANISMS = ("compression", "interference", "revision", "maintenance")
METRICS = {
    "compression": (
        "saturation", "context_noise", "tool_argument_specificity", "context_growth", "reread_rate",
    ),
    "interference": ("tool_kl_divergence", "goal_anchor_drift", "lineage_continuity", "tool_mix_drift"),
    "revision": ("value_supersession",),
    "maintenance": ("error_rate", "effort_per_task", "latency_p50", "intervention_rate"),
}  # fmt: skip
KEYS = [
    "headline.aging_detected", "headline.source", "headline.metric_name", "headline.m0", "headline.m_final",
    "headline.half_life", "headline.decay_slope", "headline.hazard_proxy", "seed", "warnings", "checkpoints",
    "cost_and_efficiency.total_input_tokens", "cost_and_efficiency.latency_ms_p50",
    *(f"trace_audit.{m}.{k}" for m in MECHANISMS
      for k in ("derived_from", "coverage.verdict", "effect", "interval", "effect_ci", "p", "n")),
    *(f"trace_audit.{m}.{metric}_{part}" for m, metrics in METRICS.items() for metric in metrics
      for part in ("trajectory", "verdict")),
    "trace_audit.compression.saturation_rate", "trace_audit.compression.tool_argument_specificity_slope",
    "trace_audit.interference.tool_kl_divergence_mean",
    "trace_audit.revision.value_supersession_slope",
    "trace_audit.revision.per_session_violation_trajectory", "trace_audit.revision.per_session_violation_slope",
    "trace_audit.revision.per_session_violation_verdict", "trace_audit.revision.violation_trajectory",
    "trace_audit.revision.violation_trajectory_slope", "trace_audit.revision.violation_trajectory_verdict",
    "trace_audit.revision.n_stale_propagations", "trace_audit.revision.n_entities_tracked",
    "trace_audit.maintenance.shock_damage_trajectory", "trace_audit.maintenance.shock_damage_verdict",
    "trace_audit.maintenance.n_shocks", "trace_audit.maintenance.placebo_moments.p",
    "trace_audit.consistency.derived_from", "trace_audit.consistency.coverage.verdict",
    "trace_audit.consistency.behavior_drift_at_repeat", "trace_audit.consistency.consistency_drop_trajectory",
    "trace_audit.consistency.consistency_drop_verdict", "trace_audit.consistency.tool_path_jaccard_drop_mean",
    "trace_audit.consistency.response_cosine_drop_mean", "trace_audit.consistency.n_repeated_tasks_detected",
    "trace_audit.consistency.cluster_sizes", "trace_audit.consistency.effect", "trace_audit.consistency.interval",
    "trace_audit.consistency.p", "trace_audit.consistency.n",
    "trace_audit.headline.aging_detected", "trace_audit.headline.source",
    *(f"trace_audit.dominant_mechanism.{k}" for k in ("dominant", "reason", "scores", "evidence", "compatible")),
    "trace_audit.signature", "trace_audit.repair", "trace_audit.derived_from", "trace_audit.deployment_type",
    "trace_audit.n_sessions_detected", "trace_audit.n_outcome_events", "trace_audit.session_detection_mode",
    "trace_audit.outcome_rules_hash", "trace_audit.profile.name", "trace_audit.profile.chosen_by",
    *(f"trace_audit.trace_regime.{k}"
      for k in ("tool_using", "multi_session", "outcomes", "n_sessions", "n_records", "n_tool_calls", "adapter")),
]  # fmt: skip


@pytest.fixture(scope="module", params=["aging", "one_chat"])
def card(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("trace")
    if (
        request.param == "one_chat"
    ):  # no tool, no tokens, one session: keys are there, figures are missing
        path = folder / "chat.jsonl"
        path.write_text(
            '{"session_id": "a", "role": "user", "content": "hello", "timestamp": 1.7e9}\n'
        )
        return trace_to_card_v11(path, trace_format="generic").card
    return trace_to_card_v11(
        write_files(
            simulate(SimulatedAgent(seed=21, aging="revision", strength=2.0)), folder, "claude_code"
        )
    ).card


@pytest.mark.parametrize("key", KEYS)
def test_the_key_is_on_the_card(key: str, card: dict[str, Any]) -> None:
    at: Any = card
    for part in key.split("."):
        assert part in at, key
        at = at[part]
    if key.endswith("coverage.verdict"):
        assert at in COVERAGE
    elif key.endswith("_verdict"):
        assert at in VERDICTS


def test_every_trajectory_has_its_verdict(card: dict[str, Any]) -> None:
    for name in (*MECHANISMS, "consistency"):
        block = card["trace_audit"][name]
        for key in block:
            # An alias, and the plain readings beside the damage that is judged.
            if key in ("violation_trajectory", "shock_damage_tier_trajectory"):
                continue
            if key.endswith("_trajectory"):
                assert block[key.replace("_trajectory", "_verdict")] in VERDICTS, (name, key)


def test_what_is_only_shown_is_said_to_be(card: dict[str, Any]) -> None:
    described: dict[str, MechanismDetails] = {
        "compression": CompressionDetails(),
        "interference": InterferenceDetails(),
        "maintenance": MaintenanceDetails(),
    }
    for name, details in described.items():
        metrics = [series.metric for series in details.descriptive_series()]
        assert metrics
        assert card["trace_audit"][name]["shown_only"] == metrics
        assert not set(metrics) & set(card["trace_audit"][name]["signals"])
