"""The plans that are frozen by their hash: every scenario and pressure, turned dials, events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.golden.compare import parsed
from tests.golden.shell import agingbench

_TURNED = (
    "-s s1 -n 5 -p light -d tokens_per_session=800 -d cohort_size=7",
    "-s s2 -n 6 -p light -d sentinels=1 -e recompact@3",
    "-s s2 -n 6 -p medium -d update_rate=0.6 -d forget_rate=0.2",
    "-s s2 -n 6 -p light -e flush_history@2 -e reduce_budget@4",
    "-s s3 -n 5 -p light -d n_confusable_pairs=4 -d confusable_start_session=1",
    "-s s4 -n 5 -p light -d max_chain_depth=4 -d dependency_density=0.9",
    "-s s5 -n 5 -p light -e workspace_flush@3",
    "-s s5 -n 5 -p light -e workspace_recompact@2",
    "-s s7 -n 6 -p light -e schema_migration@3 -e workspace_flush@5",
    "-s s7 -n 6 -p light -d block_length=6 -e none",
    "-s s6 -n 6 -p light -d warmup_sessions=2 -e model_swap@3",
    "-s s6 -n 6 -p light -e prompt_update@2 -e partial_reset@4",
)


def plan_names() -> Iterator[str]:
    """The arguments of every `agingbench plan` that is frozen; the seeds 0 to 4 of each."""
    for scenario in ("s1", "s2", "s3", "s4", "s5", "s6", "s7"):
        for pressure in ("none", "light", "medium", "heavy"):
            for sessions in (4, 9):
                yield f"-s {scenario} -n {sessions} -p {pressure}"
    yield from _TURNED


def plan_hashes(name: str, work: Path) -> list[str]:
    """The hashes that `agingbench plan` prints for the seeds 0 to 4."""
    done = agingbench(work, "plan", *name.split(), "--seeds", "0-4", "--json")
    assert done.code == 0, done.err
    return [plan["hash"] for plan in parsed(done.out)]
