"""Checks a folder of episodes: schema, cuts inside their traces, facts stated where they should."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from agingbench.cards.resumption import EpisodeReport
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import (
    ContinuationCheck,
    Episode,
    EpisodeFact,
    EpisodeKind,
    episode_files,
    load_episode,
)
from agingbench.resumption.episodes.replay import replay_gold, run_check
from agingbench.resumption.episodes.trajectory import (
    MissingTrace,
    count_steps,
    full_text,
    length_stratum,
    step_text,
    trajectory_events,
)
from agingbench.resumption.episodes.workspace import EpisodeWorkspace
from agingbench.resumption.judges.deterministic import DeterministicJudge, states_all
from agingbench.resumption.judges.verdict import judge_item
from agingbench.sandbox.confinement import available
from agingbench.sandbox.workshop import Workshop, WorkshopError, workshop


def check_folder(
    folder: Path,
    data: Path | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    kind: EpisodeKind | None = None,
    trust: bool = False,
) -> list[EpisodeReport]:
    """Check the episodes of a folder, or those of a kind; a broken file affects only its report."""
    benchmark = BenchmarkFolder(folder)
    reports: list[EpisodeReport] = []
    files_by_id: dict[str, str] = {}
    for number, path in enumerate(episode_files(benchmark.episodes), start=1):
        report = check_file(path, data, kind=kind, trust=trust)
        if report.episode in files_by_id:
            other = files_by_id[report.episode]
            problem = f"the id '{report.episode}' is that of {other} as well"
            problems = [*report.problems, problem]
            report = msgspec.structs.replace(report, problems=problems)
        elif report.episode is not None:
            files_by_id[report.episode] = path.name
        if kind is None or report.kind in (None, kind):
            reports.append(report)
        if progress:
            progress(number)
    return reports


def check_file(
    path: Path,
    data: Path | None = None,
    *,
    kind: EpisodeKind | None = None,
    trust: bool = False,
) -> EpisodeReport:
    """Check one episode file: its schema, its wording, and its facts against the trajectory.

    An episode of another kind than the one asked for is only read.
    """
    try:
        episode = load_episode(path)
    except InputError as error:
        return EpisodeReport(path.name, None, [str(error)])

    if kind not in (None, episode.kind):
        return EpisodeReport(path.name, episode.id, [], kind=episode.kind)
    problems = check_wording(episode)
    report = EpisodeReport(
        path.name, episode.id, problems, source=episode.source, kind=episode.kind
    )
    try:
        events = trajectory_events(episode, data, trust=trust)
    except MissingTrace as error:
        return msgspec.structs.replace(report, skipped=str(error))
    except InputError as error:
        return msgspec.structs.replace(report, problems=[*report.problems, str(error)])

    steps = count_steps(events)
    problems = report.problems + check_trajectory(episode, events)
    unchecked = None
    if episode.workspace is not None:
        usable, unchecked = available()
        if usable:
            unchecked = None
            problems += check_workspace(episode, episode.workspace)
    return msgspec.structs.replace(
        report,
        problems=problems,
        skipped=unchecked,
        steps=steps,
        stratum=length_stratum(steps),
    )


def check_workspace(episode: Episode, workspace: EpisodeWorkspace) -> list[str]:
    """Return the checks that pass too early or not in the end.

    At the cut and in an empty workspace none may pass; after the gold steps all of the first
    continuation must.
    """
    problems = []
    checks = [check for way in episode.gold_continuation for check in way]
    with workshop(workspace.data) as shop:
        for check in checks:
            if _passes(shop, check):
                problems.append(f"check {check.id}: passes at the cut, before anything is done")
            if _passes(Workshop(shop.confined, {}), check):
                problems.append(f"check {check.id}: passes in an empty workspace")
        try:
            replay_gold(shop, workspace)
        except WorkshopError as error:
            return [*problems, f"gold_steps: {error}"]
        for check in episode.gold_continuation[0]:
            if not _passes(shop, check):
                problems.append(f"check {check.id}: fails after the gold steps")
            if check.values and not states_all(workspace.gold_output, check.values):
                problems.append(f"check {check.id}: gold_output does not state its values")
    return problems


def _passes(shop: Workshop, check: ContinuationCheck) -> bool:
    return check.run is not None and run_check(shop, check.run).passed


def check_wording(episode: Episode) -> list[str]:
    """Return facts and checks that their own sentence does not state, and contradictory facts."""
    problems = []
    facts: Sequence[EpisodeFact] = [
        *episode.gold_facts_to_preserve,
        *episode.gold_facts_to_forget,
    ]
    for fact in facts:
        if fact.values and not states_all(fact.sentence, fact.values):
            problems.append(f"fact {fact.id}: its sentence does not state its values")

    for preserve in episode.gold_facts_to_preserve:
        for forget in episode.gold_facts_to_forget:
            if forget.values and states_all(preserve.sentence, forget.values):
                problems.append(
                    f"fact {preserve.id} states what fact {forget.id} is to forget: no context"
                    " could satisfy both"
                )

    for way in episode.gold_continuation:
        for check in way:
            if check.values and not states_all(check.check, check.values):
                problems.append(f"check {check.id}: its sentence does not state its values")
    return problems


def check_trajectory(episode: Episode, events: Sequence[Event]) -> list[str]:
    """Return the facts that the trajectory neither states nor lets derive."""
    problems = []
    text = full_text(events)
    judge = DeterministicJudge()
    steps = count_steps(events)

    for fact in episode.gold_facts_to_preserve:
        beyond = [step for step in fact.derived if step > steps]
        if beyond:
            problems.append(
                f"fact {fact.id}: derived from step {beyond[0]}, but the trajectory has {steps}"
                " steps"
            )
        elif fact.derived:
            if not any(step_text(events, step).strip() for step in fact.derived):
                problems.append(f"fact {fact.id}: the steps it is derived from are empty")
        elif judge_item(judge, fact, text).label != "yes":
            problems.append(
                f"fact {fact.id}: not stated in the trajectory, and not marked as derived"
            )

    for forget in episode.gold_facts_to_forget:
        if judge_item(judge, forget, text).label == "omitted":
            problems.append(
                f"fact {forget.id}: to be forgotten, but the trajectory does not state it"
            )
        if forget.named_dead and not forget.dead_ok:
            problems.append(
                f"fact {forget.id}: says how it reads as dead (named_dead) but does not accept that"
                " (dead_ok)"
            )
    return problems
