"""How much neighbouring sessions resemble each other, from all that they do: every single series is
short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, p_value
from agingbench.metrics.trend import corrected_rho, serial_correlations, serial_likeness
from agingbench.telemetry.inference.null_model import NullModel

LEAST_SEEN = 6  # sessions with a value below which a series says nothing about neighbours

Series = tuple[Floats, Floats]  # sessions × parts, and the weight of each session


@dataclass(frozen=True)
class Neighbours:
    """The likeness of neighbours in every ordering, and how surprising it is in the order as it
    was.
    """

    n: int
    series: list[Series] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)  # what each series counts for
    rho: Floats | None = None  # per ordering of sessions
    day_rho: Floats | None = None  # per ordering of days
    p: float | None = None

    def rho_under(self, orders: Orders, strata: Sequence[int] | None = None) -> Floats | None:
        """The autocorrelation at lag 1 in other orderings, with one level per stratum."""
        if not self.series:
            return None

        each = [serial_correlations(values, w, orders, strata) for values, w in self.series]
        return corrected_rho(_pooled(each, self.shares)[:, 0], self.n)


def neighbours(null: NullModel, series: Sequence[Series]) -> Neighbours:
    """Pool the series: one that says little about neighbours varies much over the orderings, and
    counts for little.
    """
    kept: list[Series] = []
    each: list[Floats] = []
    shares: list[float] = []

    for values, w in series:
        if (w > 0).sum() < LEAST_SEEN:
            continue

        found = serial_correlations(values, w, null.orders)
        spread = float(found[1:, 0].var())
        if spread > 1e-9:
            kept.append((values, w))
            each.append(found)
            shares.append(1 / spread)

    if not kept:
        return Neighbours(null.n_sessions)

    total = _pooled(each, shares)
    alike = Neighbours(null.n_sessions, kept, shares)
    days = None if null.day_orders is None else alike.rho_under(null.day_orders)

    return Neighbours(
        null.n_sessions,
        kept,
        shares,
        corrected_rho(total[:, 0], null.n_sessions),
        days,
        p_value(serial_likeness(total)),
    )


def _pooled(each: Sequence[Floats], shares: Sequence[float]) -> Floats:
    return np.asarray(np.einsum("s,sol->ol", np.array(shares) / sum(shares), np.stack(each)))
