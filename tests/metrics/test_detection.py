"""Exact binomial figures and the area under the ROC curve, checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from agingbench.metrics.detection import auc, binomial_tail, clopper_pearson


def test_level_holds_on_noise_with_uneven_weights() -> None:
    rng = np.random.default_rng(3)
    hits = sum(
        fit(rng.normal(size=20) / np.sqrt(m), precision_weights(m)) <= 0.05
        for m in (rng.integers(1, 60, size=20).astype(float) for _ in range(300))
    )
    assert clopper_pearson(hits, 300)[0] <= 0.05 <= clopper_pearson(hits, 300)[1] + 0.02


def test_small_figures() -> None:
    assert clopper_pearson(0, 10)[0] == 0.0
    assert clopper_pearson(10, 200) == pytest.approx((0.0242, 0.0900), abs=1e-3)
    with pytest.raises(ValueError, match="is needed"):
        clopper_pearson(3, 2)
    assert auc([2.0, 3.0], [0.0, 2.0]) == pytest.approx(0.875)
    assert auc([], [1.0]) is None
    assert binomial_tail(0, 5, 0.1) == 1.0
    assert binomial_tail(5, 5, 0.5) == pytest.approx(1 / 32)
    assert theil_sen([0.0, None, 2.0, 3.0, 4.0]) == pytest.approx(4.0)
    assert theil_sen([None, 1.0]) is None
