"""Descriptive series: reported beside the signals with their shape, never able to fire."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.metrics.trend import zero_filled
from agingbench.telemetry.inference.evidence import Signal, verdict
from agingbench.telemetry.inference.null_model import NullModel, trend_test
from agingbench.telemetry.signals.details import DescriptiveSeries

LEAST_VALUES = 6  # sessions with a value below which the shape is not held against the null model


class DescriptiveTrend(msgspec.Struct, frozen=True):
    """The shape of one descriptive series: slope per session, p-value and verdict."""

    metric: str
    slope: float | None
    p: float | None
    verdict: str


def descriptive_trends(
    series: Sequence[DescriptiveSeries], null: NullModel
) -> list[DescriptiveTrend]:
    """Return the trend of each descriptive series."""
    return [_trend(one, null) for one in series]


def _trend(series: DescriptiveSeries, null: NullModel) -> DescriptiveTrend:
    values = series.values
    counts = [0 if value is None else 1 for value in values]
    signal = Signal(
        series.metric,
        "",
        series.rising_is_bad,
        list(values),
        counts,
        minimum=0.0,
        moderate=1.0,
        ceiling=series.ceiling,
    )

    distinct = {value for value in values if value is not None}

    if sum(counts) >= LEAST_VALUES and len(distinct) > 1:
        observations = zero_filled([float(count) for count in counts])
        signal.test = trend_test(null, zero_filled(values), observations, signal.sign)
        fit = signal.test.fit
        signal.effect = None if fit is None else fit.effect

    slope = None
    if signal.effect is not None:
        slope = round(signal.effect / max(1, len(values) - 1), 8)

    return DescriptiveTrend(series.metric, slope, signal.p, verdict(signal))
