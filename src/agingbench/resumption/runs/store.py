"""A run on disk: run.json, one committed line per episode, and scores.parquet made from them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from agingbench.errors import InputError, RunConflict, StorageError
from agingbench.records import Event, Usage
from agingbench.resumption.episodes.episode import LATE
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.judges.verdict import ItemVerdict, count_failures
from agingbench.resumption.runs.score import EpisodeScores, score_verdicts
from agingbench.resumption.runs.scores_file import ScoreRow, encode_verdicts, write_scores
from agingbench.traces import journal
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import private_folder, read_json, write_atomic


class RunConfig(msgspec.Struct, frozen=True):
    """Everything that decides a run's rows; run.json holds it and the run's id is its hash."""

    consolidator: str
    budget: int
    agent: str
    judge: JudgeIdentity
    model: str
    tokenizer: str
    episodes: str
    agingbench_version: str
    consolidator_revision: str | None
    agent_revision: str | None

    def encode(self) -> bytes:
        """Return the configuration as canonical JSON."""
        return canonical_json(msgspec.to_builtins(self))

    @property
    def run_id(self) -> str:
        """A readable name and a hash: the same command continues the same run."""
        digest = hashlib.sha256(self.encode()).hexdigest()[:8]
        name = re.sub(r"[^a-z0-9]+", "-", self.consolidator.lower()).strip("-") or "own"
        return f"{name[:40]}-b{self.budget}-{digest}"


class EpisodeRow(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One episode of a run.

    Its status is scored, skipped (the trace is missing or the consolidator does not apply),
    refused (the context does not fit the budget) or failed (a model call broke). In an executable
    episode `acts` counts the agent's steps and `answer` is its final output.
    """

    episode: str
    episode_hash: str
    domain: str
    source: str
    status: str
    reason: str = ""
    kind: str = "text-only"
    late: bool = False
    stratum: str | None = None
    steps: int | None = None
    handover: bool = False
    agent: str = ""
    context_tokens: int | None = None
    trajectory_tokens: int | None = None
    context_sha256: str | None = None
    answer: str = ""
    acts: int | None = None
    workspace_sha256: str | None = None
    verdicts: list[ItemVerdict] = []
    usage: Usage = Usage()
    seconds: float = 0.0
    finished_at: str = ""

    @property
    def gate_domain(self) -> str:
        """The name of the gate that speaks for the episode: its domain, or that of late ones."""
        return LATE if self.late else self.domain

    @property
    def scores(self) -> EpisodeScores:
        """The scores of the verdicts; all None unless the episode was scored."""
        if self.status != "scored":
            return EpisodeScores(None, None, None)
        return score_verdicts(self.verdicts)


class RunFolder:
    """Paths and files of one run; entering it takes a lock for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_id = path.name
        self.config_file = path / "run.json"
        self.rows_file = path / "rows.jsonl"
        self.contexts = path / "contexts"
        self.acts = path / "acts"
        self.scores = path / "scores.parquet"
        self.card = path / "aging_card.json"
        self.report = path / "run_report.json"
        self._lock = FileLock(path / ".lock", mode=0o600)

    def __enter__(self) -> RunFolder:
        try:
            private_folder(self.path)
            private_folder(self.contexts)
            private_folder(self.acts)
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise RunConflict(f"{self.path}: another process is writing this run") from error
        except OSError as error:
            file = error.filename or self._lock.lock_file
            raise StorageError(f"cannot use {file}: {error.strerror or error}") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def configure(self, config: RunConfig) -> None:
        """Write run.json; raises RunConflict if the folder holds another configuration."""
        data = config.encode()
        if self.config_file.exists():
            if read_json(self.config_file) != json.loads(data):
                raise RunConflict(f"{self.path}: holds a run of another configuration")
            return
        write_atomic(self.config_file, msgspec.json.format(data, indent=1) + b"\n")

    def config(self) -> RunConfig:
        """Return the configuration; raises InputError if this is no run of the benchmark."""
        if not self.config_file.is_file():
            raise InputError(
                f"{self.path}: no run of the resumption benchmark (run.json is missing)"
            )
        try:
            return msgspec.convert(read_json(self.config_file), RunConfig)
        except msgspec.ValidationError as error:
            raise InputError(
                f"{self.config_file}: not the configuration of a resumption run ({error})"
            ) from error

    def rows(self) -> list[EpisodeRow]:
        """Return the committed episodes, the last line of each; a torn last line is left out."""
        rows = journal.records(self.rows_file, EpisodeRow, "a row of a run")
        return list({row.episode: row for row in rows}.values())

    def commit(self, row: EpisodeRow, context: str | None, events: Sequence[Event] = ()) -> None:
        """Write context, acts and row of an episode; a kill after this does not lose them."""
        if context is not None:
            path = self.contexts / f"{row.episode}.txt"
            write_atomic(path, context.encode("utf-8", "replace"))
        if events:
            lines = [msgspec.json.encode(event) + b"\n" for event in events]
            write_atomic(self.acts / f"{row.episode}.jsonl", b"".join(lines))
        journal.append(self.rows_file, row)

    def mend(self) -> None:
        """Drop a torn last line so that a killed run can continue."""
        journal.mend(self.rows_file)

    def write_scores(
        self, rows: Sequence[EpisodeRow], config: RunConfig, open_domains: Collection[str]
    ) -> None:
        """Write scores.parquet from the rows."""
        score_rows = [
            score_row(row, self.run_id, config, row.gate_domain in open_domains) for row in rows
        ]
        write_scores(self.scores, score_rows)


def score_row(row: EpisodeRow, run_id: str, config: RunConfig, calibrated: bool) -> ScoreRow:
    """Return the columns of one episode; without a passed gate verdicts but no scores."""
    is_scored = row.status == "scored"
    status = "uncalibrated" if is_scored and not calibrated else row.status
    scores = row.scores if calibrated else EpisodeScores(None, None, None)
    items = Counter(verdict.component for verdict in row.verdicts)

    return ScoreRow(
        run_id=run_id,
        episode=row.episode,
        episode_hash=row.episode_hash,
        domain=row.domain,
        source=row.source,
        stratum=row.stratum,
        steps=row.steps,
        handover=row.handover,
        kind=row.kind,
        late=row.late,
        acts=row.acts,
        status=status,
        reason=row.reason or None,
        consolidator=config.consolidator,
        budget=config.budget,
        tokenizer=config.tokenizer,
        context_tokens=row.context_tokens,
        trajectory_tokens=row.trajectory_tokens,
        context_sha256=row.context_sha256,
        agent=row.agent or None,
        judge=config.judge.judge,
        calibrated=calibrated,
        judge_failures=count_failures(row.verdicts) if is_scored else None,
        n_checks=items["continuation"],
        n_preserve=items["preservation"],
        n_forget=items["forgetting"],
        continuation_correctness=scores.continuation_correctness,
        preservation_recall=scores.preservation_recall,
        forgetting_precision=scores.forgetting_precision,
        quality=scores.quality,
        verdicts=encode_verdicts(row.verdicts),
    )
