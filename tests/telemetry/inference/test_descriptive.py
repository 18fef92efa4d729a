"""Series that are only shown: their shape is held against the null, and no shape of theirs ever
fires.
"""

from __future__ import annotations

import math

import pytest

from agingbench.telemetry.inference.descriptive import DescriptiveTrend, descriptive_trends
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.signals.details import (
    CompressionDetails,
    InterferenceDetails,
    MaintenanceDetails,
    MechanismDetails,
)

N = 12


def shaped(details: MechanismDetails, metric: str) -> DescriptiveTrend:
    """The trend of one series; the others of the mechanism are empty and say nothing."""
    null = NullModel(N, None, [0] * N, [0] * N, 3, 199)
    trends = descriptive_trends(details.descriptive_series(), null)
    assert {trend.verdict for trend in trends if trend.metric != metric} <= {"no_signal"}
    return next(trend for trend in trends if trend.metric == metric)


def built(name: str, metric: str, values: list[float | None]) -> MechanismDetails:
    kinds = {
        "compression": CompressionDetails,
        "interference": InterferenceDetails,
        "maintenance": MaintenanceDetails,
    }
    details: MechanismDetails = kinds[name](**{f"{metric}_trajectory": values})
    return details


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
    assert shaped(built(name, metric, values), metric).verdict == verdict


def test_a_slope_is_told_per_session_and_a_short_series_is_not_tested() -> None:
    trend = shaped(CompressionDetails(saturation_trajectory=[*RISING]), "saturation")
    assert trend.slope is not None
    assert math.isclose(trend.slope, 0.05, abs_tol=0.003)
    assert trend.p is not None
    assert trend.p <= 0.05
    few: list[float | None] = [0.1, 0.2, 0.3, 0.4, *[None] * 8]
    short = shaped(CompressionDetails(saturation_trajectory=few), "saturation")
    assert short.p is None
    assert short.verdict == "flat"
