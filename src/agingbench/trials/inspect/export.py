"""Export of trials, scrubbed: JSON lines with whole records, or a Parquet table with one row per
trial.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import write_atomic
from agingbench.traces.scrub.scrubber import scrub, scrub_json
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import LISTED, Query
from agingbench.trials.verify import Tick

# Times are UTC; a plain timestamp is read by every tool without a zone database.
_TYPES = {
    "number": "BIGINT",
    "reward": "DOUBLE",
    "total_seconds": "DOUBLE",
    "tokens_in": "BIGINT",
    "tokens_out": "BIGINT",
    "cost_usd": "DOUBLE",
    "timestamp": "TIMESTAMP",
}
FREE_TEXT = ("dataset_id", "task_id", "task_revision", "model", "harness")


def scrubbed_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Listed trials made fit to be shown: ids and hashes are safe by their form, every other text
    is scrubbed.
    """
    seen: dict[str | None, str | None] = {None: None}
    for row in rows:
        for name in FREE_TEXT:
            text = row[name]
            if text not in seen:
                seen[text] = scrub(text)
            row[name] = seen[text]
    return rows


def export(ledger: Ledger, query: Query, target: Path, tick: Tick | None = None) -> int:
    """Write the trials that a query asks for to `.jsonl` or `.parquet`; returns how many."""
    if target.suffix == ".jsonl":
        told = 0

        def counted(number: int) -> None:
            nonlocal told
            told = number
            if tick is not None:
                tick(number)

        write_atomic(target, _lines(ledger, query, counted), private=True)
        return told
    if target.suffix == ".parquet":
        return _parquet(ledger, query, target)
    raise InputError(f"{target}: write to a file that ends in .jsonl or .parquet")


def _lines(ledger: Ledger, query: Query, tick: Tick) -> Iterator[bytes]:
    """Each trial with its scrubbed record, its place in the chain and the hashes that prove it."""
    clean = _Scrubber()
    for number, entry in enumerate(ledger.found(query), 1):
        told = {
            "number": entry.number,
            "trial_id": entry.id,
            "record_hash": entry.body_hash,
            "entry_hash": entry.entry_hash,
            "previous": entry.previous,
            "added_at": entry.added_at,
            "evidence": json.loads(entry.evidence),
            "record": clean(json.loads(entry.body)),
        }
        yield json.dumps(told, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        tick(number)


class _Scrubber:
    """Scrubs records part by part: trials of one study share most of what they say, and scrubbing
    takes long.
    """

    MOST = 10_000_000  # characters that are remembered

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], Any] = {}
        self.held = 0

    def __call__(self, record: dict[str, Any]) -> dict[str, Any]:
        if self.held > self.MOST:
            self.seen.clear()
            self.held = 0
        told = {}
        for name, part in record.items():
            key = name, json.dumps(part)
            if key not in self.seen:
                self.seen[key] = scrub_json({name: part})[name]
                self.held += len(key[1])
            told[name] = self.seen[key]
        return told


def _parquet(ledger: Ledger, query: Query, target: Path) -> int:
    import duckdb

    rows = scrubbed_rows(ledger.list(query))
    aside = target.with_name(f".{secrets.token_hex(8)}.parquet")
    columns = {name: _TYPES.get(name, "VARCHAR") for name in LISTED}
    try:
        with tempfile.TemporaryDirectory() as folder, duckdb.connect() as db:
            lines = Path(folder) / "rows.jsonl"
            lines.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
            if rows:
                table = db.read_json(str(lines), format="newline_delimited", columns=columns)
            else:
                kinds = ", ".join(f"NULL::{kind} AS {name}" for name, kind in columns.items())
                table = db.sql(f"SELECT {kinds} LIMIT 0")
            table.write_parquet(str(aside))
        aside.chmod(0o600)
        os.replace(aside, target)
    except (OSError, duckdb.Error) as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise StorageError(f"cannot write {target}: {error}") from error
    return len(rows)
