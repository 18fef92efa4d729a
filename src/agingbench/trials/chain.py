"""What a broken chain tells: which entries were deleted, inserted, edited or moved."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from agingbench.trials.entries import GENESIS, LedgerEntry, entry_hash

FAR = 2_000  # how many places are tried for an entry whose neighbours do not say where it was


class LedgerProblem(NamedTuple):
    """What happened to which entry; None where the whole ledger is meant."""

    entry: int | None
    kind: str
    detail: str


class ChainLink(NamedTuple):
    """An entry in the chain. `entry` is kept only where the hash does not fit the number it stands
    at.
    """

    number: int
    previous: str
    hash: str
    intact: bool
    entry: LedgerEntry | None


def entry_is_intact(entry: LedgerEntry) -> bool:
    """Whether the entry's hash is that of what it says, at the place where it stands."""
    return _hash_at(entry, entry.number) == entry.entry_hash


def _hash_at(entry: LedgerEntry, number: int) -> str:
    return entry_hash(
        number,
        entry.kind,
        entry.id,
        entry.body_hash,
        entry.evidence,
        entry.added_at,
        entry.previous,
    )


def check_chain(
    links: Sequence[ChainLink], told: Set[int | None], vouched: frozenset[str]
) -> list[LedgerProblem]:
    """What the order tells: `told` have a problem already, `vouched` hashes are known from outside.

    Every entry hashes its own number, so an entry that was moved still tells where it stood (its
    origin).
    """
    origins = _origins(links)
    followed = {link.previous for link in links} | vouched
    inserted = sorted(
        _inserted(links, origins, followed) - _rewritten(links, origins, vouched, told)
    )
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
        if n not in told
    ]
    gone, edited = _missing(genuine, origins, {*broken, *(n for n in told if n)})
    problems += [
        LedgerProblem(n, "edited", "the entry after it follows another content")
        for n in edited
        if n not in told
    ]
    problems += _deleted(gone)
    problems += _moved(genuine, origins, inserted, gone)
    return problems


def _origins(links: Sequence[ChainLink]) -> dict[int, int]:
    """Where each entry stood when it was hashed; an entry that fits nowhere has no origin."""
    origins = {link.number: link.number for link in links if link.intact}
    at = {link.hash: link.number for link in links}
    tries = FAR
    for link in links:
        if link.intact or link.entry is None:
            continue
        before = 0 if link.previous == GENESIS else origins.get(at.get(link.previous, -1), -1)
        found = next(
            (n for n in (before + 1, link.number - 1, link.number + 1) if _fits(link.entry, n)),
            None,
        )
        if found is None and tries:
            tries -= 1
            found = next(
                (n for n in range(1, min(len(links) + 1, FAR)) if _fits(link.entry, n)), None
            )
        if found is not None:
            origins[link.number] = found
    return origins


def _fits(entry: LedgerEntry, number: int) -> bool:
    return _hash_at(entry, number) == entry.entry_hash


def _inserted(links: Sequence[ChainLink], origins: dict[int, int], followed: Set[str]) -> set[int]:
    """Entries beside the chain: two claim one place, or one that nothing follows hangs on nothing
    or fits nowhere.
    """
    hashes = {link.hash: link.number for link in links} | {GENESIS: 0}
    claims: dict[int, list[ChainLink]] = {}
    for link in links:
        if link.number in origins:
            claims.setdefault(origins[link.number], []).append(link)
    inserted = {
        link.number
        for place, rivals in claims.items()
        if len(rivals) > 1
        for link in rivals
        if origins.get(hashes.get(link.previous, -1), hashes.get(link.previous, -1)) != place - 1
    }
    for link in links:
        hangs = link.previous in hashes and (link.number in origins)
        if link.hash not in followed and not hangs:
            inserted.add(link.number)
    return inserted


def _rewritten(
    links: Sequence[ChainLink],
    origins: dict[int, int],
    vouched: frozenset[str],
    told: Set[int | None],
) -> set[int]:
    """Entries that only look inserted: old ones that were changed. They still hang on the one
    before them.
    """
    at = {link.hash: link.number for link in links} | {GENESIS: 0}
    hanging = Counter(link.previous for link in links)
    found: set[int] = set()
    for link in links:
        added = (
            link.previous in vouched and link.number == links[-1].number
        )  # after a head known from outside
        alone = at.get(link.previous) == link.number - 1 and hanging[link.previous] == 1
        changed = link.number not in origins
        if not (changed and added) and (
            (link.number in told and link.previous in at) or (changed and alone)
        ):
            found.add(link.number)
    return found


Span = tuple[int, int]


def _missing(
    links: Sequence[ChainLink], origins: dict[int, int], broken: set[int]
) -> tuple[list[Span], list[int]]:
    """The spans of origins that are gone, and the entries that stand where another one is expected."""
    hashes = {link.hash for link in links} | {GENESIS}
    by_origin = {origins.get(link.number, link.number): link for link in links}
    gone: list[Span] = []
    edited: list[int] = []
    places = sorted(by_origin)
    for before, place in zip([0, *places], places, strict=False):
        if place > before + 1:
            gone.append((before + 1, place - 1))
        elif (
            before
            and by_origin[place].previous not in hashes
            and by_origin[before].number not in broken
        ):
            if by_origin[place].number not in origins:
                continue  # it was edited itself and accuses nobody
            edited.append(by_origin[before].number)
    return gone, edited


def _deleted(gone: list[Span]) -> Iterator[LedgerProblem]:
    for first, last in gone:
        what = f"entry {first} is gone" if first == last else f"entries {first} to {last} are gone"
        yield LedgerProblem(first, "deleted", what)


def _moved(
    links: Sequence[ChainLink], origins: dict[int, int], inserted: list[int], gone: list[Span]
) -> Iterator[LedgerProblem]:
    """Entries that stand elsewhere than insertions and deletions before them explain."""
    firsts = [first for first, _ in gone]
    lost = list(itertools.accumulate((last - first + 1 for first, last in gone), initial=0))
    for link in links:
        origin = origins.get(link.number, link.number)
        if origin != link.number:
            explained = bisect_left(inserted, link.number) - lost[bisect_left(firsts, origin)]
            if link.number - origin != explained:
                yield LedgerProblem(link.number, "reordered", f"this entry stood at {origin}")
