"""A life as a TrialRecord, made from the files of the run and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

from agingbench.bench.life.places import condition, life_name
from agingbench.bench.life.system import slug
from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.bench.scoring.card import time_of, total_usage
from agingbench.bench.scoring.score import LifeScores
from agingbench.bench.scoring.times import life_timing
from agingbench.cards.figures import Figure
from agingbench.records import Event
from agingbench.registry import without_folder
from agingbench.trials.life_facts import LifeFacts
from agingbench.trials.parts import cost_of, local_environment, reference
from agingbench.trials.record import (
    AgentOutput,
    Evaluation,
    InputFile,
    Inputs,
    Outputs,
    TrialAgent,
    TrialRecord,
    TrialTask,
    Validity,
)
from agingbench.trials.run_folder import AnswerRow, LifeIdentity, Stop, SystemRecord, life_start

ADHOC = "adhoc"  # the experiment of a life that belongs to no study
PARTIAL = ".partial-"  # what follows the id of a life in its partial records
Status = Literal["completed", "partial", "failed", "empty"]


@dataclass(frozen=True)
class LivedFiles:
    """What the files of a life hold when its record is made, whether or not it has ended.

    `partial` is the last record of the life that was made before it ended.
    """

    plan: Plan
    scenario: Scenario
    sut: SystemRecord
    events: list[Event]
    answers: list[AnswerRow]
    stops: Sequence[Stop] = ()
    identity: LifeIdentity | None = None
    study: str | None = None
    partial: TrialRecord | None = None

    @property
    def trial_id(self) -> str:
        """The id that was drawn for the life; its name alone where a version drew none."""
        if self.identity is not None:
            return self.identity.trial_id
        return life_name(self.plan, self.sut.sut_id)


def make_trial(life: LivedFiles, scores: LifeScores) -> TrialRecord:
    """Return a life that has ended as a TrialRecord; its evidence decides how complete it is."""
    said_nothing = not any(row.text.strip() for row in life.answers)
    # As the card says it, to the last digit.
    reward = Figure.of(scores.headline.time_average).value if scores.dependable else None
    unreadable = said_nothing and scores.dependable
    if unreadable:
        reward = 0.0  # output that cannot be parsed has reward 0

    breakdown = {name: e.value for name, e in scores.probe_metrics.items()}
    evaluation = Evaluation(
        reward=reward,
        breakdown=breakdown,
        validity=Validity(
            output_parseable=not unreadable,
            schema_valid=not scores.unformatted.value,
            verifier_completed=scores.dependable and not _unavailable(scores),
            errors=_problems(scores, said_nothing),
        ),
    )
    status: Status = "completed"
    if not scores.dependable:
        status = "failed"
    elif said_nothing:
        status = "empty"
    elif scores.failed_share:
        status = "partial"
    return _record(life, life.trial_id, evaluation, status)


def unfinished_trial(life: LivedFiles) -> TrialRecord:
    """Return a life that is on its way, or stopped there, as a partial record without a reward."""
    reason = f"incomplete: {life.stops[-1].reason}" if life.stops else "the life has not ended"
    evaluation = Evaluation(
        reward=None,
        validity=Validity(
            output_parseable=True,
            schema_valid=True,
            verifier_completed=False,
            errors=[reason],
        ),
    )
    number = 1
    if life.partial is not None:
        earlier = life.partial.trial_id.rpartition(PARTIAL)[2]
        number += int(earlier) if earlier.isdecimal() else 0
    status: Status = "partial" if life.answers else "empty"
    return _record(life, f"{life.trial_id}{PARTIAL}{number}", evaluation, status, reason)


def _problems(scores: LifeScores, said_nothing: bool) -> list[str]:
    """What keeps the output from being all that was asked for."""
    problems = []
    if scores.failed_share:
        problems.append(f"{scores.failed_share:.1%} of the probes failed in transport")
    if said_nothing:
        problems.append("no answer holds a word")
    if scores.unformatted.value:
        problems.append(
            f"{scores.unformatted.value:.1%} of the answers lack the line that was asked for"
        )
    unavailable = _unavailable(scores)
    if unavailable:
        problems.append(f"{len(unavailable)} checks of code were not executed: {unavailable[0]}")
    return problems


def _unavailable(scores: LifeScores) -> list[str]:
    return [check.detail for check in scores.code if check.status == "unavailable"]


def _record(
    life: LivedFiles,
    trial_id: str,
    evaluation: Evaluation,
    status: Status,
    reason: str | None = None,
) -> TrialRecord:
    plan = life.plan
    sut = life.sut
    start = life_start(life.events)
    revisions = [start.agingbench_version, start.git_sha]
    adapter_revision = "+".join(revision for revision in revisions if revision)
    output = AgentOutput(
        status=status,
        output_path="answers.jsonl",
        output_format="jsonl",
        error_message=reason,
    )
    return TrialRecord(
        trial_id=trial_id,
        experiment_id=_experiment(life.study),
        timestamp=_beginning(life),
        task=TrialTask(task_id=f"{plan.scenario}@{plan.scenario_version}", task_revision=plan.hash),
        agent=TrialAgent(
            adapter=without_folder(sut.agent),
            model=without_folder(sut.model),
            configuration=sut.document(),
            adapter_revision=adapter_revision or None,
        ),
        environment=local_environment(start.python or "unknown", start.tool_versions or None),
        inputs=Inputs(
            instruction=plan.sessions[0].text,
            system_prompt=life.scenario.role,
            input_files=[InputFile(path="plan.json", hash=plan.hash)],
        ),
        outputs=Outputs(
            agent_output=output,
            trajectory_path="trace.jsonl" if life.events else None,
            agent_result=_result(life),
        ),
        evaluation=evaluation,
        timing=life_timing(life.events, life.answers, life.stops, life.identity),
        cost=cost_of(total_usage(life.events, life.answers)),
        completeness="partial",
    )


def _experiment(study: str | None) -> str:
    name = slug(study or ADHOC).lstrip("_")
    return name or ADHOC


def _beginning(life: LivedFiles) -> datetime:
    # A life that stopped in its first session has no event yet.
    if life.events:
        return time_of(life.events[0])
    if life.identity is not None:
        return datetime.fromisoformat(life.identity.starts[0])
    return datetime.fromisoformat(life.stops[0].time)


def _result(life: LivedFiles) -> dict[str, Any]:
    """What we say of a life beyond the format's own fields."""
    plan = life.plan
    facts = LifeFacts(
        scenario=plan.scenario,
        system_id=life.sut.sut_id,
        memory=without_folder(life.sut.memory),
        condition=condition(plan),
        seed=plan.seed,
        sessions=plan.n_sessions,
        pressure=plan.preset,
        events=[str(event) for event in plan.events],
        study=life.study,
    )
    result: dict[str, Any] = {"life": msgspec.to_builtins(facts)}
    if life.stops:
        result["stops"] = [msgspec.to_builtins(stop) for stop in life.stops]
    if life.partial is not None:
        result["supersedes"] = reference(life.partial)
    return result
