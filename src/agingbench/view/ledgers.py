"""The ledger in the viewer: pages of trials from SQL, one trial, and whether all is intact."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import msgspec

from agingbench.errors import AgingBenchError
from agingbench.report.text import plain
from agingbench.text.addresses import plain_address
from agingbench.trials.columns import FACET_COLUMNS, TrialRow
from agingbench.trials.inspect.targets import read_stored
from agingbench.trials.inspect.transcripts import Transcript
from agingbench.trials.ledger import Ledger, StoredTrial, open_ledger, verify_ledger
from agingbench.trials.query import SORTS, Query
from agingbench.trials.stores.sqlite import SUFFIXES, database_file
from agingbench.trials.verify import Tick, Verification

ROWS = 50
FACETS = ("kind", "status")
MOST_CHOICES = 30


class TrialPage(msgspec.Struct, frozen=True):
    """One page of the table of trials, and how many there are in all."""

    rows: list[TrialRow]
    total: int
    page: int
    pages: int


class VerifyState(msgspec.Struct, frozen=True):
    """What is known of a ledger: unchecked, checking, intact, changed or unreadable."""

    state: str
    words: str
    done: int = 0
    entries: int = 0
    problems: list[str] = []
    warnings: list[str] = []
    head: str = ""


class ViewedLedger:
    """A ledger by its place; each question opens it anew, so that pages see what was added."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._check: _Check | None = None
        self._lock = threading.Lock()
        self._choices: dict[str, list[str]] = {}
        self._choices_at = -1

    def open(self) -> Ledger:
        """The ledger, for reading."""
        return open_ledger(self.place, create=False)

    def trials(self, asked: Mapping[str, str]) -> TrialPage:
        """The trials of one page, found, ordered and counted by the database."""
        query = read_query(asked)
        with self.open() as ledger:
            total = ledger.count(query)
            pages = max(1, -(-total // ROWS))
            page = min(max(1, _whole(asked.get("page", "1"))), pages)
            query = replace(query, limit=ROWS, offset=(page - 1) * ROWS)
            return TrialPage(ledger.list(query), total, page, pages)

    def choices(self) -> dict[str, list[str]]:
        """The values that trials have of each column that a filter offers."""
        with self._lock, self.open() as ledger:
            count, _ = ledger.store.head()
            if count != self._choices_at:
                self._choices = {name: _values(ledger, name) for name in FACETS}
                self._choices_at = count
            return dict(self._choices)

    def counts(self) -> int:
        """How many trials the ledger holds, without those that a later record replaces."""
        with self.open() as ledger:
            return ledger.count(Query(newest=True))

    def transcript(self, trial_id: str) -> Transcript:
        """The trace of a trial, from its evidence."""
        with self.open() as ledger:
            return read_stored(ledger.get(trial_id))

    def trial(self, trial_id: str) -> tuple[TrialRow, StoredTrial]:
        """One trial with its row; raises InputError where there is none."""
        with self.open() as ledger:
            stored = ledger.get(trial_id)
            [row] = ledger.list(Query(trial_id=trial_id))
            return row, stored

    # -- is it intact

    def check(self) -> None:
        """Begin to check the whole ledger, unless that goes on."""
        with self._lock:
            if self._check is None or self._check.result is not None:
                self._check = _Check(self.place)
                self._check.thread.start()

    def verify_state(self) -> VerifyState:
        """What the last check found, or how far it has come."""
        check = self._check
        if check is None:
            return VerifyState("unchecked", "not checked yet")
        if check.error:
            return VerifyState("unreadable", check.error)
        if check.result is None:
            words = f"checking: entry {check.done:,} of {check.total:,}"
            return VerifyState("checking", words, check.done, check.total)
        return _state_of(check.result)


class _Check:
    """A verification in a thread of its own."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.done = 0
        self.total = 0
        self.error = ""
        self.result: Verification | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            with open_ledger(self.place, create=False) as ledger:
                self.total = ledger.store.head()[0]
            self.result = verify_ledger(self.place, watch=self._watching)
        except AgingBenchError as error:
            self.error = plain(plain_address(str(error)))
            self.result = Verification()

    def _watching(self, total: int) -> AbstractContextManager[Tick]:
        self.total = total
        return nullcontext(self._tick)

    def _tick(self, _: int) -> None:
        self.done += 1


def _state_of(result: Verification) -> VerifyState:
    problems = []
    for problem in result.problems:
        where = "" if problem.entry is None else f"entry {problem.entry}: "
        problems.append(f"{where}{plain(problem.kind)}, {plain(problem.detail)}")
    words = f"intact: {result.count:,} entries, {result.blobs:,} pieces of evidence"
    if problems:
        noun = "problem" if len(problems) == 1 else "problems"
        words = f"changed: {len(problems)} {noun}"
    return VerifyState(
        state="changed" if problems else "intact",
        words=words,
        done=result.count,
        entries=result.count,
        problems=problems,
        warnings=[plain(warning) for warning in result.warnings],
        head=result.head,
    )


def read_query(asked: Mapping[str, str]) -> Query:
    """The query of a page's address; what it does not understand filters nothing."""
    sort = asked.get("sort", "number")
    equals = []
    for name in FACETS:
        value = asked.get(name, "")
        if value:
            equals.append((name, value))
    return Query(
        search=asked.get("q") or None,
        equals=tuple(equals),
        newest=asked.get("all") != "1",
        sort=sort if sort in SORTS else "number",
        descending=asked.get("order", "down") == "down",
    )


def _values(ledger: Ledger, name: str) -> list[str]:
    """The values that trials have of a column, as many as a filter can offer."""
    column, source = f"t.{name}", "trials t"
    if name in FACET_COLUMNS:
        column, source = f"f.{name}", ledger.store.with_facets()
    sql = f"SELECT DISTINCT {column} FROM {source} LIMIT {MOST_CHOICES}"  # noqa: S608
    values = [str(row[0]) for row in ledger.store.rows(sql) if row[0] is not None]
    return sorted(values)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def is_ledger(place: str) -> bool:
    """Whether a place is a ledger and no folder of runs."""
    if "://" in place:
        return True
    path = Path(place)
    return path.suffix in SUFFIXES and not path.is_dir()


def ledger_of(folder: Path) -> str | None:
    """The ledger in a folder, if there is one."""
    file = database_file(folder)
    return str(file) if file.is_file() else None
