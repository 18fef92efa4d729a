"""Test modules with guards: twins of a test under names that nobody can know beforehand.

A patch runs in the same process as the tests and could change how they are run: make every test
pass, or the one whose name it knows, or the assertion that it uses. So each verifying test gets
twins with random names. One is the same and has to pass. The others hold something wrong, one for
each assertion that the test uses, and have to fail. In a second run the known name itself holds
something wrong and has to fail. Beside that the runner tells whether unittest is what it was.
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
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
        lines = text.splitlines(keepends=True)
        method = _Method(text, test)
        same = _new_name(rng)
        twins = [method.copy(lines, same)]
        result.passes += [name, test.renamed(same)]
        for statement in [*_wrong_statements(method.assertions, rng), _wrong_statement(rng)]:
            wrong = _new_name(rng)
            twins.append(method.copy(lines, wrong, statement, rng))
            result.fails.append(test.renamed(wrong))
        rng.shuffle(twins)
        added = [line for twin in twins for line in ("\n", *twin)]
        lines[method.end : method.end] = added
        result.modules[module] = "".join(lines)
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
        statements = _wrong_statements(method.assertions, rng) or [_wrong_statement(rng)]
        statement = rng.choice(statements)
        lines[method.start : method.end] = method.copy(lines, known, statement, rng)
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
        self.assertions = {
            part.attr
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute) and part.attr in _WRONG
        }
        # What stands at the end of a method that returns may never be reached.
        self.returns = any(isinstance(part, ast.Return) for part in ast.walk(node))

    def copy(
        self, lines: Sequence[str], name: str, statement: str = "", rng: Random | None = None
    ) -> list[str]:
        """Its lines under another name, with one more as its first or last statement."""
        copied = list(lines[self.start : self.end])
        place = self.name_line - self.start
        copied[place] = copied[place].replace(f"def {self.name}(", f"def {name}(", 1)
        if not copied[-1].endswith("\n"):
            copied[-1] += "\n"
        if statement and rng is not None:
            first = self.body - self.start
            at = first if self.returns else rng.choice((first, len(copied)))
            copied.insert(at, f"{self.indent}{statement}\n")
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


def _new_name(rng: Random) -> str:
    return f"test_{rng.getrandbits(64):016x}"


# What fails by an assertion; {a} and {b} are numbers that differ.
_WRONG = {
    "assertEqual": "self.assertEqual({a}, {b})",
    "assertIs": "self.assertIs({a} == {b}, True)",
    "assertTrue": "self.assertTrue({a} == {b})",
    "assertFalse": "self.assertFalse({a} == {a})",
    "assertIn": "self.assertIn({a}, [{b}])",
    "assertIsNone": "self.assertIsNone({a})",
    "assertIsInstance": "self.assertIsInstance({a}, str)",
    "assertSequenceEqual": "self.assertSequenceEqual([{a}], [{b}])",
    "assertCountEqual": "self.assertCountEqual([{a}], [{b}])",
    "assertQuerySetEqual": "self.assertQuerySetEqual([{a}], [{b}])",
    "assertNumQueries": "self.assertNumQueries({a}, int)",
    "assertRaises": "self.assertRaises(ValueError, int)",
    "assertRaisesMessage": "self.assertRaisesMessage(ValueError, '{a}', int)",
}
_ALWAYS = ("self.fail({a})", "raise AssertionError({a})", "assert {a} == {b}")


def _wrong_statements(assertions: Collection[str], rng: Random) -> list[str]:
    return [_filled(_WRONG[name], rng) for name in sorted(assertions)]


def _wrong_statement(rng: Random) -> str:
    return _filled(rng.choice(_ALWAYS), rng)


def _filled(template: str, rng: Random) -> str:
    number = rng.randint(1000, 9999)
    return template.format(a=number, b=number + rng.randint(1, 900))
