"""Lifecycle events that a memory supports, and the text of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.bench.life.transitions import MODEL_SWAP, REDUCE_BUDGET
from agingbench.bench.plan.plan import TOLD_EVENTS, LifecycleEvent, Scenario, parse_events
from agingbench.errors import AgingBenchError, InputError
from agingbench.interfaces import Agent, Memory
from agingbench.memory.prompts import read_prompt
from agingbench.registry import conform

ROLE = "role"  # argument of prompt_update: the agent's system prompt


def take_up(agent: Agent, state: dict[str, Any]) -> None:
    """Give the agent the state that a run folder holds; raises InputError where it is none.

    A folder may come from elsewhere, and what stands in it is up to whoever wrote it.
    """
    try:
        agent.load(state)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, AgingBenchError):
            raise
        raise InputError(
            f"the memory's state in the run directory cannot be taken up ({type(error).__name__}:"
            f" {error}); it is damaged or of another memory: delete the directory and run it again"
        ) from error


def check_events(plan_events: Sequence[LifecycleEvent], agent: Agent) -> None:
    """Raise InputError for events that the agent's memory does not support."""
    lowest: dict[str, float] = {}  # what earlier events leave of each budget
    for event in plan_events:
        if event.name == MODEL_SWAP:
            if "model" not in event.args:
                raise InputError(
                    f"event '{event}': say which, as {MODEL_SWAP}@{event.at}:model=NAME"
                )
            continue
        if event.name in TOLD_EVENTS:
            continue  # told by the plan, which was made with it
        _check_role(event, agent)
        if event.args and not memory_args(event):
            continue
        memory = memory_of(agent)
        if event.name not in memory.supports:
            can = ", ".join(sorted(memory.supports)) or "none"
            raise InputError(
                f"event '{event}': this memory policy does not support it; it supports: {can}"
            )
        try:
            memory.check(event.name, **memory_args(event))
        except InputError as error:
            raise InputError(f"event '{event}': {error}") from error
        if event.name == REDUCE_BUDGET:
            for name, value in event.args.items():
                if value >= lowest.get(name, value + 1):
                    raise InputError(f"event '{event}': {name} is down to {lowest[name]} by then")
                lowest[name] = value


def memory_args(event: LifecycleEvent) -> dict[str, Any]:
    """The arguments of an event that concern the memory: all but another role of the agent."""
    return {name: value for name, value in event.args.items() if name != ROLE}


def apply_to_memory(event: LifecycleEvent, agent: Agent) -> None:
    """Have the agent's memory undergo an event, unless the event does not concern it.

    Another role does not, nor does what the plan tells of: that was said in the session before.
    """
    if event.name in TOLD_EVENTS:
        return
    args = memory_args(event)
    if args or not event.args:
        memory_of(agent).apply(event.name, **args)


def update_role(event: LifecycleEvent, agent: Agent) -> None:
    """Give the agent the role of a `prompt_update` that names one, as a text or a file.

    No snapshot holds it, so it is done again wherever a life is taken up.
    """
    if ROLE in event.args:
        agent.role = read_prompt(event.args[ROLE])


def _check_role(event: LifecycleEvent, agent: Agent) -> None:
    if ROLE not in event.args:
        return
    if agent.role is None:
        raise InputError(f"event '{event}': this agent has no role that could be changed")
    try:
        read_prompt(event.args[ROLE])
    except InputError as error:
        raise InputError(f"event '{event}': {error}") from error


def default_events(
    scenario: Scenario,
    sessions: int,
    agent: Agent,
) -> tuple[str, ...]:
    """The events that a scenario prefers, as far as the agent's memory supports them."""
    supported = []
    for event in parse_events(scenario.default_events(sessions), sessions):
        try:
            check_events([event], agent)
        except InputError:
            continue
        supported.append(str(event))
    return tuple(supported)


def memory_of(agent: Agent) -> Memory:
    """The memory an agent carries, for lifecycle events and snapshots."""
    if agent.memory is None:
        raise InputError(
            f"agent {type(agent).__name__} has no `memory` that lifecycle events and metrics can"
            " reach"
        )
    return conform(agent.memory, Memory, f"the memory of agent {type(agent).__name__}")


def fork_of(agent: Agent) -> Agent:
    """An independent agent in the same state, to be closed by the caller."""
    fork = agent.fork()
    if isinstance(fork, Agent):
        return fork
    return conform(fork, Agent, f"the fork of agent {type(agent).__name__}")


def memory_text(memory: Memory) -> str:
    """All that a memory holds, as text: its units, or its one blob."""
    units = memory.units()
    return memory.read("") if units is None else "\n\n".join(unit.text for unit in units)
