"""What volume and age do to a memory under a word budget, with the embedded reader."""

from __future__ import annotations

import pytest

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.scoring.score import score
from agingbench.memory.build import build_memory
from agingbench.models.extractive import Extractive
from agingbench.records import Event
from tests.bench.scenarios.scenario_checks import lived

SESSIONS = 8


def by_session(policy: str) -> list[int]:
    """How many codes of each session a memory still states after the last one."""
    memory = build_memory(policy, Extractive(), words=160)
    for session in range(SESSIONS):
        text = " ".join(f"The code of door {session}.{door} is {door}." for door in range(80))
        memory.write([Event(step=0, role="user", content=text)])
    summary = memory.read("")
    return [summary.count(f"door {session}.") for session in range(SESSIONS)]


def test_a_summary_of_summaries_keeps_the_latest_session() -> None:
    *_, before, last = by_session("lossy_compress")
    assert last > 3 * before
    assert sum(by_session("lossy_compress")[:4]) == 0


def test_a_growing_history_keeps_every_session_alike() -> None:
    counts = by_session("growing_history")
    assert min(counts) > 0
    assert max(counts) <= min(counts) + 2


@pytest.mark.slow
def test_more_text_leaves_less() -> None:
    for name in ("s1", "s2"):
        scenario = load_scenario(name)
        keywords = []
        recalls = []
        for tokens in (500, 1500, 5000):
            dials = {"tokens_per_session": tokens}
            plans = [plan_for(name, "medium", dials, 8, seed) for seed in range(4)]
            scores = [score(lived(scenario, plan, "lossy_compress")) for plan in plans]
            by_point = [found.memory_metrics["keyword_m"] for found in scores]
            kept = [point[t].value or 0.0 for point in by_point for t in point if t > 0]
            keywords.append(sum(kept) / len(kept))
            metrics = [found.probe_metrics["compression_recall"] for found in scores]
            recalls.append(sum(estimate.value or 0.0 for estimate in metrics))
        assert keywords[0] > keywords[1] > keywords[2]
        assert recalls[0] > recalls[1] > recalls[2]
