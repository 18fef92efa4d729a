"""What the tests of lives share: small plans, models that play a part, and files without what may
differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from agingbench.agents.react import PROBE, ReactAgent
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.places import directory_of
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import Transition
from agingbench.bench.plan.plan import Plan, Scenario, parse_events
from agingbench.cards.check import card_json
from agingbench.memory.build import build_memory
from agingbench.models.metered import Metered
from agingbench.models.scripted import Scripted
from agingbench.records import Message, Reply, Tool
from agingbench.trials.run_folder import Snapshot

SCENARIO = load_scenario("s2")

# The one list of what two runs over equal evidence may differ in; everything else is compared byte
# for byte.
VOLATILE = (
    "generated_at",
    "run_id",
    "latency_ms",
    "latency_ms_p50",
    "latency_ms_p95",
    "duration_ms",
    "timestamp",
    "compute_environment",
    "trial_id",
    "record_hash",
    "total_seconds",
    "agent_seconds",
    "setup_seconds",
    "verification_seconds",
)
# When a life was started, and what it was after its first session, is told apart from what it is.
OF_ITS_STARTS = (".lock", ".spending.jsonl", ".spending.lock", "identity.json", "partial.json")
_VOLATILE = re.compile(
    rb'"(' + "|".join(VOLATILE).encode() + rb')"(\s*:\s*)(?:"[^"\\]*"|-?\d[\d.eE+-]*)'
)

# Announces itself when everything is imported, so that kills land in the life, and makes commits
# slow, so that some land inside them. A life that has come as far as the file HELD_AT goes on when
# the file .go is there: who looks for it may come late.
SLOW_COMMITS = """
import os, pathlib, sys, time
import agingbench.cli.living, agingbench.cli.main, agingbench.cli.run, agingbench.cli.study
synced = os.fsync
def slowly(fd):
    time.sleep(0.005)
    synced(fd)
    time.sleep(0.005)
    while is_held():
        time.sleep(0.01)
def is_held():
    point = os.environ.get("HELD_AT")
    out = pathlib.Path(sys.argv[-1])
    return point and list(out.rglob(point)) and not (out / ".go").exists()
os.fsync = slowly
print("ready", flush=True)
sys.exit(agingbench.cli.main.run(sys.argv[1:]))
"""

Speak = Callable[[str, Sequence[Message]], str | Reply | Exception]


@cache
def small_plan(
    events: tuple[str, ...] = (), sessions: int = 3, preset: str = "light", seed: int = 0
) -> Plan:
    """A life of few sessions; equal arguments give the same object, so nothing may change it."""
    return plan_for(
        "s2", preset, sessions=sessions, seed=seed, events=parse_events(events, sessions)
    )


def without_probes(plan: Plan) -> Plan:
    """The same life with nobody asking."""
    return msgspec.structs.replace(plan, probes=[])


def normal_files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with the volatile fields blanked; what tells of starts and times
    alone, the ledger among it, is left out.
    """
    return {
        str(file.relative_to(folder)): _VOLATILE.sub(rb'"\1"\2null', file.read_bytes())
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        and file.name not in OF_ITS_STARTS
        and not file.relative_to(folder).parts[0].startswith("ledger.")
    }


def raw_files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder as it is."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def part(messages: Sequence[Message]) -> str:
    """What a request to the model is: the `write` of a compaction, a held-out `probe`, or a `task`."""
    if len(messages) == 1 and "<text>" in messages[0].content:
        return "write"
    return "probe" if PROBE in messages[0].content else "task"


def playing(speak: Speak) -> Scripted:
    """A model that is told which part a request plays; an exception that it returns is raised."""

    def said(messages: Sequence[Message], tools: Sequence[Tool]) -> str | Reply:
        reply = speak(part(messages), messages)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return Scripted(said)


def plainly(kind: str, messages: Sequence[Message]) -> str:
    """Tasks are done, probes are not known, and a compaction keeps the last words of the text."""
    if kind == "write":
        return " ".join(messages[0].content.split()[-40:])
    return "Done." if kind == "task" else "I do not know."


def agent_of(
    model: Any, memory: str = "careful_compress", **options: Any
) -> tuple[ReactAgent, Metered]:
    """The reference agent over a model and a policy by name, and the meter between them."""
    meter = Metered(model)
    return ReactAgent(meter, build_memory(memory, meter, **options), SCENARIO.role), meter


class Kept:
    """A keeper that holds every unit as it was handed over."""

    def __init__(self) -> None:
        self.transitions: list[Transition] = []

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]:
        return 0, None

    def commit(self, transition: Transition) -> None:
        # Written out at once, as a directory would: what a memory does later must not reach back.
        self.transitions.append(
            msgspec.json.decode(msgspec.json.encode(transition), type=Transition)
        )

    @property
    def snapshots(self) -> dict[str, Snapshot]:
        return {
            name: snapshot
            for transition in self.transitions
            for name, snapshot in transition.snapshots.items()
        }

    @property
    def answers(self) -> list[Any]:
        return [row for transition in self.transitions for row in transition.answers]

    @property
    def events(self) -> list[Any]:
        return [event for transition in self.transitions for event in transition.events]


def lived(
    plan: Plan, model: Any, memory: str = "careful_compress", workers: int = 1, **options: Any
) -> Kept:
    """A whole life, kept in memory."""
    agent, meter = agent_of(model, memory, **options)
    kept = Kept()
    live_plan(plan, SCENARIO, agent, kept, meter=meter, workers=workers)
    return kept


def run_life(
    plan: Plan,
    sut: Sut,
    out: Path,
    *,
    scenario: Scenario | None = None,
    cache: Path | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> tuple[Path, dict[str, Any]]:
    """Live a plan below a folder, or what is left of it, and score it: its folder and its card."""
    scenario = scenario or load_scenario(plan.scenario)
    life = Life(plan, scenario, sut, directory_of(out, plan, sut))
    life.live(Resources(cache=cache, probes_at_once=workers), progress)
    return life.folder.path, card_json(life.score())


def score_run(path: Path) -> dict[str, Any]:
    """Score the life in a folder again."""
    return card_json(Life.open(path, trust=True).score())


def diagnose_run(path: Path, resources: Resources, **options: Any) -> int:
    """Diagnose the life in a folder and return the calls made."""
    return Life.open(path, trust=True).diagnose(resources, **options)
