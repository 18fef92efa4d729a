"""Runs tests in a confinement of their own; `solution` is code in another one, behind a pipe.

Runs them with pytest where it is installed, else calls each `test_` function. The last line of
stderr is the report.
"""

from __future__ import annotations

import builtins
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import IO, Any, TypedDict

TESTS = "/box/test_solution.py"
LONGEST_REPLY = 1 << 20


class Tally(TypedDict):
    """How the tests ended; `error` says why they could not be run."""

    passed: int
    failed: list[str]
    error: str | None


class Solution(ModuleType):
    """Every name of this module is a function that runs on the other side."""

    def __init__(self, calls: IO[str], replies: IO[str]) -> None:
        super().__init__("solution")
        self._calls = calls
        self._replies = replies

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self._call(name, args, kwargs)

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            call = json.dumps({"name": name, "args": args, "kwargs": kwargs})
            print(call, file=self._calls, flush=True)
            line = self._replies.readline(LONGEST_REPLY)
        except OSError as error:
            raise RuntimeError("the code has ended") from error
        if not line.endswith("\n"):
            raise RuntimeError("the code has ended")

        reply = json.loads(line)
        if "raised" not in reply:
            return reply["value"]

        kind = getattr(builtins, reply["raised"], None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            raise kind(reply["text"])
        raise RuntimeError(f"{reply['raised']}: {reply['text']}")


class TallyPlugin:
    """A pytest plug-in that notes how each test ended."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count one report of a test."""
        if report.failed:
            self.failed.append(report.nodeid.rpartition("::")[2])
        elif report.when == "call" and report.passed:
            self.passed += 1


def run_with_pytest() -> Tally:
    """Run the tests with pytest."""
    import pytest

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    plugin = TallyPlugin()
    arguments = [TESTS, "-q", "-p", "no:cacheprovider", "--rootdir=/box"]
    code = int(pytest.main(arguments, plugins=[plugin]))
    error = None if code in (0, 1) else f"pytest ended with code {code}"
    return {"passed": plugin.passed, "failed": plugin.failed, "error": error}


def run_without_pytest() -> Tally:
    """Call every function of the test file whose name begins with `test_`."""
    names: dict[str, Any] = {"__name__": "test_solution"}
    try:
        with open(TESTS, encoding="utf-8") as file:
            program = compile(file.read(), TESTS, "exec")
        exec(program, names)  # noqa: S102 -- what this program is for
    except Exception as error:
        return {"passed": 0, "failed": [], "error": f"{type(error).__name__}: {error}"}

    passed = 0
    failed = []
    tests = [(name, test) for name, test in names.items() if name.startswith("test_")]
    for name, test in tests:
        try:
            test()
            passed += 1
        except Exception:
            failed.append(name)

    problem = None if tests else "there is no test"
    return {"passed": passed, "failed": failed, "error": problem}


def main() -> None:
    """Run the tests against the code behind the pipe and write the report."""
    calls = os.fdopen(os.dup(1), "w")
    replies = os.fdopen(os.dup(0))
    report = os.fdopen(os.dup(2), "w")

    nowhere = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)

    sys.dont_write_bytecode = True
    sys.path += sys.argv[1:]
    sys.modules["solution"] = Solution(calls, replies)

    tally: Tally
    if replies.readline(LONGEST_REPLY) != "ready\n":
        tally = {"passed": 0, "failed": [], "error": "the code was not started"}
    elif importlib.util.find_spec("pytest"):
        tally = run_with_pytest()
    else:
        tally = run_without_pytest()
    print(json.dumps(tally), file=report, flush=True)


if __name__ == "__main__":
    main()
