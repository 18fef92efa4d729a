"""A function that knows nothing passes no test of s4, and reference code passes all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.code_test import CodeTest, same_value
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scenarios.s4_software_engineering.coding import CODERS, Gold
from agingbench.bench.scoring.code_runs import run_calls
from agingbench.sandbox.confinement import Confinement, available, confinement
from tests.bench.scenarios.s4_ignorant import ATTACKS, GUESSES, IGNORANT, STATES
from tests.sampling import one_in

confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "code can be confined")
VALUES = {
    "timeout": (["4,821 ms"], ["1,377 ms"]),
    "schema": (["4.8.21"], ["7.3.1"]),
    "owner": (["Ada Quill"], ["Bo Reed"]),
    "table": (["rows_plain_stock"], ["log_main_order"]),
    "field": (["a_code", "b_flag"], ["a_code"]),
    "middleware": (["fold_a", "mark_b"], ["fold_a", "mark_c"]),
}


def coding_tasks(seed: int, preset: str, sessions: int) -> list[tuple[Task, CodeTest]]:
    plan = plan_for("s4", preset, {"tokens_per_session": 500}, sessions, seed)
    tasks = [task for session in plan.sessions for task in session.tasks]
    return [(task, task.check) for task in tasks if isinstance(task.check, CodeTest)]


def not_failed(
    kinds: Sequence[str], tests: Sequence[CodeTest], box: Confinement
) -> list[tuple[str, str, str]]:
    """What did not simply fail: passes, and attacks that would leave a test out of the score."""
    rows: list[tuple[str, str, str]] = []
    for kind in kinds:
        for test in tests:
            code = IGNORANT[kind].replace("NAME", test.function)
            status = run_calls(box, code, test).status
            if status != "failed":
                rows.append((kind, test.function, status))
    return rows


@pytest.fixture(scope="module")
def box() -> Iterator[Confinement]:
    with confinement() as made:
        yield made


@pytest.fixture(scope="module")
def three_seeds() -> list[CodeTest]:
    return [test for seed in range(3) for _, test in coding_tasks(seed, "light", 3)]


@confined
@pytest.mark.parametrize("kind", one_in(3, IGNORANT))
def test_a_function_that_knows_nothing_passes_nothing(
    kind: str, three_seeds: list[CodeTest], box: Confinement
) -> None:
    assert not_failed([kind], three_seeds, box) == []


@confined
@pytest.mark.slow
def test_a_function_that_knows_nothing_passes_nothing_in_fifty_lives(box: Confinement) -> None:
    presets = list(PRESETS)
    rows: list[tuple[str, str, str]] = []
    count = 0
    for seed in range(50):
        tests = [test for _, test in coding_tasks(seed, presets[seed % len(presets)], 10)]
        count += len(tests)
        rows += not_failed([*GUESSES, *STATES], tests, box)
        rows += not_failed(list(ATTACKS), tests[seed % 5 :: 5], box)
    assert count == 500
    assert rows == []


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_reference_code_passes_every_test_of_fifty_lives(preset: str) -> None:
    for seed in range(50):
        for task, test in coding_tasks(seed, preset, 10):
            names: dict[str, object] = {}
            exec(task.solution or "", names)
            function = names[test.function]
            assert callable(function)
            for case in test.cases:
                assert same_value(function(*case.args), case.value), (seed, task.text)


@confined
def test_reference_code_passes_in_confinement(box: Confinement) -> None:
    for task, test in coding_tasks(0, "medium", 6):
        assert run_calls(box, task.solution or "", test).status == "passed", task.text


@pytest.mark.parametrize("kind", CODERS)
def test_arguments_say_nothing_of_the_value_and_every_call_needs_it(kind: str) -> None:
    one, other = VALUES.get(kind, (["4821"], ["1377"]))
    for seed in range(20):
        coding = CODERS[kind]("f", Gold(one), Random(seed))
        twin = CODERS[kind]("f", Gold(other), Random(seed))
        assert [case.args for case in coding.cases] == [case.args for case in twin.cases]
        for case, same_call in zip(coding.cases, twin.cases, strict=True):
            assert not same_value(case.value, same_call.value)


def test_calls_differ_from_life_to_life_and_are_the_same_in_one() -> None:
    lives = [coding_tasks(seed, "light", 3) for seed in (0, 0, 1)]
    args = [[case.args for _, test in life for case in test.cases] for life in lives]
    assert args[0] == args[1]
    assert args[0] != args[2]
