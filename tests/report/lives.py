"""Small cards for the report tests; every one of them is valid."""

from __future__ import annotations

from typing import Any

from agingbench.cards.check import finish_card, validate_card
from agingbench.cards.model import CARD_TYPE, SCHEMA_VERSION, OwnMechanisms


def figure(name: str, value: float, low: float, high: float, n: int) -> dict[str, Any]:
    return {name: value, f"{name}_ci": [low, high], f"{name}_n": n}


def headline(ms: list[float | None], **changed: Any) -> dict[str, Any]:
    first = ms[0] or 0.0
    last = ms[-1] or 0.0
    later = max(1, len(ms) - 1)
    return {
        "metric_name": "constraint_precision",
        **figure("m0", first, max(0.0, first - 0.2), min(1.0, first + 0.2), 10),
        **figure("m_final", last, max(0.0, last - 0.2), min(1.0, last + 0.2), 12),
        **figure("time_average", 0.61, 0.5, 0.7, later),
        **figure("decay_slope", -0.1234, -0.2, -0.0456, later),
        **figure("hazard_proxy", 0.25, 0.1, 0.4, later),
        **figure("first_write_loss", 0.15, -0.1, 0.3, 9),
        **figure("half_life", 2.75, 2.1, 3.9, len(ms)),
        "half_life_censored": False,
        "half_life_reason": None,
        "half_life_first_crossing": 2.75,
        "aging_detected": True,
        "aging_reason": "aging: slope -0.123 per session",
        **changed,
    }


def life(
    sut: str = "model+memory", seed: int = 0, ms: list[float | None] | None = None, **changed: Any
) -> dict[str, Any]:
    """The card of a life; keyword arguments replace whole parts of it, `head` single headline
    fields.
    """
    curve: list[float | None] = [1.0, 0.9, 0.7, 0.4, 0.3] if ms is None else ms
    head = changed.pop("head", {})
    mechanisms = OwnMechanisms().document()
    mechanisms["compression"] |= figure("score", 0.64, 0.5, 0.8, 33)
    mechanisms["interference"] |= figure("resistance", 0.5, 0.2, 0.8, 12)
    mechanisms["revision"] |= figure("version_accuracy", 0.47, 0.3, 0.7, 17)
    card = {
        "schema_version": SCHEMA_VERSION,
        "card_type": CARD_TYPE,
        "card_kind": "life",
        "generated_at": "2026-03-13T10:00:00Z",
        "run_id": f"run-{seed}",
        "scenario": "s2_lifestyle_assistant",
        "scenario_version": "1.0.0",
        "suite_id": "adhoc",
        "sut": {"sut_id": sut, "model_id": "some-model", "memory_policy_type": "append_only"},
        "seed": seed,
        "n_sessions": max(len(curve) - 1, 4),
        "pressure": {"preset": "medium", "update_rate": 0.2, "warmup_sessions": None},
        "lifecycle_events": [],
        "headline": headline(curve or [0.0], **head),
        "mechanism_metrics": mechanisms,
        "cost_and_efficiency": {
            "total_calls": 1213,
            "total_input_tokens": 278021,
            "total_output_tokens": 6505,
        },
        "checkpoints": [[t, m] for t, m in enumerate(curve)],
        "checkpoint_intervals": [
            [t, max(0.0, m - 0.1), min(1.0, m + 0.1), 10]
            for t, m in enumerate(curve)
            if m is not None
        ],
        "provenance": {"compute_environment": "test"},
        "warnings": ["mechanism_not_exercised:maintenance"],
        "links": {"trace": "trace.jsonl"},
        **changed,
    }
    assert validate_card(card) == []
    return finish_card(card)


def censored(**changed: Any) -> dict[str, Any]:
    head = {
        "half_life": None,
        "half_life_ci": [3.5, None],
        "half_life_censored": True,
        "half_life_reason": "the curve stays above half of m(0) up to its last point t = 4",
        "half_life_first_crossing": None,
        "aging_detected": False,
        "aging_reason": "neither effect nor evidence: slope -0.01 per session",
    }
    return life(ms=[1.0, 0.9, 0.9, 0.8, 0.9], head=head, **changed)


def without_headline() -> dict[str, Any]:
    """A life of which too many calls failed."""
    empty = dict.fromkeys(
        ("m0", "m_final", "half_life", "decay_slope", "hazard_proxy", "aging_detected")
    )
    return life(
        headline={"metric_name": "constraint_precision", **empty},
        warnings=["no_headline: 40% of the probes failed in transport"],
        cost_and_efficiency={"total_calls": 20, "total_input_tokens": None, "total_cost_usd": None},
    )
