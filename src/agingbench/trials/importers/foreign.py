"""A foreign trial as a partial record in the ledger."""

from __future__ import annotations

from agingbench.records import Usage
from agingbench.traces.decoding.times import parse_time
from agingbench.traces.foreign_trial import TRAJECTORY, ForeignTrial
from agingbench.trials.columns import NO_DURATION
from agingbench.trials.importers.admission import NO_TIME, UNKNOWN_TIME, admit
from agingbench.trials.importers.report import ImportReport
from agingbench.trials.ledger import Ledger
from agingbench.trials.record import (
    AgentOutput,
    Cost,
    Environment,
    Evaluation,
    Inputs,
    Outputs,
    Timing,
    TrialAgent,
    TrialRecord,
    TrialTask,
    Validity,
)


def import_trial(ledger: Ledger, trial: ForeignTrial, report: ImportReport) -> None:
    """Add a trial to the ledger; one that no record can be made of is reported."""
    try:
        record = to_record(trial, report.experiment)
    except ValueError as error:
        report.add_problem(trial.trial_id, " ".join(str(error).split())[:500])
        return

    admit(ledger, record, trial.evidence, report)


def to_record(trial: ForeignTrial, experiment: str) -> TrialRecord:
    """The partial record of a trial; raises ValueError when a field does not fit."""
    flags = list(trial.flags)
    instruction = _first_text(trial, "user")
    if instruction is None:
        flags.append("instruction_not_recorded")
    if trial.reward is None:
        flags.append("not_evaluated")

    stamps = [e.timestamp for e in trial.events if isinstance(e.timestamp, float)]
    time = trial.time
    if time is None and stamps:
        time = parse_time(stamps[0], flags)
    if time is None:
        flags.append(NO_TIME)

    seconds = trial.seconds
    if seconds is None and len(stamps) > 1:
        seconds = max(stamps) - min(stamps)
    if seconds is None:
        flags.append(NO_DURATION)

    answered = any(event.role == "assistant" for event in trial.events)
    output = AgentOutput.model_validate(
        {
            "status": trial.status or ("completed" if answered else "empty"),
            "error_message": trial.error,
            "output_path": trial.trajectory or trial.conversation or TRAJECTORY,
            "output_format": "jsonl",
        }
    )

    validity = Validity(
        output_parseable=True,
        schema_valid=True,
        verifier_completed=trial.reward is not None,
        errors=[trial.error] if trial.error else [],
    )

    return TrialRecord(
        trial_id=trial.trial_id,
        experiment_id=experiment,
        timestamp=time or UNKNOWN_TIME,
        task=TrialTask(task_id=trial.task_id, task_revision="unresolved"),
        agent=TrialAgent(
            adapter=trial.adapter,
            model=trial.model or "unknown",
            adapter_revision=trial.adapter_revision,
            configuration=trial.configuration,
        ),
        environment=Environment(runtime_image=trial.environment, compute_backend=trial.environment),
        inputs=Inputs(
            instruction=instruction or "(not recorded)",
            system_prompt=next(
                (e.content for e in trial.events if e.role == "system" and e.content), None
            ),
        ),
        outputs=Outputs(
            agent_output=output,
            trajectory_path=trial.trajectory,
            conversation_path=trial.conversation,
            agent_result={**trial.about, "flags": sorted(set(flags))},
        ),
        evaluation=Evaluation(reward=trial.reward, breakdown=trial.breakdown, validity=validity),
        timing=Timing(total_seconds=seconds or 0.0, agent_seconds=trial.agent_seconds),
        cost=_cost(trial),
        completeness="partial",
    )


def _first_text(trial: ForeignTrial, role: str) -> str | None:
    for event in trial.events:
        if event.role == role and (event.content or "").strip():
            return event.content

    return None


def _cost(trial: ForeignTrial) -> Cost | None:
    """What the trial took: as its source tells it, else the sum over its events."""
    total = trial.usage
    if total is None:
        total = sum((event.usage for event in trial.events if event.usage), Usage())

    figures = (total.input_tokens, total.output_tokens, total.cost_usd)
    if all(figure is None for figure in figures):
        return None
    return Cost(
        tokens_in=total.input_tokens,
        tokens_out=total.output_tokens,
        cache_read_tokens=total.cache_read_tokens,
        cache_write_tokens=total.cache_write_tokens,
        estimated_cost_usd=total.cost_usd,
    )
