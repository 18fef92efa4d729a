"""Finds out from a broken chain which entries were deleted, inserted, edited or moved."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

import msgspec

from agingbench.trials.entries import GENESIS, LedgerEntry, entry_hash

MOST_TRIES = 2_000  # places to try for an entry whose neighbours do not say where it was


class LedgerProblem(msgspec.Struct, frozen=True):
    """What happened to an entry; `entry` is None where the whole ledger is meant."""

    entry: int | None
    kind: str
    detail: str


class ChainLink(NamedTuple):
    """An entry in the chain; `entry` is set only where the hash does not fit its number."""

    number: int
    previous: str
    hash: str
    intact: bool
    entry: LedgerEntry | None


def entry_is_intact(entry: LedgerEntry) -> bool:
    """Whether the entry's hash fits its content and its number."""
    return _fits(entry, entry.number)


def _fits(entry: LedgerEntry, number: int) -> bool:
    """Whether the entry was hashed with this number."""
    hash = entry_hash(
        number,
        entry.kind,
        entry.id,
        entry.body_hash,
        entry.evidence,
        entry.added_at,
        entry.previous,
    )
    return hash == entry.entry_hash


def check_chain(
    links: Sequence[ChainLink], reported: Set[int | None], known_heads: frozenset[str]
) -> list[LedgerProblem]:
    """The problems that the order of the entries shows.

    Entries in `reported` have a problem already; `known_heads` are hashes known from outside.
    Every entry hashes its own number, so an entry that was moved still says where it was first
    (its origin).
    """
    origins = _origins(links)
    followed = {link.previous for link in links} | known_heads
    suspects = _inserted(links, origins, followed)
    inserted = sorted(suspects - _rewritten(links, origins, known_heads, reported))
    problems = [
        LedgerProblem(n, "inserted", "this entry was not written by the ledger at this place")
        for n in inserted
    ]

    beside = set(inserted)
    genuine = [link for link in links if link.number not in beside]
    broken = [link.number for link in genuine if link.number not in origins]
    problems += [
        LedgerProblem(n, "edited", "what the entry says does not have its hash")
        for n in broken
        if n not in reported
    ]

    gone, edited = _missing(genuine, origins, {*broken, *(n for n in reported if n)})
    problems += [
        LedgerProblem(n, "edited", "the entry after it follows another content")
        for n in edited
        if n not in reported
    ]
    problems += _deleted(gone)
    problems += _moved(genuine, origins, inserted, gone)
    return problems


def _origins(links: Sequence[ChainLink]) -> dict[int, int]:
    """The number each entry was hashed with; an entry that fits no number has no origin."""
    origins = {link.number: link.number for link in links if link.intact}
    numbers = {link.hash: link.number for link in links}
    tries = MOST_TRIES
    for link in links:
        if link.intact or link.entry is None:
            continue

        before = 0
        if link.previous != GENESIS:
            before = origins.get(numbers.get(link.previous, -1), -1)
        candidates: list[int] = [before + 1, link.number - 1, link.number + 1]
        if tries and not any(_fits(link.entry, n) for n in candidates):
            tries -= 1
            candidates = list(range(1, min(len(links) + 1, MOST_TRIES)))

        for n in candidates:
            if _fits(link.entry, n):
                origins[link.number] = n
                break
    return origins


def _inserted(links: Sequence[ChainLink], origins: dict[int, int], followed: Set[str]) -> set[int]:
    """Entries beside the chain.

    Either two entries claim one number, or nothing follows an entry that follows nothing itself or
    fits no number.
    """
    numbers = {link.hash: link.number for link in links} | {GENESIS: 0}
    claims: dict[int, list[ChainLink]] = {}
    for link in links:
        if link.number in origins:
            claims.setdefault(origins[link.number], []).append(link)

    inserted = set()
    for place, rivals in claims.items():
        if len(rivals) < 2:
            continue
        for link in rivals:
            before = numbers.get(link.previous, -1)
            if origins.get(before, before) != place - 1:
                inserted.add(link.number)

    for link in links:
        is_attached = link.previous in numbers and link.number in origins
        if link.hash not in followed and not is_attached:
            inserted.add(link.number)
    return inserted


def _rewritten(
    links: Sequence[ChainLink],
    origins: dict[int, int],
    known_heads: frozenset[str],
    reported: Set[int | None],
) -> set[int]:
    """Entries that only look inserted: old ones that were changed, in their old place."""
    numbers = {link.hash: link.number for link in links} | {GENESIS: 0}
    followers = Counter(link.previous for link in links)
    rewritten: set[int] = set()
    for link in links:
        is_changed = link.number not in origins
        is_after_known_head = link.previous in known_heads and link.number == links[-1].number
        if is_changed and is_after_known_head:
            continue

        follows = numbers.get(link.previous)
        is_only_follower = follows == link.number - 1 and followers[link.previous] == 1
        is_reported = link.number in reported and follows is not None
        if is_reported or (is_changed and is_only_follower):
            rewritten.add(link.number)
    return rewritten


Span = tuple[int, int]


def _missing(
    links: Sequence[ChainLink], origins: dict[int, int], broken: set[int]
) -> tuple[list[Span], list[int]]:
    """The spans of numbers that are gone, and the entries that the next entry does not follow."""
    hashes = {link.hash for link in links} | {GENESIS}
    by_origin = {origins.get(link.number, link.number): link for link in links}
    gone: list[Span] = []
    edited: list[int] = []
    places = sorted(by_origin)
    for before, place in zip([0, *places], places, strict=False):
        if place > before + 1:
            gone.append((before + 1, place - 1))
            continue
        link = by_origin[place]
        if not before or link.previous in hashes:
            continue
        # An entry that was edited itself says nothing about the one before it.
        number = by_origin[before].number
        if link.number in origins and number not in broken:
            edited.append(number)
    return gone, edited


def _deleted(gone: list[Span]) -> Iterator[LedgerProblem]:
    for first, last in gone:
        detail = f"entries {first} to {last} are gone"
        if first == last:
            detail = f"entry {first} is gone"
        yield LedgerProblem(first, "deleted", detail)


def _moved(
    links: Sequence[ChainLink], origins: dict[int, int], inserted: list[int], gone: list[Span]
) -> Iterator[LedgerProblem]:
    """Entries whose number is not explained by the insertions and deletions before them."""
    firsts = [first for first, _ in gone]
    sizes = (last - first + 1 for first, last in gone)
    lost = list(itertools.accumulate(sizes, initial=0))
    for link in links:
        origin = origins.get(link.number, link.number)
        if origin == link.number:
            continue
        insertions = bisect_left(inserted, link.number)
        deletions = lost[bisect_left(firsts, origin)]
        if link.number - origin != insertions - deletions:
            yield LedgerProblem(link.number, "reordered", f"this entry stood at {origin}")
