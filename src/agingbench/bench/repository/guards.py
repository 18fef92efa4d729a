"""Test modules with guards: twins of a test under names that nobody can know beforehand.

A patch runs in the same process as the tests and could change how they are run: make every test
pass, or the one whose name it knows. So each verifying test gets two twins with random names. One
is the same and has to pass. The other holds an assertion that is wrong and has to fail. In a second
run the known name itself holds the wrong assertion and has to fail.
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from agingbench.errors import InputError


class DottedTest(str):
    """The dotted name of a test: package, module, class, method."""

    @property
    def parts(self) -> tuple[str, str, str]:
        """The dotted name of its module, its class and its method."""
        module, class_name, method = self.rsplit(".", 2)
        return module, class_name, method

    def renamed(self, method: str) -> str:
        """The name of another test of its class."""
        module, class_name, _ = self.parts
        return f"{module}.{class_name}.{method}"


@dataclass
class GuardedTests:
    """Sources of test modules with guards in them, and what has to become of which test."""

    modules: dict[str, str] = field(default_factory=dict)  # source by dotted name
    passes: list[str] = field(default_factory=list)
    fails: list[str] = field(default_factory=list)


Source = Callable[[str], str]  # the source of a module by its dotted name


def guarded(tests: Sequence[str], source: Source, rng: Random | None = None) -> GuardedTests:
    """The modules of some tests, each test with a twin that passes and one that fails."""
    rng = rng or secrets.SystemRandom()
    result = GuardedTests()
    for name in tests:
        test = DottedTest(name)
        module = test.parts[0]
        text = result.modules.get(module) or source(module)
        same = f"test_{rng.getrandbits(64):016x}"
        wrong = f"test_{rng.getrandbits(64):016x}"
        lines = text.splitlines(keepends=True)
        method = _Method(text, test)
        twins = [method.copy(lines, same), method.copy(lines, wrong, _wrong_assertion(rng), rng)]
        rng.shuffle(twins)
        lines[method.end : method.end] = ["\n", *twins[0], "\n", *twins[1]]
        result.modules[module] = "".join(lines)
        result.passes += [name, test.renamed(same)]
        result.fails.append(test.renamed(wrong))
    return result


def inverted(tests: Sequence[str], source: Source, rng: Random | None = None) -> GuardedTests:
    """The modules of some tests in which those tests hold a wrong assertion."""
    rng = rng or secrets.SystemRandom()
    result = GuardedTests()
    for name in tests:
        test = DottedTest(name)
        module, _, known = test.parts
        text = result.modules.get(module) or source(module)
        lines = text.splitlines(keepends=True)
        method = _Method(text, test)
        lines[method.start : method.end] = method.copy(lines, known, _wrong_assertion(rng), rng)
        result.modules[module] = "".join(lines)
        result.fails.append(name)
    return result


def problem_of(tests: GuardedTests, endings: Mapping[str, str]) -> str:
    """What is wrong with how the tests ended, else an empty text."""
    for name in tests.passes:
        if endings.get(name) != "ok":
            shown = DottedTest(name).parts[2]
            return f"{shown} {endings.get(name, 'did not run')}"
    for name in tests.fails:
        if endings.get(name) != "failed":
            return "a test that has to fail did not: the patch changes how tests are run"
    return ""


class _Method:
    """Where a test method stands in its module; lines are counted from 0."""

    def __init__(self, text: str, test: DottedTest) -> None:
        _, class_name, method = test.parts
        classes = {
            node.name: node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)
        }
        node = _find(classes, class_name, method)
        if node is None:
            raise InputError(f"test {test}: its module does not define it")
        first = node.decorator_list[0] if node.decorator_list else node
        self.start = first.lineno - 1
        self.end = node.end_lineno or node.lineno
        self.name_line = node.lineno - 1
        self.name = method
        body = node.body
        has_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        statement = body[1] if has_text and len(body) > 1 else body[0]
        decorators = getattr(statement, "decorator_list", [])
        self.body = (decorators[0] if decorators else statement).lineno - 1
        self.indent = " " * statement.col_offset

    def copy(
        self, lines: Sequence[str], name: str, assertion: str = "", rng: Random | None = None
    ) -> list[str]:
        """Its lines under another name, with an assertion as its first or last statement."""
        copied = list(lines[self.start : self.end])
        place = self.name_line - self.start
        copied[place] = copied[place].replace(f"def {self.name}(", f"def {name}(", 1)
        if not copied[-1].endswith("\n"):
            copied[-1] += "\n"
        if assertion and rng is not None:
            at = rng.choice((self.body - self.start, len(copied)))
            copied.insert(at, f"{self.indent}{assertion}\n")
        return copied


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _find(classes: Mapping[str, ast.ClassDef], class_name: str, method: str) -> Function | None:
    node = classes.get(class_name)
    if node is None:
        return None
    for item in node.body:
        if isinstance(item, Function) and item.name == method:
            return item
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id != class_name:
            found = _find(classes, base.id, method)
            if found is not None:
                return found
    return None


def _wrong_assertion(rng: Random) -> str:
    one = rng.randint(1000, 9999)
    other = one + rng.randint(1, 900)
    kinds = (
        f"self.assertEqual({one}, {other})",
        f"self.assertIs({one} == {other}, True)",
        f"self.assertSequenceEqual([{one}], [{other}])",
        f"self.assertGreater({one}, {other})",
        f"raise AssertionError({one})",
    )
    return rng.choice(kinds)
