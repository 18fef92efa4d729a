"""A platform team's month: nightly runs of three systems into one ledger, and what it tells of them.

Every night the same study, three memories with three seeds, is lived by a model behind HTTP. One
night the endpoint is down, one night is repeated, and in the end somebody changes a row. All
questions are put through documented commands: rank, trend, list, verify. Only the clock is set, so
that thirty nights do not take thirty nights.

    python benchmarks/platform_month.py --ledger postgresql://user@host/database

Without --ledger the ledger is a SQLite file in a temporary folder.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import agingbench.bench.life.folder
import agingbench.bench.life.loop
import agingbench.bench.scoring.files
import agingbench.trials.entries
from agingbench.cli.main import run
from agingbench.models.build import build_model
from agingbench.records import Message

CLOCKED = (
    agingbench.bench.life.folder,
    agingbench.bench.life.loop,
    agingbench.bench.scoring.files,
    agingbench.trials.entries,
)
FIRST = datetime(2026, 3, 1, 2, tzinfo=UTC)
PRICES = {
    "as_of": "2026-03-01",
    "usd_per_million_tokens": {"nightly": {"input": 1.0, "output": 5.0}},
}
STUDY = """name: nightly
scenarios: [s1]
sessions: 2
suts:
  - model: openai:nightly
    model_options: {{base_url: "{url}", max_retries: 0}}
memories: [lossy_compress, careful_compress, append_only]
pressures: [light]
events: none
seeds: 3
probes: 4
"""


class Clock(datetime):
    """A clock that is ahead of or behind the real one."""

    shift = timedelta(0)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Clock:
        """The time of the night that is played."""
        real = datetime.now(tz) + cls.shift
        return cls.fromtimestamp(real.timestamp(), tz)


class Endpoint(ThreadingHTTPServer):
    """The embedded reader behind an address that speaks like OpenAI's; it can be down."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.down = False
        self.model = build_model("extractive")

    @property
    def url(self) -> str:
        """The address to ask."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    @contextlib.contextmanager
    def serving(self) -> Iterator[Endpoint]:
        """Answer requests inside the `with` block."""
        threading.Thread(target=self.serve_forever, daemon=True).start()
        try:
            yield self
        finally:
            self.shutdown()
            self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one request, or say that nobody is there."""
        length = int(self.headers["Content-Length"])
        request = json.loads(self.rfile.read(length))
        if self.server.down:
            self._send(503, {"error": {"message": "down for the night"}})
            return
        messages = [
            Message(message["role"], message.get("content") or "")
            for message in request["messages"]
            if message["role"] in ("system", "user", "assistant")
        ]
        reply = self.server.model.complete(messages, ())
        words_in = sum(len(message.content.split()) for message in messages)
        words_out = len(reply.text.split())
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": reply.text},
        }
        usage = {
            "prompt_tokens": words_in,
            "completion_tokens": words_out,
            "total_tokens": words_in + words_out,
        }
        self._send(
            200,
            {
                "id": "r",
                "object": "chat.completion",
                "created": 0,
                "model": "nightly",
                "choices": [choice],
                "usage": usage,
            },
        )

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on the terminal."""


@dataclass
class Month:
    """A month of nights in one folder, with one ledger."""

    folder: Path
    ledger: str
    endpoint: Endpoint

    def command(self, *words: str) -> tuple[int, Any]:
        """Run a command of agingbench with --json; returns its exit code and its data."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = run([*words, "--ledger", self.ledger, "--json"])
        text = out.getvalue().strip()
        return code, json.loads(text)["data"] if text else None

    def live(self, night: int, name: str) -> int:
        """Live the study of one night; returns the exit code."""
        Clock.shift = FIRST + timedelta(days=night) - datetime.now(UTC)
        study = self.folder / "nightly.yaml"
        study.write_text(STUDY.format(url=self.endpoint.url))
        out = self.folder / name
        return self.command("study", str(study), "--trust", "--out", str(out))[0]

    def tamper(self, trial_id: str) -> None:
        """Change the reward of a trial as somebody with all rights to the database could."""
        change = f"UPDATE trials SET reward = 0.99 WHERE trial_id = '{trial_id}'"
        if self.ledger.startswith("postgres"):
            import psycopg

            with psycopg.connect(self.ledger, autocommit=True) as db:
                db.execute("ALTER TABLE trials DISABLE TRIGGER trials_no_change")
                db.execute(change.encode())
                db.execute("ALTER TABLE trials ENABLE TRIGGER trials_no_change")
            return
        with sqlite3.connect(self.ledger) as lite:
            (text,) = lite.execute(
                "SELECT sql FROM sqlite_master WHERE name = 'trials_no_update'"
            ).fetchone()
            lite.execute("DROP TRIGGER trials_no_update")
            lite.execute(change)
            lite.execute(text)


