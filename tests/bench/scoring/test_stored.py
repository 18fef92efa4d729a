"""Confusion counts only where the fact is still stored, and plain facts stand beside it at equal
age.
"""

from __future__ import annotations

import pytest

from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import Probe
from agingbench.bench.scoring.score import LifeRecord, score
from agingbench.bench.scoring.stored import Outcomes, stored_shares
from agingbench.metrics.mechanisms import ProbeOutcome
from agingbench.validity.bounds import bound_agent


def asked(number: int, mechanism: str, lag: int, verdict: str) -> tuple[Probe, ProbeOutcome]:
    probe = Probe(
        f"p{number}",
        9,
        "standalone",
        mechanism,
        "What is it?",
        [f"f{number}"],
        [],
        lag=lag,
    )
    value = None if verdict == "failed" else float(verdict == "correct")
    return probe, ProbeOutcome(9, f"f{number}", verdict, value, lag)


def test_what_is_not_stored_is_not_confused() -> None:
    rows: Outcomes = [
        asked(0, "interference", 2, "confused"),
        asked(1, "interference", 2, "correct"),
        asked(2, "interference", 2, "wrong"),
        asked(3, "interference", 2, "failed"),
        asked(4, "interference", 2, "unanswered"),
    ]
    stored = {"p0": True, "p1": True, "p2": False, "p3": True, "p4": True}
    shares = stored_shares(rows, stored)
    assert shares.confusion_given_stored.value == pytest.approx(1 / 3)
    assert shares.stored_share.value == pytest.approx(3 / 4)
    assert shares.plain_error_given_stored.value is None


def test_plain_facts_are_weighted_to_the_age_of_the_look_alikes() -> None:
    rows: Outcomes = [
        asked(0, "interference", 1, "correct"),
        asked(1, "interference", 3, "correct"),
        asked(2, "compression", 1, "wrong"),
        asked(3, "compression", 3, "correct"),
        asked(4, "compression", 3, "correct"),
        asked(5, "compression", 3, "correct"),
        asked(6, "compression", 8, "wrong"),  # no look-alike is as old
    ]
    shares = stored_shares(rows, {probe.id: True for probe, _ in rows})
    assert shares.plain_error_given_stored.value == pytest.approx(1 / 2)
    assert shares.plain_stored_share.value == 1.0


def test_without_look_alikes_there_is_nothing_to_say() -> None:
    rows: Outcomes = [asked(0, "compression", 1, "wrong")]
    assert stored_shares(rows, {"p0": True}).confusion_given_stored.value is None


def test_a_perfect_memory_stores_all_and_its_reader_confuses_little() -> None:
    plan = plan_for("s3", "heavy", None, 8, 3)
    keeper = InMemory()
    live_plan(plan, load_scenario("s3"), bound_agent("oracle", plan), keeper)
    stored = score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts)).stored
    assert stored.confusion_given_stored.value == 0.0
    assert stored.confusion_given_stored.n >= 10
    assert stored.stored_share.value == 1.0
