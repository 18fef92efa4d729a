"""The coding tasks of s4: code that needs a remembered fact, and the tests that check it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agingbench.text.matching import numbers


@dataclass(frozen=True)
class Gold:
    """What holds and what held of the fact that code is written from."""

    live: list[str]
    past: list[str]

    @property
    def number(self) -> int:
        """The number in the value that holds."""
        return int(numbers(self.live[0])[0].value)


@dataclass(frozen=True)
class Coding:
    """A coding task: arguments, text ({it} names the fact), code that solves it, and tests."""

    takes: str
    does: str
    solution: str
    tests: str


def _test(name: str, *asserts: str) -> str:
    return f"def test_{name}():\n" + "".join(f"    assert {a}\n" for a in asserts)


def _code_length(name: str, gold: Gold) -> Coding:
    n = gold.number
    return Coding(
        "value",
        "it returns True when the string value is empty or longer than {it}, and False otherwise.",
        f"def {name}(value):\n    return not value or len(value) > {n}\n",
        _test("longest", f"not {name}('x' * {n})", f"not {name}('x')")
        + "\n\n"
        + _test("too_long", f"{name}('x' * {n + 1})")
        + "\n\n"
        + _test("empty", f"{name}('')"),
    )


def _code_timeout(name: str, gold: Gold) -> Coding:
    n = gold.number
    return Coding(
        "attempt",
        "it returns the wait in milliseconds before a retry, which is {it}, doubled attempt times.",
        f"def {name}(attempt):\n    return {n} * 2**attempt\n",
        _test("first", f"{name}(0) == {n}") + "\n\n" + _test("third", f"{name}(2) == {4 * n}"),
    )


def _code_schema(name: str, gold: Gold) -> Coding:
    others = [f"not {name}({v!r})" for v in dict.fromkeys([*gold.past, "0.0.1"])]
    return Coding(
        "version",
        "it returns True exactly when the string version is {it}.",
        f"def {name}(version):\n    return version == {gold.live[0]!r}\n",
        _test("current", f"{name}({gold.live[0]!r})") + "\n\n" + _test("others", *others),
    )


def _code_batch(name: str, gold: Gold) -> Coding:
    n = gold.number
    return Coding(
        "records",
        "it returns the list records cut, in order, into lists that are as long as {it} allows.",
        f"def {name}(records):\n    return [records[i : i + {n}] for i in range(0, len(records),"
        f" {n})]\n",
        _test("two", f"[len(b) for b in {name}(list(range({n + 1})))] == [{n}, 1]")
        + "\n\n"
        + _test("order", f"sum({name}(list(range({n + 2}))), []) == list(range({n + 2}))")
        + "\n\n"
        + _test("none", f"{name}([]) == []"),
    )


def _code_port(name: str, gold: Gold) -> Coding:
    return Coding(
        "host",
        "it returns the address http://HOST:PORT of a host given as a string, with {it}.",
        f"def {name}(host):\n    return f'http://{{host}}:{gold.number}'\n",
        _test("address", f"{name}('db.local').rstrip('/') == 'http://db.local:{gold.number}'"),
    )


def _code_cache(name: str, gold: Gold) -> Coding:
    n = gold.number
    return Coding(
        "entries",
        "it returns by how many entries a count of entries exceeds {it}, and never a negative"
        " number.",
        f"def {name}(entries):\n    return max(0, entries - {n})\n",
        _test("full", f"{name}({n}) == 0", f"{name}({n - 1}) == 0")
        + "\n\n"
        + _test("over", f"{name}({n + 7}) == 7"),
    )


def _code_owner(name: str, gold: Gold) -> Coding:
    return Coding(
        "",
        "it takes nothing and returns the full name of {it}.",
        f"def {name}():\n    return {gold.live[0]!r}\n",
        _test("name", f"{name}() == {gold.live[0]!r}"),
    )


def _code_table(name: str, gold: Gold) -> Coding:
    return Coding(
        "column",
        "it returns the column, given as a string, behind the name of {it} and a dot.",
        f"def {name}(column):\n    return f'{gold.live[0]}.{{column}}'\n",
        _test("column", f"{name}('id') == {gold.live[0] + '.id'!r}"),
    )


def _code_pool(name: str, gold: Gold) -> Coding:
    n = gold.number
    return Coding(
        "in_use",
        "it returns how many connections are left when in_use of {it} are taken.",
        f"def {name}(in_use):\n    return {n} - in_use\n",
        _test("left", f"{name}(0) == {n}", f"{name}(3) == {n - 3}"),
    )


def _code_list(name: str, gold: Gold) -> Coding:
    return Coding(
        "name",
        "it returns True exactly when the string name is among {it}.",
        f"def {name}(name):\n    return name in {tuple(gold.live)!r}\n",
        _test("on_it", *(f"{name}({v!r})" for v in gold.live))
        + "\n\n"
        + _test("not_on_it", *(f"not {name}({v!r})" for v in [*gold.past, "no_such_name"])),
    )


CODERS: dict[str, Callable[[str, Gold], Coding]] = {
    "length": _code_length,
    "timeout": _code_timeout,
    "schema": _code_schema,
    "batch": _code_batch,
    "port": _code_port,
    "cache": _code_cache,
    "owner": _code_owner,
    "table": _code_table,
    "pool": _code_pool,
    "field": _code_list,
    "middleware": _code_list,
}
