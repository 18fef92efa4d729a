"""Agents that know what kind of value is asked for, and nothing of what was said about it.

One answers a random value of the kind from session 0, the other the latest value of the kind in all
sessions told so far. Both read the sessions as they were told, small talk included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

from agingbench.bench.plan.facts import sessions_before
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.text import matching
from agingbench.text.forms import in_form
from agingbench.text.reader import items_of
from agingbench.text.values import Value

GUESSERS = ("random_of_kind", "latest_of_kind")
LIST_LENGTH = 3  # values that a guesser gives for a list

# A run of capitalised words that does not open a sentence, or an identifier: a word with a digit,
# an underscore, or a dot or slash inside.
_NAME = re.compile(
    r"(?<![.!?] )(?<!^)\b[A-Z][\w\u2019'-]*(?: (?:of |the )?[A-Z][\w\u2019'-]*)*"
    r"|\b[\w-]*(?:\w[/._]\w|\d)[\w./-]*",
    re.MULTILINE,
)

Pick = Callable[[Sequence[str], int], list[str]]  # so many of these texts


@lru_cache(maxsize=4096)
def values_of_kind(text: str, kind: str, unit: str | None) -> tuple[str, ...]:
    """The values of a kind, and of a unit if it has one, that a text states, in order."""
    if kind == "name":
        return tuple(match.group().strip(" .,-") for match in _NAME.finditer(text))

    items = [item for item in items_of(text) if item.kind == kind and not item.in_range]
    in_unit = [item for item in items if item.unit == unit]
    return tuple(text[item.start : item.end] for item in in_unit or items)


def guess(name: str, plan: Plan, probe: Probe) -> str:
    """What a guesser answers to a probe, in its form."""
    told = [session.text for session in plan.sessions[: sessions_before(probe.t)]]
    rng = Random(f"{plan.seed}/{probe.id}")

    def random_texts(texts: Sequence[str], count: int) -> list[str]:
        different = list(dict.fromkeys(texts))
        return rng.sample(different, min(count, len(different)))

    def latest_texts(texts: Sequence[str], count: int) -> list[str]:
        different = list(dict.fromkeys(reversed(texts)))
        return different[:count]

    if name == "random_of_kind":
        parts = _guessed_parts(probe, told[:1], random_texts)
    else:
        parts = _guessed_parts(probe, told[::-1], latest_texts)

    choice = rng.choice(probe.options) if probe.options else ""
    if len(parts) < len(probe.labels):
        return in_form("value", [])
    return in_form(probe.form, parts, probe.labels, choice)


def _guessed_parts(probe: Probe, sessions: Sequence[str], pick: Pick) -> list[str]:
    """One guess for every value that is asked for; a list gets a fixed number."""
    if probe.form == "list":
        return _of_kind(probe.required[0], LIST_LENGTH, sessions, pick)

    parts: list[str] = []
    by_kind: dict[tuple[str, str | None], list[Value]] = {}
    values = probe.required or probe.stale[:1]  # of what was taken back it guesses the kind
    for value in values:
        by_kind.setdefault((value.kind, matching.prepare(value).unit), []).append(value)

    guesses = {
        kind: _of_kind(alike[0], len(alike), sessions, pick) for kind, alike in by_kind.items()
    }
    for value in values:
        left = guesses[value.kind, matching.prepare(value).unit]
        if left:
            parts.append(left.pop(0))
    return parts


def _of_kind(value: Value, count: int, sessions: Sequence[str], pick: Pick) -> list[str]:
    """Guesses from the first of these sessions that states any value of the kind."""
    target = matching.prepare(value)
    if target.members:
        return _of_kind(target.members[0], count, sessions, pick)

    for text in sessions:
        texts = values_of_kind(text, value.kind, target.unit)
        if texts:
            return pick(texts, count)
    return []
