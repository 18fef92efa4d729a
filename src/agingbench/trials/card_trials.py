"""A card as a trial: the record of an audit or of a whole resumption run, with its scrubbed card
as evidence and no transcript.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from agingbench import __version__
from agingbench.traces.blobs import digest_of
from agingbench.traces.canonical import canonical_json
from agingbench.traces.scrub.scrubber import scrub_json
from agingbench.trials.columns import NO_DURATION
from agingbench.trials.parts import local_environment
from agingbench.trials.record import (
    AgentOutput,
    Cost,
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

CARD_FILE = "aging_card.json"
NO_INSTRUCTION = "instruction_not_recorded"


def card_trial(
    card: Mapping[str, Any],
    trial_id: str,
    *,
    experiment: str,
    harness: str,
    model: str,
    reward: float | None = None,
) -> tuple[TrialRecord, dict[str, bytes]]:
    """The partial record of what a card tells of, and the evidence to keep with it."""
    scrubbed = scrub_json(dict(card))
    evidence = json.dumps(scrubbed, indent=2, ensure_ascii=False, sort_keys=True).encode() + b"\n"
    revision = digest_of(canonical_json(scrubbed["headline"]))
    cost = scrubbed.get("cost_and_efficiency") or {}
    record = TrialRecord(
        trial_id=trial_id,
        experiment_id=experiment,
        timestamp=datetime.fromisoformat(scrubbed["generated_at"]),
        task=TrialTask(task_id=scrubbed["scenario"], task_revision=revision),
        agent=TrialAgent(
            adapter=harness,
            model=model,
            adapter_revision=__version__,
            configuration={"sut_id": scrubbed["sut"]["sut_id"]},
        ),
        environment=local_environment(platform.python_version(), None),
        inputs=Inputs(
            instruction=f"Tell from the records whether it ages ({scrubbed['scenario']}).",
            input_files=[InputFile(path=CARD_FILE, hash=digest_of(evidence))],
        ),
        outputs=Outputs(
            agent_output=AgentOutput(
                status="completed", output_path=CARD_FILE, output_format="json"
            ),
            raw_output_path=CARD_FILE,
            agent_result={
                "card_kind": scrubbed.get("card_kind"),
                "content_hash": scrubbed.get("content_hash"),
                "flags": [NO_DURATION, NO_INSTRUCTION],
            },
        ),
        evaluation=Evaluation(
            reward=reward,
            breakdown=_figures(scrubbed["headline"]),
            validity=Validity(
                output_parseable=True, schema_valid=True, verifier_completed=True, errors=[]
            ),
        ),
        timing=Timing(total_seconds=0),
        cost=Cost(
            tokens_in=cost.get("total_input_tokens"),
            tokens_out=cost.get("total_output_tokens"),
            estimated_cost_usd=cost.get("total_cost_usd"),
        ),
        completeness="partial",
    )
    return record, {CARD_FILE: evidence}


def _figures(headline: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a headline by name; text and missing ones are left out."""
    return {
        name: value
        for name, value in headline.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
