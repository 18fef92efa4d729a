"""Verifies a chain by running it: an untouched tree fails each ticket, the recorded fix passes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import msgspec

from agingbench.bench.repository.backend import SuiteSetting
from agingbench.bench.repository.chain import ChainFile, Ticket
from agingbench.bench.repository.judging import TicketJudge
from agingbench.errors import InputError
from agingbench.sandbox.programs import BrokenRun, Unavailable


class TicketVerification(msgspec.Struct, frozen=True):
    """What running one ticket showed; `problem` is empty where it is as it should be."""

    ticket: int
    branch: str
    runs_with: str
    n_tests: int  # that the recorded fix must not break, its own included
    problem: str
    seconds: float


def verify_chain(
    file: ChainFile, setting: SuiteSetting, numbers: Sequence[int] = ()
) -> Iterator[TicketVerification]:
    """Verify tickets one after the other: all of them, or those of these numbers.

    Raises Unavailable where tests cannot be confined.
    """
    judge = TicketJudge(file)
    for branch in file.chain.branches:
        for ticket in branch.tickets:
            if numbers and ticket.number not in numbers:
                continue
            started = time.monotonic()
            runs_with = judge.backend.described(ticket, setting)
            try:
                n_tests, problem = _verified(judge, ticket, setting)
            except (BrokenRun, InputError) as error:
                n_tests, problem = 0, str(error)
            seconds = time.monotonic() - started
            yield TicketVerification(
                ticket.number, branch.name, runs_with, n_tests, problem, seconds
            )


def _verified(judge: TicketJudge, ticket: Ticket, setting: SuiteSetting) -> tuple[int, str]:
    endings = judge.run_plainly(ticket, judge.backend.before(ticket), setting)
    for name in ticket.fails:
        if endings.get(name) == "ok":
            return 0, f"{name} passes on the untouched tree"
        if name not in endings:
            return 0, f"{name} does not run on the untouched tree"
    before = [name for name, ending in endings.items() if ending == "ok"]
    baseline = judge.baseline(ticket, setting)
    lost = sorted(set(before) - set(baseline))
    if lost:
        return len(baseline), f"the recorded fix breaks {lost[0]}"
    outcome = judge.resolved(ticket, judge.backend.gold(ticket), setting)
    if outcome.status == "unavailable":
        raise Unavailable(outcome.detail)
    return len(baseline), outcome.detail if outcome.status != "passed" else ""
