"""Rankings and trends: nothing unlike is averaged, a repeated life is no new sample, and what is
partial or unknown stays so.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.errors import UnknownName
from agingbench.trials.inspect.ranking import RANKS, rank_trials
from agingbench.trials.inspect.trend import PERIODS, trial_trend
from agingbench.trials.ledger import Ledger, open_ledger
from agingbench.trials.query import Query, read_conditions
from agingbench.trials.record import TrialRecord
from tests.trials.lives import life_record, nights
from tests.trials.making import record


def filled(place: Path, *more: tuple[TrialRecord, dict[str, bytes]], n: int = 3) -> Ledger:
    ledger = open_ledger(place)
    for trial, files in [*nights(n), *more]:
        ledger.add(trial, files)
    return ledger


def test_systems_and_conditions_are_never_pooled_unless_told_to(tmp_path: Path) -> None:
    longer = life_record("lossy", night=0, seed=5, sessions=8, name="longer")
    with filled(tmp_path, longer) as ledger:
        ranking = rank_trials(ledger, Query()).ranking
        assert [(group.system_id, group.sessions) for group in ranking] == [
            ("careful", 4),
            ("lossy", 8),
            ("lossy", 4),
        ]
        pooled = rank_trials(ledger, Query(), pool=["sessions"]).ranking
        assert [(group.system_id, group.sessions) for group in pooled] == [
            ("careful", "any"),
            ("lossy", "any"),
        ]
        assert pooled[1].reward_n == 3
        with pytest.raises(UnknownName):
            rank_trials(ledger, Query(), pool=["seed"])


def test_a_life_repeated_on_other_nights_is_no_new_sample(tmp_path: Path) -> None:
    with filled(tmp_path / "one", n=1) as once, filled(tmp_path / "many", n=9) as often:
        one = rank_trials(once, Query()).ranking[0]
        many = rank_trials(often, Query()).ranking[0]
    assert (one.reward_n, one.trials) == (2, 2)
    assert (many.reward_n, many.trials) == (2, 18)
    assert many.reward == pytest.approx(one.reward)
    assert many.reward_ci == pytest.approx(one.reward_ci)


def test_cost_efficiency_and_the_frontier(tmp_path: Path) -> None:
    with filled(tmp_path) as ledger:
        best, other = rank_trials(ledger, Query(), by="reward_per_usd").ranking
        assert best.cost_usd == 0.25
        assert best.tokens == 1200
        assert best.reward_per_usd == pytest.approx(0.75 / 0.25)
        assert (best.on_frontier, other.on_frontier) == (True, False)
        assert best.advisor_calls is None
        for figure in RANKS:
            assert rank_trials(ledger, Query(), by=figure).used == 12
        with pytest.raises(UnknownName):
            rank_trials(ledger, Query(), by="beauty")


def test_partial_records_are_shown_apart_and_never_ranked(tmp_path: Path) -> None:
    stopped = life_record("lossy", night=3, seed=0, reward=None, complete=False, name="stopped")
    with filled(tmp_path, stopped) as ledger:
        plain = rank_trials(ledger, Query())
        assert plain.diagnostic is None
        told = rank_trials(ledger, Query(), diagnostic=True)
        assert told.ranking == plain.ranking
        assert told.left_out == {"partial record": 1}
        assert told.diagnostic is not None
        (group,) = told.diagnostic
        assert (group.system_id, group.trials, group.evaluated, group.reward) == (
            "lossy",
            1,
            0,
            None,
        )


@pytest.mark.parametrize("per", PERIODS)
def test_a_trend_tells_each_period_and_what_it_cost(tmp_path: Path, per: str) -> None:
    stopped = life_record("lossy", night=2, seed=7, reward=None, complete=False, name="stopped")
    with filled(tmp_path, stopped) as ledger:
        trend = trial_trend(ledger, Query(newest=True), per=per)
        assert {system.system_id for system in trend.systems} == {"careful", "lossy"}
        assert sum(period.trials for period in trend.totals) == 13
        assert sum(period.cost_usd or 0 for period in trend.totals) == pytest.approx(13 * 0.25)
        assert trend.totals[-1].unfinished == 1
        with pytest.raises(UnknownName):
            trial_trend(ledger, Query(), per="hour")


def test_the_change_per_night_has_an_interval(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for night in range(6):
            reward = 0.9 - 0.1 * night + (0.01 if night % 2 else -0.01)
            trial, files = life_record("lossy", night=night, seed=0, reward=reward)
            ledger.add(trial, files)
        (system,) = trial_trend(ledger, Query()).systems
    assert system.change == pytest.approx(-0.1, abs=0.01)
    low, high = system.change_ci
    assert low is not None
    assert high is not None
    assert low < -0.1 < high < 0
    assert system.change_n == 6


def test_a_total_with_an_unknown_part_is_unknown(tmp_path: Path) -> None:
    with filled(tmp_path, (record("no-price"), {}), n=1) as ledger:
        days = {period.start: period for period in trial_trend(ledger, Query()).totals}
    assert days["2026-03-01"].cost_usd == 1.0
    assert days["2026-03-13"].cost_usd is None


def test_conditions_name_columns_and_numbers_are_numbers(tmp_path: Path) -> None:
    with filled(tmp_path) as ledger:
        only = Query(equals=read_conditions({"memory": "lossy_compress", "seed": 1}))
        assert {row.reward for row in ledger.list(only)} == {0.5}
        assert ledger.count(only) == 3
        none = Query(equals=read_conditions({"memory": "lossy_compres"}))
        assert ledger.store.unmet(none) == [
            "no trial has the memory 'lossy_compres'; did you mean lossy_compress or careful_compress?"
        ]
        ranked = [row.seed for row in ledger.list(Query(sort="seed", descending=True))]
        assert ranked == [1] * 6 + [0] * 6
    with pytest.raises(UnknownName):
        read_conditions({"colour": "blue"})
