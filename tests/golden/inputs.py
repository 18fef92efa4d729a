"""Writes the small made-up files that commands read: traces, samples to import, a study."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_MODULES = ("cache", "parser", "router", "ledger", "mailer", "scheduler", "search", "upload")
_ASKS = (
    "Add a test for the empty case in {m}.",
    "The {m} is slow, find out why and make it faster.",
    "Rename the helper in {m} and update its callers.",
    "Write a short note on how {m} handles errors.",
    "Fix the failing build of {m}.",
)
_COMPLAINTS = (
    "No, that is wrong. I told you before to keep the {m} as it was.",
    "You forgot the rule again: never edit generated files of {m}.",
    "That does not work, please undo it and do what I asked for {m}.",
)
GRID = """title: a small grid
scenarios: [s2]
sessions: 2
memories: [lossy_compress, careful_compress]
pressures: [light]
events: none
seeds: 2
"""
SYSTEM = """scenario: s1
sessions: 3
pressure: light
seeds: 1
model: extractive
memory: careful_compress
"""


def write_inputs(folder: Path) -> None:
    """Write every input; the same files each time."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "grid.yaml").write_text(GRID)
    (folder / "system.yaml").write_text(SYSTEM)
    for name, sessions, decline, seed in (
        ("aging", 16, 0.9, 1),
        ("steady", 14, 0.0, 2),
        ("young", 3, 0.0, 3),
    ):
        _write_project(folder / "projects" / name, sessions, decline, seed)
    _lines(folder / "generic.jsonl", _generic())
    _lines(folder / "outcomes.jsonl", _outcomes())
    _write_imports(folder / "imports")


def _write_project(folder: Path, sessions: int, decline: float, seed: int) -> None:
    rng = random.Random(seed)
    for number in range(sessions):
        name = f"00000000-0000-4000-8000-{seed:04d}{number:08d}"
        bad = decline * number / max(1, sessions - 1)
        records = list(_claude_session(rng, name, _START + timedelta(days=number), bad))
        _lines(folder / f"{name}.jsonl", records)


def _claude_session(
    rng: random.Random, session: str, begin: datetime, bad: float
) -> Iterable[dict[str, Any]]:
    """One session as Claude Code writes it: requests, tool calls, results, and some complaints."""
    at, count = begin, 0

    def record(kind: str, message: dict[str, Any]) -> dict[str, Any]:
        nonlocal at, count
        at += timedelta(seconds=rng.randint(4, 40))
        count += 1
        return {
            "type": kind,
            "uuid": f"{session}-{count}",
            "sessionId": session,
            "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "version": "2.1.0",
            "cwd": "/home/somebody/project",
            "isSidechain": False,
            "message": {"role": kind, **message},
        }

    for _ in range(rng.randint(4, 6)):
        module = rng.choice(_MODULES)
        texts = _COMPLAINTS if rng.random() < bad / 2 else _ASKS
        yield record("user", {"content": rng.choice(texts).format(m=module)})
        for _ in range(rng.randint(1, 3)):
            call = f"call-{session}-{count}"
            usage = {"input_tokens": rng.randint(900, 3000), "output_tokens": rng.randint(40, 200)}
            tool, given = rng.choice(
                (
                    ("Bash", {"command": f"pytest tests/test_{module}.py"}),
                    ("Read", {"file_path": f"/home/somebody/project/{module}.py"}),
                    ("Edit", {"file_path": f"/home/somebody/project/{module}.py"}),
                )
            )
            said = {"type": "text", "text": f"I look at {module} now."}
            use = {"type": "tool_use", "id": call, "name": tool, "input": given}
            yield record(
                "assistant",
                {
                    "id": f"msg-{session}-{count}",
                    "model": "a-model",
                    "content": [said, use],
                    "usage": usage,
                },
            )
            failed = rng.random() < 0.08 + bad / 2
            text = f"Exit code 1\nerror in {module}" if failed else f"ok, {module}"
            result = {
                "type": "tool_result",
                "tool_use_id": call,
                "content": text,
                "is_error": failed,
            }
            yield record("user", {"content": [result]})


def _generic() -> Iterable[dict[str, Any]]:
    rng = random.Random(7)
    for number in range(9):
        at = _START + timedelta(days=number)
        for turn in range(5):
            at += timedelta(seconds=30)
            common = {"session_id": f"g{number}", "model": "a-model"}
            module = rng.choice(_MODULES)
            asked, said = rng.choice(_ASKS).format(m=module), f"Done with {module}, turn {turn}."
            yield {**common, "role": "user", "content": asked, "timestamp": at.isoformat()}
            at += timedelta(seconds=rng.randint(3, 20))
            yield {**common, "role": "assistant", "content": said, "timestamp": at.isoformat()}


def _outcomes() -> Iterable[dict[str, Any]]:
    for number in range(16):
        good = number < 9 or number % 3 == 0
        session = f"00000000-0000-4000-8000-0001{number:08d}"
        at = _START + timedelta(days=number, hours=1)
        yield {
            "session_id": session,
            "outcome": "success" if good else "revision_fail",
            "timestamp": at.isoformat(),
        }


