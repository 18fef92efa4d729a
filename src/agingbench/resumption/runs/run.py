"""The runner: episodes, a consolidator's name and a token budget in; one committed row per episode
and scores out.

It is the same for every consolidator. A context that does not fit the budget is refused, never cut.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from agingbench import __version__
from agingbench.cards.check import save_card
from agingbench.errors import InputError, ModelError
from agingbench.interfaces import Consolidator, Judge
from agingbench.records import Event, Usage
from agingbench.resumption.calibration.calibrate import current_gate
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.contexts.build import build_consolidator
from agingbench.resumption.contexts.compaction import NotApplicable
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import Episode, load_episodes, set_hash
from agingbench.resumption.episodes.trajectory import (
    SHORT,
    TOKENIZER,
    count_steps,
    full_text,
    trajectory_events,
)
from agingbench.resumption.judges.build import build_judge
from agingbench.resumption.runs.card import make_card
from agingbench.resumption.runs.resuming_agent import ResumingAgent, build_agent, resume
from agingbench.resumption.runs.score import judge_episode
from agingbench.resumption.runs.store import EpisodeRow, RunFolder
from agingbench.resumption.runs.summary import RunSummary, summarise
from agingbench.resumption.runs.trial import add_trials
from agingbench.text import count_tokens
from agingbench.traces.canonical import canonical_json

# What the contexts and answers of our own consolidators and agents are made with.
OWN_PARTS = (
    "resumption/contexts/*.py",
    "resumption/episodes/trajectory.py",
    "resumption/runs/resuming_agent.py",
    "memory/*.py",
    "models/*.py",
    "text/*.py",
)
Progress = Callable[[int, int], None]


class RunSettings(msgspec.Struct, frozen=True):
    """What a run is made of; with the episodes and the judge's prompts it decides the run's id."""

    consolidator: str
    budget: int
    agent: str = "embedded"
    judge: str = "deterministic"
    model: str = "extractive"


class RunResult(msgspec.Struct, frozen=True):
    """A run that went through all its episodes. Without a passed gate there is no summary figure
    and no card.
    """

    path: Path
    run_id: str
    rows: list[EpisodeRow]
    gate: CalibrationGate
    summary: RunSummary
    card: dict[str, Any] | None


class RunParts(msgspec.Struct, frozen=True):
    """What an episode is run with."""

    consolidator: Consolidator
    agent: ResumingAgent
    judge: Judge
    settings: RunSettings
    data: Path | None


def run_benchmark(
    folder: Path,
    settings: RunSettings,
    *,
    data: Path | None = None,
    out: Path | None = None,
    ledger: str | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Run what is left of a run, then write scores.parquet, the trials and, behind a passed gate,
    the card.
    """
    if settings.budget < 1:
        raise InputError(f"a budget of {settings.budget} tokens holds nothing")
    benchmark = BenchmarkFolder(folder)
    episodes = load_episodes(benchmark.episodes)
    judge, identity = build_judge(settings.judge, benchmark.judges)
    parts = RunParts(
        build_consolidator(settings.consolidator, settings.model),
        build_agent(settings.agent),
        judge,
        settings,
        data,
    )
    gate = current_gate(benchmark, episodes, judge, identity, {e.domain for e in episodes})
    config = {
        **msgspec.to_builtins(settings),
        "judge": msgspec.to_builtins(identity),
        "tokenizer": TOKENIZER,
        "episodes": set_hash(episodes),
        "agingbench_version": __version__,
        "consolidator_revision": source_hash(parts.consolidator),
        "agent_revision": source_hash(parts.agent),
    }
    with RunFolder((out or benchmark.runs) / make_run_id(config)) as run:
        run.configure(config)
        run.mend()
        _run_episodes(run, episodes, parts, progress)
        rows = run.rows()
        run.write_scores(rows, config, gate.passed)
        summary = summarise(rows, gate.passed)
        card = None
        if gate.passed and summary.publishable:
            card = make_card(run.run_id, config, rows, summary, gate, benchmark)
            save_card(card, run.card)
        if ledger is not None:
            add_trials(ledger, run, config, rows, episodes, gate.passed)
        if card is None and run.card.exists():
            run.card.unlink()  # the card of an earlier gate says what is no longer so
        return RunResult(run.path, run.run_id, rows, gate, summary, card)


