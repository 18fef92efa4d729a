"""Checks a whole ledger: entries, table of trials, evidence, chain and head."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec

from agingbench.errors import InputError
from agingbench.trials.chain import ChainLink, LedgerProblem, check_chain, entry_is_intact
from agingbench.trials.columns import TrialColumns, replacement, trial_columns
from agingbench.trials.entries import GENESIS, KINDS, Blob, LedgerEntry
from agingbench.trials.stores.base import LedgerStore, ListedTrial

Tick = Callable[[int], None]
Head = tuple[int, str]
CONTENT_CHANGES = ("edited", "renamed")


class VerificationDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a verification as JSON."""

    ok: bool
    entries: int
    head: str
    blobs: int
    problems: list[LedgerProblem]
    warnings: list[str]


@dataclass
class Verification:
    """What `verify` found; warnings prove no change, such as evidence that no entry names."""

    count: int = 0
    head: str = GENESIS
    blobs: int = 0
    problems: list[LedgerProblem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems

    def document(self) -> VerificationDocument:
        """What `trials verify --json` prints."""
        return VerificationDocument(
            ok=self.ok,
            entries=self.count,
            head=self.head,
            blobs=self.blobs,
            problems=self.problems,
            warnings=self.warnings,
        )


def verify(store: LedgerStore, head: str | None = None, tick: Tick | None = None) -> Verification:
    """Check everything; `tick` is called after every entry.

    A `head` noted earlier must be a hash of the chain, else the last entries were removed or the
    ledger was replaced.
    """
    result = Verification()
    try:
        # Before anything else is read, since others may add entries meanwhile.
        known = _known_head(store, result)
        links = list(_check_entries(store, result, tick, known))
        result.problems = _with_chain_problems(result.problems, links, head, known)
        result.problems += _check_heads(links, head, known)
        result.problems += _check_replacements(store)
        result.warnings += store.warnings()
        if known is None and head is None and links:
            result.warnings.append(
                "no head is known from outside (the head file is missing): a cut tail is not seen"
            )
    except InputError as error:
        result.problems.append(LedgerProblem(None, "unreadable", str(error)))

    result.problems.sort(key=lambda p: (p.entry is None, p.entry or 0))
    return result


def _known_head(store: LedgerStore, result: Verification) -> Head | None:
    try:
        return store.known_head()
    except InputError as error:
        result.problems.append(LedgerProblem(None, "head", str(error)))
        return None


def _with_chain_problems(
    problems: list[LedgerProblem], links: list[ChainLink], head: str | None, known: Head | None
) -> list[LedgerProblem]:
    """The problems of single entries, together with those that the order of the chain shows."""
    known_heads = frozenset(hash for hash in (head, known and known[1]) if hash)
    reported = {(problem.entry, problem.kind) for problem in problems}
    changed = {entry for entry, kind in reported if kind in CONTENT_CHANGES}
    chain_problems = check_chain(links, changed, known_heads)

    # An inserted entry was never anything else, so it was not edited either.
    inserted = {problem.entry for problem in chain_problems if problem.kind == "inserted"}
    merged = []
    for problem in problems:
        if problem.entry not in inserted or problem.kind not in CONTENT_CHANGES:
            merged.append(problem)
    for problem in chain_problems:
        if (problem.entry, problem.kind) not in reported:
            merged.append(problem)
    return merged


def _check_entries(
    store: LedgerStore, result: Verification, tick: Tick | None, known: Head | None
) -> Iterator[ChainLink]:
    """Check each entry by itself, and yield its link in the chain."""
    checks: dict[Blob, tuple[str, str] | None] = {}
    last = 0
    for entry, row in store.entries_with_rows():
        result.count += 1
        result.head = entry.entry_hash
        last = entry.number
        if tick is not None:
            tick(result.count)

        result.problems += _check_content(entry, row)
        result.problems += _check_evidence(store, entry, checks)
        intact = entry_is_intact(entry)
        # The body is not needed again, and all links are held at once.
        suspect = None if intact else entry._replace(body="")
        yield ChainLink(entry.number, entry.previous, entry.entry_hash, intact, suspect)

    for number, trial_id in store.rows_without_entry():
        if known is not None and number > max(known[0], last):
            problem = LedgerProblem(
                number, "inserted", f"trial '{trial_id}' is listed and never had an entry"
            )
        else:
            problem = LedgerProblem(
                number, "deleted", f"trial '{trial_id}' is listed, but its entry is gone"
            )
        result.problems.append(problem)

    result.blobs = len(checks)
    used = {blob.sha256 for blob in checks}
    stray = sum(name not in used for name in store.blob_names())
    if stray:
        result.warnings.append(
            f"{stray} pieces of evidence belong to no entry (an adding was stopped half-way, or"
            " entries are gone)"
        )


def _check_content(entry: LedgerEntry, row: ListedTrial) -> Iterator[LedgerProblem]:
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
        columns = trial_columns(entry.body.encode())
    except (msgspec.MsgspecError, InputError, KeyError, TypeError, ValueError) as error:
        yield LedgerProblem(entry.number, "edited", f"the content is not a trial record ({error})")
        return

    if columns.trial_id != entry.id:
        yield LedgerProblem(
            entry.number,
            "renamed",
            f"the record of trial '{columns.trial_id}' stands under the id '{entry.id}'",
        )
    elif not row:
        yield LedgerProblem(
            entry.number, "edited", f"trial '{entry.id}' is missing from the table of trials"
        )
    elif row["trial_id"] != columns.trial_id:
        detail = f"trial '{columns.trial_id}' is listed as '{row['trial_id']}'"
        yield LedgerProblem(entry.number, "renamed", detail)
    elif changed := _changed(row, columns):
        yield LedgerProblem(
            entry.number,
            "edited",
            f"trial '{entry.id}' is listed with another {', '.join(changed)}",
        )


def _changed(row: ListedTrial, columns: TrialColumns) -> list[str]:
    """The columns in which a listed trial says something else than its record."""
    return [name for name, listed in row.items() if listed != getattr(columns, name)]


def _check_evidence(
    store: LedgerStore, entry: LedgerEntry, checks: dict[Blob, tuple[str, str] | None]
) -> Iterator[LedgerProblem]:
    """The problems with an entry's evidence; each blob is checked once and noted in `checks`."""
    try:
        blobs = entry.blobs()
    except msgspec.MsgspecError as error:
        detail = f"the list of evidence cannot be read ({error})"
        yield LedgerProblem(entry.number, "edited", detail)
        return

    for name, blob in blobs.items():
        if blob not in checks:
            checks[blob] = store.check_blob(blob.sha256, blob.size)
        wrong = checks[blob]
        if wrong is not None:
            kind, detail = wrong
            yield LedgerProblem(entry.number, kind, f"{name}: {detail}")


def _check_replacements(store: LedgerStore) -> Iterator[LedgerProblem]:
    """The records that hide another one of which they do not name the content."""
    for number, body in store.replacing_records():
        try:
            replaced = replacement(body.encode())
        except (msgspec.MsgspecError, KeyError, TypeError, AttributeError):
            continue  # no record any more, which its own check says
        old = store.entry("trial", replaced.trial_id) if replaced else None
        if replaced and old and old.body_hash != replaced.record_hash:
            detail = f"says that it replaces trial '{old.id}', and names another content than its"
            yield LedgerProblem(number, "replaced", detail)


def _check_heads(
    links: list[ChainLink], head: str | None, known: Head | None
) -> Iterator[LedgerProblem]:
    """The problems that heads known from outside show."""
    hashes = {link.hash for link in links} | {GENESIS}
    last = max((link.number for link in links), default=0)
    if known is not None and known[0] > last:
        yield LedgerProblem(
            last,
            "truncated",
            f"the head file knows {known[0]} entries, only {last} are here: the tail was cut or"
            " this is an older copy",
        )
    elif known is not None and known[1] not in hashes:
        yield LedgerProblem(
            known[0],
            "rewritten",
            f"the head file knows entry {known[0]} as {known[1]}, and it is not here",
        )
    if head is not None and head not in hashes:
        yield LedgerProblem(
            last,
            "truncated",
            f"the known head {head} is not here: the tail was cut, this is an older copy, or it was"
            " written anew",
        )
