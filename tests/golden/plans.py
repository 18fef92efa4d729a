"""The plans that are frozen by their hash: every scenario and pressure, turned dials, events."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
from collections.abc import Iterator
from unittest import mock

_TURNED = (
    "-s s1 -n 5 -p light -d tokens_per_session=800 -d cohort_size=7",
    "-s s2 -n 6 -p light -d sentinels=1 -e recompact@3",
    "-s s2 -n 6 -p medium -d update_rate=0.6 -d forget_rate=0.2",
    "-s s2 -n 6 -p light -e flush_history@2 -e reduce_budget@4",
    "-s s3 -n 5 -p light -d n_confusable_pairs=4 -d confusable_start_session=1",
    "-s s4 -n 5 -p light -d max_chain_depth=4 -d dependency_density=0.9",
    "-s s5 -n 5 -p light -e workspace_flush@3",
    "-s s5 -n 5 -p light -e workspace_recompact@2 -e schema_migration@4",
    "-s s6 -n 6 -p light -d warmup_sessions=2 -e model_swap@3",
    "-s s6 -n 6 -p light -e prompt_update@2 -e partial_reset@4",
)


def plan_names() -> Iterator[str]:
    """The arguments of every `agingbench plan` that is frozen; the seeds 0 to 4 of each."""
    for scenario in ("s1", "s2", "s3", "s4", "s5", "s6"):
        for pressure in ("none", "light", "medium", "heavy"):
            for sessions in (4, 9):
                yield f"-s {scenario} -n {sessions} -p {pressure}"
    yield from _TURNED


def plan_hashes(name: str) -> list[str]:
    """The hashes that `agingbench plan` prints for the seeds 0 to 4, run in this process."""
    out = io.StringIO()
    words = ["agingbench", "plan", *name.split(), "--seeds", "0-4", "--json"]
    with (
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(out),
        contextlib.suppress(SystemExit),
    ):
        runpy.run_module("agingbench", run_name="__main__", alter_sys=True)
    documents = [json.loads(line) for line in out.getvalue().splitlines()]
    return [str(document.get("data", document)["hash"]) for document in documents]
