"""Presets, single dials, and what short lives make of them."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.bench.plan.pressure import PRESETS, RANGES, pressure
from agingbench.errors import InputError, UnknownName

# dial: none, light, medium, heavy, as the design states them
TABLE: dict[str, tuple[Any, Any, Any, Any]] = {
    "tokens_per_session": (500, 600, 2000, 5000),
    "dependency_density": (0, 0.3, 0.5, 0.7),
    "update_rate": (0, 0.1, 0.2, 0.3),
    "max_chain_depth": (1, 2, 3, 4),
    "n_confusable_pairs": (0, 1, 3, 12),
    "confusable_start_session": (5, 5, 5, 3),
    "warmup_sessions": (None, 3, 3, 5),
    "forget_rate": (0, 0.05, 0.1, 0.15),
    "decoys_per_session": (0, 1, 8, 80),
}


@pytest.mark.parametrize("dial", TABLE)
def test_presets_are_those_of_the_design(dial: str) -> None:
    found = tuple(getattr(PRESETS[name], dial) for name in ("none", "light", "medium", "heavy"))
    assert found == TABLE[dial]
    assert set(TABLE) == set(RANGES)


def test_a_dial_turns_alone() -> None:
    turned = pressure("heavy", {"update_rate": "0.25"})
    assert turned.update_rate == 0.25
    changed = {k for k, v in turned.as_dials().items() if v != PRESETS["heavy"].as_dials()[k]}
    assert changed == {"update_rate"}
    assert PRESETS["heavy"].update_rate == 0.3


def test_whole_numbers_are_taken_as_text_too() -> None:
    turned = pressure("medium", {"tokens_per_session": "3000", "max_chain_depth": 4.0})
    assert (turned.tokens_per_session, turned.max_chain_depth) == (3000, 4)
    assert isinstance(turned.max_chain_depth, int)


def test_own_dials_go_with_the_others() -> None:
    own: dict[str, tuple[type, float, float]] = {"cohort_size": (int, 2, 40)}
    turned = pressure("medium", {"cohort_size": 8}, own)
    assert turned.as_dials()["cohort_size"] == 8
    assert "cohort_size" not in PRESETS["medium"].as_dials()
    with pytest.raises(InputError, match="cohort_size=41"):
        pressure("medium", {"cohort_size": 41}, own)
    with pytest.raises(UnknownName, match="cohort_size"):
        pressure("medium", {"cohort_siz": 8}, own)


@pytest.mark.parametrize(
    ("preset", "dials", "nearest"),
    [
        ("mediun", {}, "medium"),
        ("heavy ", {}, "heavy"),
        ("medium", {"update_rat": 0.1}, "update_rate"),
        ("medium", {"confusable_pairs": 3}, "n_confusable_pairs"),
        ("medium", {"own": 3}, "known:"),
        ("medium", {"tokens": 3000}, "tokens_per_session"),
    ],
)
def test_unknown_names_are_told_the_nearest(
    preset: str, dials: dict[str, Any], nearest: str
) -> None:
    with pytest.raises(UnknownName) as caught:
        pressure(preset, dials)
    assert nearest in str(caught.value)


@pytest.mark.parametrize("dial", RANGES)
def test_ranges_are_closed(dial: str) -> None:
    kind, low, high = RANGES[dial]
    step = 1 if kind is int else 0.001
    for inside in (low, high):
        assert getattr(pressure("medium", {dial: inside}), dial) == inside
    for outside in (low - step, high + step):
        with pytest.raises(InputError, match=rf"dial {dial}=.*between {low:g} and"):
            pressure("medium", {dial: outside})


@pytest.mark.parametrize("raw", ["many", "", None, float("nan"), float("inf"), "nan", [1]])
@pytest.mark.parametrize("dial", ["update_rate", "n_confusable_pairs"])
def test_no_number_is_an_error(dial: str, raw: Any) -> None:
    with pytest.raises(InputError, match=f"dial {dial}="):
        pressure("medium", {dial: raw})


def test_half_a_pair_is_an_error() -> None:
    with pytest.raises(InputError, match="whole number"):
        pressure("medium", {"n_confusable_pairs": 2.5})


@pytest.mark.parametrize("preset", PRESETS)
def test_from_ten_sessions_up_the_length_changes_nothing(preset: str) -> None:
    at_ten = PRESETS[preset].effective(10)
    for sessions in (11, 30, 1000):
        longer = PRESETS[preset].effective(sessions)
        if PRESETS[preset].warmup_sessions is None:
            assert (at_ten.warmup_sessions, longer.warmup_sessions) == (10, sessions)
        else:
            assert longer == at_ten


@pytest.mark.parametrize("preset", ["light", "medium", "heavy"])
def test_starts_shrink_with_short_lives_and_never_grow(preset: str) -> None:
    full = PRESETS[preset]
    for sessions in range(1, 10):
        short = full.effective(sessions)
        assert 0 < short.confusable_start_session <= full.confusable_start_session
        assert short.warmup_sessions is not None
        assert full.warmup_sessions is not None
        assert short.warmup_sessions <= full.warmup_sessions
        if sessions >= 2:
            assert short.confusable_start_session < sessions
            assert short.warmup_sessions < sessions
        assert short.update_rate == full.update_rate


def test_without_pressure_the_whole_life_is_warm_up() -> None:
    for sessions in (1, 5, 10, 40):
        assert PRESETS["none"].effective(sessions).warmup_sessions == sessions
