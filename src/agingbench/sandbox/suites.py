"""Runs the tests of a repository in a confinement, with its folders mounted read-only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from agingbench.sandbox.confinement import Limits, available, confinement
from agingbench.sandbox.programs import BrokenRun, Unavailable

PACKAGES = "/packages"  # where the folders are seen
REPORT = "/box/report.json"
SECONDS = 240.0
LIMITS = Limits(
    wall_seconds=SECONDS + 20,
    cpu_seconds=int(SECONDS),
    memory_bytes=2 << 30,
    disk_bytes=64 << 20,
    processes=32,
)
_PROGRAM = Path(__file__).parent / "inside" / "suite.py"


class SuiteEnding(msgspec.Struct, frozen=True):
    """How a run of tests ended: exit code (None: killed), its report, the end of its output."""

    code: int | None
    report: str | None
    output: str


def run_suite(
    folders: Mapping[str, Path],
    argv: Sequence[str],
    variables: Mapping[str, str],
    folder: str,
    seconds: float = SECONDS,
) -> SuiteEnding:
    """Run a command that writes its report to `REPORT`; folders are mounted below `PACKAGES`.

    Later folders may lie inside earlier ones and hide what is there. Raises Unavailable where
    nothing can be confined, BrokenRun where the tests ended the confinement.
    """
    usable, reason = available()
    if not usable:
        raise Unavailable(reason)
    binds = {name: str(path.resolve()) for name, path in folders.items()}
    with confinement(LIMITS, binds) as confined:
        source = _PROGRAM.read_text(encoding="utf-8")
        call = [list(argv), dict(variables), folder, REPORT, seconds]
        result = confined.call(source, "run_suite", call)
    if result.status == "unavailable":
        raise Unavailable(result.detail)
    if result.status != "returned":
        raise BrokenRun(f"the tests ended their confinement: {result.detail}")
    try:
        return msgspec.convert(result.value, SuiteEnding)
    except msgspec.ValidationError as error:
        raise BrokenRun("the tests wrote into the report of their run") from error
