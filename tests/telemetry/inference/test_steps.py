"""Step or slope: which of the two fits a series."""

from __future__ import annotations

import numpy as np
import pytest

from agingbench.metrics.permutation import Floats
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.inference.steps import (
    StepSeries,
    find_step,
    step_at_change,
)

N = 24
LEVEL = np.ones((N, 1))


def series(shape: Floats, seed: int) -> StepSeries:
    noise = np.random.default_rng(seed).normal(0.0, 0.15, N)
    return StepSeries((shape + noise)[:, None], np.ones(N))


def null() -> NullModel:
    return NullModel(N, None, [0] * N, [0] * N, 1)


@pytest.mark.parametrize("seed", range(5))
def test_a_step_is_found_where_it_is(seed: int) -> None:
    step = series((np.arange(N) >= 11).astype(float), seed)
    found = find_step(null(), LEVEL, [step])
    assert found is not None
    assert abs(found.session - 11) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_a_line_is_no_step(seed: int) -> None:
    line = series(np.linspace(0.0, 1.0, N), seed)
    assert find_step(null(), LEVEL, [line]) is None


def test_too_few_sessions_show_no_step() -> None:
    short = StepSeries(np.array([[0.0], [0.0], [1.0], [1.0], [1.0], [1.0]]), np.ones(6))
    few = NullModel(6, None, [0] * 6, [0] * 6, 1)
    assert find_step(few, np.ones((6, 1)), [short]) is None


def test_a_recorded_step_is_found_sooner() -> None:
    found = {"anywhere": 0, "recorded": 0}
    for seed in range(30):
        noise = np.random.default_rng(seed).normal(0.0, 0.4, N)
        one = StepSeries(((np.arange(N) >= 12) + noise)[:, None], np.ones(N))
        found["anywhere"] += find_step(null(), LEVEL, [one]) is not None
        found["recorded"] += find_step(null(), LEVEL, [one], {12}) is not None

    assert found["recorded"] > found["anywhere"]


@pytest.mark.parametrize("seed", range(5))
def test_what_came_with_a_recorded_change_is_named_there_and_a_line_is_not(seed: int) -> None:
    step = series((np.arange(N) >= 12).astype(float), seed)
    found = step_at_change(null(), [step], {12, 20})
    assert found is not None
    assert found.session == 12
    assert step_at_change(null(), [step], {20}) is None, "the change is elsewhere"
    line = series(2 * np.linspace(0.0, 1.0, N), seed)
    assert step_at_change(null(), [line], {12}) is None
    assert step_at_change(null(), [step], set()) is None
