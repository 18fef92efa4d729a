"""Resampling clusters: as many draws as clusters, and the same draws in chunks."""

from __future__ import annotations

import numpy as np
import pytest

from agingbench.metrics.bootstrap import cluster_resample


def test_cluster_resample_draws_as_many_as_there_are() -> None:
    counts = cluster_resample(["b", "a", "b", "c"], np.random.default_rng(1), 500)
    assert counts.shape == (500, 3)
    assert (counts.sum(axis=1) == 3).all()
    assert counts.mean(axis=0) == pytest.approx([1, 1, 1], abs=0.12)


def test_cluster_resample_in_chunks_draws_the_same() -> None:
    whole = cluster_resample(range(7), np.random.default_rng(3), 20)
    rng = np.random.default_rng(3)
    parts = [cluster_resample(range(7), rng, 10), cluster_resample(range(7), rng, 10)]
    assert (whole == np.vstack(parts)).all()
    assert cluster_resample([], rng, 4).shape == (4, 0)
