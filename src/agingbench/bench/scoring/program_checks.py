"""Checks the program in an agent's workspace at every point and remembers how each check ended.

The starts of a point run together in one confinement, each in a process of its own; what they are
to print is compared here. A workspace without the program fails every check: to write it is what
the agent was asked for. A machine that cannot confine it checks nothing: missing, not 0.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import msgspec

from agingbench.bench.plan.code_test import same_value
from agingbench.bench.plan.plan import Plan
from agingbench.bench.plan.program_check import ProgramCheck, ProgramStart
from agingbench.bench.scoring.code_checks import CodeCheck, OutcomeFile
from agingbench.bench.scoring.code_runs import Outcome
from agingbench.sandbox.confinement import Confinement, available
from agingbench.sandbox.programs import (
    BrokenRun,
    StartBatch,
    StartEnding,
    StartWords,
    Unavailable,
    program_confinement,
    run_batches,
)
from agingbench.traces.canonical import canonical_json

NO_PROGRAM = "there is no"  # what the detail of a check begins with where the file is missing

Files = Mapping[str, bytes]
Checker = Callable[[Files, Sequence[ProgramCheck]], list[Outcome]]


def workspace_files(state: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of a workspace by path, from the saved state of the agent that owns it."""
    memory = state.get("memory", state)
    files = {path: text.encode() for path, text in memory.get("files", {}).items()}
    for path, data in memory.get("binary", {}).items():
        try:
            files[path] = base64.b64decode(data, validate=True)
        except binascii.Error:
            continue  # not a file that a program could read
    return files


def program_checks(
    plan: Plan,
    states: Iterable[tuple[int, Mapping[str, Any]]],
    run: Checker | None = None,
) -> list[CodeCheck]:
    """Every check of the agent's program with its outcome, in plan order; [] where there is none.

    `states` are the saved states of the agent, point by point.
    """
    if not plan.checks:
        return []
    results = []
    with ExitStack() as stack:
        checker = run or stack.enter_context(ProgramRunner())
        for t, state in states:
            checks = plan.checks_at(t)
            if not checks:
                continue
            outcomes = checker(workspace_files(state), checks)
            for check, outcome in zip(checks, outcomes, strict=True):
                results.append(
                    CodeCheck(t - 1, check.id, check.fact, outcome.status, outcome.detail)
                )
    return results


class ProgramRunner:
    """Runs checks in one confinement, built when the first of them needs it."""

    def __init__(self, remembered: OutcomeFile | None = None) -> None:
        self.remembered = remembered
        self._stack = ExitStack()
        self._confined: Confinement | None = None

    def __enter__(self) -> ProgramRunner:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def __call__(self, files: Files, checks: Sequence[ProgramCheck]) -> list[Outcome]:
        """Return how each check of a point ended; what is remembered is not run again."""
        outcomes: dict[str, Outcome] = {}
        keys = {check.id: _key(files, check) for check in checks}
        if self.remembered is not None:
            for check in checks:
                known = self.remembered.outcomes.get(keys[check.id])
                if known is not None:
                    outcomes[check.id] = known

        missing = [check for check in checks if check.id not in outcomes]
        fresh = self._run(files, missing) if missing else []
        for check, outcome in zip(missing, fresh, strict=True):
            outcomes[check.id] = outcome
        if self.remembered is not None:
            self.remembered.add({keys[check.id]: outcomes[check.id] for check in missing})
        return [outcomes[check.id] for check in checks]

    def _run(self, files: Files, checks: Sequence[ProgramCheck]) -> list[Outcome]:
        entry = checks[0].entry
        if entry not in files:
            return [Outcome("failed", f"{NO_PROGRAM} {entry}")] * len(checks)
        usable, reason = available()
        if not usable:
            return [Outcome("unavailable", reason)] * len(checks)
        if self._confined is None:
            self._confined = self._stack.enter_context(program_confinement())
        try:
            endings = run_batches(self._confined, files, [_batch(check) for check in checks])
        except Unavailable as error:
            return [Outcome("unavailable", str(error))] * len(checks)
        except BrokenRun as error:
            # The confinement may be gone with it; the next point has a new one.
            self._stack.close()
            self._confined = None
            return [Outcome("failed", str(error))] * len(checks)
        if len(endings) != len(checks):
            return [Outcome("failed", "the program wrote into the report of its run")] * len(checks)
        return [judge_check(check, ends) for check, ends in zip(checks, endings, strict=True)]


def _key(files: Files, check: ProgramCheck) -> str:
    digest = hashlib.sha256()
    for path, data in sorted(files.items()):
        digest.update(f"{path}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    digest.update(canonical_json(msgspec.to_builtins(check)))
    return digest.hexdigest()


def _batch(check: ProgramCheck) -> StartBatch:
    starts = [StartWords(start.words, start.looks_at, start.tables) for start in check.starts]
    return StartBatch(check.entry, check.files, check.clears, starts)


def judge_check(check: ProgramCheck, endings: Sequence[StartEnding]) -> Outcome:
    """Tell how a check ended from how each of its starts did."""
    for number, start in enumerate(check.starts, 1):
        place = f"start {number} of {len(check.starts)}"
        if number > len(endings):
            return Outcome("timeout", f"{place}: not made after too many time-outs")
        ending = endings[number - 1]
        if ending.code is None:
            return Outcome("timeout", f"{place}: wall time")
        problem = _problem(start, ending)
        if problem:
            return Outcome("failed", f"{place}: {problem}")
    return Outcome("passed")


def _problem(start: ProgramStart, ending: StartEnding) -> str:
    if start.refuses:
        return "" if ending.code != 0 else "took what it is to refuse"
    if ending.code != 0:
        return f"exit code {ending.code}"
    if start.looks_at:
        try:
            count = json.loads(ending.output)
        except ValueError:
            return f"{start.looks_at} cannot be read"
        return "" if same_value(count, start.stores) else f"{start.looks_at} holds other records"
    if start.prints is None:
        return ""
    try:
        lines = [json.loads(line) for line in ending.output.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return "printed something that is no JSON"
    records = [_pairs(line) for line in lines]
    return "" if same_value(records, start.prints) else "printed something else"


def _pairs(line: Any) -> Any:
    # As the plan holds a record: names and values in their order.
    if not isinstance(line, dict):
        return line
    return [[name, value] for name, value in line.items()]
