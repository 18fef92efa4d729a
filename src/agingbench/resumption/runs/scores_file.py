"""scores.parquet: one row per episode with the columns that docs/resumption.md explains."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agingbench.errors import InputError
from agingbench.traces.files import is_private

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
    "kind": "VARCHAR",
    "late": "BOOLEAN",
    "acts": "INTEGER",
}
LATER = ("kind", "late", "acts")  # files of older versions lack these


class ScoreRow(msgspec.Struct, kw_only=True):
    """One row of scores.parquet; its fields are the keys of COLUMNS."""

    run_id: str
    episode: str
    episode_hash: str
    domain: str
    source: str
    stratum: str | None
    steps: int | None
    handover: bool
    status: str
    reason: str | None
    consolidator: str
    budget: int
    tokenizer: str
    context_tokens: int | None
    trajectory_tokens: int | None
    context_sha256: str | None
    agent: str | None
    judge: str
    calibrated: bool
    judge_failures: int | None
    n_checks: int
    n_preserve: int
    n_forget: int
    continuation_correctness: float | None
    preservation_recall: float | None
    forgetting_precision: float | None
    quality: float | None
    verdicts: str  # JSON
    kind: str = "text-only"
    late: bool = False
    acts: int | None = None

    def figure(self, name: str) -> float | None:
        """Return a score by its column name."""
        figures = {
            "continuation_correctness": self.continuation_correctness,
            "preservation_recall": self.preservation_recall,
            "forgetting_precision": self.forgetting_precision,
            "quality": self.quality,
        }
        return figures[name]


def write_scores(path: Path, rows: Sequence[ScoreRow]) -> None:
    """Write the rows as a Parquet file, sorted by episode; an old file is replaced as a whole."""
    import duckdb

    temporary = path.with_name(f".{path.name}.tmp")
    columns = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE scores ({columns})")
        if rows:
            marks = ", ".join("?" for _ in COLUMNS)
            insert = f"INSERT INTO scores VALUES ({marks})"  # noqa: S608 - our own column list
            connection.executemany(insert, [msgspec.structs.astuple(row) for row in rows])

        target = str(temporary).replace("'", "''")
        copy = f"COPY (SELECT * FROM scores ORDER BY episode) TO '{target}' (FORMAT parquet)"  # noqa: S608
        connection.execute(copy)
    if is_private(path.parent):
        temporary.chmod(0o600)
    os.replace(temporary, path)


def read_scores(path: Path) -> list[ScoreRow]:
    """Return the rows of a scores.parquet; a missing, broken or foreign file is an InputError."""
    import duckdb

    if not path.is_file():
        raise InputError(f"{path}: no such file; the run did not end")

    with duckdb.connect(":memory:") as connection:
        try:
            result = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{path}: not a Parquet file ({reason})") from error

        names = [column[0] for column in result.description or []]
        missing = [name for name in COLUMNS if name not in names and name not in LATER]
        if missing:
            raise InputError(f"{path}: lacks the column {missing[0]}")
        records = [dict(zip(names, values, strict=True)) for values in result.fetchall()]

    return [msgspec.convert(record, ScoreRow) for record in records]


def encode_verdicts(verdicts: Sequence[msgspec.Struct]) -> str:
    """Return the verdicts as JSON, the content of the column `verdicts`."""
    return json.dumps([msgspec.to_builtins(v) for v in verdicts], ensure_ascii=False)
