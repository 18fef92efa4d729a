"""The floor and the ceiling of a life: what they read, what they are worth, and when there is none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agingbench.agents.react import ReactAgent
from agingbench.bench.diagnosis.contexts import full_history
from agingbench.bench.diagnosis.floor_and_ceiling import (
    CEILING,
    FLOOR,
    NOT_ASKED,
    PER_POINT,
    POINTS,
    ask_bounds,
    bounds_complete,
    bounds_of,
    not_asked,
    sample,
)
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, build, with_defaults
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.score import LifeRecord, score
from agingbench.cards.check import validate_card
from agingbench.cards.figures import Figure
from agingbench.errors import ContextOverflow, TransportError
from agingbench.memory.no_memory import NoMemory
from agingbench.models.extractive import Extractive
from agingbench.records import Message, Reply, Tool
from agingbench.text.wording import count_tokens
from agingbench.trials.run_folder import AnswerRow
from tests.bench.lives import SCENARIO, Kept, diagnose_run, part, run_life, score_run
from tests.sampling import one_in

HERE = __name__
# What the embedded reader reaches with everything before it, where that is not nearly all: it
# follows no links (s4), and in answers out of passages (s2) or beside look-alikes (s6) it errs.
LEAST_CEILING = {"s2": 0.7, "s4": 0.4, "s6": 0.85, "s7": 0.7}


class Small(Extractive):
    """Takes so many tokens and no more."""

    most = 9000
    asked: list[str] = []  # noqa: RUF012 - set anew by each test

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        if part(messages) == "probe":
            Small.asked.append(messages[0].content)
            if count_tokens(messages[0].content) > self.most:
                raise ContextOverflow("too long")
        return super().complete(messages, tools, max_tokens, seed)


def agent(model: Extractive | None = None) -> ReactAgent:
    return ReactAgent(model or Extractive(), NoMemory(), SCENARIO.role)


@pytest.mark.parametrize("name", one_in(2, ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]))
def test_no_memory_is_a_floor_and_the_whole_history_a_ceiling_in_every_scenario(name: str) -> None:
    scenario = load_scenario(name)
    plan = plan_for(scenario, sessions=6, seed=1)
    sut = with_defaults(
        Sut(memory="workspace" if name in ("s5", "s7") else "careful_compress"),
        scenario,
        {"memory"},
    )
    built = build(sut, scenario.role)
    kept = Kept()
    live_plan(plan, scenario, built.agent, kept, meter=built.meter)
    texts = sorted((s.t, s.text) for s in kept.snapshots.values())
    lived = score(LifeRecord(plan, kept.events, kept.answers, texts)).headline.time_average
    found = ask_bounds(plan, build(sut, scenario.role).agent)
    assert found.floor.headline.value == 0.0
    assert found.floor.recall.value == 0.0
    assert lived.value is not None
    assert lived.value > 0.0
    assert found.ceiling.headline.high is not None
    assert lived.value <= found.ceiling.headline.high
    assert (found.ceiling.headline.value or 0.0) > LEAST_CEILING.get(name, 0.9)


def test_the_sample_is_bounded_spread_over_the_life_and_the_same_every_time() -> None:
    for sessions in (1, 3, 40):
        plan = plan_for("s2", "light", sessions=sessions)
        chosen = sample(plan)
        assert chosen == sample(plan_for("s2", "light", sessions=sessions))
        points = sorted({p.t for p in chosen})
        assert len(points) == min(POINTS, sessions)
        assert (points[0], points[-1]) == (1, sessions)
        assert all(0 < sum(p.t == t for p in chosen) <= PER_POINT for t in points)
        assert len({p.id for p in chosen}) == len(chosen)


def test_the_conditions_read_nothing_and_everything_in_the_slot_of_the_memory() -> None:
    Small.asked = []
    Small.most = 10**9
    plan = plan_for("s2", "light", sessions=3)
    ask_bounds(plan, agent(Small()))
    slots = [text.partition("<memory>\n")[2].rpartition("\n</memory>")[0] for text in Small.asked]
    assert set(slots) == {"", *(full_history(plan, t) for t in (1, 2, 3))}
    assert slots.count("") == len(sample(plan))


def test_a_history_that_does_not_fit_has_no_ceiling_and_says_why() -> None:
    Small.asked = []
    Small.most = 2500
    plan = plan_for("s2", sessions=6)
    found = ask_bounds(plan, agent(Small()))
    assert found.ceiling.headline.value is None
    assert found.ceiling.reason == "the history of 6 sessions does not fit the model's context"
    assert found.floor.headline.value == 0.0
    assert (
        sum("<memory>\n\n" not in text for text in Small.asked) == 1
    )  # the longest is tried first, and alone
    assert Figure.of(found.ceiling.headline) == Figure(None, None, 0)
    assert found.floor.reason is None


def test_failed_calls_count_for_nothing() -> None:
    class Gone(Extractive):
        def complete(
            self,
            messages: Sequence[Message],
            tools: Sequence[Tool] = (),
            max_tokens: int = 1024,
            seed: int | None = None,
        ) -> Reply:
            raise TransportError("gone")

    found = ask_bounds(plan_for("s2", "light", sessions=2), agent(Gone()))
    assert found.floor.headline.value is None
    assert found.floor.reason == "every call failed in transport"


def test_without_answers_the_card_says_that_nobody_asked() -> None:
    plan = plan_for("s2", "light", sessions=2)
    assert bounds_of(plan, []).floor == not_asked()
    assert not_asked().headline.value is None


def test_what_was_answered_is_not_asked_again() -> None:
    plan: Plan = plan_for("s2", "light", sessions=2)
    rows: list[AnswerRow] = []
    whole = ask_bounds(plan, agent(), keep=rows.append)
    assert bounds_complete(plan, rows)
    assert not bounds_complete(plan, rows[:-1])
    more: list[AnswerRow] = []
    assert ask_bounds(plan, agent(), done=rows[:5], keep=more.append) == whole
    assert len(more) == len(rows) - 5
    assert {r.condition for r in rows} == {FLOOR, CEILING}
    assert all(r.context is None for r in rows)


def test_the_embedded_reader_is_always_bounded_and_others_only_on_demand(tmp_path: Path) -> None:
    Small.most = 10**9
    plan = plan_for("s2", "light", sessions=3)
    for sut, ask, there in (
        (Sut(), False, True),
        (Sut(model=f"{HERE}:Small"), False, False),
        (Sut(model=f"{HERE}:Small", sut_id="asked"), True, True),
    ):
        path, before = run_life(plan, sut, tmp_path)
        headline = before["headline"]
        assert headline["floor_reason"] == headline["ceiling_reason"] == NOT_ASKED
        assert [headline[key] for key in ("floor", "floor_ci", "floor_n")] == [None, None, 0]
        diagnose_run(path, Resources(), ladder=False, calibrate=ask)
        assert RunDirectory(path).calibration_answers.exists() == there
        card = score_run(path)
        assert validate_card(card) == []
        assert (card["headline"]["floor"] == 0.0) == there
        assert ("calibration" in card) == there
        assert "diagnosis" not in card
        if there:
            assert card["headline"]["ceiling_n"] == len(sample(plan))
            assert len(card["headline"]["ceiling_ci"]) == 2
            assert card["calibration"]["cost"]["total_calls"] == 2 * len(sample(plan))
