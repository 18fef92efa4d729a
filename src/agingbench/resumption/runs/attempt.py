"""One attempt at an executable episode: the agent acts, then the checks run on what it left."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from agingbench.records import Event, Usage
from agingbench.resumption.episodes.episode import ContinuationCheck, Episode
from agingbench.resumption.episodes.replay import CheckOutcome, run_check
from agingbench.resumption.episodes.workspace import EpisodeWorkspace
from agingbench.resumption.judges.deterministic import DeterministicJudge
from agingbench.resumption.judges.verdict import ItemVerdict, judge_values
from agingbench.resumption.runs.resuming_agent import ResumingAgent, work
from agingbench.resumption.runs.workbench import Workbench
from agingbench.sandbox.workshop import workshop


class Attempt(msgspec.Struct, frozen=True):
    """The final output, what it cost, the verdict on every check, and what the agent did."""

    output: str
    usage: Usage
    verdicts: list[ItemVerdict]
    steps: int
    workspace_sha256: str
    events: list[Event]


def attempt(agent: ResumingAgent, episode: Episode, context: str) -> Attempt:
    """Let the agent work on the files of the episode, then check what it left.

    The checks run in a confinement that the agent never entered. An empty context is carried on
    by nobody. Raises BrokenConfinement where no command can be run.
    """
    workspace = _workspace(episode)
    output = ""
    usage = Usage()
    with workshop(workspace.data) as shop:
        bench = Workbench(shop, workspace.most_steps)
        if context.strip():
            continuation = work(agent, episode, context, bench)
            output = continuation.text.encode("utf-8", "replace").decode()
            usage = continuation.usage

    verdicts = check_files(episode, shop.files, output)
    return Attempt(output, usage, verdicts, bench.steps, shop.hash, bench.events)


def check_files(episode: Episode, files: Mapping[str, bytes], output: str) -> list[ItemVerdict]:
    """Run every check of the episode on a finished workspace and hold the output against it."""
    verdicts = []
    with workshop(files) as shop:
        for way, checks in enumerate(episode.gold_continuation):
            for check in checks:
                assert check.run is not None, "an executable episode has no other checks"
                outcome = run_check(shop, check.run)
                verdicts.append(_verdict(check, outcome, output, way))
    return verdicts


def _verdict(check: ContinuationCheck, outcome: CheckOutcome, output: str, way: int) -> ItemVerdict:
    """A check passes when its command came out right and its values are in the final output."""
    if not outcome.passed:
        return ItemVerdict("continuation", check.id, "no", 0.0, outcome.stdout, outcome.reason, way)
    if check.values or check.must_not:
        verdict = judge_values(DeterministicJudge(), check, output, way)
        if verdict.label != "yes":
            return verdict
    return ItemVerdict("continuation", check.id, "yes", 1.0, outcome.stdout, "", way)


def _workspace(episode: Episode) -> EpisodeWorkspace:
    assert episode.workspace is not None, "only executable episodes are attempted"
    return episode.workspace
