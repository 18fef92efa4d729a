"""Audits simulated coding agents that were written without sight of the inference; prints a table.

    python benchmarks/unseen_agents.py --agents 4 --sessions 24 --first 100 [KIND ...]

One row per kind: how many were answered yes, no and open, what was named, and why it stayed open.
`--second` to `--eleventh` take the other sets of agents. One agent of every kind is audited before
a second one of any; `--minutes` ends the run there.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

# As the command does: threads that wait for each other cost more than the sums.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from agingbench.telemetry.audit import audit_path
from agingbench.telemetry.inference.dominant import dominant_mechanism
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.profile import load_profile

VALIDITY = Path(__file__).parent.parent / "tests" / "validity"


def load_agents(folder: str = "unseen") -> ModuleType:
    """Import a frozen module from its file, with the modules beside it."""
    path = VALIDITY / folder / "agents.py"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"{folder}_agents", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def truth_of(kind: Any) -> tuple[str, str | None]:
    """Return what a kind expects and by which mechanism, as either set writes it."""
    if isinstance(kind, dict):
        return kind["expects"], kind["mechanism"]
    return kind.expects, kind.mechanism


def judge(agents: ModuleType, kind: str, seed: int, sessions: int) -> Inference:
    """Write one agent to a folder, audit it and remove it."""
    folder = Path(tempfile.mkdtemp(prefix="unseen"))
    try:
        agents.write_agent(kind, seed=seed, sessions=sessions, folder=folder / "project")
        return audit_path(folder / "project", fleet=False, weeks=False)[0].inference
    finally:
        shutil.rmtree(folder)


def named(inference: Inference) -> str:
    """Return the leading mechanism, or reliability or outcomes where these alone fired."""
    dominant = dominant_mechanism(inference, load_profile("code_assistant")).dominant
    if dominant is not None:
        return dominant
    return "reliability" if inference.reliability.answer else "outcomes"


@dataclass
class Answers:
    """How the agents of one kind were answered."""

    answers: Counter[bool | None] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, inference: Inference) -> None:
        """Count one agent."""
        self.answers[inference.aging_detected] += 1
        if inference.aging_detected:
            self.names[named(inference)] += 1
        if inference.open_because is not None:
            self.reasons[inference.open_because] += 1

    def row(self, kind: str, expects: str, mechanism: str | None) -> str:
        """Return the row of the table."""
        return (
            f"{kind:24s} {expects:8s} {mechanism or '':13s}"
            f" yes {self.answers[True]:3d} no {self.answers[False]:3d}"
            f" open {self.answers[None]:3d} {dict(self.names)} {dict(self.reasons)}"
        )


def main() -> None:
    """Run the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--sessions", type=int, default=24)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--second", dest="folder", action="store_const", const="unseen2")
    parser.add_argument("--third", dest="folder", action="store_const", const="unseen3")
    parser.add_argument("--fourth", dest="folder", action="store_const", const="unseen4")
    parser.add_argument("--fifth", dest="folder", action="store_const", const="unseen5")
    parser.add_argument("--sixth", dest="folder", action="store_const", const="unseen6")
    parser.add_argument("--seventh", dest="folder", action="store_const", const="unseen7")
    parser.add_argument("--eighth", dest="folder", action="store_const", const="unseen8")
    parser.add_argument("--ninth", dest="folder", action="store_const", const="unseen9")
    parser.add_argument("--tenth", dest="folder", action="store_const", const="unseen10")
    parser.add_argument("--eleventh", dest="folder", action="store_const", const="unseen11")
    parser.set_defaults(folder="unseen")
    options = parser.parse_args()

    agents = load_agents(options.folder)
    kinds = options.kinds or list(agents.KINDS)
    found = {kind: Answers() for kind in kinds}
    end = time.monotonic() + 60 * options.minutes

    for seed in range(options.first, options.first + options.agents):
        for kind in kinds:
            if time.monotonic() < end:
                inference = judge(agents, kind, seed, options.sessions)
                found[kind].add(inference)
                print(kind, seed, inference.aging_detected, inference.reason, file=sys.stderr)

    for kind in kinds:
        print(found[kind].row(kind, *truth_of(agents.KINDS[kind])), flush=True)


if __name__ == "__main__":
    main()
