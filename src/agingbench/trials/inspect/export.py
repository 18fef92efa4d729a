"""Exports trials, scrubbed: JSON lines with whole records, a CSV or a Parquet table of rows."""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import json
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import write_atomic
from agingbench.traces.scrub.scrubber import scrub, scrub_json
from agingbench.trials.columns import FRACTIONS, WHOLE_NUMBERS, TrialRow
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import Query
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
    **dict.fromkeys(WHOLE_NUMBERS, "BIGINT"),
    **dict.fromkeys(FRACTIONS, "DOUBLE"),
}
# What a harness or a user may have written anything into.
_FREE_TEXT = (
    "dataset_id",
    "task_id",
    "task_revision",
    "model",
    "harness",
    "scenario",
    "system_id",
    "memory",
    "agent",
    "condition",
    "pressure",
    "events",
    "study",
)


def scrubbed_rows(rows: list[TrialRow]) -> list[TrialRow]:
    """Scrub the free text of listed trials in place; ids and hashes are safe by their form."""
    clean = functools.cache(scrub)

    for row in rows:
        for name in _FREE_TEXT:
            text = getattr(row, name)
            if text:
                setattr(row, name, clean(text))
    return rows


def export(ledger: Ledger, query: Query, target: Path, tick: Tick | None = None) -> int:
    """Write the trials that a query finds to `.jsonl`, `.csv` or `.parquet`; returns how many."""
    if target.suffix == ".jsonl":
        count = 0

        def advance(number: int) -> None:
            nonlocal count
            count = number
            if tick is not None:
                tick(number)

        write_atomic(target, _lines(ledger, query, advance), private=True)
        return count
    if target.suffix == ".parquet":
        return _parquet(ledger, query, target)
    if target.suffix == ".csv":
        return _csv(ledger, query, target)
    raise InputError(f"{target}: write to a file that ends in .jsonl, .csv or .parquet")


def _lines(ledger: Ledger, query: Query, tick: Tick) -> Iterator[bytes]:
    """Each trial with its scrubbed record, its place in the chain and the hashes that prove it."""
    scrubber = _RecordScrubber()
    for number, entry in enumerate(ledger.find_entries(query), 1):
        line = {
            "number": entry.number,
            "trial_id": entry.id,
            "record_hash": entry.body_hash,
            "entry_hash": entry.entry_hash,
            "previous": entry.previous,
            "added_at": entry.added_at,
            "evidence": json.loads(entry.evidence),
            "record": scrubber.scrub(json.loads(entry.body)),
        }
        yield json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        tick(number)


class _RecordScrubber:
    """Scrubs records and remembers their parts, most of which the trials of one study share."""

    MOST = 10_000_000  # characters that are remembered

    def __init__(self) -> None:
        self._parts: dict[tuple[str, str], Any] = {}
        self._size = 0

    def scrub(self, record: Mapping[str, object]) -> dict[str, object]:
        """The JSON of a record with every text scrubbed."""
        if self._size > self.MOST:
            self._parts.clear()
            self._size = 0

        scrubbed: dict[str, object] = {}
        for name, part in record.items():
            key = (name, json.dumps(part))
            if key not in self._parts:
                self._parts[key] = scrub_json({name: part})[name]
                self._size += len(key[1])
            scrubbed[name] = self._parts[key]
        return scrubbed


def _csv(ledger: Ledger, query: Query, target: Path) -> int:
    """Write rows as CSV; what is missing is an empty field."""
    rows = scrubbed_rows(ledger.list(query))
    names = TrialRow.__struct_fields__
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(names)
    for row in rows:
        values = [getattr(row, name) for name in names]
        writer.writerow([_not_a_formula(value) for value in values])
    write_atomic(target, text.getvalue().encode(), private=True)
    return len(rows)


def _not_a_formula(value: object) -> object:
    # A spreadsheet computes a field that begins so; a tab before it keeps it a text.
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@"))
    return f"\t{value}" if is_formula else value


def _parquet(ledger: Ledger, query: Query, target: Path) -> int:
    import duckdb

    rows = scrubbed_rows(ledger.list(query))
    aside = target.with_name(f".{secrets.token_hex(8)}.parquet")
    columns = {name: _TYPES.get(name, "VARCHAR") for name in TrialRow.__struct_fields__}
    try:
        with tempfile.TemporaryDirectory() as folder, duckdb.connect() as db:
            lines = Path(folder) / "rows.jsonl"
            lines.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
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
