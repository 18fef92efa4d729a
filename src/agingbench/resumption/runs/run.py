"""The runner: one committed row per episode, then scores.parquet, the trials and the card.

It is the same for every consolidator. A context that does not fit the budget is refused, never cut.
"""

from __future__ import annotations

import hashlib
import inspect
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agingbench import __version__
from agingbench.cards.check import save_card
from agingbench.cards.resumption import RunDocument
from agingbench.errors import InputError, ModelError
from agingbench.interfaces import Consolidator, Judge
from agingbench.models.build import is_code
from agingbench.records import Event
from agingbench.resumption.calibration.calibrate import current_gate
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.contexts.build import build_consolidator
from agingbench.resumption.contexts.compaction import NotApplicable
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import (
    Episode,
    EpisodeKind,
    load_episodes,
    select_kind,
    set_hash,
)
from agingbench.resumption.episodes.trajectory import (
    TOKENIZER,
    count_steps,
    format_demands,
    full_text,
    length_stratum,
    trajectory_events,
)
from agingbench.resumption.judges.build import build_judge
from agingbench.resumption.judges.verdict import judge_episode, judge_facts
from agingbench.resumption.runs.attempt import Attempt, attempt
from agingbench.resumption.runs.card import ResumptionCard, make_card
from agingbench.resumption.runs.other_agents import RegistryAgent, build_agent
from agingbench.resumption.runs.report import run_report
from agingbench.resumption.runs.resuming_agent import ResumingAgent, resume
from agingbench.resumption.runs.store import EpisodeRow, RunConfig, RunFolder
from agingbench.resumption.runs.summary import RunSummary, summarise
from agingbench.resumption.runs.trial import add_run_trial, add_trials
from agingbench.sandbox.confinement import available
from agingbench.sandbox.workshop import BrokenConfinement
from agingbench.text.wording import count_tokens
from agingbench.traces.files import write_atomic
from agingbench.trust import Demand, require_trust

# The source files that decide the contexts and answers of our own consolidators and agents.
OWN_PARTS = (
    "resumption/contexts/*.py",
    "resumption/episodes/trajectory.py",
    "resumption/runs/resuming_agent.py",
    "resumption/runs/other_agents.py",
    "resumption/runs/following.py",
    "resumption/runs/workbench.py",
    "sandbox/*.py",
    "sandbox/inside/*.py",
    "agents/*.py",
    "memory/*.py",
    "models/*.py",
    "text/*.py",
)
Progress = Callable[[int, int], None]


class RunSettings(msgspec.Struct, frozen=True):
    """What the user chooses for a run."""

    consolidator: str
    budget: int
    agent: str = "embedded"
    judge: str = "deterministic"
    model: str = "extractive"
    kind: EpisodeKind | None = None  # only executable or only text-only episodes


class RunResult(msgspec.Struct, frozen=True):
    """A finished run; without a passed gate it has no figures and no card."""

    path: Path
    run_id: str
    rows: list[EpisodeRow]
    gate: CalibrationGate
    summary: RunSummary
    card: ResumptionCard | None
    document: RunDocument


class RunParts(msgspec.Struct, frozen=True):
    """What every episode of a run is run with."""

    consolidator: Consolidator
    agent: ResumingAgent
    judge: Judge
    settings: RunSettings
    data: Path | None
    trust: bool = False


