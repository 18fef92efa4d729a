"""How much neighbouring sessions resemble each other, pooled over everything that they do.

A single series is too short to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, p_value
from agingbench.metrics.trend import corrected_rho, serial_correlations, serial_likeness
from agingbench.telemetry.inference.null_model import NullModel

LEAST_VALUES = 6  # sessions with a value below which a series says nothing about neighbours

Series = tuple[Floats, Floats]  # sessions × parts, and the weight of each session


@dataclass(frozen=True)
class SerialCorrelation:
    """The autocorrelation of behaviour in every ordering, and the p-value of the observed one."""

    n_sessions: int
    series: list[Series] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)  # of each series
    rho: Floats | None = None  # per ordering of sessions
    day_rho: Floats | None = None  # per ordering of days
    p: float | None = None

    def rho_under(self, orders: Orders, strata: Sequence[int] | None = None) -> Floats | None:
        """Return the lag-1 autocorrelation in other orderings, with one level per stratum.

        None where no series says anything.
        """
        if not self.series:
            return None

        each = [serial_correlations(values, w, orders, strata) for values, w in self.series]
        return corrected_rho(_pooled(each, self.weights)[:, 0], self.n_sessions)


def pool_serial_correlation(null: NullModel, series: Sequence[Series]) -> SerialCorrelation:
    """Return the pooled autocorrelation; a series that varies much over orderings weighs little."""
    informative: list[Series] = []
    correlations: list[Floats] = []
    weights: list[float] = []

    for values, w in series:
        if (w > 0).sum() < LEAST_VALUES:
            continue

        lags = serial_correlations(values, w, null.orders)
        spread = float(lags[1:, 0].var())
        if spread > 1e-9:
            informative.append((values, w))
            correlations.append(lags)
            weights.append(1 / spread)

    n = null.n_sessions
    if not informative:
        return SerialCorrelation(n)

    pooled = _pooled(correlations, weights)
    day_rho = None
    if null.day_orders is not None:
        day_rho = SerialCorrelation(n, informative, weights).rho_under(null.day_orders)

    return SerialCorrelation(
        n_sessions=n,
        series=informative,
        weights=weights,
        rho=corrected_rho(pooled[:, 0], n),
        day_rho=day_rho,
        p=p_value(serial_likeness(pooled)),
    )


def _pooled(each: Sequence[Floats], weights: Sequence[float]) -> Floats:
    shares = np.array(weights) / sum(weights)
    return np.asarray(np.einsum("s,sol->ol", shares, np.stack(each)))
