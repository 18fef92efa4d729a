"""Runs the code in an agent's replies against the tests that the plan holds, and remembers how each
run ended.

A task counts when it says something about the agent: its code was run, or it left the code out
although it writes code elsewhere in this life. An agent that never writes code does not exercise
the check, and neither does a machine that cannot confine it: missing, not 0.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from agingbench.bench.plan.plan import Plan
from agingbench.bench.sandbox.sandbox import Outcome, run_pytest
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.traces.files import read_json, write_atomic

Runner = Callable[[str, str], Outcome]

_BLOCK = re.compile(
    r"^[ \t]*```[ \t]*(?:python3?|py)?[ \t]*\n(.*?)^[ \t]*```",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_WANTED = re.compile(r"^from solution import (\w+)", re.MULTILINE)
_WORTH = {"passed": 1.0, "failed": 0.0, "timeout": 0.0, "unanswered": 0.0}
_REPEATABLE = ("passed", "failed", "timeout")


class CodeCheck(msgspec.Struct, frozen=True):
    """How one coding task ended.

    `status` is passed, failed, timeout, unanswered (no code from an agent that writes code
    elsewhere), or one that counts for nothing: not_exercised, transport, error, unavailable.
    """

    session: int
    task: str
    fact: str
    status: str
    detail: str = ""

    @property
    def value(self) -> float | None:
        return _WORTH.get(self.status)


def code_checks(plan: Plan, events: Iterable[Event], run: Runner = run_pytest) -> list[CodeCheck]:
    """Every coding task of a life with the outcome of its tests, in plan order; [] where the plan
    holds none.
    """
    tasks = [
        (session.index, task)
        for session in plan.sessions
        for task in session.tasks
        if task.check is not None
    ]
    if not tasks:
        return []
    replies: dict[str, str] = {}
    broken: set[str] = set()
    for event in events:
        about = event.metadata or {}
        if event.role == "assistant" and "task" in about:
            replies[about["task"]] = event.content or ""
        elif "failed" in about:
            broken.add(about["task"])
    found = {task.id: code_in(replies.get(task.id, ""), task.check or "") for _, task in tasks}
    silent = "unanswered" if any(found.values()) else "not_exercised"
    out = []
    for session, task in tasks:
        code = found[task.id]
        if code is not None:
            outcome = run(code, task.check or "")
            out.append(CodeCheck(session, task.id, task.fact, outcome.status, outcome.detail))
        else:
            out.append(
                CodeCheck(session, task.id, task.fact, "transport" if task.id in broken else silent)
            )
    return out


def code_in(reply: str, test: str) -> str | None:
    """The last fenced block that defines what the test imports, else the last one; None where there
    is no block.
    """
    blocks: list[str] = _BLOCK.findall(reply)
    wanted = _WANTED.search(test)
    defining = [
        b
        for b in blocks
        if wanted and re.search(rf"^(?:async )?def {wanted.group(1)}\b", b, re.MULTILINE)
    ]
    return (defining or blocks)[-1] if blocks else None


class Remembering:
    """A runner that keeps outcomes in a file, by the hash of code and test: scoring again executes
    nothing.
    """

    def __init__(self, file: Path, run: Runner = run_pytest) -> None:
        self.file = file
        self.run = run
        known = read_json(file) if file.exists() else {}
        try:
            self.known = msgspec.convert(known, dict[str, Outcome])
        except msgspec.ValidationError as error:
            raise InputError(f"{file}: not a record of code checks: {error}") from error

    def __call__(self, code: str, test: str) -> Outcome:
        key = hashlib.sha256(f"{code}\0{test}".encode()).hexdigest()
        if key in self.known:
            return self.known[key]
        outcome = self.run(code, test)
        if outcome.status in _REPEATABLE:  # what could not be run here may be run elsewhere
            self.known[key] = outcome
            write_atomic(self.file, msgspec.json.encode(self.known, order="deterministic") + b"\n")
        return outcome
