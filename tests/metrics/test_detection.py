"""Exact binomial figures and the area under the ROC curve, checked by hand."""

from __future__ import annotations

import pytest

from agingbench.metrics.detection import auc, binomial_tail, clopper_pearson


def test_binomial_figures_and_the_area_by_hand() -> None:
    assert clopper_pearson(0, 10)[0] == 0.0
    assert clopper_pearson(10, 200) == pytest.approx((0.0242, 0.0900), abs=1e-3)
    with pytest.raises(ValueError, match="is needed"):
        clopper_pearson(3, 2)
    assert auc([2.0, 3.0], [0.0, 2.0]) == pytest.approx(0.875)
    assert auc([], [1.0]) is None
    assert binomial_tail(0, 5, 0.1) == 1.0
    assert binomial_tail(5, 5, 0.5) == pytest.approx(1 / 32)
