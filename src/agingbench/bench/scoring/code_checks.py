"""Tests the code in an agent's replies with the calls that the plan holds, and remembers how each
test ended.

A task counts when it says something about the agent: its code was run, or it left the code out
although it writes code elsewhere in this life. An agent that never writes code does not exercise
the check, and neither does a machine that cannot confine it: missing, not 0.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from agingbench.bench.plan.code_test import CodeTest
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.code_runs import Outcome, run_test
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import read_json, write_atomic

Test = CodeTest | str  # text in plans of version 1
Runner = Callable[[str, Test], Outcome]

_BLOCK = re.compile(
    r"^[ \t]*```[ \t]*(?:python3?|py)?[ \t]*\n(.*?)^[ \t]*```",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_IMPORT = re.compile(r"^from solution import (\w+)", re.MULTILINE)
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
        """What the check is worth; None where it counts for nothing."""
        return _WORTH.get(self.status)


def code_checks(
    plan: Plan,
    events: Iterable[Event],
    run: Runner = run_test,
) -> list[CodeCheck]:
    """Every coding task of a life with the outcome of its tests, in plan order; [] where the plan
    holds none.
    """
    tasks = [
        (session.index, task, task.check)
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

    codes = {}
    for _, task, test in tasks:
        reply = replies.get(task.id, "")
        codes[task.id] = code_in(reply, test)

    writes_code = any(codes.values())
    checks = []
    for session, task, test in tasks:
        detail = ""
        code = codes[task.id]
        if code is not None:
            outcome = run(code, test)
            status: str = outcome.status
            detail = outcome.detail
        elif task.id in broken:
            status = "transport"
        else:
            status = "unanswered" if writes_code else "not_exercised"
        check = CodeCheck(session, task.id, task.fact, status, detail)
        checks.append(check)
    return checks


def code_in(reply: str, test: Test) -> str | None:
    """The last fenced block that defines what the test calls, else the last one; None where there
    is no block.
    """
    blocks: list[str] = _BLOCK.findall(reply)
    if not blocks:
        return None

    if isinstance(test, str):
        target = _IMPORT.search(test)
        function = target.group(1) if target else None
    else:
        function = test.function

    if function:
        definition = re.compile(rf"^(?:async )?def {re.escape(function)}\b", re.MULTILINE)
        for block in reversed(blocks):
            if definition.search(block):
                return block
    return blocks[-1]


class OutcomeFile:
    """A file of outcomes by key, so that scoring again executes nothing."""

    def __init__(self, file: Path) -> None:
        self.file = file
        document = read_json(file) if file.exists() else {}
        try:
            self.outcomes = msgspec.convert(document, dict[str, Outcome])
        except msgspec.ValidationError as error:
            raise InputError(f"{file}: not a record of code checks: {error}") from error

    def add(self, outcomes: Mapping[str, Outcome]) -> None:
        """Write outcomes down; what could not be run here may be run elsewhere and is left out."""
        fresh = {key: one for key, one in outcomes.items() if one.status in _REPEATABLE}
        if not fresh:
            return
        self.outcomes |= fresh
        data = msgspec.json.encode(self.outcomes, order="deterministic")
        write_atomic(self.file, data + b"\n")


class Remembering:
    """A runner that stores outcomes in a file, so that scoring again executes nothing."""

    def __init__(self, file: Path, run: Runner = run_test) -> None:
        self.stored = OutcomeFile(file)
        self.run = run

    def __call__(self, code: str, test: Test) -> Outcome:
        text = test if isinstance(test, str) else canonical_json(msgspec.to_builtins(test)).decode()
        key = hashlib.sha256(f"{code}\0{text}".encode()).hexdigest()
        if key in self.stored.outcomes:
            return self.stored.outcomes[key]

        outcome = self.run(code, test)
        self.stored.add({key: outcome})
        return outcome
