"""Runs commands in forks of a process that has loaded the package: as new ones, but quicker.

A page of the docs starts a dozen commands, and loading the package takes longer than most of them.
The server is a process of its own, so that no thread of the tests is copied into a fork.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.loading import load_everything, stand_in

_ROOT = Path(__file__).parents[1]


def run_command(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run `agingbench` with these arguments in a folder and return what it printed."""
    return _run(["agingbench", *arguments], {}, folder, environment)


def run_code(
    code: str, folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a Python program in a folder, as `python -c` does, and return what it printed."""
    return _run(["-c"], {"code": code}, folder, environment)


def _run(
    arguments: Sequence[str],
    program: Mapping[str, str],
    folder: Path,
    environment: Mapping[str, str],
) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        err = Path(place) / "err"
        job = {
            **program,
            "arguments": list(arguments),
            "folder": str(folder),
            "environment": dict(environment),
            "out": str(out),
            "err": str(err),
        }
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(job) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(list(arguments), code, out.read_text(), err.read_text())


@cache
def _server() -> subprocess.Popen[str]:
    """Start the process that is forked; it ends with the tests, which close its input."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.warm"],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)
    return server


def _serve() -> None:
    """Fork for each job of the standard input and answer with its exit code."""
    load_everything()
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(job)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    os._exit(0)  # frozen packages cannot be taken down quietly


def _become(job: dict[str, object]) -> None:
    """Run the job in this process, which then ends."""
    code = 1
    try:
        files = [os.open(os.devnull, os.O_RDONLY)]
        for key in ("out", "err"):
            files.append(os.open(str(job[key]), os.O_WRONLY | os.O_CREAT, 0o600))
        for number, file in enumerate(files):
            os.dup2(file, number)
        stand_in(str(job["folder"]))
        os.environ.clear()
        os.environ.update(job["environment"])  # type: ignore[call-overload]
        sys.argv = list(job["arguments"])  # type: ignore[call-overload]
        sys.path[0] = ""
        sys.modules["__main__"] = program = ModuleType("__main__")
        if "code" in job:
            exec(str(job["code"]), program.__dict__)
        else:
            from agingbench.cli.main import main

            main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
