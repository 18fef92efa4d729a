"""How fast the ledger is: adding, listing and verifying many trials, every tenth with a trace, in
SQLite.

Trials are listed as `trials list --json` lists them, and as that very command with its start and
its printing (both the best of three), exported to JSON lines, and verified with all evidence hashed
again. The plain reference beside it is the least that could be done with the same bytes: a folder
of JSON files that is written, read and hashed, without chain, index or safety, on a tenth of the
trials. Ratios are per trial; below 1 the ledger is faster.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from agingbench.traces.blobs import BlobFolder, digest_of
from agingbench.trials.entries import Blob, trial_entry
from agingbench.trials.inspect.export import export, scrubbed_rows
from agingbench.trials.ledger import Ledger, open_ledger
from agingbench.trials.query import Query
from agingbench.trials.record import TrialRecord, parse_trial, record_bytes
from agingbench.trials.stores.sqlite import beside

T = TypeVar("T")
BATCH = 500
ONE_BY_ONE = 200
TENTH = 10
TRIES = 3
LIST_WANTED_S = 1.0
VERIFY_WANTED_S = 60.0


def base() -> TrialRecord:
    """A record of usual size."""
    told = {
        "trial_id": "t",
        "experiment_id": "benchmark",
        "timestamp": "2026-03-13T10:00:00Z",
        "task": {"task_id": "s2_lifestyle_assistant@1", "task_revision": "0" * 64},
        "agent": {
            "adapter": "react",
            "model": "extractive",
            "configuration": {"memory": "lossy_compress", "k": 8},
        },
        "environment": {
            "runtime_image": "local:3.11",
            "compute_backend": "local",
            "tool_versions": {"numpy": "2.0"},
        },
        "inputs": {"instruction": "No meetings before noon on Fridays, please. " * 20},
        "outputs": {"trajectory_path": "trace.jsonl", "agent_result": {"turns_used": 4}},
        "evaluation": {
            "reward": 0.5,
            "breakdown": {f"metric_{i}": i / 20 for i in range(20)},
            "validity": {
                "output_parseable": True,
                "schema_valid": True,
                "verifier_completed": True,
                "errors": [],
            },
        },
        "timing": {"total_seconds": 12.0},
        "completeness": "partial",
    }
    return parse_trial(json.dumps(told).encode(), "benchmark")


def trace(i: int) -> bytes:
    """A short trace of its own."""
    return b"".join(
        json.dumps({"step": s, "role": "assistant", "content": f"trial {i}, step {s}"}).encode()
        + b"\n"
        for s in range(10)
    )


def fill(ledger: Ledger, n: int) -> None:
    """Add n trials, many to a transaction, with evidence that is not waited for: this is only what
    is measured on.
    """
    one = base()
    blobs = BlobFolder(beside(Path(ledger.store.where), "blobs"))
    for start in range(0, n, BATCH):
        drafts = []
        for i in range(start, min(n, start + BATCH)):
            record = one.model_copy(update={"trial_id": f"trial-{i:07}"})
            drafts.append(trial_entry(record, put(blobs, trace(i)) if i % TENTH == 0 else {}))
        ledger.store.append(drafts)


def put(blobs: BlobFolder, data: bytes) -> dict[str, Blob]:
    """A trace as evidence."""
    blob = Blob(digest_of(data), len(data))
    path = blobs.path(blob.sha256)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return {"trace.jsonl": blob}


def add_safely(ledger: Ledger, n: int) -> None:
    """Add n trials as a user does: one by one, each on the disk before the next."""
    one = base()
    for i in range(n):
        ledger.add(
            one.model_copy(update={"trial_id": f"single-{i:07}"}), {"trace.jsonl": trace(-i - 1)}
        )


def plain_files(folder: Path, n: int) -> None:
    """The reference: one file per record and per trace."""
    one = base()
    for i in range(n):
        (folder / f"{i}.json").write_bytes(
            record_bytes(one.model_copy(update={"trial_id": f"trial-{i:07}"}))
        )
        if i % TENTH == 0:
            (folder / f"{i}.jsonl").write_bytes(trace(i))


def read_plain(folder: Path) -> int:
    return sum(len(json.loads(file.read_bytes())) > 0 for file in folder.glob("*.json"))


def hash_plain(folder: Path) -> int:
    return len({hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()})


def list_by_command(place: Path) -> int:
    command = [
        sys.executable,
        "-m",
        "agingbench",
        "trials",
        "list",
        "--json",
        "--ledger",
        str(place),
    ]
    return len(subprocess.run(command, capture_output=True, check=True).stdout)


def timed(what: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    done = what()
    return time.perf_counter() - start, done


def best(what: Callable[[], T]) -> tuple[float, T]:
    return min((timed(what) for _ in range(TRIES)), key=lambda run: run[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100_000)
    n = parser.parse_args().trials
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        with open_ledger(here / "ledger.sqlite") as ledger:
            adding, _ = timed(lambda: fill(ledger, n))
            safely, _ = timed(lambda: add_safely(ledger, ONE_BY_ONE))
            busy = time.process_time()
            listing, rows = best(lambda: scrubbed_rows(ledger.list()))
            busy = (
                time.process_time() - busy
            ) / TRIES  # on a machine with other work a clock tells of that as well
            command, printed = best(lambda: list_by_command(here))
            some, page = timed(
                lambda: ledger.list(Query(sort="timestamp", descending=True, limit=50))
            )
            verifying, verdict = timed(ledger.verify)
            exporting, exported = timed(lambda: export(ledger, Query(), here / "trials.jsonl"))
        assert verdict.ok
        assert printed > 0
        assert exported == len(rows)
        assert len(rows) == n + ONE_BY_ONE
        assert len(page) == min(n, 50)
        plain = here / "plain"
        plain.mkdir()
        part = max(1, n // TENTH)
        written, _ = timed(lambda: plain_files(plain, part))
        read, _ = timed(lambda: read_plain(plain))
        hashed, _ = timed(lambda: hash_plain(plain))
        written, read, hashed = (seconds * n / part for seconds in (written, read, hashed))
    print(f"{n} trials, every tenth with a trace")
    print(f"add many {adding:7.2f} s  {n / adding:8.0f}/s   {adding / written:5.2f} × plain files")
    print(f"add one  {safely:7.2f} s  {ONE_BY_ONE / safely:8.0f}/s   each safe on the disk")
    print(
        f"list all {listing:7.2f} s  {n / listing:8.0f}/s   {listing / read:5.2f} × plain files  "
        f" {'under' if listing < LIST_WANTED_S else 'OVER'} {LIST_WANTED_S:.0f} s ({busy:.2f} CPU)"
    )
    print(
        f"   typed {command:7.2f} s  {n / command:8.0f}/s   `agingbench trials list --json`,"
        f" {printed} bytes"
    )
    print(f"export   {exporting:7.2f} s  {n / exporting:8.0f}/s   whole records, scrubbed")
    print(f"list 50  {some:7.3f} s")
    print(
        f"verify   {verifying:7.2f} s  {n / verifying:8.0f}/s   {verifying / hashed:5.2f} × plain"
        f" files   {'under' if verifying < VERIFY_WANTED_S else 'OVER'} {VERIFY_WANTED_S:.0f} s"
    )


if __name__ == "__main__":
    main()
