"""What stands beside the signals: series that never fire, each with an honest word about its shape."""

from __future__ import annotations

from typing import Any

from agingbench.metrics.trend import zero_filled
from agingbench.telemetry.inference.evidence import Mechanism, Signal, verdict
from agingbench.telemetry.inference.null_model import NullModel, test_trend

LEAST_SEEN = 6  # sessions with a value below which the shape is not held against the null

# mechanism -> metric -> (rising is bad, ceiling); the floor is 0 for all of them
BESIDE: dict[str, dict[str, tuple[bool, float | None]]] = {
    "compression": {"saturation": (True, 1.0), "context_noise": (True, None)},
    "interference": {
        "tool_kl_divergence": (True, None),
        "goal_anchor_drift": (False, 1.0),  # likeness to the first request: falling is drift
        "lineage_continuity": (False, 1.0),
    },
    "revision": {},
    "maintenance": {"latency_p50": (True, None), "intervention_rate": (True, 1.0)},
}


def descriptive_trends(mechanism: Mechanism, null: NullModel) -> dict[str, Any]:
    """Slope, p and verdict of every series that is shown beside the signals of a mechanism."""
    found: dict[str, Any] = {}
    for metric, (rising_is_bad, ceiling) in BESIDE[mechanism.name].items():
        values = mechanism.details[f"{metric}_trajectory"]
        seen = [0 if v is None else 1 for v in values]
        signal = Signal(
            metric,
            "",
            rising_is_bad,
            list(values),
            seen,
            minimum=0.0,
            moderate=1.0,
            ceiling=ceiling,
        )

        if sum(seen) >= LEAST_SEEN and len({v for v in values if v is not None}) > 1:
            signal.test = test_trend(
                null, zero_filled(values), zero_filled([float(s) for s in seen]), signal.sign
            )
            fit = signal.test.fit
            signal.effect = None if fit is None else fit.effect

        slope = None if signal.effect is None else round(signal.effect / max(1, len(values) - 1), 8)
        found |= {
            f"{metric}_slope": slope,
            f"{metric}_p": signal.p,
            f"{metric}_verdict": verdict(signal),
        }

    if found:
        found["shown_only"] = list(BESIDE[mechanism.name])

    return found