def _write_imports(folder: Path) -> None:
    sample = {
        "prompt": [{"role": "user", "content": "2+2?"}],
        "completion": [{"role": "assistant", "content": "4"}],
    }
    samples = [
        {**sample, "example_id": n, "task": "sum", "reward": r}
        for n, r in enumerate((1.0, 0.5, 7.0))
    ]
    _lines(folder / "verifiers" / "results.jsonl", samples, "{torn\n")
    _json(
        folder / "prime" / "evaluation.json",
        {"evaluation_id": "e1", "model_name": "m", "environment": "sums"},
    )
    _json(
        folder / "prime" / "samples.json",
        {
            "samples": [
                {"sample_id": "a", "prompt": "2+2?", "completion": "4", "reward": 1.0},
                {"sample_id": "b", "prompt": "2+3?", "completion": "6", "reward": 0.0},
            ]
        },
    )
    steps = [
        {
            "step_id": 1,
            "source": "user",
            "message": "Count the files",
            "timestamp": "2026-01-05T09:00:00Z",
        },
        {
            "step_id": 2,
            "source": "agent",
            "message": "I list them.",
            "timestamp": "2026-01-05T09:00:05Z",
            "tool_calls": [
                {
                    "tool_call_id": "c1",
                    "function_name": "bash",
                    "arguments": {"command": "ls | wc -l"},
                }
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": "12"}]},
            "metrics": {"prompt_tokens": 40, "completion_tokens": 9},
        },
        {
            "step_id": 3,
            "source": "agent",
            "message": "There are 12.",
            "timestamp": "2026-01-05T09:00:09Z",
        },
    ]
    agent = {"name": "walker", "version": "1", "model_name": "a-model"}
    document = {"schema_version": "ATIF-v1.7", "session_id": "t1", "agent": agent, "steps": steps}
    _json(folder / "atif" / "trajectory.json", document)
    for name, reward in (("t1", 1.0), ("t2", 0.0)):
        job = folder / "harbor" / name
        _json(job / "agent" / "trajectory.json", {**document, "session_id": name})
        _json(
            job / "result.json",
            {
                "trial_name": name,
                "task_name": "count",
                "verifier_result": {"rewards": {"reward": reward}},
                "started_at": "2026-01-05T09:00:00Z",
                "finished_at": "2026-01-05T09:01:00Z",
            },
        )
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]
    logged = [
        {
            "id": n,
            "epoch": 1,
            "messages": messages,
            "scores": {"s": {"value": "C" if n == 1 else "I"}},
        }
        for n in (1, 2)
    ]
    evaluated = {"task": "t", "model": "m", "created": "2026-01-05T09:00:00+00:00"}
    _json(
        folder / "inspect" / "log.json",
        {"version": 2, "status": "success", "eval": evaluated, "samples": logged},
    )
    _lines(
        folder / "trajectory" / "trajectory.jsonl",
        [
            {"version": 1, "format": "aec-bench-trajectory"},
            {"step": 0, "role": "user", "content": "Build it", "timestamp": "2026-01-05T09:00:00Z"},
            {
                "step": 1,
                "role": "assistant",
                "content": "I run the build.",
                "timestamp": "2026-01-05T09:00:02Z",
            },
            {
                "step": 2,
                "role": "tool_call",
                "tool_name": "bash",
                "command": "make",
                "timestamp": "2026-01-05T09:00:03Z",
            },
            {
                "step": 3,
                "role": "tool_result",
                "tool_name": "bash",
                "stdout": "",
                "stderr": "make: *** Error 2",
                "exit_code": 2,
                "timestamp": "2026-01-05T09:00:09Z",
            },
            {
                "step": 4,
                "role": "assistant",
                "content": "Let me check the log.",
                "timestamp": "2026-01-05T09:00:12Z",
            },
            {
                "step": 5,
                "role": "tool_call",
                "tool_name": "bash",
                "command": "cat log",
                "timestamp": "2026-01-05T09:00:13Z",
            },
            {
                "step": 6,
                "role": "tool_result",
                "tool_name": "bash",
                "stdout": "ok",
                "exit_code": 0,
                "timestamp": "2026-01-05T09:00:14Z",
            },
            {
                "step": 7,
                "role": "assistant",
                "content": "It builds now.",
                "timestamp": "2026-01-05T09:00:20Z",
            },
        ],
        "[]\n",
    )
    _json(
        folder / "folder_ledger" / "pilot" / "trial-001.json",
        {
            "trial_id": "trial-001",
            "experiment_id": "pilot",
            "timestamp": "2026-03-13T10:00:00Z",
            "task": {"task_id": "sum@1", "task_revision": "0" * 64},
            "agent": {"adapter": "bench", "model": "scripted", "configuration": {}},
            "environment": {"runtime_image": "local:3.11", "compute_backend": "local"},
            "inputs": {"instruction": "Do it."},
            "outputs": {},
            "evaluation": {
                "reward": 0.5,
                "validity": {
                    "output_parseable": True,
                    "schema_valid": True,
                    "verifier_completed": True,
                    "errors": [],
                },
            },
            "timing": {"total_seconds": 1},
            "completeness": "partial",
        },
    )


def _json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")


def _lines(path: Path, values: Iterable[Any], rest: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values) + rest)
