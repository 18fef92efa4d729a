"""A run on disk: its configuration, one committed line per episode, and scores.parquet made from
them.

Columns of scores.parquet, one row per episode (COLUMNS below is the list; docs/resumption.md
explains each).
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from agingbench.errors import InputError, RunConflict, StorageError
from agingbench.records import Usage
from agingbench.resumption.runs.score import (
    EpisodeScores,
    ItemVerdict,
    count_failures,
    score_verdicts,
)
from agingbench.traces import journal
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import read_json, write_atomic

COLUMNS: dict[str, str] = {
    "run_id": "VARCHAR",
    "episode": "VARCHAR",
    "episode_hash": "VARCHAR",
    "domain": "VARCHAR",
    "source": "VARCHAR",
    "stratum": "VARCHAR",
    "steps": "INTEGER",
    "handover": "BOOLEAN",
    "status": "VARCHAR",
    "reason": "VARCHAR",
    "consolidator": "VARCHAR",
    "budget": "INTEGER",
    "tokenizer": "VARCHAR",
    "context_tokens": "INTEGER",
    "trajectory_tokens": "INTEGER",
    "context_sha256": "VARCHAR",
    "agent": "VARCHAR",
    "judge": "VARCHAR",
    "calibrated": "BOOLEAN",
    "judge_failures": "INTEGER",
    "n_checks": "INTEGER",
    "n_preserve": "INTEGER",
    "n_forget": "INTEGER",
    "continuation_correctness": "DOUBLE",
    "preservation_recall": "DOUBLE",
    "forgetting_precision": "DOUBLE",
    "quality": "DOUBLE",
    "verdicts": "VARCHAR",
}


class EpisodeRow(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One episode of a run. status: scored; skipped (its trace is not here, or the consolidator
    does not apply); refused (the context does not fit the budget); failed (a model call broke).
    """

    episode: str
    episode_hash: str
    domain: str
    source: str
    status: str
    reason: str = ""
    stratum: str | None = None
    steps: int | None = None
    handover: bool = False
    agent: str = ""
    context_tokens: int | None = None
    trajectory_tokens: int | None = None
    context_sha256: str | None = None
    answer: str = ""
    verdicts: list[ItemVerdict] = []
    usage: Usage = Usage()
    seconds: float = 0.0
    finished_at: str = ""

    @property
    def scores(self) -> EpisodeScores:
        return (
            score_verdicts(self.verdicts)
            if self.status == "scored"
            else EpisodeScores(None, None, None)
        )


