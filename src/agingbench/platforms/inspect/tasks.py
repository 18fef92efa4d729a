"""Every scenario as a task of Inspect, found by its entry point: `agingbench/s1`, `agingbench/s2`,
and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig

from agingbench.bench.scenarios import SCENARIOS
from agingbench.bench.studies.seeds import read_seeds
from agingbench.errors import AgingBenchError
from agingbench.platforms.inspect.scores import SCORER, aging
from agingbench.platforms.inspect.solver import SEED, LifeOptions, live_life

EMBEDDED = "extractive"


def life_task(options: LifeOptions, seeds: object, temperature: float | None) -> Task:
    """A task with one sample for each seed.

    Raises PrerequisiteError for what cannot be lived, before any model is asked.
    """
    try:
        numbers = read_seeds(seeds, "seeds")
        # With the embedded reader in the model's place: what a life needs does not depend on it.
        example = options.life(numbers[0], None, EMBEDDED)
        example.close()
    except AgingBenchError as error:
        raise PrerequisiteError(str(error)) from error
    plan = example.plan
    what = f"{plan.n_sessions} sessions of {plan.scenario} ({plan.preset})"
    memory = example.sut.memory
    samples = [
        Sample(
            id=f"seed_{seed}",
            input=f"Live {what} with memory {memory}, seed {seed}.",
            metadata={SEED: seed, "scenario": plan.scenario, "memory": memory},
        )
        for seed in numbers
    ]
    return Task(
        dataset=MemoryDataset(samples, name=plan.scenario),
        solver=live_life(options),
        scorer=aging(),
        config=GenerateConfig(temperature=temperature),
        version=plan.scenario_version,
        headline_metric=f"{SCORER}.m_{plan.n_sessions:02d}",
    )


def _task_of(scenario: str, alias: str) -> Callable[..., Task]:
    @task(name=alias)
    def lives(
        seeds: int | str | list[int] = 1,
        memory: str | None = None,
        memory_options: dict[str, Any] | None = None,
        agent: str | None = None,
        agent_options: dict[str, Any] | None = None,
        controller: str | None = None,
        sessions: int | None = None,
        pressure: str = "medium",
        dials: dict[str, Any] | None = None,
        events: str | list[str] | None = None,
        temperature: float | None = 0.0,
        probes_at_once: int = 8,
        out: str | None = None,
    ) -> Task:
        """Live a scenario with the model of the evaluation, one sample for each seed."""
        system = {
            "memory": memory,
            "memory_options": memory_options,
            "agent": agent,
            "agent_options": agent_options,
            "controller": controller,
        }
        options = LifeOptions(
            scenario=scenario,
            sessions=sessions,
            pressure=pressure,
            dials=dials,
            events=_event_list(events),
            system={key: value for key, value in system.items() if value is not None},
            probes_at_once=probes_at_once,
            out=out,
        )
        return life_task(options, seeds, temperature)

    registered: Callable[..., Task] = lives
    return registered


def _event_list(events: str | list[str] | None) -> list[str] | None:
    if events is None or isinstance(events, list):
        return events
    return [] if events == "none" else [events]


TASKS = {alias: _task_of(name, alias) for alias, name in SCENARIOS.aliases.items()}
