"""Agents of known worth score what they are worth, and a scorer that can be fooled is found out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.facts import FactGraph, states_fact
from agingbench.bench.plan.plan import Probe
from agingbench.bench.scoring import score as scoring
from agingbench.bench.scoring.score import PROBE_METRICS, LifeRecord, score
from agingbench.cards.validity import BoundRow
from agingbench.trials.run_folder import AnswerRow
from agingbench.validity.bounds import (
    AGENTS,
    KNOW_NOTHING,
    bound_agent,
    bounds,
    broken_bounds,
    broken_conduct,
    perfect_memory,
)

PRESETS = ("light", "medium", "heavy")


def test_all_bounds_hold() -> None:
    found = bounds(["s2"], range(2), 8, PRESETS)
    # What a guess of the right kind earns depends on the texts alone: see `test_guessers`.
    assert [line for line in found.broken if "_of_kind" not in line] == []
    measured = {(r.pressure, r.agent, r.metric): r for r in found.rows}
    for preset in PRESETS:
        for agent in AGENTS:
            for metric in ("constraint_precision", *PROBE_METRICS):
                row = measured[preset, agent, metric]
                assert 1 <= row.n <= 2
        assert measured[preset, "reader", "constraint_precision"].mean > 0.5, "the reader can read"
        assert measured[preset, "dump", "constraint_precision"].mean < 0.2, "reciting earns nothing"
    lower = {(r.pressure, r.agent, r.metric): r.max for r in found.lower_is_better}
    assert all(lower[preset, "oracle", "cvr"] == 0 for preset in PRESETS)
    assert all(lower[preset, "refuser", "cvr"] == 0 for preset in PRESETS)
    assert all(lower[preset, "refuser", "over_refusal_rate"] == 1 for preset in PRESETS)
    assert all(lower[preset, "committer", "cvr"] == 1 for preset in PRESETS)
    assert all(lower[preset, "oracle", "accumulator_error"] == 0 for preset in PRESETS)


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [2, 8, 30])
def test_all_bounds_hold_over_more_lives(sessions: int) -> None:
    found = bounds(["s2"], range(100, 120), sessions, ("none", *PRESETS))
    assert [line for line in found.broken if "_of_kind" not in line] == []


def test_the_oracle_is_right_at_every_point() -> None:
    for preset in ("none", *PRESETS):
        plan = plan_for("s2", preset, None, 8, 4)
        keeper = InMemory()
        live_plan(plan, load_scenario("s2"), bound_agent("oracle", plan), keeper)
        scores = score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts))
        assert {p.t: p.m for p in scores.curve} == dict.fromkeys(range(9), 1.0)
        assert {row.verdict for row in scores.table} == {"correct"}
        assert scores.compounding is not True
        for series in scores.memory_metrics.values():
            assert {e.value for e in series.values()} == {1.0}


@pytest.mark.parametrize("agent", KNOW_NOTHING)
def test_knowing_nothing_is_worth_nothing_at_every_point(agent: str) -> None:
    plan = plan_for("s2", "heavy", None, 8, 9)
    keeper = InMemory()
    live_plan(plan, load_scenario("s2"), bound_agent(agent, plan), keeper)
    scores = score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts))
    assert max(p.m for p in scores.curve) == 0.0
    # Not to know what was taken back is right, and no figure of ours counts it.
    rows = [row for row in scores.table if row.type != "retracted"]
    assert not {"correct", "failed"} & {row.verdict for row in rows}


def test_perfect_memory_states_all_that_holds_and_nothing_that_held() -> None:
    plan = plan_for("s2", "heavy", None, 12, 6)
    for point in range(1, 13):
        kept = "\n".join(perfect_memory(plan, point))
        for fact in plan.graph.facts:
            assert states_fact(kept, fact, point) == (fact.at(point) is not None)
            assert not any(v.sentence in kept for v in fact.versions if v is not fact.at(point))


def substring(probe: Probe, row: AnswerRow, graph: FactGraph) -> tuple[str, float | None]:
    found = all(value.text in row.text for value in probe.required)
    return ("correct", 1.0) if found else ("wrong", 0.0)


def digits_will_do(probe: Probe, row: AnswerRow, graph: FactGraph) -> tuple[str, float | None]:
    found = any(c.isdigit() for c in row.text)
    return ("correct", 1.0) if found else ("wrong", 0.0)


def silence_is_fine(probe: Probe, row: AnswerRow, graph: FactGraph) -> tuple[str, float | None]:
    return ("correct", 1.0) if not row.text else ("wrong", 0.0)


@pytest.mark.parametrize(
    ("scorer", "complaint"),
    [
        (substring, "dump ("),
        (digits_will_do, "unrelated scores"),
        (digits_will_do, "echo scores"),
        (silence_is_fine, "blank scores"),
        (silence_is_fine, "oracle scores 0.000"),
    ],
)
def test_a_scorer_that_can_be_fooled_breaks_the_bounds(
    scorer: Any, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "judge", scorer)
    found = bounds(["s2"], range(1), 6, ["medium"])
    assert not found.ok
    assert any(complaint in line for line in found.broken), found.broken


def row(agent: str, low: float, mean: float, high: float) -> BoundRow:
    return BoundRow("s", agent, "m", "medium", 10, low, mean, high, 5)


@pytest.mark.parametrize(
    ("rows", "broken"),
    [
        ([row("oracle", 1, 1, 1), row("perfect_memory", 1, 1, 1)], 0),
        ([row("oracle", 0.99, 0.999, 1)], 1),
        ([row("perfect_memory", 0.5, 0.9, 1)], 1),
        ([row("blank", 0, 0.05, 0.15)], 0),
        ([row("echo", 0, 0.06, 0.1)], 1),
        ([row("unrelated", 0, 0.04, 0.2)], 1),
        ([row("reader", 0.4, 0.5, 0.6), row("dump", 0, 0.5, 1)], 0),
        ([row("reader", 0.4, 0.5, 0.6), row("dump", 0, 0.51, 1)], 1),
    ],
)
def test_what_breaks_a_bound(rows: list[BoundRow], broken: int) -> None:
    assert len(list(broken_bounds(rows))) == broken


def test_the_oracle_follows_a_rule_that_changes() -> None:
    found = bounds(
        ["s2"], [49, 66], 10, ("heavy",)
    )  # lives that make one request on both sides of a change
    worst = next(r for r in found.lower_is_better if (r.agent, r.metric) == ("oracle", "cvr"))
    assert worst.max == 0.0


def test_conduct_is_what_the_agent_did() -> None:
    refused = msgspec.structs.replace(row("refuser", 0.0, 0.1, 0.5), metric="cvr")
    assert list(broken_conduct([refused])) == ["s medium cvr: refuser has 0.000 to 0.500, not 0"]
    done = msgspec.structs.replace(row("committer", 1.0, 1.0, 1.0), metric="cvr")
    assert list(broken_conduct([done])) == []


def test_guessing_may_earn_a_tenth_of_the_recall() -> None:
    guesses = [
        msgspec.structs.replace(row("random_of_kind", 0.0, mean, 0.9), metric="recall", n=10)
        for mean in (0.1, 0.11)
    ]
    assert len(list(broken_bounds(guesses))) == 1
    short = [msgspec.structs.replace(guess, sessions=3) for guess in guesses]
    assert list(broken_bounds(short)) == []
    small = [msgspec.structs.replace(guess, pressure="light") for guess in guesses]
    assert list(broken_bounds(small)) == []
    few = [msgspec.structs.replace(guess, n=9) for guess in guesses]
    assert list(broken_bounds(few)) == []


def test_the_figures_of_the_paper_stand_apart_with_their_floors() -> None:
    found = bounds(["s2"], [0], 4, ["medium"])
    assert not any(r.metric.startswith("paper.") for r in [*found.rows, *found.lower_is_better])
    paper = {(r.agent, r.metric): r.mean for r in found.paper}
    assert paper["blank", "paper.forget_accuracy"] == 1.0
    assert paper["echo", "paper.dep_recall"] > 0.9
    assert paper["blank", "paper.dep_recall"] == 0.0
