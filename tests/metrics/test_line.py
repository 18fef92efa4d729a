"""The slope within classes: a mix that changes is no decay, and a decay is seen in any mix."""

from __future__ import annotations

import pytest

from agingbench.metrics.curve import CurveRow, CurveTable, curve_stats


def _rows(levels: dict[str, float], loss: float = 0.0) -> list[CurveRow]:
    """Ten points of twenty facts; at point t, t of them are revised."""
    rows = []
    for t in range(1, 11):
        for number in range(20):
            group = "revised" if number < t else "plain"
            value = levels[group] - loss * t
            rows.append(CurveRow(t, value, 1.0, f"{group}{number}", group))
    return rows


def test_a_mix_that_changes_is_no_decay() -> None:
    rows = _rows({"plain": 0.9, "revised": 0.3})
    within = curve_stats(CurveTable.from_rows(rows), n_boot=2)
    pooled = curve_stats(CurveTable.from_rows([row[:4] for row in rows]), n_boot=2)
    assert within.decay_slope.value == pytest.approx(0.0, abs=1e-12)
    assert pooled.decay_slope.value == pytest.approx(-0.03)
    assert (within.aging_detected, pooled.aging_detected) == (False, True)
    assert within.time_average == pooled.time_average


def test_a_decay_is_seen_whatever_the_mix() -> None:
    stats = curve_stats(CurveTable.from_rows(_rows({"plain": 0.9, "revised": 0.4}, 0.03)), n_boot=2)
    assert stats.decay_slope.value == pytest.approx(-0.03)
    assert stats.aging_detected is True


def test_without_a_class_at_two_points_there_is_no_slope() -> None:
    rows = [CurveRow(t, 1.0, 1.0, f"f{t}", f"class {t}") for t in range(1, 6)]
    stats = curve_stats(CurveTable.from_rows(rows), n_boot=2)
    assert (stats.decay_slope.value, stats.aging_detected) == (None, None)
    assert stats.aging_reason.startswith("no class of facts was asked at two points")


def test_first_write_loss_compares_the_same_mix() -> None:
    rows = []
    for number in range(10):
        before = "revised" if number < 2 else "plain"
        after = "revised" if number < 8 else "plain"
        levels = {"plain": 0.9, "revised": 0.3}
        rows.append(CurveRow(0, levels[before], 1.0, f"f{number}", before))
        rows.append(CurveRow(1, levels[after], 1.0, f"f{number}", after))
    loss = curve_stats(CurveTable.from_rows(rows), n_boot=2).first_write_loss
    assert loss.value == pytest.approx(0.0, abs=1e-12)
