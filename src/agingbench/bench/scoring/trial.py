"""A life as a TrialRecord, made from the files of the run and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.bench.scoring.card import time_of, total_usage
from agingbench.bench.scoring.score import LifeScores
from agingbench.records import Event
from agingbench.registry import without_folder
from agingbench.trials.record import (
    AgentOutput,
    Cost,
    Environment,
    Evaluation,
    InputFile,
    Inputs,
    Outputs,
    Timing,
    TrialAgent,
    TrialRecord,
    TrialTask,
    Validity,
)
from agingbench.trials.run_folder import AnswerRow, Stop, SystemRecord, life_start


def make_trial(
    plan: Plan,
    scenario: Scenario,
    sut: SystemRecord,
    scores: LifeScores,
    events: list[Event],
    answers: list[AnswerRow],
    condition: str,
    stops: Sequence[Stop] = (),
) -> TrialRecord:
    """Return the life as a TrialRecord; `earned_completeness` corrects its completeness later.

    `stops` are the times that it stopped on its way.
    """
    reward = scores.headline.time_average.value if scores.dependable else None
    breakdown = {name: e.value for name, e in scores.probe_metrics.items()}
    evaluation = Evaluation(
        reward=reward,
        breakdown=breakdown,
        validity=Validity(
            output_parseable=True,
            schema_valid=True,
            verifier_completed=True,
            errors=[],
        ),
    )
    output = AgentOutput(
        status="completed",
        output_path="answers.jsonl",
        output_format="jsonl",
    )
    return _record(
        plan,
        scenario,
        sut,
        events,
        answers,
        condition,
        stops,
        evaluation,
        output,
    )


def incomplete_trial(
    plan: Plan,
    scenario: Scenario,
    sut: SystemRecord,
    events: list[Event],
    answers: list[AnswerRow],
    condition: str,
    stops: Sequence[Stop],
) -> TrialRecord:
    """Return a life that stopped on its way as a TrialRecord without a reward."""
    reason = f"incomplete: {stops[-1].reason}"
    evaluation = Evaluation(
        reward=None,
        validity=Validity(
            output_parseable=True,
            schema_valid=True,
            verifier_completed=False,
            errors=[reason],
        ),
    )
    output = AgentOutput(
        status="partial" if answers else "empty",
        output_path="answers.jsonl",
        output_format="jsonl",
        error_message=reason,
    )
    return _record(
        plan,
        scenario,
        sut,
        events,
        answers,
        condition,
        stops,
        evaluation,
        output,
    )


def _record(
    plan: Plan,
    scenario: Scenario,
    sut: SystemRecord,
    events: list[Event],
    answers: list[AnswerRow],
    condition: str,
    stops: Sequence[Stop],
    evaluation: Evaluation,
    output: AgentOutput,
) -> TrialRecord:
    start = life_start(events)
    usage = total_usage(events, answers)
    # A life that stopped in its first session has no event yet.
    first = time_of(events[0]) if events else datetime.fromisoformat(stops[0].time)
    last = time_of(events[-1]) if events else first
    revisions = [start.agingbench_version, start.git_sha]
    adapter_revision = "+".join(revision for revision in revisions if revision)

    return TrialRecord(
        trial_id=f"{plan.scenario}.{sut.sut_id.replace('+', '_')}.{condition}.seed_{plan.seed}",
        experiment_id="adhoc",
        timestamp=first,
        task=TrialTask(task_id=f"{plan.scenario}@{plan.scenario_version}", task_revision=plan.hash),
        agent=TrialAgent(
            adapter=without_folder(sut.agent),
            model=without_folder(sut.model),
            configuration=sut.document(),
            adapter_revision=adapter_revision or None,
        ),
        environment=Environment(
            runtime_image=f"local:{start.python or 'unknown'}",
            compute_backend="local",
            tool_versions=start.tool_versions or None,
        ),
        inputs=Inputs(
            instruction=plan.sessions[0].text,
            system_prompt=scenario.role,
            input_files=[InputFile(path="plan.json", hash=plan.hash)],
        ),
        outputs=Outputs(
            agent_output=output,
            trajectory_path="trace.jsonl" if events else None,
            agent_result=_history(stops),
        ),
        evaluation=evaluation,
        timing=Timing(total_seconds=max(0.0, (last - first).total_seconds())),
        cost=Cost(
            tokens_in=usage.input_tokens,
            tokens_out=usage.output_tokens,
            estimated_cost_usd=usage.cost_usd,
        ),
        completeness="partial",
    )


def _history(stops: Sequence[Stop]) -> dict[str, list[dict[str, str | int]]] | None:
    return {"stops": [msgspec.to_builtins(stop) for stop in stops]} if stops else None
