"""Is a folder of episodes fit for use: schema, cuts inside their traces, and every fact stated
where it should be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import (
    Episode,
    EpisodeFact,
    ForgetFact,
    episode_files,
    load_episode,
)
from agingbench.resumption.episodes.trajectory import (
    SHORT,
    MissingTrace,
    count_steps,
    full_text,
    step_text,
    trajectory_events,
)
from agingbench.resumption.judges.deterministic import DeterministicJudge, states_all
from agingbench.resumption.judges.verdict import judge_item


class EpisodeReport(msgspec.Struct, frozen=True):
    """One episode file: what is wrong with it, or why it could not be looked at fully."""

    file: str
    episode: str | None
    problems: list[str]
    skipped: str | None = None
    steps: int | None = None
    stratum: str | None = None
    source: str | None = None


def check_folder(
    folder: Path, data: Path | None = None, progress: Callable[[int], None] | None = None
) -> list[EpisodeReport]:
    """Every episode of a folder, one by one; a broken file costs itself only."""
    benchmark = BenchmarkFolder(folder)
    found: list[EpisodeReport] = []
    ids: dict[str, str] = {}
    for number, path in enumerate(episode_files(benchmark.episodes), start=1):
        checked = check_file(path, data)
        if checked.episode in ids:
            told = f"the id '{checked.episode}' is that of {ids[checked.episode]} as well"
            checked = msgspec.structs.replace(checked, problems=[*checked.problems, told])
        elif checked.episode is not None:
            ids[checked.episode] = path.name
        found.append(checked)
        if progress:
            progress(number)
    return found


def check_file(path: Path, data: Path | None = None) -> EpisodeReport:
    """One episode file."""
    try:
        episode = load_episode(path)
    except InputError as error:
        return EpisodeReport(path.name, None, [str(error)])
    problems = check_wording(episode)
    try:
        events = trajectory_events(episode, data)
    except MissingTrace as missing:
        return EpisodeReport(path.name, episode.id, problems, str(missing), source=episode.source)
    except InputError as error:
        return EpisodeReport(path.name, episode.id, [*problems, str(error)], source=episode.source)
    problems += check_trajectory(episode, events)
    n = count_steps(events)
    return EpisodeReport(
        path.name, episode.id, problems, None, n, "short" if n < SHORT else "long", episode.source
    )


def check_wording(episode: Episode) -> list[str]:
    """Each fact and check must be stated by its own sentence: otherwise its values are not what it
    says.
    """
    problems = []
    facts: Sequence[EpisodeFact] = [*episode.gold_facts_to_preserve, *episode.gold_facts_to_forget]
    for fact in facts:
        if fact.values and not states_all(fact.sentence, fact.values):
            problems.append(f"fact {fact.id}: its sentence does not state its values")
    for kept in episode.gold_facts_to_preserve:
        for gone in episode.gold_facts_to_forget:
            if gone.values and states_all(kept.sentence, gone.values):
                problems.append(
                    f"fact {kept.id} states what fact {gone.id} is to forget: no context could"
                    " satisfy both"
                )
    for way in episode.gold_continuation:
        for check in way:
            if check.values and not states_all(check.check, check.values):
                problems.append(f"check {check.id}: its sentence does not state its values")
    return problems


def check_trajectory(episode: Episode, events: Sequence[Event]) -> list[str]:
    """Preserve-facts are stated in the trajectory or derived from steps of it; forget-facts are
    stated in it.
    """
    problems = []
    text = full_text(events)
    judge = DeterministicJudge()
    n = count_steps(events)
    for fact in episode.gold_facts_to_preserve:
        beyond = [step for step in fact.derived if step > n]
        if beyond:
            problems.append(
                f"fact {fact.id}: derived from step {beyond[0]}, but the trajectory has {n} steps"
            )
        elif fact.derived:
            if not any(step_text(events, step).strip() for step in fact.derived):
                problems.append(f"fact {fact.id}: the steps it is derived from are empty")
        elif judge_item(judge, fact, text).label != "yes":
            problems.append(
                f"fact {fact.id}: not stated in the trajectory, and not marked as derived"
            )
    for gone in episode.gold_facts_to_forget:
        if judge_item(judge, gone, text).label == "omitted":
            problems.append(
                f"fact {gone.id}: to be forgotten, but the trajectory does not state it"
            )
        problems += _opted(gone)
    return problems


def _opted(fact: ForgetFact) -> list[str]:
    if fact.named_dead and not fact.dead_ok:
        return [
            f"fact {fact.id}: says how it reads as dead (named_dead) but does not accept that"
            " (dead_ok)"
        ]
    return []