def run_benchmark(
    folder: Path,
    settings: RunSettings,
    *,
    data: Path | None = None,
    out: Path | None = None,
    ledger: str | None = None,
    progress: Progress | None = None,
    trust: bool = False,
) -> RunResult:
    """Run the episodes that are not done yet, then write scores, trials and card.

    The card is written only behind a passed gate. Raises UntrustedFile, before anything is loaded,
    for an episode that names code, unless `trust` says that it may run.
    """
    if settings.budget < 1:
        raise InputError(f"a budget of {settings.budget} tokens holds nothing")

    benchmark = BenchmarkFolder(folder)
    episodes = load_episodes(benchmark.episodes)
    for episode in episodes:
        require_trust(f"episode {episode.id}", _demands(episode), trust)
    judge, identity = build_judge(settings.judge, benchmark.judges)
    consolidator = build_consolidator(settings.consolidator, settings.model)
    agent = build_agent(settings.agent, settings.model)
    parts = RunParts(consolidator, agent, judge, settings, data, trust)

    chosen = select_kind(episodes, settings.kind)
    domains = {episode.gate_domain for episode in chosen}
    gate = current_gate(benchmark, episodes, judge, identity, domains)
    config = RunConfig(
        consolidator=settings.consolidator,
        budget=settings.budget,
        agent=settings.agent,
        judge=identity,
        model=settings.model,
        tokenizer=TOKENIZER,
        episodes=set_hash(chosen),
        agingbench_version=__version__,
        consolidator_revision=source_hash(consolidator),
        agent_revision=source_hash(agent.source if isinstance(agent, RegistryAgent) else agent),
    )

    runs = out or benchmark.runs
    with RunFolder(runs / config.run_id) as run:
        run.configure(config)
        run.mend()
        _run_episodes(run, chosen, parts, progress)

        rows = run.rows()
        run.write_scores(rows, config, gate.open_domains)
        summary = summarise(rows, gate.open_domains)

        card = None
        if gate.passed and summary.publishable:
            card = make_card(run.run_id, config, rows, summary, gate, benchmark)
            save_card(card.document(), run.card)
        elif run.card.exists():
            run.card.unlink()  # the card of an earlier gate is no longer true

        report = run_report(run.run_id, config, settings.judge, gate, summary)
        write_atomic(run.report, msgspec.json.format(msgspec.json.encode(report), indent=1))
        if ledger is not None:
            add_trials(ledger, run, config, rows, chosen, gate.open_domains)
            if card is not None:
                add_run_trial(ledger, card, config)
        return RunResult(run.path, run.run_id, rows, gate, summary, card, report.run)


def _demands(episode: Episode) -> list[Demand]:
    """What an episode demands trust for: code behind its trace format or its resuming model."""
    demands = format_demands(episode)
    handover = episode.resume_with
    if handover is not None and handover.model is not None and is_code(handover.model):
        demands.append(Demand("resume_with.model", handover.model))
    return demands


def source_hash(part: object) -> str | None:
    """Return the SHA-256 of the source of a part or a class: a changed one starts a new run.

    For a user's own part this is its file; for ours, every file that decides contexts and answers.
    None if the source cannot be read.
    """
    try:
        kind = part if isinstance(part, type) else type(part)
        files = [Path(inspect.getfile(kind))]
        if kind.__module__.startswith("agingbench."):
            root = Path(__file__).parents[2]
            files = sorted(path for pattern in OWN_PARTS for path in root.glob(pattern))
        content = b"".join(path.read_bytes() for path in files)
    except (OSError, TypeError):
        return None
    return hashlib.sha256(content).hexdigest()


def _run_episodes(
    run: RunFolder, episodes: Sequence[Episode], parts: RunParts, progress: Progress | None
) -> None:
    # Skipped and failed episodes are tried again: the trace may be here now, the endpoint up.
    rows = {row.episode: row for row in run.rows()}
    finished = {row.episode for row in rows.values() if row.status in ("scored", "refused")}
    for number, episode in enumerate(episodes, start=1):
        if episode.id not in finished:
            done = run_episode(episode, parts)
            if not _is_same_skip(done.row, rows.get(episode.id)):
                run.commit(done.row, done.context, done.events)
        if progress:
            progress(number, len(episodes))


def _is_same_skip(row: EpisodeRow, earlier: EpisodeRow | None) -> bool:
    """Whether an episode is skipped again for the reason that an earlier run wrote down."""
    if earlier is None or row.status != "skipped" or earlier.status != "skipped":
        return False
    return (row.reason, row.episode_hash) == (earlier.reason, earlier.episode_hash)


class EpisodeResult(msgspec.Struct, frozen=True):
    """What running one episode gave: its row, its context, and what the agent did in it."""

    row: EpisodeRow
    context: str | None
    events: list[Event] = []


