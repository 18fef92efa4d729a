"""Records of lives, night after night, as the bench would write them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from agingbench.trials.record import TrialRecord
from tests.trials.making import PLAN, full, parsed

START = datetime(2026, 3, 1, 2, tzinfo=UTC)
TRACE = b'{"step": 0, "role": "user", "content": "hello"}\n'


def life_record(
    system: str,
    *,
    night: int,
    seed: int,
    reward: float | None = 0.5,
    complete: bool = True,
    sessions: int = 4,
    name: str = "",
) -> tuple[TrialRecord, dict[str, bytes]]:
    """The record of one life with its evidence."""
    fields = full()
    fields["trial_id"] = name or f"{system}.n{night}.seed_{seed}"
    fields["timestamp"] = (START + timedelta(days=night, minutes=seed)).isoformat()
    fields["agent"]["configuration"] = {"sut_id": system, "memory": f"{system}_compress"}
    fields["evaluation"]["reward"] = reward
    fields["evaluation"]["breakdown"] = {"compression_recall": reward}
    fields["cost"] = {"tokens_in": 1000, "tokens_out": 200, "estimated_cost_usd": 0.25}
    fields["completeness"] = "complete" if complete else "partial"
    fields["outputs"]["agent_result"] = {
        "life": {
            "scenario": "s2",
            "system_id": system,
            "memory": f"{system}_compress",
            "condition": f"light-{sessions}s-abc123",
            "seed": seed,
            "sessions": sessions,
            "pressure": "light",
            "events": [],
            "study": "nightly",
        }
    }
    return parsed(fields), {"plan.json": PLAN, "trace.jsonl": TRACE}


def nights(n: int) -> Iterator[tuple[TrialRecord, dict[str, bytes]]]:
    """Two systems with two seeds on each of n nights."""
    for night in range(n):
        for seed in (0, 1):
            yield life_record("careful", night=night, seed=seed, reward=0.7 + 0.1 * seed)
            yield life_record("lossy", night=night, seed=seed, reward=0.4 + 0.1 * seed)
