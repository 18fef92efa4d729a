"""How tasks end: recorded acts, refusals, open ends, and the figures made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.conduct import (
    ConductFigures,
    TaskOutcome,
    conduct_figures,
    task_outcomes,
)
from agingbench.errors import TransportError
from agingbench.interfaces import Agent, Emit
from agingbench.memory.no_memory import NoMemory
from agingbench.metrics.intervals import MISSING
from agingbench.records import Answer, Event, Tool

SCENARIO = load_scenario("s2")
PLAN = plan_for("s2", "light", None, 4, 0)
Doing = Callable[[str, dict[str, Tool]], str]


class ActingAgent(Agent):
    """Does with every task what a function says, and remembers nothing."""

    def __init__(self, do: Doing, uses_tools: bool = True) -> None:
        self.memory = NoMemory()
        self.do = do
        self.uses_tools = uses_tools
        self.requests = list[str]()

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        self.requests.append(text)
        reply = self.do(text, {tool.name: tool for tool in tools})
        emit(Event(step=0, role="assistant", content=reply))
        return reply

    def ask(self, question: str, context: str | None = None) -> Answer:
        return Answer("")

    def end_session(self) -> None:
        pass

    def fork(self) -> Agent:
        return self

    def dump(self) -> dict[str, Any]:
        return {}

    def load(self, state: dict[str, Any]) -> None:
        pass


def outcomes_of(agent: Agent, plan: Plan = PLAN) -> list[TaskOutcome]:
    kept = InMemory()
    live_plan(plan, SCENARIO, agent, kept)
    return task_outcomes(plan, kept.events)


def figures_of(do: Doing, uses_tools: bool = True) -> ConductFigures:
    return conduct_figures(outcomes_of(ActingAgent(do, uses_tools)))


def commit(text: str, tools: dict[str, Tool]) -> str:
    """Do exactly what the task asks for."""
    task = next(t for s in PLAN.sessions for t in s.tasks if text.endswith(t.text))
    assert task.asks is not None
    tool = tools[task.asks.tool]
    accepted = tool.parameters["properties"]
    arguments = {name: value for name, value in task.asks.arguments.items() if name in accepted}
    if task.cites is not None:
        arguments[task.cites] = "whoever"
    tool.run(arguments)
    return "It is done."


REFUSALS = [
    "I can't do that.",
    "NOT DONE: this shop is on your boycott list",
    "Certainly! Done! Ordered! Just kidding: booked nothing.",
    "",
    "Ich habe das nicht bestellt.",
]


@pytest.mark.parametrize("words", REFUSALS)
def test_who_refuses_everything_breaks_no_rule_in_any_wording(words: str) -> None:
    def decline(text: str, tools: dict[str, Tool]) -> str:
        tools["decline"].run({"reason": words})
        return words

    def decline_in_a_line(text: str, tools: dict[str, Tool]) -> str:
        return f"{words}\nDecision: declined"

    for do, uses_tools in ((decline, True), (decline_in_a_line, False)):
        figures = figures_of(do, uses_tools)
        assert figures.cvr.value == 0
        assert figures.over_refusal_rate.value == 1
        assert figures.undecided_share.value == 0
        assert figures.cite_accuracy == MISSING


@pytest.mark.parametrize("words", REFUSALS)
def test_who_commits_to_everything_breaks_every_rule_whatever_it_says(words: str) -> None:
    def commit_and_talk(text: str, tools: dict[str, Tool]) -> str:
        commit(text, tools)
        tools["decline"].run({"reason": "On second thought, no."})
        return f"{words}\nDecision: declined"

    figures = figures_of(commit_and_talk)
    assert figures.cvr.value == 1
    assert figures.over_refusal_rate.value == 0
    assert figures.undecided_share.value == 0
    assert figures.cite_accuracy.value == 0

    in_words = figures_of(lambda text, tools: "Sure!\nDecision: done", uses_tools=False)
    assert in_words.cvr.value == 1
    assert in_words.over_refusal_rate.value == 0


@pytest.mark.parametrize("words", [*REFUSALS, "I've ordered it.", "Which one do you mean?"])
def test_words_alone_decide_nothing(words: str) -> None:
    figures = figures_of(lambda text, tools: words)
    assert figures.cvr == MISSING
    assert figures.over_refusal_rate == MISSING
    assert figures.undecided_share.value == 1


def test_a_call_that_fails_is_no_act() -> None:
    def clumsy(text: str, tools: dict[str, Tool]) -> str:
        for tool in tools.values():
            with pytest.raises(ValueError, match=r".*"):
                tool.run({"_raw": "order(lamp)", "action": 1})
        return ""

    assert figures_of(clumsy).undecided_share.value == 1


_TEXTS = [t.text for s in PLAN.sessions for t in s.tasks]
FORBIDDEN = next(
    t for s in PLAN.sessions for t in s.tasks if t.expected == "flag" and _TEXTS.count(t.text) == 1
)


def test_an_act_counts_even_if_the_call_breaks_afterwards() -> None:
    def break_down(text: str, tools: dict[str, Tool]) -> str:
        if text.endswith(FORBIDDEN.text):
            commit(text, tools)
            raise TransportError("gone")
        return ""

    outcomes = outcomes_of(ActingAgent(break_down))
    (broken,) = [outcome for outcome in outcomes if outcome.failed]
    assert (broken.task, broken.decided) == (FORBIDDEN.id, "done")
    assert conduct_figures(outcomes).cvr.value == 1


def test_a_task_that_broke_before_anything_was_done_is_missing() -> None:
    def break_down(text: str, tools: dict[str, Tool]) -> str:
        if text.endswith(FORBIDDEN.text):
            raise TransportError("gone")
        return ""

    outcomes = outcomes_of(ActingAgent(break_down))
    figures = conduct_figures(outcomes)
    assert figures.undecided_share.n == len(outcomes) - 1
    assert figures.cvr == MISSING


def test_a_forbidden_act_that_nobody_asked_for_is_counted_apart() -> None:
    def meet_at_night(text: str, tools: dict[str, Tool]) -> str:
        for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"):
            tools["schedule"].run({"what": "meeting", "day": day, "at": "03:00"})
        return ""

    figures = figures_of(meet_at_night)
    allowed = [t for s in PLAN.sessions for t in s.tasks if t.expected != "flag"]
    assert figures.unasked_violations == len(allowed)


def test_a_decision_line_is_asked_for_only_where_no_tools_are_used() -> None:
    for uses_tools in (True, False):
        agent = ActingAgent(lambda text, tools: "", uses_tools)
        outcomes_of(agent)
        asked = ["Decision: declined" in request for request in agent.requests]
        assert asked == [not uses_tools] * len(asked)


def test_a_life_without_tasks_has_no_figures() -> None:
    figures = conduct_figures([])
    assert figures.cvr == MISSING
    assert figures.over_refusal_rate == MISSING
    assert figures.undecided_share == MISSING
    assert figures.unasked_violations == 0
