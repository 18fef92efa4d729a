"""Tests a function that an agent wrote: calls in confinement, their values compared outside of it.

The values that are expected never enter a confinement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agingbench.bench.plan.code_test import CodeTest, same_value
from agingbench.sandbox.confinement import (
    DEFAULT_LIMITS,
    DETAIL,
    Confinement,
    Limits,
    available,
    confinement,
)

Status = Literal["passed", "failed", "error", "timeout", "unavailable"]


@dataclass(frozen=True)
class Outcome:
    """How a test ended; `unavailable`: nothing was executed (`error` stands in older files)."""

    status: Status
    detail: str = ""


def run_test(code: str, test: CodeTest | str, limits: Limits = DEFAULT_LIMITS) -> Outcome:
    """Call the function that the code defines, each time in a new process, until one call fails."""
    if isinstance(test, str):
        return Outcome("unavailable", "tests of plans of version 1 are no longer executed")
    usable, reason = available()
    if not usable:
        return Outcome("unavailable", reason)

    with confinement(limits) as confined:
        return run_calls(confined, code, test)


def run_calls(confined: Confinement, code: str, test: CodeTest) -> Outcome:
    """Make the calls of a test in their order and return how it ended."""
    for number, case in enumerate(test.cases, 1):
        place = f"call {number} of {len(test.cases)}"
        result = confined.call(code, test.function, case.args)
        if result.status != "returned":
            return Outcome(result.status, f"{place}: {result.detail}"[:DETAIL])
        if not same_value(result.value, case.value):
            return Outcome("failed", f"{place}: another value")
    return Outcome("passed")
