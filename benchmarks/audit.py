"""Speed and memory of auditing Claude Code traces, beside decoding the same bytes with orjson and
doing nothing.

`python benchmarks/audit.py [--events 100000 1000000]`
`python benchmarks/audit.py --one-record-sessions 10000 100000 1000000`
`python benchmarks/audit.py --again` for a second audit of unchanged files
`python benchmarks/audit.py --fleet` for eight projects in one process and in two

Times are processor time, the best of five rounds (`--rounds`) in one process, so that other work on the machine
counts as little as possible. Start-up and the whole command, null models and files included, are
printed beside it, with the command's peak memory. Commands find their bytecode, as those of an
installed package do, whatever PYTHONDONTWRITEBYTECODE says.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from agingbench.records import ReadLog
from agingbench.telemetry.profile import Profile, load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.traces.reading import read_events

PER_SESSION = 100
SIGNALS = "reading and signals"
ROUNDS = 5
TARGETS = {
    "ratio": 4.0,
    "growth": 12.0,
    "memory": 400.0,
}  # times orjson, times from the first size to the last, MB
PROJECTS = 8  # of a fleet
PROJECT_EVENTS = 20_000
LONG_AGO = 1_700_000_000
WHOLE = {100_000: 6.0, 1_000_000: 4.0}  # times orjson, of the whole command, by events
TOOLS = ("Read", "Bash", "Edit", "Grep", "Glob", "Write")


def lines(n: int, seed: int = 0) -> Iterator[str]:
    """A stationary agent's transcript of about 550 bytes a line: prompts, replies, calls and
    results.
    """
    rng = random.Random(seed)
    clock = 1_760_000_000.0
    call: dict[str, Any] = {}
    for i in range(n):
        session, at = divmod(i, PER_SESSION)
        clock += 3600.0 if at == 0 else rng.uniform(1, 30)
        moment = (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(clock))
            + f".{int(clock % 1 * 1000):03d}Z"
        )
        base: dict[str, Any] = {
            "parentUuid": f"{i - 1:08x}-5555-4444-8333-{session:012x}",
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/project",
            "sessionId": f"{session:08x}-1111-4222-8333-444455556666",
            "version": "2.1.29",
            "gitBranch": "main",
        }
        yield json.dumps(
            base | _body(i, at, rng, call) | _tail(i, session, moment), separators=(",", ":")
        )


def one_record_sessions(n: int) -> Iterator[str]:
    """A transcript in which every session is one request of the user."""
    start = 1_760_000_000
    for i in range(n):
        clock = time.gmtime(start + 30 * i)
        text = f"Please look into ticket {i % 500} and fix what it describes"
        record = {
            "isSidechain": False,
            "cwd": "/home/dev/project",
            "sessionId": f"{i:08x}-1111-4222-8333-444455556666",
            "version": "2.1.29",
            "type": "user",
            "message": {"role": "user", "content": text},
        }
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", clock) + ".000Z"
        yield json.dumps(record | _tail(i, i, moment), separators=(",", ":"))


def _tail(i: int, session: int, moment: str) -> dict[str, Any]:
    return {"uuid": f"{i:08x}-5555-4444-8333-{session:012x}", "timestamp": moment}


def _body(i: int, at: int, rng: random.Random, call: dict[str, Any]) -> dict[str, Any]:
    if at == 0:
        text = f"Please look into ticket {rng.randrange(500)} and fix what it describes"
        return {"type": "user", "message": {"role": "user", "content": text}}
    if call:
        result = {
            "type": "tool_result",
            "tool_use_id": call.pop("id"),
            "content": f"line {i} of the result\n" * 8,
        }
        if rng.random() < 0.04:
            result |= {"is_error": True, "content": "Exit code 1\nno such target"}
        return {"type": "user", "message": {"role": "user", "content": [result]}}
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": rng.randrange(2000),
        "cache_read_input_tokens": 20_000 + at * 500,
        "output_tokens": rng.randrange(5, 400),
    }
    content: dict[str, Any] = {
        "type": "text",
        "text": "I will look at the parts that the ticket names, then change them.",
    }
    if at % 7:
        call["id"] = f"toolu_{i:020x}"
        name = rng.choice(TOOLS)
        given = {
            "file_path": f"/home/dev/project/src/part_{rng.randrange(40)}.py",
            "limit": rng.randrange(5) * 100,
        }
        content = {"type": "tool_use", "id": call["id"], "name": name, "input": given}
    message = {
        "id": f"msg_{i:020x}",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [content],
        "usage": usage,
    }
    return {"type": "assistant", "message": message, "requestId": f"req_{i:020x}"}


def measure(path: Path, n_rounds: int) -> dict[str, float]:
    """Seconds of each way, in one process: the best of rounds in which they take turns."""
    profile = load_profile("code_assistant")
    rounds = [(_orjson(path), _reading(path), _signals(path, profile)) for _ in range(n_rounds)]
    return dict(
        zip(("orjson", "reading", SIGNALS), map(min, zip(*rounds, strict=True)), strict=True)
    )


def _orjson(path: Path) -> float:
    start = time.process_time()
    with path.open("rb") as stream:
        for line in stream:
            orjson.loads(line)
    return time.process_time() - start


def _reading(path: Path) -> float:
    start = time.process_time()
    for _ in read_events(path, log=ReadLog()):
        pass
    return time.process_time() - start


def _signals(path: Path, profile: Profile) -> float:
    start = time.process_time()
    collect(read_events(path, log=ReadLog()), profile)
    return time.process_time() - start


@cache
def _environment() -> dict[str, str]:
    """The environment of a command, with a folder of bytecode that one audit has filled."""
    folder = tempfile.mkdtemp(prefix="bytecode")
    atexit.register(shutil.rmtree, folder)
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    path = Path(folder) / "trace.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines(10 * PER_SESSION)))
    audit = [sys.executable, "-m", "agingbench", "audit", str(path), "--json", "--no-cache"]
    subprocess.run(audit, env=environment, capture_output=True, check=True)
    return environment


def command(path: Path) -> dict[str, float]:
    """Processor seconds of `agingbench audit` on the file, and of starting it; what fails is left
    out.
    """
    found = {}
    environment = _environment()
    for name, arguments in (
        ("start-up", ["--version"]),
        ("whole command", ["audit", str(path), "--json", "--no-cache"]),
    ):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-m", "agingbench", *arguments],
                cwd=folder,
                env=environment,
                capture_output=True,
            )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode == 0:
            found[name] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found


def _child(events: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        with path.open("w") as out:
            out.writelines(f"{line}\n" for line in lines(events))
        size = path.stat().st_size
        took = measure(path, rounds)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        beside = command(path)
        whole = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        row = {
            "events": events,
            "bytes": size,
            "seconds": took,
            "beside": beside,
            "peak_kb": peak,
            "whole_kb": whole,
        }
        print(json.dumps(row))


def _run_audit(path: Path, kept: Path, *options: str) -> tuple[float, float]:
    """Return processor seconds and peak memory in MB of the whole command."""
    command = [sys.executable, "-m", "agingbench", "audit", str(path), "--json", *options]
    environment = {**_environment(), "XDG_CACHE_HOME": str(kept)}
    child = os.posix_spawn(
        command[0],
        command,
        environment,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"the audit of {path} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure_sessions(sizes: list[int]) -> None:
    """Print time and peak memory of the whole command on sessions of one record."""
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.jsonl"
            with path.open("w") as out:
                out.writelines(f"{line}\n" for line in one_record_sessions(n))
            took, peak = _run_audit(path, Path(folder) / "cache", "--no-cache")
        print(f"{n} sessions of one record: {took:.1f} s, peak memory {peak:.0f} MB")
    _target("memory", TARGETS["memory"], peak)


def measure_again(events: int) -> None:
    """Print the time of the first and of the second audit of the same file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        _write_old(path, events, 0)
        plain = min(_orjson(path) for _ in range(ROUNDS))
        kept = Path(folder) / "cache"
        first, _ = _run_audit(path, kept)
        second, peak = _run_audit(path, kept)
        print(f"{events} events: decoding {plain:.2f} s, first audit {first:.2f} s,")
        print(f"  second audit {second:.2f} s ({second / plain:.1f} x), {peak:.0f} MB")


