"""Where the states of a repository come from and where its tests run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from agingbench.bench.repository.chain import Ticket
from agingbench.sandbox.programs import BrokenRun

Files = Mapping[str, str]  # text by path
Endings = Mapping[str, str]  # ok, skipped or failed by the id of a test


class SuiteSetting(NamedTuple):
    """What the tests of a session run with: a Python, and the wheels before a bump (0) or after."""

    python: str
    wheels: int = 0


class SuiteReport(msgspec.Struct, frozen=True):
    """What our runner writes: how each test ended, and what of unittest is not what it was."""

    endings: dict[str, str]
    changed: str


def read_report(text: str) -> Endings:
    """How the tests ended; raises BrokenRun for another report, or where unittest was changed."""
    try:
        report = msgspec.json.decode(text, type=SuiteReport)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise BrokenRun("something else was written into the report of the tests") from error
    if report.changed:
        raise BrokenRun(f"the patch changes how tests are run: {report.changed}")
    return report.endings


class Backend(Protocol):
    """Gives the module family before and after a fix, and runs tests on any state of it."""

    def before(self, ticket: Ticket) -> Files:
        """The module family as it is before the fix."""

    def gold(self, ticket: Ticket) -> Files:
        """The module family with the fix and nothing else."""

    def test_source(self, ticket: Ticket, module: str) -> str:
        """The source of a test module, as of the release with the fix."""

    def run(
        self,
        ticket: Ticket,
        family: Files,
        modules: Files,
        labels: Sequence[str],
        setting: SuiteSetting,
    ) -> Endings:
        """Run tests on a state of the module family, with these test modules in place of theirs.

        Raises Unavailable where nothing can be executed, BrokenRun where the code ended the run.
        """

    def described(self, ticket: Ticket, setting: SuiteSetting) -> str:
        """What the tests really run with here, for the record."""
