"""Filler names the kinds of things that facts name, and never states a value of a fact."""

from __future__ import annotations

from datetime import date, datetime
from random import Random

import pytest

from agingbench.bench.plan import pools, project_words
from agingbench.bench.plan.filler import Filler
from agingbench.bench.plan.split import Split
from agingbench.errors import InputError
from agingbench.text.values import Value

KINDS = {
    "money": "number",
    "number": "number",
    "decimal": "number",
    "code": "number",
    "percent": "percent",
    "date": "date",
    "day": "date",
    "clock": "clock",
    "time": "clock",
    "past": "date",
    "soon": "date",
    "later": "date",
    "once": "date",
    "version": "version",
}


@pytest.mark.parametrize("slot", sorted(KINDS))
def test_values_of_filler_are_on_its_side_of_the_split(slot: str) -> None:
    rng = Random(3)
    split = Split(3)
    filler = Filler(split=split)
    values = [Value(KINDS[slot], filler(rng, slot, "")) for _ in range(200)]
    assert all(split.is_filler(value) for value in values)
    # Half of the days around a session's day are filler's.
    assert len(set(values)) > (5 if KINDS[slot] == "date" else 15)


@pytest.mark.parametrize("bounds", ["12-13", "40-41", "700-701"])
def test_narrow_bounds_give_way_before_a_value_of_a_fact_is_said(bounds: str) -> None:
    for seed in range(40):
        split = Split(seed)
        number = Filler(split=split)(Random(seed), "number", bounds)
        assert split.is_filler(Value("number", number))


def test_no_residue_tells_filler_from_facts() -> None:
    # Over lives, each number is on either side about equally often; small ones are free.
    lives = [Split(seed) for seed in range(200)]
    for number in range(11, 60):
        share = sum(life.is_filler(Value("number", str(number))) for life in lives) / len(lives)
        assert 0.3 < share < 0.7
    assert all(lives[0].is_filler(Value("number", str(number))) for number in range(11))


def test_the_unit_and_the_year_do_not_matter() -> None:
    for split in map(Split, range(20)):
        sides = {split.is_filler(Value("number", text)) for text in ("$1,240", "1240", "1,240 ms")}
        assert len(sides) == 1
        dates = {split.is_filler(Value("date", text)) for text in ("May 3", "May 3, 2028")}
        assert len(dates) == 1


def test_agreed_times_are_quarters_and_dates_lie_near_the_day_of_the_session() -> None:
    rng = Random(4)
    filler = Filler(rng=rng)
    filler.begin(date(2027, 12, 20))
    assert {filler(rng, "clock", "")[-2:] for _ in range(80)} == {"00", "15", "30", "45"}
    months = set()
    for _ in range(80):
        filler.begin_text()
        months.add(filler(rng, "soon", "").split()[0])
    assert months <= {"December", "January"}
    assert {filler(rng, "past", "").split()[0] for _ in range(80)} <= {"November", "December"}
    assert {filler(rng, "month", "") for _ in range(80)} <= {
        "September",
        "October",
        "November",
        "December",
        "January",
    }


def test_the_days_of_a_text_come_in_their_order() -> None:
    rng = Random(6)
    filler = Filler(rng=rng)
    filler.begin(date(2027, 6, 16))
    orders = set()
    for _ in range(40):
        filler.begin_text()
        texts = [filler(rng, kind, "") for kind in ("day", "day", "soon")]
        days = [datetime.strptime(f"{text} 2027", "%B %d %Y") for text in texts]
        assert days == sorted(days)
        assert days[2] > datetime(2027, 6, 16)
        orders.add(days[0] < datetime(2027, 6, 16))
    assert orders == {True, False}


def test_what_was_once_is_over_and_what_comes_later_is_not() -> None:
    rng = Random(4)
    filler = Filler(rng=rng)
    filler.begin(date(2027, 12, 20))
    once = [filler(rng, "once", "") for _ in range(80)]
    assert {day.rpartition(" ")[2] for day in once} <= {"2026", "2027", "2025"}
    later = [filler(rng, "later", "") for _ in range(80)]
    assert {day.rpartition(" ")[2] for day in later if "," in day} <= {"2028", "2029"}


def test_bounds_hold() -> None:
    rng = Random(5)
    filler = Filler()
    numbers = [int(filler(rng, "number", "20-40")) for _ in range(100)]
    assert min(numbers) >= 20
    assert max(numbers) <= 40
    assert len(filler(rng, "code", "6")) == 6


def test_a_life_meets_the_same_people_again_and_each_once_in_a_session() -> None:
    rng = Random(5)
    filler = Filler(rng=rng)
    sessions = []
    for _ in range(10):
        filler.begin(filler.today)
        sessions.append([filler(rng, "person", "") for _ in range(10)])
    assert all(len(set(people)) == len(people) for people in sessions)
    assert len({person for people in sessions for person in people}) < 60


def test_names_of_filler_are_no_names_of_facts() -> None:
    others = {*project_words.SPEAKER_FIRST, *project_words.SPEAKER_LAST}
    others |= {name for pair in pools.NEAR_FIRST for name in pair}
    firsts: set[str] = set()
    for split in map(Split, range(30)):
        assert not {*split.first, *split.last} & {*split.filler_first, *split.filler_last}
        assert not {*split.filler_first, *split.filler_last} & others
        firsts |= set(split.first)
    assert firsts == set(pools.FIRST), "no name belongs to facts in every life"


def test_a_list_of_the_scenario_comes_first_and_an_unknown_slot_is_named() -> None:
    filler = Filler({"venue": ["the workshop"]})
    assert filler(Random(1), "venue", "") == "the workshop"
    with pytest.raises(InputError, match=r"unknown slot '\{venus\}'"):
        filler(Random(1), "venus", "")
