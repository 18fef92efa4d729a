"""How often an update of the client is found as a change point, and how often one without effect.

python benchmarks/updates.py --agents 40 --first-seed 1000 [--real FOLDER ...]

`--more-errors .25 --reads-left .2` plants a stronger update into the real sessions; `--orders 40`
takes more random orders of them than ten.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from agingbench.models.prices import load_prices
from agingbench.records import Event, ReadLog
from agingbench.telemetry.inference.null_model import null_model
from agingbench.telemetry.panel.changes import TraceChanges
from agingbench.telemetry.panel.receipts import make_receipts
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.traces.reading import groups, read_files
from agingbench.validity.simulated_updates import (
    FEWER_READS,
    MORE_ERRORS_REAL,
    NEW_CLIENT,
    UpdatedAgent,
    plant_update,
    shuffled_sessions,
)

PLANTED = {"tool_errors", "reads_per_change"}


def changes_of(events: Iterable[Event]) -> TraceChanges:
    """The change points of a trace, without phases of tasks."""
    trace = collect(events, load_profile("code_assistant"))
    null = null_model(trace)
    return make_receipts(trace, load_prices(), null, [0] * len(trace)).changes


def moved_with(changes: TraceChanges, version: str) -> set[str]:
    """The figures that moved at the session in which a client version came."""
    moved: set[str] = set()
    for point in changes.points:
        if any(change.what == f"client {version}" for change in point.recorded):
            moved |= {figure.figure for figure in point.moved}
    return moved


def simulated(agents: int, first_seed: int, sessions: int) -> None:
    """Print how many simulated agents show the planted update."""
    for effect in (True, False):
        both = one = any_point = 0
        for seed in range(first_seed, first_seed + agents):
            agent = UpdatedAgent(seed, sessions, effect)
            changes = changes_of(agent.events())
            moved = moved_with(changes, agent.version) & PLANTED
            both += moved == PLANTED
            one += bool(moved)
            any_point += bool(changes.points)
        word = "with effect" if effect else "without effect"
        print(
            f"{word}, {sessions} sessions: both figures at the version {both} of {agents},"
            f" at least one {one}, any change point at all {any_point}",
            flush=True,
        )


def real(folder: Path, seeds: range, more_errors: float, reads_left: float) -> None:
    """Print how often an update planted into the shuffled sessions of a project is found."""
    files = [file for group in groups(folder) for file in group.files]
    for effect in (True, False):
        both = one = any_point = n = 0
        for seed in seeds:
            sessions = shuffled_sessions(read_files(files, "auto", ReadLog()), seed)
            n = len(sessions)
            share = 0.35 + 0.3 * (seed - seeds.start) / max(1, len(seeds) - 1)
            planted = plant_update(sessions, int(share * n), seed, effect, more_errors, reads_left)
            changes = changes_of(planted)
            moved = moved_with(changes, NEW_CLIENT) & PLANTED
            both += moved == PLANTED
            one += bool(moved)
            any_point += bool(changes.points)
        word = "with effect" if effect else "without effect"
        print(
            f"{folder.name} ({n} sessions) {word}: both figures {both} of {len(seeds)},"
            f" at least one {one}, any change point at all {any_point}",
            flush=True,
        )


def main() -> None:
    """Read the options and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=24)
    parser.add_argument("--real", type=Path, nargs="*", default=[])
    parser.add_argument("--orders", type=int, default=10)
    parser.add_argument("--more-errors", type=float, default=MORE_ERRORS_REAL)
    parser.add_argument("--reads-left", type=float, default=FEWER_READS)
    options = parser.parse_args()
    if options.agents:
        simulated(options.agents, options.first_seed, options.sessions)
    for folder in options.real:
        seeds = range(options.first_seed, options.first_seed + options.orders)
        real(folder, seeds, options.more_errors, options.reads_left)


if __name__ == "__main__":
    main()
