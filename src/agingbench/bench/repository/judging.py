"""Judges what an agent did about a ticket: its tests in confinement, the team's rules by reading.

A ticket is resolved when each verifying test passes under its own name and under a random one, the
twins that have to fail do fail, nothing breaks that passes with the recorded fix, and the known
names fail when they are made to. Only sources of the module family are taken from the workspace;
everything else, the runner and the tests above all, comes from the releases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from agingbench.bench.plan.ticket_check import TicketCheck
from agingbench.bench.repository.backend import Backend, Endings, Files, SuiteSetting
from agingbench.bench.repository.chain import ChainFile, Ticket
from agingbench.bench.repository.choosing import backend_of
from agingbench.bench.repository.downloads import cache_folder
from agingbench.bench.repository.guards import guarded, inverted, problem_of
from agingbench.bench.repository.rules import family_in, rule_problem
from agingbench.bench.scoring.code_runs import Outcome
from agingbench.errors import InputError
from agingbench.sandbox.programs import BrokenRun, Unavailable
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import write_atomic

LARGEST_FAMILY = 5_000_000  # bytes of sources that are laid out
UNCHANGED = "the source was not changed"


class TicketJudge:
    """Judges the tickets of one chain."""

    def __init__(self, file: ChainFile, backend: Backend | None = None) -> None:
        self.file = file
        self.chain = file.chain
        self._backend = backend

    @cached_property
    def backend(self) -> Backend:
        """Where the states come from and the tests run."""
        return self._backend or backend_of(self.file)

    def outcomes(self, files: Mapping[str, bytes], checks: Sequence[TicketCheck]) -> list[Outcome]:
        """How each check of one ticket ended, from the files of the agent's workspace."""
        if not checks:
            return []
        ticket = self.chain.ticket(checks[0].ticket)
        try:
            old = self.backend.before(ticket)
        except InputError as error:
            return [Outcome("unavailable", str(error))] * len(checks)
        family = family_in(files, self.chain)
        outcomes = []
        for check in checks:
            if check.aspect == "resolved":
                setting = SuiteSetting(check.python, check.wheels)
                outcomes.append(self.resolved(ticket, family, setting))
                continue
            problem = rule_problem(check, files, family, old)
            outcomes.append(Outcome("failed", problem) if problem else Outcome("passed"))
        return outcomes

    def resolved(self, ticket: Ticket, family: Files, setting: SuiteSetting) -> Outcome:
        """Whether a state of the module family resolves a ticket."""
        if not family:
            return Outcome("failed", f"there is no {self.chain.family} any more")
        if family == self.backend.before(ticket):
            return Outcome("failed", UNCHANGED)
        if sum(len(text) for text in family.values()) > LARGEST_FAMILY:
            return Outcome("failed", f"the sources have more than {LARGEST_FAMILY} characters")
        try:
            baseline = self.baseline(ticket, setting)
        except (Unavailable, BrokenRun, InputError) as error:
            return Outcome("unavailable", str(error))
        try:
            problem = self.problem(ticket, family, setting, baseline)
        except Unavailable as error:
            return Outcome("unavailable", str(error))
        except BrokenRun as error:
            problem = str(error)
        runs_with = f"run with {self.backend.described(ticket, setting)}"
        if problem:
            return Outcome("failed", f"{problem}; {runs_with}")
        return Outcome("passed", runs_with)

    def problem(
        self, ticket: Ticket, family: Files, setting: SuiteSetting, baseline: Sequence[str]
    ) -> str:
        """Why a state does not resolve a ticket, else an empty text; `baseline` has to pass."""

        def source(module: str) -> str:
            return self.backend.test_source(ticket, module)

        tests = guarded(ticket.fails, source)
        labels = _labels(ticket, tests.passes + tests.fails)
        endings = self.backend.run(ticket, family, tests.modules, labels, setting)
        problem = problem_of(tests, endings)
        if problem:
            return problem
        broken = [name for name in baseline if endings.get(name) != "ok"]
        if broken:
            return f"{len(broken)} tests broke, {broken[0]} among them"

        wrong = inverted(ticket.fails, source)
        endings = self.backend.run(ticket, family, wrong.modules, ticket.fails, setting)
        return problem_of(wrong, endings)

    def baseline(self, ticket: Ticket, setting: SuiteSetting) -> list[str]:
        """The tests that pass with the recorded fix, from the cache where they are known.

        Raises BrokenRun where the recorded fix does not pass its own tests here.
        """
        described = self.backend.described(ticket, setting)
        identity = [msgspec.to_builtins(ticket), self.file.digest, described]
        key = hashlib.sha256(canonical_json(identity)).hexdigest()
        place = cache_folder() / "baselines" / f"{key}.json"
        if place.exists():
            try:
                return msgspec.json.decode(place.read_bytes(), type=list[str])
            except (OSError, msgspec.DecodeError):
                place.unlink(missing_ok=True)  # it is made again
        endings = self.run_plainly(ticket, self.backend.gold(ticket), setting)
        missing = [name for name in ticket.fails if endings.get(name) != "ok"]
        if missing:
            raise BrokenRun(f"the recorded fix does not pass {missing[0]} with {described}")
        passing = sorted(name for name, ending in endings.items() if ending == "ok")
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place, msgspec.json.encode(passing) + b"\n")
        return passing

    def run_plainly(self, ticket: Ticket, family: Files, setting: SuiteSetting) -> Endings:
        """How the tests of a ticket end on a state, without guards."""
        return self.backend.run(ticket, family, {}, _labels(ticket, ticket.fails), setting)


def _labels(ticket: Ticket, tests: Sequence[str]) -> list[str]:
    """The test modules that must stay as they are, and the tests that lie outside of them."""
    covered = tuple(f"{label}." for label in ticket.keeps)
    return [*ticket.keeps, *(name for name in tests if not name.startswith(covered))]
