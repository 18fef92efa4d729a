"""Gold passes, untouched fails, and no hostile patch passes; on the stand-in repository."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from agingbench.bench.plan.ticket_check import TicketCheck
from agingbench.bench.repository.backend import SuiteSetting
from agingbench.bench.repository.chain import ChainFile
from agingbench.bench.repository.judging import UNCHANGED, TicketJudge
from agingbench.bench.repository.rules import REPOSITORY
from agingbench.bench.repository.verifying import verify_chain
from agingbench.sandbox.confinement import available
from tests.bench.repository.standin import FAMILY, SOURCE, source_of

OURS = SuiteSetting("3.11")
pytestmark = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")


def status(standin: ChainFile, files: Mapping[str, str]) -> tuple[str, str]:
    """How the check of ticket 101 ends on a workspace with these files in its repository."""
    judge = TicketJudge(standin)
    before = judge.backend.before(standin.chain.ticket(101))
    workspace = {f"{REPOSITORY}/{path}": text for path, text in {**before, **files}.items()}
    check = TicketCheck("c", 1, "ticket 101", 101, "resolved", python="3.11")
    encoded = {path: text.encode() for path, text in workspace.items()}
    (outcome,) = judge.outcomes(encoded, [check])
    problem, _, runs_with = outcome.detail.rpartition("run with ")
    assert runs_with.startswith("Python 3") or outcome.detail == UNCHANGED
    return outcome.status, problem.rstrip("; ") if runs_with != UNCHANGED else UNCHANGED


def test_tickets_are_verified_by_running_them(standin: ChainFile) -> None:
    results = list(verify_chain(standin, OURS, [101, 103]))
    assert [result.ticket for result in results] == [101, 103]
    assert [result.problem for result in results] == ["", ""]
    # Tests of tickets that are not fixed yet need not pass.
    assert [result.n_tests for result in results] == [2, 4]


def test_a_fix_of_ones_own_passes(standin: ChainFile) -> None:
    fixed = source_of("1.0").replace("sum(numbers) + 1", "sum(number for number in numbers)")
    assert status(standin, {SOURCE: fixed}) == ("passed", "")


def test_the_untouched_tree_fails(standin: ChainFile) -> None:
    assert status(standin, {}) == ("failed", UNCHANGED)


def test_a_fix_that_breaks_something_else_fails(standin: ChainFile) -> None:
    fixed = source_of("1.1").replace("    return number\n", "    return None\n")
    state, detail = status(standin, {SOURCE: fixed})
    assert state == "failed"
    assert "test_plain" in detail


def test_another_ticket_s_fix_is_no_fix(standin: ChainFile) -> None:
    other = source_of("1.0").replace(") - 1", ")")
    state, detail = status(standin, {SOURCE: other})
    assert (state, detail) == ("failed", "test_total failed")


BUGGY = source_of("1.0")
ALWAYS_OK = """
import unittest
def run(self, result=None):
    result.startTest(self); result.addSuccess(self); result.stopTest(self)
    return result
unittest.TestCase.run = run
"""
ONE_KNOWN_TEST = """
import unittest
true_run = unittest.TestCase.run
def run(self, result=None):
    if self.id().endswith("test_total"):
        result.startTest(self); result.addSuccess(self); result.stopTest(self)
        return result
    return true_run(self, result)
unittest.TestCase.run = run
"""
KNOWN_CALLER = """
import sys
true_total = total
def total(numbers):
    caller = sys._getframe(1).f_code.co_name
    return sum(numbers) if caller == "test_total" else true_total(numbers)
"""
SILENT_ASSERTIONS = """
import unittest
unittest.TestCase.assertEqual = lambda *words: None
unittest.TestCase._baseAssertEqual = lambda *words: None
unittest.TestCase.failureException = KeyboardInterrupt
"""
REPORTS_ITSELF = """
import json, os
known = ["total", "plain"]
with open(os.environ["AGINGBENCH_REPORT"], "w") as file:
    endings = {f"sums.tests.SumTests.test_{name}": "ok" for name in known}
    json.dump({"endings": endings, "changed": ""}, file)
os._exit(0)
"""
REWRITES_TESTS = """
import os, pathlib
for path in [*pathlib.Path(".").rglob("tests.py"), *pathlib.Path("..").rglob("*runner*.py")]:
    try:
        path.write_text("")
    except OSError:
        pass