def measure_fleet() -> None:
    """Print the time by the clock of eight projects in one process and in two."""
    program = (
        "import sys, time\n"
        "from agingbench.telemetry.audit import audit_path\n"
        "if __name__ == '__main__':\n"
        "    start = time.perf_counter()\n"
        "    audit_path(sys.argv[1], workers=int(sys.argv[2]))\n"
        "    print(time.perf_counter() - start)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        for number in range(PROJECTS):
            project = Path(folder) / "projects" / f"-home-dev-p{number}"
            project.mkdir(parents=True)
            _write_old(project / "trace.jsonl", PROJECT_EVENTS, number)

        script = Path(folder) / "fleet.py"
        script.write_text(program)
        for workers in ("1", "2"):
            command = [sys.executable, str(script), str(Path(folder) / "projects"), workers]
            done = subprocess.run(command, env=_environment(), capture_output=True, check=True)
            seconds = float(done.stdout)
            print(f"{PROJECTS} projects of {PROJECT_EVENTS} events, {workers}: {seconds:.1f} s")


def _write_old(path: Path, events: int, seed: int) -> None:
    """Write a trace whose time of change is long ago, as that of a finished session."""
    with path.open("w") as out:
        out.writelines(f"{line}\n" for line in lines(events, seed))
    os.utime(path, (LONG_AGO, LONG_AGO))


def main() -> None:
    """Print the table: a process of its own per size, so that the memory of one is not that of
    another.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--one-record-sessions", type=int, nargs="+")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--fleet", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        _child(given.child, given.rounds)
        return
    if given.one_record_sessions:
        measure_sessions(given.one_record_sessions)
        return
    if given.again:
        measure_again(given.events[0])
        return
    if given.fleet:
        measure_fleet()
        return
    rows = []
    for events in given.events:
        words = ["--child", str(events), "--rounds", str(given.rounds)]
        run = subprocess.run([sys.executable, __file__, *words], capture_output=True, check=True)
        row = json.loads(run.stdout)
        rows.append(row)
        plain = row["seconds"]["orjson"]
        print(
            f"{events} events, {row['bytes'] / 1e6:.0f} MB, peak memory"
            f" {row['peak_kb'] / 1024:.0f} MB"
        )
        for name, took in row["seconds"].items():
            print(
                f"  {name:22} {took:8.2f} s  {took / events * 1e6:6.2f} µs/event "
                f" {took / plain:5.2f} x orjson"
            )
        for name, took in row["beside"].items():
            print(f"  beside it: {name:13} {took:6.2f} s")
        print(f"  beside it: peak memory of the whole command {row['whole_kb'] / 1024:.0f} MB")
    for name in rows[0]["seconds"]:
        growth = rows[-1]["seconds"][name] / rows[0]["seconds"][name]
        print(
            f"growth of {name} from {rows[0]['events']} to {rows[-1]['events']} events:"
            f" {growth:.1f} x"
        )
    _targets(rows)


def _targets(rows: list[dict[str, Any]]) -> None:
    """Each target, what was measured, and whether it holds."""
    ratios = [row["seconds"][SIGNALS] / row["seconds"]["orjson"] for row in rows]
    growth = rows[-1]["seconds"][SIGNALS] / rows[0]["seconds"][SIGNALS]
    found = {"ratio": max(ratios), "growth": growth, "memory": rows[-1]["peak_kb"] / 1024}
    for name, most in TARGETS.items():
        _target(name, most, found[name])

    for row in rows:
        took = row["beside"].get("whole command")
        limit = WHOLE.get(row["events"])
        if took is not None and limit is not None:
            ratio = took / row["seconds"]["orjson"]
            _target(f"whole command at {row['events']} events", limit, ratio)


def _target(name: str, most: float, found: float) -> None:
    verdict = "held" if found <= most else "MISSED"
    print(f"target: {name} at most {most:g}: {found:.2f}, {verdict}")


if __name__ == "__main__":
    main()
