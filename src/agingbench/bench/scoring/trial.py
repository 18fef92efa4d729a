"""A life as a TrialRecord, made from the files of the run and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from agingbench.trials.run_folder import LIFE_START, AnswerRow


def make_trial(
    plan: Plan,
    scenario: Scenario,
    sut: Mapping[str, Any],
    scores: LifeScores,
    events: list[Event],
    answers: list[AnswerRow],
    condition: str,
) -> TrialRecord:
    """Return the life as a TrialRecord; `earned_completeness` corrects its completeness later."""
    start = next((e for e in events if e.lifecycle == LIFE_START), None)
    about = dict(start.metadata or {}) if start else {}
    usage = total_usage(events, answers)
    reward = scores.headline.time_average.value if scores.dependable else None
    first = time_of(events[0])
    last = time_of(events[-1])
    revisions = [about.get("agingbench_version"), about.get("git_sha")]
    adapter_revision = "+".join(revision for revision in revisions if revision)

    return TrialRecord(
        trial_id=f"{plan.scenario}.{sut['sut_id'].replace('+', '_')}.{condition}.seed_{plan.seed}",
        experiment_id="adhoc",
        timestamp=first,
        task=TrialTask(task_id=f"{plan.scenario}@{plan.scenario_version}", task_revision=plan.hash),
        agent=TrialAgent(
            adapter=without_folder(sut["agent"]),
            model=without_folder(sut["model"]),
            configuration=dict(sut),
            adapter_revision=adapter_revision or None,
        ),
        environment=Environment(
            runtime_image=f"local:{about.get('python', 'unknown')}",
            compute_backend="local",
            tool_versions=about.get("tool_versions"),
        ),
        inputs=Inputs(
            instruction=plan.sessions[0].text,
            system_prompt=scenario.role,
            input_files=[InputFile(path="plan.json", hash=plan.hash)],
        ),
        outputs=Outputs(
            agent_output=AgentOutput(
                status="completed", output_path="answers.jsonl", output_format="jsonl"
            ),
            trajectory_path="trace.jsonl",
        ),
        evaluation=Evaluation(
            reward=reward,
            breakdown={name: e.value for name, e in scores.probe_metrics.items()},
            validity=Validity(
                output_parseable=True, schema_valid=True, verifier_completed=True, errors=[]
            ),
        ),
        timing=Timing(total_seconds=max(0.0, (last - first).total_seconds())),
        cost=Cost(
            tokens_in=usage.input_tokens,
            tokens_out=usage.output_tokens,
            estimated_cost_usd=usage.cost_usd,
        ),
        completeness="partial",
    )