class RunFolder:
    """Paths and files of one run; holds a lock while it is being written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_id = path.name
        self.config_file = path / "run.json"
        self.rows_file = path / "rows.jsonl"
        self.contexts = path / "contexts"
        self.scores = path / "scores.parquet"
        self.card = path / "aging_card.json"
        self._lock = FileLock(path / ".lock")

    def __enter__(self) -> RunFolder:
        try:
            self.contexts.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise RunConflict(f"{self.path}: another process is writing this run") from error
        except OSError as error:
            raise StorageError(f"cannot make {self.path}: {error.strerror or error}") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def configure(self, config: dict[str, Any]) -> None:
        """Write the configuration, or find the same one there."""
        if self.config_file.exists():
            if read_json(self.config_file) != json.loads(canonical_json(config)):
                raise RunConflict(f"{self.path}: holds a run of another configuration")
            return
        write_atomic(
            self.config_file, msgspec.json.format(canonical_json(config), indent=1) + b"\n"
        )

    def config(self) -> dict[str, Any]:
        if not self.config_file.is_file():
            raise InputError(
                f"{self.path}: no run of the resumption benchmark (run.json is missing)"
            )
        loaded = read_json(self.config_file)
        if not isinstance(loaded, dict) or "consolidator" not in loaded:
            raise InputError(f"{self.config_file}: not the configuration of a resumption run")
        return loaded

    def rows(self) -> list[EpisodeRow]:
        """The committed episodes, the last line of each; a line torn by a kill costs that episode
        only.
        """
        found = {
            row.episode: row
            for row in journal.records(self.rows_file, EpisodeRow, "a row of a run")
        }
        return list(found.values())

    def commit(self, row: EpisodeRow, context: str | None) -> None:
        """Write an episode down; when this returns, a kill no longer costs it."""
        if context is not None:
            write_atomic(self.contexts / f"{row.episode}.txt", context.encode("utf-8", "replace"))
        journal.append(self.rows_file, row)

    def mend(self) -> None:
        """Make ready to continue a run that was killed."""
        journal.mend(self.rows_file)

    def write_scores(
        self, rows: Sequence[EpisodeRow], config: dict[str, Any], calibrated: bool
    ) -> None:
        """scores.parquet, replaced as a whole."""
        write_parquet(
            self.scores, [parquet_row(row, self.run_id, config, calibrated) for row in rows]
        )


def parquet_row(
    row: EpisodeRow, run_id: str, config: dict[str, Any], calibrated: bool
) -> dict[str, Any]:
    """The columns of one episode. Without a passed gate no score is written, only verdicts."""
    scores = row.scores
    counted = {
        c: sum(v.component == c for v in row.verdicts)
        for c in ("continuation", "preservation", "forgetting")
    }
    scored = row.status == "scored"
    status = row.status if calibrated or not scored else "uncalibrated"
    public = scored and calibrated
    return {
        "run_id": run_id,
        "episode": row.episode,
        "episode_hash": row.episode_hash,
        "domain": row.domain,
        "source": row.source,
        "stratum": row.stratum,
        "steps": row.steps,
        "handover": row.handover,
        "status": status,
        "reason": row.reason or None,
        "consolidator": config["consolidator"],
        "budget": config["budget"],
        "tokenizer": config["tokenizer"],
        "context_tokens": row.context_tokens,
        "trajectory_tokens": row.trajectory_tokens,
        "context_sha256": row.context_sha256,
        "agent": row.agent or None,
        "judge": config["judge"]["judge"],
        "calibrated": calibrated,
        "judge_failures": count_failures(row.verdicts) if scored else None,
        "n_checks": counted["continuation"],
        "n_preserve": counted["preservation"],
        "n_forget": counted["forgetting"],
        "continuation_correctness": scores.continuation_correctness if public else None,
        "preservation_recall": scores.preservation_recall if public else None,
        "forgetting_precision": scores.forgetting_precision if public else None,
        "quality": scores.quality if public else None,
        "verdicts": json.dumps([msgspec.to_builtins(v) for v in row.verdicts], ensure_ascii=False),
    }


def write_parquet(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """The rows as a Parquet file with exactly COLUMNS; DuckDB writes it, and replaces an old one as
    a whole.
    """
    import duckdb

    temporary = path.with_name(f".{path.name}.tmp")
    columns = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE scores ({columns})")
        if rows:
            marks = ", ".join("?" for _ in COLUMNS)
            connection.executemany(
                f"INSERT INTO scores VALUES ({marks})",  # noqa: S608 - our own column list
                [[row[name] for name in COLUMNS] for row in rows],
            )
        target = str(temporary).replace("'", "''")
        copy = f"COPY (SELECT * FROM scores ORDER BY episode) TO '{target}' (FORMAT parquet)"  # noqa: S608
        connection.execute(copy)
    os.replace(temporary, path)


def read_parquet(path: Path) -> list[dict[str, Any]]:
    """The rows of a scores.parquet."""
    import duckdb

    if not path.is_file():
        raise InputError(f"{path}: no such file; the run did not end")
    with duckdb.connect(":memory:") as connection:
        try:
            found = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        except duckdb.Error as error:
            raise InputError(
                f"{path}: not a Parquet file ({str(error).splitlines()[0]})"
            ) from error
        names = [column[0] for column in found.description or []]
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise InputError(f"{path}: lacks the column {missing[0]}")
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
