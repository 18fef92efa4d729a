"""Proves a ledger: entries, table of trials, evidence, chain and head; says which entry was touched
and how.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from agingbench.errors import InputError
from agingbench.trials.chain import ChainLink, LedgerProblem, check_chain, entry_is_intact
from agingbench.trials.entries import GENESIS, KINDS, TRIAL_COLUMNS, LedgerEntry, trial_row
from agingbench.trials.stores.base import LedgerStore


@dataclass
class Verification:
    """What `verify` found. Warnings prove no change: evidence that nobody names, a trigger that is
    gone.
    """

    count: int = 0
    head: str = GENESIS
    blobs: int = 0
    problems: list[LedgerProblem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        told = [p._asdict() for p in self.problems]
        return {
            "ok": self.ok,
            "entries": self.count,
            "head": self.head,
            "blobs": self.blobs,
            "problems": told,
            "warnings": self.warnings,
        }


Tick = Callable[[int], None]


def verify(store: LedgerStore, head: str | None = None, tick: Tick | None = None) -> Verification:
    """Check everything. A known `head` must be a hash of the chain, else the tail was cut or the
    ledger replaced.
    """
    verdict = Verification()
    try:
        known = _known_head(store, verdict)  # first of all: others may add while we read
        links = list(_checked(store, verdict, tick, known))
        vouched = frozenset(h for h in (head, known and known[1]) if h)
        told = {(p.entry, p.kind) for p in verdict.problems}
        broken = check_chain(
            links, {entry for entry, kind in told if kind in ("edited", "renamed")}, vouched
        )
        added = {
            p.entry for p in broken if p.kind == "inserted"
        }  # what such an entry says was never anything else
        verdict.problems = [
            p
            for p in verdict.problems
            if p.entry not in added or p.kind not in ("edited", "renamed")
        ]
        verdict.problems += [p for p in broken if (p.entry, p.kind) not in told]
        verdict.problems += _check_heads(links, head, known)
        verdict.warnings += store.warnings()
        if known is None and head is None and links:
            verdict.warnings.append(
                "no head is known from outside (the head file is missing): a cut tail is not seen"
            )
    except InputError as error:
        verdict.problems.append(LedgerProblem(None, "unreadable", str(error)))
    verdict.problems.sort(key=lambda p: (p.entry is None, p.entry or 0))
    return verdict


def _checked(
    store: LedgerStore, verdict: Verification, tick: Tick | None, known: tuple[int, str] | None
) -> Iterator[ChainLink]:
    """Each entry by itself; what is left of it is its link."""
    blobs: dict[tuple[str, int], tuple[str, str] | None] = {}
    last = 0
    for entry, row in store.entries_as_listed():
        verdict.count = verdict.count + 1
        verdict.head = entry.entry_hash
        last = entry.number
        if tick is not None:
            tick(verdict.count)
        verdict.problems += _content(entry, row)
        verdict.problems += _evidence(store, entry, blobs)
        intact = entry_is_intact(entry)
        yield ChainLink(
            entry.number,
            entry.previous,
            entry.entry_hash,
            intact,
            None if intact else entry._replace(body=""),
        )
    for number, trial_id in store.listed_without_entry():
        if known is not None and number > max(known[0], last):
            verdict.problems.append(
                LedgerProblem(
                    number, "inserted", f"trial '{trial_id}' is listed and never had an entry"
                )
            )
        else:
            verdict.problems.append(
                LedgerProblem(
                    number, "deleted", f"trial '{trial_id}' is listed, but its entry is gone"
                )
            )
    verdict.blobs = len(blobs)
    named = {sha256 for sha256, _ in blobs}
    if stray := sum(1 for name in store.blob_names() if name not in named):
        verdict.warnings.append(
            f"{stray} pieces of evidence belong to no entry (an adding was stopped half-way, or"
            " entries are gone)"
        )


def _content(entry: LedgerEntry, row: tuple[Any, ...] | None) -> Iterator[LedgerProblem]:
    if entry.kind not in KINDS:
        yield LedgerProblem(
            entry.number, "edited", f"kind '{entry.kind}' is none that the ledger writes"
        )
    if hashlib.sha256(entry.body.encode()).hexdigest() != entry.body_hash:
        yield LedgerProblem(
            entry.number,
            "edited",
            f"the content of {entry.kind} '{entry.id}' does not have its hash",
        )
        return
    if entry.kind != "trial":
        return
    try:
        wanted = trial_row(entry.body.encode())
    except (msgspec.MsgspecError, InputError, KeyError, TypeError, ValueError) as error:
        yield LedgerProblem(entry.number, "edited", f"the content is not a trial record ({error})")
        return
    if wanted[0] != entry.id:
        yield LedgerProblem(
            entry.number,
            "renamed",
            f"the record of trial '{wanted[0]}' stands under the id '{entry.id}'",
        )
    elif row is None:
        yield LedgerProblem(
            entry.number, "edited", f"trial '{entry.id}' is missing from the table of trials"
        )
    elif row[0] != wanted[0]:
        yield LedgerProblem(entry.number, "renamed", f"trial '{wanted[0]}' is listed as '{row[0]}'")
    elif row != wanted:
        changed = [name for name, a, b in zip(TRIAL_COLUMNS, row, wanted, strict=True) if a != b]
        yield LedgerProblem(
            entry.number,
            "edited",
            f"trial '{entry.id}' is listed with another {', '.join(changed)}",
        )


def _evidence(
    store: LedgerStore, entry: LedgerEntry, seen: dict[tuple[str, int], tuple[str, str] | None]
) -> Iterator[LedgerProblem]:
    try:
        blobs = entry.blobs()
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError) as error:
        yield LedgerProblem(
            entry.number, "edited", f"the list of evidence cannot be read ({error})"
        )
        return
    for name, blob in blobs.items():
        if blob not in seen:
            seen[blob] = store.check_blob(blob.sha256, blob.size)
        wrong = seen[blob]
        if wrong is not None:
            yield LedgerProblem(entry.number, wrong[0], f"{name}: {wrong[1]}")


def _known_head(store: LedgerStore, verdict: Verification) -> tuple[int, str] | None:
    try:
        return store.known_head()
    except InputError as error:
        verdict.problems.append(LedgerProblem(None, "head", str(error)))
        return None


def _check_heads(
    links: list[ChainLink], head: str | None, known: tuple[int, str] | None
) -> Iterator[LedgerProblem]:
    at = {link.number: link.hash for link in links}
    there = {link.hash for link in links} | {GENESIS}
    last = max(at, default=0)
    if known is not None and known[0] > last:
        yield LedgerProblem(
            last,
            "truncated",
            f"the head file knows {known[0]} entries, only {last} are here: the tail was cut or"
            " this is an older copy",
        )
    elif known is not None and known[1] not in there:
        yield LedgerProblem(
            known[0],
            "rewritten",
            f"the head file knows entry {known[0]} as {known[1]}, and it is not here",
        )
    if head is not None and head not in there:
        yield LedgerProblem(
            last,
            "truncated",
            f"the known head {head} is not here: the tail was cut, this is an older copy, or it was"
            " written anew",
        )
