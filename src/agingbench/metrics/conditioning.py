"""A trend beside covariates: residuals as Freedman and Lane permute them."""

from __future__ import annotations

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.metrics.trend import session_times

DEPENDENT = 1e-6  # of its own length, that a column has to add to the others


def residual_beside(nuisance: Floats, y: Floats, w: Floats) -> Floats:
    """Return y (sessions, or sessions × parts) minus its weighted fit on the nuisance columns."""
    root = np.sqrt(w)
    scaled = nuisance * root[:, None]
    values = y * (root if y.ndim == 1 else root[:, None])
    beta = np.linalg.lstsq(scaled, values, rcond=1e-8)[0]
    return np.asarray(y - nuisance @ beta)


def trend_beside(nuisance: Floats) -> Floats:
    """Return the design of a trend: time in column 0, then the nuisance columns."""
    return np.column_stack([session_times(len(nuisance)), nuisance])


def independent(columns: Floats) -> Floats:
    """Return the columns without those that earlier ones already span."""
    kept: list[Floats] = []
    basis: list[Floats] = []

    for column in columns.T:
        rest = column.astype(np.float64)
        for axis in basis:
            rest = rest - axis * float(axis @ rest)

        length = float(np.sqrt(rest @ rest))
        own_length = float(np.sqrt(column @ column))
        if length > DEPENDENT * max(1.0, own_length):
            kept.append(column)
            basis.append(rest / length)

    return np.column_stack(kept)