def make_run_id(config: dict[str, Any]) -> str:
    """A readable id with a hash of the whole configuration: the same command continues the same
    run.
    """
    digest = hashlib.sha256(canonical_json(config)).hexdigest()[:8]
    name = re.sub(r"[^a-z0-9]+", "-", config["consolidator"].lower()).strip("-") or "own"
    return f"{name[:40]}-b{config['budget']}-{digest}"


def source_hash(part: object) -> str | None:
    """SHA-256 of what a part is written in: after a change to it, nothing scored before is taken
    over.

    Of a part of one's own that is its file; of ours, every file that has a hand in contexts and
    answers.
    """
    try:
        files = [Path(inspect.getfile(type(part)))]
        if type(part).__module__.startswith("agingbench."):
            root = Path(__file__).parents[2]
            files = sorted(path for pattern in OWN_PARTS for path in root.glob(pattern))
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    except (OSError, TypeError):
        return None


def _run_episodes(
    run: RunFolder, episodes: Sequence[Episode], parts: RunParts, progress: Progress | None
) -> None:
    # What was skipped or broke is tried again: the trace may be here now, the endpoint may be up.
    done = {row.episode for row in run.rows() if row.status in ("scored", "refused")}
    for number, episode in enumerate(episodes, start=1):
        if episode.id not in done:
            row, context = run_episode(episode, parts)
            run.commit(row, context)
        if progress:
            progress(number, len(episodes))


def run_episode(episode: Episode, parts: RunParts) -> tuple[EpisodeRow, str | None]:
    """One episode: context, continuation, verdicts. What goes wrong with it is its own reason, not
    the run's end.
    """
    start = time.monotonic()
    row = EpisodeRow(
        episode=episode.id,
        episode_hash=episode.hash,
        domain=episode.domain,
        source=episode.source,
        status="skipped",
        handover=episode.resume_with is not None,
    )
    context = _through(row, episode, parts)
    row.seconds = round(time.monotonic() - start, 3)
    row.finished_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    return row, context


def _through(row: EpisodeRow, episode: Episode, parts: RunParts) -> str | None:
    try:
        events = trajectory_events(episode, parts.data)
    except (
        InputError
    ) as problem:  # not here, changed since, or not readable: it costs this episode only
        row.reason = str(problem)
        return None
    row.steps = count_steps(events)
    row.stratum = "short" if row.steps < SHORT else "long"
    row.trajectory_tokens = count_tokens(full_text(events))
    try:
        context = _consolidated(episode, events, parts)
    except NotApplicable as reason:
        row.reason = str(reason)
        return None
    except ModelError as error:
        row.status = "failed"
        row.reason = f"the consolidator's model: {error}"
        return None
    row.context_tokens = count_tokens(context)
    row.context_sha256 = hashlib.sha256(context.encode("utf-8", "replace")).hexdigest()
    if row.context_tokens > parts.settings.budget:
        row.status = "refused"
        row.reason = (
            f"{row.context_tokens} tokens ({TOKENIZER}) do not fit the budget of"
            f" {parts.settings.budget}"
        )
    else:
        _continue(row, episode, context, parts)
    return context


def _consolidated(episode: Episode, events: list[Event], parts: RunParts) -> str:
    name = parts.settings.consolidator
    try:
        context = parts.consolidator.consolidate(
            episode.initial_task, events, parts.settings.budget
        )
    except (InputError, ModelError):
        raise
    except (
        Exception
    ) as error:  # somebody's own consolidator: its failure is told with the episode's name
        raise InputError(
            f"consolidator '{name}' failed on episode {episode.id}: {error!r}"
        ) from error
    if not isinstance(context, str):
        raise InputError(
            f"consolidator '{name}' returned {type(context).__name__}, not text, on episode"
            f" {episode.id}"
        )
    return _writable(context)


def _writable(text: str) -> str:
    # A lone surrogate cannot be written to any file; it is replaced before anything is counted or
    # judged.
    return text.encode("utf-8", "replace").decode()


def _continue(row: EpisodeRow, episode: Episode, context: str, parts: RunParts) -> None:
    other = episode.resume_with
    agent = build_agent(other.model) if other and other.model else parts.agent
    row.agent = agent.name
    try:
        resumed = resume(agent, episode, context) if context.strip() else None
    except ModelError as error:
        row.status = "failed"
        row.reason = f"the resuming agent's model: {error}"
        return
    row.answer = _writable(resumed.text) if resumed else ""
    row.usage = resumed.usage if resumed else Usage()
    row.verdicts = judge_episode(parts.judge, episode, context, row.answer)
    row.status = "scored"
