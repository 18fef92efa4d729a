"""Series that are only shown: their shape is held against the null, and no shape of theirs ever
fires.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from agingbench.telemetry.inference.descriptive import BESIDE, descriptive_trends
from agingbench.telemetry.inference.evidence import Mechanism
from agingbench.telemetry.inference.null_model import NullModel

N = 12


def shaped(name: str, metric: str, values: list[float | None]) -> dict[str, Any]:
    nothing: list[float | None] = [None] * len(values)
    shown: dict[str, Any] = {f"{m}_trajectory": nothing for m in BESIDE[name]}
    mechanism = Mechanism(name, "", [], None, shown | {f"{metric}_trajectory": values})
    found = descriptive_trends(
        mechanism, NullModel(len(values), None, [0] * len(values), [0] * len(values), 3, 199)
    )
    assert {found[f"{m}_verdict"] for m in BESIDE[name] if m != metric} <= {"no_signal"}
    return found


RISING = [0.1 + 0.05 * i + 0.01 * (-1) ** i for i in range(N)]
FALLING = [1.0 - v for v in RISING]


@pytest.mark.parametrize(
    ("name", "metric", "values", "verdict"),
    [
        ("compression", "saturation", RISING, "rising_degradation"),
        ("compression", "saturation", FALLING, "falling_healthy"),
        ("compression", "saturation", [0.5] * N, "flat"),
        ("compression", "saturation", [0.2] * 6 + [1.0] * 6, "ceiling_degradation"),
        ("compression", "context_noise", [1000 * v for v in RISING], "rising_degradation"),
        (
            "interference",
            "tool_kl_divergence",
            [None, None, None, *RISING[3:]],
            "rising_degradation",
        ),
        ("interference", "goal_anchor_drift", FALLING, "falling_degradation"),
        ("interference", "lineage_continuity", RISING, "rising_healthy"),
        ("interference", "lineage_continuity", [0.8] * 6 + [0.0] * 6, "floor_degradation"),
        (
            "maintenance",
            "latency_p50",
            [0.3, 0.9, 0.2, 0.8, 0.4, 0.6, 0.5, 0.7, 0.2, 0.9, 0.3, 0.5],
            "flat",
        ),
        ("maintenance", "intervention_rate", [0.0] * N, "floor_healthy"),
        ("maintenance", "latency_p50", [1.0, 2.0, *[None] * 10], "no_signal"),
    ],
)
def test_the_shape_in_the_words_of_the_card(
    name: str, metric: str, values: list[float | None], verdict: str
) -> None:
    assert shaped(name, metric, values)[f"{metric}_verdict"] == verdict


def test_a_slope_is_told_per_session_and_a_short_series_is_not_tested() -> None:
    found = shaped("compression", "saturation", RISING)
    assert math.isclose(found["saturation_slope"], 0.05, abs_tol=0.003)
    assert found["saturation_p"] <= 0.05
    short = shaped("compression", "saturation", [0.1, 0.2, 0.3, 0.4, *[None] * 8])
    assert short["saturation_p"] is None
    assert short["saturation_verdict"] == "flat"
