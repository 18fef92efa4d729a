"""The coding tasks of s4: code that needs a remembered fact, and the calls that test it.

No call can be answered without the fact, and no argument says anything about it: arguments are
drawn in the life's own order from ranges that are the same whatever the fact is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from agingbench.bench.plan.code_test import CodeCase
from agingbench.text.matching import numbers

CALLS = 4  # of each function
LARGE = (10_000, 40_000)  # beyond every limit, size and length that a team agrees on
_WORDS = (
    "acorn amber anchor apple arrow aspen badge barrel basil beacon birch blanket bottle brass"
    " bridge bronze button cable candle canvas carbon castle cedar chalk cherry clover cobalt"
    " comet copper coral cotton crystal desert dragon eagle ember falcon feather fern flint forest"
    " garnet ginger glacier granite harbor hazel heron indigo island ivory jasper juniper kettle"
    " lagoon lantern laurel lemon linen lotus magnet maple marble meadow mint mosaic nectar olive"
    " onyx opal orbit otter paper pearl pepper pine planet plum pollen prairie quartz quill raven"
    " ribbon river saddle saffron sage sierra silver slate spruce summit sunset tiger timber topaz"
    " tulip tundra valley velvet violet walnut willow winter yarrow zephyr"
).split()


@dataclass(frozen=True)
class Gold:
    """What holds of the fact that code is written from: one value, or the members of a list."""

    live: list[str]

    @property
    def number(self) -> int:
        """The number in the value that holds."""
        return int(numbers(self.live[0])[0].value)


@dataclass(frozen=True)
class Coding:
    """A coding task: argument, text ({it} names the fact), code that solves it, and test calls."""

    takes: str
    does: str
    solution: str
    cases: list[CodeCase]


def _cases(args: list[Any], value: Callable[[Any], Any]) -> list[CodeCase]:
    return [CodeCase([arg], value(arg)) for arg in args]


def _sizes(rng: Random) -> list[int]:
    return rng.sample(range(*LARGE), CALLS)


def _names(rng: Random) -> list[str]:
    return [f"{word}_{rng.randint(2, 99)}" for word in rng.sample(_WORDS, CALLS)]


def _code_length(name: str, gold: Gold, rng: Random) -> Coding:
    n = gold.number
    return Coding(
        "characters",
        "it takes the number of characters of a text and returns how many there are beyond {it}.",
        f"def {name}(characters):\n    return max(0, characters - {n})\n",
        _cases(_sizes(rng), lambda characters: characters - n),
    )


def _code_timeout(name: str, gold: Gold, rng: Random) -> Coding:
    n = gold.number
    return Coding(
        "attempt",
        "it returns the wait in milliseconds before a retry, which is {it}, doubled attempt times.",
        f"def {name}(attempt):\n    return {n} * 2**attempt\n",
        _cases(rng.sample(range(10), CALLS), lambda attempt: n * 2**attempt),
    )


def _code_schema(name: str, gold: Gold, rng: Random) -> Coding:
    version = gold.live[0]
    return Coding(
        "build",
        "it returns the tag of a build given as a string: the build, an at sign (@) and {it}.",
        f"def {name}(build):\n    return f'{{build}}@{version}'\n",
        _cases(_names(rng), lambda build: f"{build}@{version}"),
    )


def _code_batch(name: str, gold: Gold, rng: Random) -> Coding:
    n = gold.number

    def sizes(records: int) -> list[int]:
        full, rest = divmod(records, n)
        return [n] * full + [rest] * (rest > 0)

    return Coding(
        "records",
        "it takes a number of records and returns the list of the sizes of the batches that they"
        " are cut into, in order, each but the last as large as {it} allows.",
        f"def {name}(records):\n"
        f"    return [min({n}, records - i) for i in range(0, records, {n})]\n",
        _cases(_sizes(rng), sizes),
    )


def _code_port(name: str, gold: Gold, rng: Random) -> Coding:
    n = gold.number
    return Coding(
        "host",
        "it returns the address http://HOST:PORT of a host given as a string, with {it} and"
        " without a slash at the end.",
        f"def {name}(host):\n    return f'http://{{host}}:{n}'\n",
        _cases(_names(rng), lambda host: f"http://{host}:{n}"),
    )


def _code_cache(name: str, gold: Gold, rng: Random) -> Coding:
    n = gold.number
    return Coding(
        "entries",
        "it returns by how many entries a count of entries exceeds {it}.",
        f"def {name}(entries):\n    return max(0, entries - {n})\n",
        _cases(_sizes(rng), lambda entries: entries - n),
    )


def _code_owner(name: str, gold: Gold, rng: Random) -> Coding:
    owner = gold.live[0]
    return Coding(
        "change",
        "it returns the string change, a colon, a blank and the full name of {it}.",
        f"def {name}(change):\n    return f'{{change}}: {owner}'\n",
        _cases(_names(rng), lambda change: f"{change}: {owner}"),
    )


def _code_table(name: str, gold: Gold, rng: Random) -> Coding:
    table = gold.live[0]
    return Coding(
        "column",
        "it returns the name of {it}, a dot and the column, which is given as a string.",
        f"def {name}(column):\n    return f'{table}.{{column}}'\n",
        _cases(_names(rng), lambda column: f"{table}.{column}"),
    )


def _code_pool(name: str, gold: Gold, rng: Random) -> Coding:
    n = gold.number
    return Coding(
        "in_use",
        "it returns by how many connections in_use stays below {it}.",
        f"def {name}(in_use):\n    return {n} - in_use\n",
        _cases(rng.sample(range(100), CALLS), lambda in_use: n - in_use),
    )


def _code_list(name: str, gold: Gold, rng: Random) -> Coding:
    members = sorted(gold.live)
    return Coding(
        "prefix",
        "it returns the list of {it} in alphabetical order, each written as the string prefix, a"
        " dot and the name.",
        f"def {name}(prefix):\n    return [f'{{prefix}}.{{name}}' for name in {members!r}]\n",
        _cases(_names(rng), lambda prefix: [f"{prefix}.{member}" for member in members]),
    )


CODERS: dict[str, Callable[[str, Gold, Random], Coding]] = {
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

# How the function for a kind of fact is called, before the name of what it is for.
FUNCTIONS = {
    "length": "excess_characters",
    "timeout": "retry_wait",
    "schema": "build_tag",
    "batch": "batch_sizes",
    "port": "address_of",
    "cache": "entries_to_evict",
    "owner": "review_line",
    "table": "column_path",
    "pool": "connections_below",
    "field": "field_paths",
    "middleware": "middleware_paths",
}
