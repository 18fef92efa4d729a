"""Twins of tests: one that passes like the test, one that fails, under names nobody knows."""

from __future__ import annotations

import unittest
from random import Random
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.bench.repository.guards import GuardedTests, guarded, inverted, problem_of
from agingbench.errors import InputError

SOURCE = '''\
import unittest
from unittest import mock


class Base(unittest.TestCase):
    def test_inherited(self):
        self.assertTrue(True)


class Things(Base):
    @mock.patch("os.getcwd")
    def test_decorated(self, getcwd):
        """Says something.

        In several lines.
        """
        with self.subTest():
            self.assertEqual(1, 1)

    def test_with_an_inner_function(self):
        @staticmethod
        def inner():
            return 1

        self.assertEqual(inner(), 1)

    def test_last(self):
        return self.assertEqual(3, 3)'''
NAMES = ("test_inherited", "test_decorated", "test_with_an_inner_function", "test_last")
IDS = [f"things.tests.Things.{name}" for name in NAMES]


def endings(tests: GuardedTests) -> dict[str, str]:
    """How the tests of a rewritten module end."""
    module = ModuleType("things.tests")
    exec(tests.modules["things.tests"], module.__dict__)
    case = module.__dict__["Things"]
    names = unittest.defaultTestLoader.getTestCaseNames(case)
    found = {f"things.tests.Things.{name}": "ok" for name in names}
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    for test, _ in [*result.failures, *result.errors]:
        found[test.id()] = "failed"
    return found


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**9))
def test_twins_end_as_they_have_to(seed: int) -> None:
    tests = guarded(IDS, lambda module: SOURCE, Random(seed))
    assert problem_of(tests, endings(tests)) == ""
    assert len(tests.passes) == 8
    assert len(tests.fails) == 8
    assert not {name.rpartition(".")[2] for name in tests.fails} & set(NAMES)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**9))
def test_an_inverted_test_fails_under_its_own_name(seed: int) -> None:
    tests = inverted(IDS, lambda module: SOURCE, Random(seed))
    assert tests.fails == IDS
    assert problem_of(tests, endings(tests)) == ""


def test_names_are_new_every_time() -> None:
    first = guarded(IDS[:1], lambda module: SOURCE)
    second = guarded(IDS[:1], lambda module: SOURCE)
    assert set(first.passes) & set(second.passes) == {IDS[0]}
    assert not set(first.fails) & set(second.fails)


def test_what_is_wrong_is_said() -> None:
    tests = GuardedTests({}, ["a.b.C.test_x"], ["a.b.C.test_y"])
    assert problem_of(tests, {}) == "test_x did not run"
    assert problem_of(tests, {"a.b.C.test_x": "skipped"}) == "test_x skipped"
    passes = {"a.b.C.test_x": "ok"}
    assert "changes how tests are run" in problem_of(tests, passes)
    assert "changes how tests are run" in problem_of(tests, {**passes, "a.b.C.test_y": "ok"})
    assert problem_of(tests, {**passes, "a.b.C.test_y": "failed"}) == ""


def test_a_test_that_its_module_does_not_define_is_an_error() -> None:
    with pytest.raises(InputError, match="does not define it"):
        guarded(["things.tests.Things.test_unknown"], lambda module: SOURCE)
