"""Runs a command in the box and brings back its report and the end of what it printed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from typing import TypedDict

BOX = "/box"
LONGEST_OUTPUT = 4_000  # characters
LONGEST_REPORT = 600_000  # bytes; a report has to fit into the reply


class SuiteEnd(TypedDict):
    """How a command ended (None: its time was up), its report and the end of its output."""

    code: int | None
    report: str | None
    output: str


def read_report(path: str) -> str | None:
    """Return the report; None where there is none, or something else in its place."""
    with suppress(OSError):
        state = os.lstat(path)
        if stat.S_ISREG(state.st_mode) and state.st_size <= LONGEST_REPORT:
            with open(path, "rb") as file:
                return file.read(LONGEST_REPORT).decode(errors="replace")
    return None


def run_suite(
    argv: list[str], variables: dict[str, str], folder: str, report: str, seconds: float
) -> SuiteEnd:
    """Run a command; `python3` is the interpreter that runs this program."""
    command = [sys.executable, *argv[1:]] if argv[0] == "python3" else argv
    output = os.path.join(BOX, "output")
    with open(output, "wb") as file:
        process = subprocess.Popen(  # noqa: S603 -- what this program is for
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": BOX, "TMPDIR": BOX, "LANG": "C.UTF-8"}
            | variables,
            start_new_session=True,
        )
        code: int | None
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code = None
        # Whoever is left in its group could still write the report.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    text = ""
    with suppress(OSError), open(output, "rb") as file:
        file.seek(max(0, os.path.getsize(output) - LONGEST_OUTPUT))
        text = file.read(LONGEST_OUTPUT).decode(errors="replace")
    return {"code": code, "report": read_report(report), "output": text}