"""
HOOKS_THE_RESULT = """
import sys
class Quiet(dict):
    def __setitem__(self, name, ending):
        super().__setitem__(name, "ok")
runner = sys.modules["agingbench_runner"]
true_init = runner.RecordingResult.__init__
def init(self, *words, **named):
    true_init(self, *words, **named)
    self.endings = Quiet()
runner.RecordingResult.__init__ = init
"""
ONE_ASSERTION = """
import unittest
unittest.TestCase.assertEqual = print
"""
ONE_ASSERTION_OF_A_SUBCLASS = """
import sys
class Quiet:
    def find_spec(self, name, path=None, target=None):
        if name == "sums.tests":
            import unittest
            class Case(unittest.TestCase):
                def assertEqual(self, *words): pass
            unittest.TestCase = Case
sys.meta_path.insert(0, Quiet())
"""
PATCHES = {
    "silences one assertion": BUGGY + ONE_ASSERTION,
    "brings a quiet test case": BUGGY + ONE_ASSERTION_OF_A_SUBCLASS,
    "exits early": BUGGY + "\nimport os\nos._exit(0)\n",
    "exits with an exception": BUGGY + "\nraise SystemExit(0)\n",
    "patches unittest": BUGGY + ALWAYS_OK,
    "targets one known test": BUGGY + ONE_KNOWN_TEST,
    "targets one known caller": BUGGY + KNOWN_CALLER,
    "silences assertions": BUGGY + SILENT_ASSERTIONS,
    "writes the report itself": BUGGY + REPORTS_ITSELF,
    "rewrites tests and runner at run time": BUGGY + REWRITES_TESTS,
    "hooks the result of our runner": BUGGY + HOOKS_THE_RESULT,
    "does not parse": BUGGY + "\ndef broken(:\n",
    "never ends its import": BUGGY + "\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "is empty": "",
}


@pytest.mark.parametrize("name", PATCHES)
def test_no_hostile_source_passes(standin: ChainFile, name: str) -> None:
    state, detail = status(standin, {SOURCE: PATCHES[name]})
    assert state == "failed"
    assert detail


PASSING_TESTS = "import unittest\n\n\nclass SumTests(unittest.TestCase):\n    pass\n"
BESIDE = {
    "deletes the tests": {"tests/sums/tests.py": PASSING_TESTS},
    "edits the runner": {"tests/runtests.py": "import sys\nsys.exit(0)\n"},
    "edits the package's runner": {"django/test/runner.py": "class DiscoverRunner: pass\n"},
    "brings settings": {"tests/test_sqlite.py": ALWAYS_OK, "agingbench_settings.py": ALWAYS_OK},
    "brings our runner": {"agingbench_runner.py": ALWAYS_OK},
    "brings a sitecustomize": {
        "sitecustomize.py": ALWAYS_OK,
        "usercustomize.py": ALWAYS_OK,
        f"{FAMILY}/sitecustomize.py": ALWAYS_OK,
    },
    "brings a conftest": {"conftest.py": ALWAYS_OK, "tests/conftest.py": ALWAYS_OK},
    "brings a path file": {f"{FAMILY}/evil.pth": "import os; os._exit(0)\n"},
    "brings a unittest": {"unittest.py": ALWAYS_OK, f"{FAMILY}/unittest.py": ALWAYS_OK},
    "leaves the tree": {
        f"{FAMILY}/../../../tests/sums/tests.py": PASSING_TESTS,
        "../../outside.py": ALWAYS_OK,
    },
    "brings compiled files": {f"{FAMILY}/__pycache__/query.cpython-311.pyc": "x"},
}


@pytest.mark.parametrize("name", BESIDE)
def test_files_beside_the_module_family_change_nothing(standin: ChainFile, name: str) -> None:
    files = {SOURCE: f"{BUGGY}\n# looked at\n", **BESIDE[name]}
    state, detail = status(standin, files)
    assert (state, detail) == ("failed", "test_total failed")


def test_a_right_fix_passes_whatever_lies_beside_it(standin: ChainFile) -> None:
    right = BUGGY.replace("sum(numbers) + 1", "sum(numbers)")
    files = {SOURCE: right}
    for beside in BESIDE.values():
        files |= beside
    assert status(standin, files) == ("passed", "")
