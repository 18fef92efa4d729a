"""Finds tickets between two releases by running their tests: which fail before, which hunks count.

What it finds is a proposal: which ticket a group of hunks belongs to, and what to tell an agent
about it, is for a person to write. The release notes name the tickets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from agingbench.bench.repository.backend import Files, SuiteSetting
from agingbench.bench.repository.chain import Ticket
from agingbench.bench.repository.hunks import hunks_between
from agingbench.bench.repository.sdist import TESTS, SdistBackend
from agingbench.sandbox.programs import BrokenRun

Place = tuple[str, int]  # a file and the number of a hunk in it
Progress = Callable[[str], None]
_TICKET = re.compile(r":ticket:`(\d+)`")


class TicketCandidate(msgspec.Struct, frozen=True):
    """Hunks that belong together, the tests that need them, and what breaks with them alone."""

    before: str
    after: str
    hunks: dict[str, list[int]]
    fails: list[str]
    keeps: list[str]
    breaks: list[str]


class Search(msgspec.Struct, frozen=True):
    """What was found between two releases, and the tickets that the release notes name."""

    candidates: list[TicketCandidate]
    tickets: list[int]
    unclear: list[str]  # tests that no single hunk decides


def find_tickets(
    backend: SdistBackend,
    before: str,
    after: str,
    setting: SuiteSetting,
    progress: Progress,
    apps: Sequence[str] = (),
) -> Search:
    """Find groups of hunks with their tests between two releases of a chain."""
    releases = backend.releases
    old = releases.family(before)
    new = releases.family(after)
    places = [
        (path, number)
        for path in sorted({*old, *new})
        for number in range(len(hunks_between(old.get(path, ""), new.get(path, ""))))
    ]
    labels = list(apps) or changed_apps(releases.tree(before), releases.tree(after))
    finder = _Finder(backend, before, after, setting)
    progress(f"{before} to {after}: {len(places)} hunks, tests of {', '.join(labels) or 'nothing'}")
    untouched = finder.passing([], labels)
    whole = finder.passing(places, labels)
    tests = sorted(whole - untouched)
    progress(f"{len(tests)} tests fail before and pass after")

    needs: dict[str, set[Place]] = {test: set() for test in tests}
    for place in places if tests else []:
        others = [other for other in places if other != place]
        passing = finder.passing(others, tests)
        for test in tests:
            if test not in passing:
                needs[test].add(place)
        progress(f"without hunk {place[1]} of {place[0]}: {len(tests) - len(passing)} tests fail")

    for group, members in _groups(needs):
        for test in members if len(group) > 1 else []:
            needs[test] = finder.least(test, group)
            progress(f"{test} needs {len(needs[test])} of {len(group)} hunks")

    candidates = []
    for group, members in _groups(needs):
        keeps = sorted({test.split(".")[0] for test in members})
        passing = finder.passing(group, keeps)
        breaks = [test for test in members if test not in passing]
        breaks += sorted(test for test in untouched - passing if test.split(".")[0] in keeps)
        hunks: dict[str, list[int]] = {}
        for path, number in sorted(group):
            hunks.setdefault(path, []).append(number)
        candidates.append(TicketCandidate(before, after, hunks, members, keeps, breaks))
    unclear = [test for test, wanted in needs.items() if not wanted]
    return Search(candidates, tickets_named(releases.tree(after), after), unclear)


class _Finder:
    """Runs tests of one pair of releases with some of its hunks."""

    def __init__(
        self, backend: SdistBackend, before: str, after: str, setting: SuiteSetting
    ) -> None:
        self.backend = backend
        self.before = before
        self.after = after
        self.setting = setting

    def passing(self, places: Iterable[Place], labels: Sequence[str]) -> set[str]:
        """The tests that pass with these hunks; none where the code cannot even be imported."""
        if not labels:
            return set()
        hunks: dict[str, list[int]] = {}
        for path, number in places:
            hunks.setdefault(path, []).append(number)
        ticket = Ticket(0, "", "", [""], [], self.before, self.after, hunks)
        family: Files = self.backend.gold(ticket)
        try:
            endings = self.backend.run(ticket, family, {}, labels, self.setting)
        except BrokenRun:
            return set()
        return {test for test, ending in endings.items() if ending == "ok"}

    def least(self, test: str, places: set[Place]) -> set[Place]:
        """A part of some hunks that a test passes with and that no part can be taken from.

        Hunks of one file are tried together first: one alone may leave a call without its callee.
        """
        kept = set(places)
        files = sorted({path for path, _ in places})
        parts = [{place for place in places if place[0] == path} for path in files]
        parts += [{place} for place in sorted(places)]
        for part in parts:
            rest = kept - part
            if rest and rest != kept and test in self.passing(rest, [test]):
                kept = rest
        return kept


def _groups(needs: Mapping[str, set[Place]]) -> list[tuple[set[Place], list[str]]]:
    """Tests that share hunks, together with all of their hunks."""
    groups: list[tuple[set[Place], list[str]]] = []
    for test, places in needs.items():
        if not places:
            continue
        joined = (set(places), [test])
        rest = []
        for group in groups:
            if group[0] & joined[0]:
                joined = (group[0] | joined[0], [*group[1], *joined[1]])
            else:
                rest.append(group)
        groups = [*rest, joined]
    return [(places, sorted(tests)) for places, tests in groups]


def changed_apps(before: Path, after: Path) -> list[str]:
    """The folders of tests in which a Python file is new or differs between two releases."""
    apps = set()
    for path in (after / TESTS).glob("*/**/*.py"):
        relative = path.relative_to(after)
        old = before / relative
        if not old.exists() or old.read_bytes() != path.read_bytes():
            apps.add(relative.parts[1])
    return sorted(apps)


def tickets_named(tree: Path, version: str) -> list[int]:
    """The tickets that the notes of a release name."""
    notes = tree / "docs" / "releases" / f"{version}.txt"
    if not notes.exists():
        return []
    return sorted({int(number) for number in _TICKET.findall(notes.read_text(encoding="utf-8"))})
