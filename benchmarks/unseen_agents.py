"""Audits simulated coding agents that were written without sight of the inference; prints a table.

    python benchmarks/unseen_agents.py --agents 4 --sessions 24 --first 100 [KIND ...]

One row per kind: how many were answered yes, no and open, what was named, and why it stayed open;
then the sums over what kinds expect. `--set 2` to `--set 23` take the other sets of agents, and
`--healthy` only kinds that stay healthy. One agent of every kind is audited before a second one of
any; `--minutes` ends the run there. `--log FILE` keeps a line per agent, and one that stands there
is not audited again. `--workers` are the processes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

# As the command does: threads that wait for each other cost more than the sums.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from agingbench.telemetry.audit import audit_path
from agingbench.telemetry.inference.dominant import dominant_mechanism
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.profile import load_profile
from agingbench.validity.workers import run_jobs

VALIDITY = Path(__file__).parent.parent / "tests" / "validity"
SETS = 23
BATCH = 40  # agents that are begun together, so that a run can end between two batches


@cache
def load_agents(number: int) -> ModuleType:
    """Import a frozen set from its file, with the modules beside it."""
    folder = VALIDITY / (f"unseen{number}" if number > 1 else "unseen")
    # Some sets import the modules beside them by name, others as a package.
    sys.path[:0] = [str(folder), str(VALIDITY)]
    return importlib.import_module(f"{folder.name}.agents")


def truth_of(kind: Any) -> tuple[str, str | None]:
    """Return what a kind expects and by which mechanism, as either set writes it."""
    if isinstance(kind, dict):
        return kind.get("expects") or kind["expect"], kind["mechanism"]
    return kind.expects, kind.mechanism


@dataclass(frozen=True)
class Answer:
    """How one agent was answered."""

    kind: str
    seed: int
    sessions: int
    aging_detected: bool | None
    named: str | None  # the leading mechanism of a yes
    open_because: str | None
    reason: str


def judge(number: int, kind: str, seed: int, sessions: int) -> Answer:
    """Write one agent to a folder, audit it and remove it."""
    folder = Path(tempfile.mkdtemp(prefix="unseen"))
    try:
        agents = load_agents(number)
        agents.write_agent(kind, seed=seed, sessions=sessions, folder=folder / "project")
        inference = audit_path(folder / "project", fleet=False, weeks=False)[0].inference
    finally:
        shutil.rmtree(folder)

    return Answer(
        kind,
        seed,
        sessions,
        inference.aging_detected,
        named(inference) if inference.aging_detected else None,
        inference.open_because,
        inference.reason,
    )


def named(inference: Inference) -> str:
    """Return the leading mechanism, or reliability or outcomes where these alone fired."""
    dominant = dominant_mechanism(inference, load_profile("code_assistant")).dominant
    if dominant is not None:
        return dominant
    return "reliability" if inference.reliability.answer else "outcomes"


@dataclass
class Row:
    """How the agents of one kind were answered."""

    answers: Counter[bool | None] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, answer: Answer) -> None:
        """Count one agent."""
        self.answers[answer.aging_detected] += 1
        if answer.named is not None:
            self.names[answer.named] += 1
        if answer.open_because is not None:
            self.reasons[answer.open_because] += 1

    def line(self, kind: str, expects: str, mechanism: str | None) -> str:
        """Return the row as it is printed."""
        return (
            f"{kind:24s} {expects:8s} {mechanism or '':13s}"
            f" yes {self.answers[True]:3d} no {self.answers[False]:3d}"
            f" open {self.answers[None]:3d} {dict(self.names)} {dict(self.reasons)}"
        )


def answers_of(jobs: list[tuple[int, str, int, int]], workers: int, end: float) -> Iterator[Answer]:
    """Yield the answers of all agents until the time is over."""
    for start in range(0, len(jobs), BATCH):
        if time.monotonic() > end:
            return
        yield from run_jobs(judge, jobs[start : start + BATCH], workers)


def logged(path: Path | None) -> list[Answer]:
    """Return the answers that a log holds."""
    if path is None or not path.exists():
        return []
    return [Answer(**json.loads(line)) for line in path.read_text().splitlines()]


def main() -> None:
    """Run the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--set", type=int, default=1, choices=range(1, SETS + 1))
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--sessions", type=int, default=24)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()

    truths = {kind: truth_of(value) for kind, value in load_agents(options.set).KINDS.items()}
    kinds = options.kinds or [
        kind for kind, truth in truths.items() if not options.healthy or truth[0] == "healthy"
    ]
    seeds = range(options.first, options.first + options.agents)
    known = {
        (answer.kind, answer.seed): answer
        for answer in logged(options.log)
        if answer.kind in kinds and answer.seed in seeds and answer.sessions == options.sessions
    }
    jobs = [
        (options.set, kind, seed, options.sessions)
        for seed in seeds
        for kind in kinds
        if (kind, seed) not in known
    ]

    rows = {kind: Row() for kind in kinds}
    for answer in known.values():
        rows[answer.kind].add(answer)

    end = time.monotonic() + 60 * options.minutes
    for answer in answers_of(jobs, options.workers, end):
        rows[answer.kind].add(answer)
        line = json.dumps(asdict(answer))
        print(line, file=sys.stderr, flush=True)
        if options.log is not None:
            with options.log.open("a") as log:
                log.write(line + "\n")

    sums: dict[str, Row] = {}
    for kind, row in rows.items():
        expects, mechanism = truths[kind]
        print(row.line(kind, expects, mechanism))
        total = sums.setdefault(expects, Row())
        total.answers += row.answers
        total.names += row.names
        total.reasons += row.reasons

    for expects, row in sums.items():
        print(row.line("all", expects, None))


if __name__ == "__main__":
    main()
