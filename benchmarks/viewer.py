"""How long the viewer takes over a ledger of 100,000 trials and a trace of 50,000 entries.

Usage: python benchmarks/viewer.py [TRIALS] [ENTRIES]
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import uvicorn

from agingbench.trials.entries import trial_entry
from agingbench.trials.ledger import open_ledger
from agingbench.trials.record import parse_trial
from agingbench.view.app import make_app
from agingbench.view.server import HOST, bound_socket, viewer_of

TRIALS = 100_000
ENTRIES = 50_000
BATCH = 5_000
PAGES = {
    "first page": "/trials",
    "last page": "/trials?page=99999",
    "by reward": "/trials?sort=reward",
    "by memory": "/trials?sort=memory",
    "search": "/trials?q=trial-0777",
    "one kind": "/trials?kind=rollout",
    "runs": "/",
    "trace, first time": "/trace?file=trace.jsonl",
    "trace, a page": "/steps?file=trace.jsonl&start=40000",
    "trace, next error": "/find?file=trace.jsonl&errors=1&start=0",
    "trace, search": "/find?file=trace.jsonl&q=disk+full&start=0",
}


def record(number: int) -> dict[str, Any]:
    """A trial of one of four models."""
    return {
        "trial_id": f"trial-{number:06}",
        "experiment_id": f"night-{number // 1000}",
        "timestamp": f"2026-03-{number % 28 + 1:02}T10:00:00Z",
        "task": {"task_id": f"task-{number % 50}", "task_revision": "1"},
        "agent": {"adapter": "bench", "model": f"model-{number % 4}", "configuration": {}},
        "environment": {"runtime_image": "local", "compute_backend": "local"},
        "inputs": {"instruction": "Do it."},
        "outputs": {},
        "evaluation": {
            "reward": number % 101 / 100,
            "validity": {
                "output_parseable": True,
                "schema_valid": True,
                "verifier_completed": True,
                "errors": [],
            },
        },
        "timing": {"total_seconds": 1},
        "completeness": "partial",
    }


def fill(folder: Path, trials: int, entries: int) -> None:
    """Make the ledger and the trace."""
    with open_ledger(folder / "ledger.sqlite") as ledger:
        for start in range(0, trials, BATCH):
            batch = []
            for number in range(start, min(trials, start + BATCH)):
                body = json.dumps(record(number)).encode()
                batch.append(trial_entry(parse_trial(body, "trial.json"), {}))
            ledger.store.append(batch)
    with (folder / "trace.jsonl").open("w") as out:
        for place in range(entries):
            row: dict[str, Any] = {"step": place, "role": "assistant", "content": f"note {place}"}
            if place == entries - 5:
                row = {"step": place, "role": "tool_result", "stderr": "disk full", "exit_code": 1}
            out.write(json.dumps(row) + "\n")


def main() -> None:
    """Fill a folder, serve it, and print how long each page takes."""
    numbers = [int(word) for word in sys.argv[1:]]
    trials, entries = (numbers + [TRIALS, ENTRIES][len(numbers) :])[:2]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        started = time.perf_counter()
        fill(folder, trials, entries)
        seconds = time.perf_counter() - started
        print(f"{trials:,} trials and {entries:,} entries written in {seconds:.1f} s")
        socket = bound_socket(0)
        port = socket.getsockname()[1]
        config = uvicorn.Config(make_app(viewer_of(place), port), log_level="error", ws="none")
        server = uvicorn.Server(config)
        threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True).start()
        while not server.started:
            time.sleep(0.01)
        for name, path in PAGES.items():
            started, worked = time.perf_counter(), time.process_time()
            with urllib.request.urlopen(f"http://{HOST}:{port}{path}") as answer:
                size = len(answer.read())
            seconds = time.perf_counter() - started
            work = time.process_time() - worked  # what it would take on an idle machine
            print(f"{name:20} {seconds:6.3f} s  {work:6.3f} s CPU  {size / 1000:8.1f} kB")
        server.should_exit = True


if __name__ == "__main__":
    main()