def play(folder: Path, ledger: str, nights: int, outage: int, repeated: int) -> dict[str, Any]:
    """Play the month and return what the commands said."""
    prices = folder / "prices.json"
    prices.write_text(json.dumps(PRICES))
    os.environ["AGINGBENCH_PRICES"] = str(prices)
    os.environ.setdefault("OPENAI_API_KEY", "none-needed")
    for module in CLOCKED:
        module.datetime = Clock  # type: ignore[attr-defined]

    begin = time.perf_counter()
    with Endpoint().serving() as endpoint:
        month = Month(folder, ledger, endpoint)
        codes = []
        for night in range(nights):
            endpoint.down = night == outage
            codes.append(month.live(night, f"night-{night:02}"))
            if night == repeated:
                codes.append(month.live(night, f"night-{night:02}-again"))
        lived = time.perf_counter() - begin
        told = _ask(month)
    told["exit_codes_of_nights"] = codes
    told["seconds_of_living"] = round(lived, 1)
    told["seconds_of_asking"] = round(time.perf_counter() - begin - lived, 1)
    return told


def _ask(month: Month) -> dict[str, Any]:
    """Put the questions of the morning, then change a row and verify again."""
    code, before = month.command("trials", "verify")
    _, ranking = month.command("trials", "rank", "--view", "cost", "--diagnostic")
    _, trend = month.command("trials", "trend")
    _, listed = month.command("trials", "list", "--where", "study=nightly")
    _, every = month.command("trials", "list", "--all")

    victim = next(trial for trial in listed["trials"] if trial["completeness"] == "complete")
    month.tamper(victim["trial_id"])
    code_after, after = month.command("trials", "verify", "--head", before["head"])
    return {
        "records": len(every["trials"]),
        "trials": len(listed["trials"]),
        "complete": sum(trial["completeness"] == "complete" for trial in listed["trials"]),
        "verify_before": (code, before["ok"], before["entries"]),
        "ranking": [
            {
                "system": group["memory"],
                "reward": group["reward"],
                "reward_ci": group["reward_ci"],
                "seeds": group["reward_n"],
                "trials": group["trials"],
                "cost_usd": group["cost_usd"],
                "reward_per_usd": group["reward_per_usd"],
                "on_frontier": group["on_frontier"],
            }
            for group in ranking["ranking"]
        ],
        "partial": sum(group["trials"] for group in ranking["diagnostic"]),
        "change_per_night": {
            system["memory"]: [system["change"], *system["change_ci"]]
            for system in trend["systems"]
        },
        "nights": [
            [
                night["start"],
                night["trials"],
                night["unfinished"],
                night["reward"],
                night["cost_usd"],
            ]
            for night in trend["totals"]
        ],
        "verify_after": (code_after, after["ok"]),
        "tampered_entry": victim["number"],
        "problems": after["problems"],
    }


def main() -> None:
    """Play the month and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ledger", default=None, help="postgresql:// URL, or a SQLite file")
    parser.add_argument("--nights", type=int, default=30)
    parser.add_argument("--outage", type=int, default=11, help="the night without an endpoint")
    parser.add_argument("--repeated", type=int, default=19, help="the night that is lived twice")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ledger = arguments.ledger or str(Path(folder) / "ledger.sqlite")
        told = play(Path(folder), ledger, arguments.nights, arguments.outage, arguments.repeated)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
