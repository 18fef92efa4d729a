"""Consolidators on the public set, by half: the one the rules of `structured` were written on, and
the one held out.

An episode belongs to the studied half when the SHA-256 of its id is even. With the data folder as
the argument the public traces are read as well: `python benchmarks/consolidation.py
../shared/data`. Then the time that `structured` takes on trajectories of growing length, as ratios
measured in one run.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections import defaultdict
from pathlib import Path

from agingbench.metrics.bootstrap import mean_of
from agingbench.records import Event
from agingbench.resumption.contexts.build import build_consolidator
from agingbench.resumption.contexts.structured import write_note
from agingbench.resumption.episodes.benchmark_folder import packaged_set
from agingbench.resumption.episodes.episode import Episode, load_episodes, select_kind
from agingbench.resumption.episodes.trajectory import (
    SHORT,
    MissingTrace,
    count_steps,
    trajectory_events,
)
from agingbench.resumption.judges.deterministic import DeterministicJudge
from agingbench.resumption.judges.verdict import judge_episode
from agingbench.resumption.runs.resuming_agent import EmbeddedAgent
from agingbench.resumption.runs.score import score_verdicts

BUDGET = 2000
DOMAIN = "code"  # the others have no gate, so no figure of theirs is shown
NAMES = ("structured", "raw", "summary")
# Written when the rules were fixed: the longer sessions and all with an id from 200 on.
AFTER = frozenset(f"{n:03d}" for n in (*range(36, 42), *range(119, 122)))
LATER = "200"


def half(episode: Episode) -> str:
    """Which half an episode belongs to; what was written later belongs to neither."""
    if episode.id in AFTER or episode.id >= LATER:
        return "written later"
    return (
        "studied"
        if int(hashlib.sha256(episode.id.encode()).hexdigest(), 16) % 2 == 0
        else "held out"
    )


def quality(name: str, episode: Episode, events: list[Event]) -> float | None:
    """The quality of one consolidator's context with the embedded agent and judge."""
    context = build_consolidator(name).consolidate(episode.initial_task, events, BUDGET)
    answer = EmbeddedAgent().resume(episode.initial_task, context).text if context.strip() else ""
    return score_verdicts(judge_episode(DeterministicJudge(), episode, context, answer)).quality


def by_half(data: Path | None) -> None:
    """Mean quality per half and length."""
    found: dict[tuple[str, str], dict[str, list[float | None]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for episode in select_kind(load_episodes(packaged_set() / "episodes"), "text-only"):
        if episode.domain != DOMAIN:
            continue
        try:
            events = trajectory_events(episode, data)
        except MissingTrace:
            continue
        group = (half(episode), "short" if count_steps(events) < SHORT else "long")
        for name in NAMES:
            found[group][name].append(quality(name, episode, events))
    for group, values in sorted(found.items()):
        means = "  ".join(f"{name} {mean_of(values[name]).value:.2f}" for name in NAMES)
        print(f"{group[0]:<14}{group[1]:<6} n = {len(values[NAMES[0]]):>2}  {means}")


def speed() -> None:
    """Time per step at growing lengths."""
    episode = load_episodes(packaged_set() / "episodes")[-1]
    once = trajectory_events(episode, None)
    base = None
    for times in (1, 4, 16):
        events = once * times
        start = time.perf_counter()
        write_note(episode.initial_task, events, BUDGET)
        per_step = (time.perf_counter() - start) / count_steps(events)
        base = base or per_step
        print(
            f"{count_steps(events):>5} steps  {1e3 * per_step:6.3f} ms a step  ×{per_step / base:.2f}"
        )


def main() -> None:
    by_half(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    speed()


if __name__ == "__main__":
    main()