def run_episode(episode: Episode, parts: RunParts) -> EpisodeResult:
    """Run one episode; most errors end up as its row's reason."""
    start = time.monotonic()
    row = EpisodeRow(
        episode=episode.id,
        episode_hash=episode.hash,
        domain=episode.domain,
        source=episode.source,
        status="skipped",
        kind=episode.kind,
        late=episode.written == "late",
        handover=episode.resume_with is not None,
    )
    events: list[Event] = []
    context = _build_context(row, episode, parts)
    if context is not None and row.status != "refused":
        events = _continue(row, episode, context, parts)
    row.seconds = round(time.monotonic() - start, 3)
    row.finished_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    return EpisodeResult(row, context, events)


def _build_context(row: EpisodeRow, episode: Episode, parts: RunParts) -> str | None:
    """Consolidate the trajectory and fill in the row; None if there is no context."""
    try:
        events = trajectory_events(episode, parts.data, trust=parts.trust)
    except InputError as error:
        # A trace that is missing, changed or unreadable costs this episode only.
        row.reason = str(error)
        return None
    row.steps = count_steps(events)
    row.stratum = length_stratum(row.steps)
    row.trajectory_tokens = count_tokens(full_text(events))

    try:
        context = _consolidate(episode, events, parts)
    except NotApplicable as error:
        row.reason = str(error)
        return None
    except ModelError as error:
        row.status = "failed"
        row.reason = f"the consolidator's model: {error}"
        return None

    row.context_tokens = count_tokens(context)
    row.context_sha256 = hashlib.sha256(context.encode("utf-8", "replace")).hexdigest()
    budget = parts.settings.budget
    if row.context_tokens > budget:
        row.status = "refused"
        row.reason = f"{row.context_tokens} tokens ({TOKENIZER}) do not fit the budget of {budget}"
    return context


def _consolidate(episode: Episode, events: list[Event], parts: RunParts) -> str:
    name = parts.settings.consolidator
    budget = parts.settings.budget
    try:
        context = parts.consolidator.consolidate(episode.initial_task, events, budget)
    except (InputError, ModelError):
        raise
    except Exception as error:  # the user's own code may raise anything
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
    # A lone surrogate cannot be written to any file; it is replaced before anything is counted.
    return text.encode("utf-8", "replace").decode()


def _continue(row: EpisodeRow, episode: Episode, context: str, parts: RunParts) -> list[Event]:
    """Let the agent resume, judge what it did and fill in the row; return the events of acting."""
    handover = episode.resume_with
    agent = parts.agent
    if handover and handover.model:
        require_trust(f"episode {episode.id}", _demands(episode), parts.trust)
        agent = build_agent(handover.model, parts.settings.model)
    row.agent = agent.name

    try:
        if episode.workspace is not None:
            return _work(row, episode, context, agent, parts.judge)
        if context.strip():
            continuation = resume(agent, episode, context)
            row.answer = _writable(continuation.text)
            row.usage = continuation.usage
    except ModelError as error:
        row.status = "failed"
        row.reason = f"the resuming agent's model: {error}"
        return []

    row.verdicts = judge_episode(parts.judge, episode, context, row.answer)
    row.status = "scored"
    return []


def _work(
    row: EpisodeRow, episode: Episode, context: str, agent: ResumingAgent, judge: Judge
) -> list[Event]:
    """Attempt an executable episode and fill in the row; without confinement it is skipped."""
    usable, reason = available()
    if not usable:
        row.reason = f"an executable episode: {reason}"
        return []
    try:
        tried: Attempt = attempt(agent, episode, context)
    except BrokenConfinement as error:
        row.status = "failed"
        row.reason = str(error)
        return []

    row.answer = tried.output
    row.usage = tried.usage
    row.acts = tried.steps
    row.workspace_sha256 = tried.workspace_sha256
    row.verdicts = [*tried.verdicts, *judge_facts(judge, episode, context)]
    row.status = "scored"
    return tried.events
