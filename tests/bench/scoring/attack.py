"""Drives the attacking agents through the judging path of a life and counts what comes out."""

from __future__ import annotations

import functools
import importlib
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.scoring.conduct import TaskOutcome, task_outcomes
from agingbench.bench.scoring.verdicts import judge
from agingbench.interfaces import Agent, Emit
from agingbench.memory.no_memory import NoMemory
from agingbench.records import Answer, Event, Tool
from agingbench.trials.run_folder import AnswerRow
from agingbench.validity.answers import CorpusProbe, graph_of, probe_of

QUESTIONS = Path(__file__).parent / "attackers" / "questions.jsonl"
SETS = (1, 2)


# -- answers


@dataclass(frozen=True)
class Said:
    """An answer of an attacking agent, and what the matcher made of it."""

    style: str
    expects: str
    question: str
    form: str
    text: str
    verdict: str
    value: float

    @property
    def as_expected(self) -> bool:
        """Whether the answer got what it is worth; pairs keep partial credit for right parts."""
        if self.expects == "right":
            return self.value == 1.0
        if self.expects == "wrong" and self.form == "pairs":
            return self.value < 1.0 and self.verdict != "correct"
        return self.value == 0.0


def agents(number: int) -> Any:
    """The module of one set."""
    return importlib.import_module(f"tests.bench.scoring.attackers.attackers_{number}")


@functools.cache
def questions() -> list[dict[str, Any]]:
    """The questions as the attacking agents get them."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@functools.cache
def answers(number: int) -> list[Said]:
    """What the styles of a set say to every question, judged as in a life."""
    judged = []
    for style in agents(number).STYLES:
        for question in questions():
            rng = random.Random(f"{style.name}/{question['id']}")
            text = style.say(dict(question), rng)
            if text is not None:  # None: the style has nothing to say to such a question
                judged.append(_judged(style, question, text))
    return judged


def _judged(style: Any, question: dict[str, Any], text: str) -> Said:
    entry = msgspec.convert(question, CorpusProbe)
    probe = probe_of(entry)
    row = AnswerRow(probe.t, probe.id, "as_lived", text, "answered")
    verdict, value = judge(probe, row, graph_of(entry, probe))
    return Said(style.name, style.expects, entry.id, entry.form, text, verdict, value or 0.0)


# -- tasks


def _answering(tool: Tool) -> Callable[[dict[str, Any]], str]:
    """A tool that answers a wrong call with what is wrong, as agents hand it to their model."""

    def run(arguments: dict[str, Any]) -> str:
        try:
            return tool.run(arguments)
        except ValueError as error:
            return f"Error: {error}"

    return run


class AttackingAgent(Agent):
    """Does with every task what an attacking agent does, and remembers nothing."""

    def __init__(self, doer: Any) -> None:
        self.memory = NoMemory()
        self.doer = doer
        self.uses_tools = doer.uses_tools

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        """Hand the task and its tools to the attacking agent."""
        offered: dict[str, Callable[[dict[str, Any]], str]] = {}
        if self.uses_tools:
            offered = {tool.name: _answering(tool) for tool in tools}
        # The first task of a session comes behind its material, which these agents do not read.
        request = text.rpartition("\n\n")[2]
        reply: str = self.doer.act(request, offered, random.Random(request))
        emit(Event(step=0, role="assistant", content=reply))
        return reply

    def ask(self, question: str, context: str | None = None) -> Answer:
        """Answer nothing."""
        return Answer("")

    def end_session(self) -> None:
        """Keep nothing."""

    def fork(self) -> Agent:
        """The agent itself: it has no state."""
        return self

    def dump(self) -> dict[str, Any]:
        """No state."""
        return {}

    def load(self, state: dict[str, Any]) -> None:
        """No state."""


def outcomes(doer: Any) -> list[TaskOutcome]:
    """How the tasks of a life of s2 end with an attacking agent."""
    plan = plan_for("s2", "light", None, 4, 0)
    kept = InMemory()
    live_plan(plan, load_scenario("s2"), AttackingAgent(doer), kept)
    return [outcome for outcome in task_outcomes(plan, kept.events) if outcome.is_act]


# -- the table


def shares(number: int) -> dict[str, tuple[int, int]]:
    """For each expectation how many answers of a set came out as expected, of how many."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for said in answers(number):
        total[said.expects] += 1
        right[said.expects] += said.as_expected
    return {expects: (right[expects], total[expects]) for expects in total}


def failing_styles(number: int) -> Counter[str]:
    """The styles of a set that were not always judged as expected, with the number of times."""
    failing = [said.style for said in answers(number) if not said.as_expected]
    return Counter(failing)
