"""What every memory system has to stand: the checks that the tests of each of them share."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import plan_for, shared_scenario
from agingbench.bench.life.system import Sut
from agingbench.interfaces import Agent, Memory
from agingbench.models.extractive import Extractive
from agingbench.models.serving.server import ServedModel, serving
from agingbench.records import Event, Message, Reply, Tool

TOLD = (
    "The code of the blue door is 4821.",
    "Vera Holm pays $250 a month for the boat shed.",
    "The Kestrel pump runs at 35 percent.",
)
QUESTION = "What is the code of the blue door?"


def said(*texts: str) -> list[Event]:
    return [Event(step=n, role="user", content=text) for n, text in enumerate(texts)]


def check_round_trip(memory: Memory, fresh: Callable[[], Memory]) -> None:
    """Dump → load → dump is equal, and a loaded memory reads the same."""
    state = memory.dump()
    frozen = copy.deepcopy(state)
    other = fresh()
    other.load(state)
    assert other.dump() == frozen
    assert other.read(QUESTION) == memory.read(QUESTION)
    assert other.units() == memory.units()
    assert memory.dump() == frozen
    other.close()


def check_probes_change_nothing(agent: Agent, question: str = QUESTION) -> None:
    """A question asked of a fork, and a fork that lives on, leave the agent as it was."""
    before = copy.deepcopy(agent.dump())
    fork = agent.fork()
    fork.ask(question)
    fork.act("The code of the blue door is 9999.\n\nThank you.", (), lambda event: None)
    fork.end_session()
    fork.close()
    assert agent.dump() == before


def lived(
    out: Path, memory: str, agent: str = "react", model: str = "extractive", **options: Any
) -> Life:
    """A short life of s2 on disk."""
    scenario = shared_scenario("s2")
    plan = plan_for(scenario, "light", None, 2, 0, ())
    sut = Sut(model=model, memory=memory, agent=agent, **options)
    life = Life(plan, scenario, sut).again(out)
    life.live()
    life.score()
    return life


class CountingReader(Extractive):
    """The embedded reader that counts how often it was asked."""

    asked = 0

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        CountingReader.asked += 1
        return super().complete(messages, tools, max_tokens, seed)


def check_calls_are_counted(out: Path, memory: str, agent: str = "react", **options: Any) -> None:
    """The calls that reached the model are the calls on the card."""
    CountingReader.asked = 0
    life = lived(out, memory, agent, f"{__name__}:CountingReader", **options)
    calls = life.card().cost_and_efficiency.total_calls
    assert CountingReader.asked == calls
    assert isinstance(calls, int)
    assert calls > 0


def check_served_calls_are_counted(
    out: Path,
    memory: str,
    monkeypatch: pytest.MonkeyPatch,
    agent: str = "react",
    **options: Any,
) -> None:
    """The calls that reached a server are the calls on the card."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    served = ServedModel(Extractive())
    with serving(served) as port:
        life = lived(
            out,
            memory,
            agent,
            "openai:served",
            model_options={"base_url": f"http://127.0.0.1:{port}/v1"},
            **options,
        )
    calls = life.card().cost_and_efficiency.total_calls
    assert served.usage.calls == calls
    assert isinstance(calls, int)
    assert calls > 0
