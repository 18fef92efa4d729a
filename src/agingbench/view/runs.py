"""The table of runs: every card of the folder and every life that has none yet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agingbench.cards.audit import AuditCard
from agingbench.cards.check import load_card
from agingbench.cards.model import Card
from agingbench.errors import AgingBenchError, InputError
from agingbench.report.pages.sources import CARD, CardSource
from agingbench.report.series import condition, half_life_words, last_point
from agingbench.report.text import plain
from agingbench.trials.run_folder import LifeFiles
from agingbench.view.places import ViewedFolder

PLAN = "plan.json"
FRESH = 120.0  # seconds without a new file after which a life counts as stopped
UNREADABLE = (AgingBenchError, msgspec.ValidationError, OSError, KeyError, TypeError, ValueError)
Stamp = tuple[int, int]


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the table: a life, an audit, a resumption run, or a life without a card yet."""

    name: str  # the folder, from the one that is viewed
    kind: str  # life, audit, resumption, unfinished or unreadable
    system: str
    about: str
    made: str
    seed: int | None = None
    start: float | None = None
    end: float | None = None
    whole: float | None = None
    half_life: float | None = None
    half_life_words: str = ""
    aging: bool | None = None
    tokens: int | None = None
    cost: float | None = None
    points: list[float | None] = []
    reason: str = ""


class LifeProgress(msgspec.Struct, frozen=True):
    """How far a life has come that is not finished; `running` where its files are fresh."""

    name: str
    system: str
    about: str
    done: int
    sessions: int
    running: bool


class RunIndex:
    """The rows of a folder; a card is read again only when its file has changed."""

    def __init__(self, folder: ViewedFolder) -> None:
        self.folder = folder
        self._rows: dict[Path, tuple[Stamp, RunRow]] = {}
        self._lock = threading.Lock()

    def rows(self) -> list[RunRow]:
        """All rows, read now."""
        with self._lock:
            rows = []
            known: dict[Path, tuple[Stamp, RunRow]] = {}
            for folder, files in self.folder.walk():
                if CARD in files:
                    file = folder / CARD
                    known[file] = self._card_row(file)
                    rows.append(known[file][1])
                elif PLAN in files:
                    rows.append(_unfinished_row(self.folder.name(folder), folder))
            self._rows = known
            return rows

    def _card_row(self, file: Path) -> tuple[Stamp, RunRow]:
        state = file.stat()
        stamp = (state.st_mtime_ns, state.st_size)
        before = self._rows.get(file)
        if before is not None and before[0] == stamp:
            return before
        name = self.folder.name(file.parent)
        return stamp, card_row(name, file)

    def source(self, name: str) -> CardSource:
        """The card of a run; raises InputError where it has none that can be read."""
        folder = self.folder.run(name)
        file = folder / CARD
        if not file.is_file():
            raise InputError(f"{name}: there is no {CARD} here")
        has_plan = (folder / PLAN).is_file()
        return CardSource(file, load_card(file), folder if has_plan else None)


def card_row(name: str, file: Path) -> RunRow:
    """The row of a card; one that cannot be read says why."""
    try:
        document = load_card(file)
        source = CardSource(file, document, None)
        if source.kind == "trace":
            return _audit_row(name, AuditCard.read(document), Card.read(document))
        return _life_row(name, source.kind, Card.read(document))
    except UNREADABLE as error:
        return RunRow(
            name=name, kind="unreadable", system=name, about="", made="", reason=plain(error)
        )


def _life_row(name: str, kind: str, card: Card) -> RunRow:
    cost = card.cost_and_efficiency.document()
    tokens = [cost.get("total_input_tokens"), cost.get("total_output_tokens")]
    counted = [count for count in tokens if isinstance(count, int)]
    head = card.headline
    half_life = head.half_life.value
    words = "" if half_life is None else f"{half_life:.1f}"
    if half_life is None and head.half_life_censored:
        words = f"> {last_point(card):g}"
    is_life = kind == "life"
    return RunRow(
        name=name,
        kind=kind,
        system=plain(card.sut.sut_id),
        about=condition(card) if is_life else plain(card.scenario),
        made=plain(card.generated_at),
        seed=card.seed if is_life else None,
        start=head.m0.value,
        end=head.m_final.value,
        whole=head.figure("time_average").value,
        half_life=half_life,
        half_life_words=words,
        aging=head.aging_detected,
        tokens=sum(counted) if len(counted) == len(tokens) else None,
        cost=cost.get("total_cost_usd"),
        points=[m for _, m in card.checkpoints],
        reason=half_life_words(card) if is_life else "",
    )


def _audit_row(name: str, audit: AuditCard, card: Card) -> RunRow:
    spending = audit.trace_audit.spending
    return RunRow(
        name=name,
        kind="audit",
        system=plain(Path(name).name or name),
        about=f"{plain(card.scenario)}, {card.n_sessions} sessions",
        made=plain(card.generated_at),
        aging=card.headline.aging_detected,
        tokens=None if spending is None else spending.total.tokens,
        cost=None if spending is None else spending.total.cost_usd,
        reason=plain(audit.headline.aging_reason or ""),
    )


# -- lives that are not finished


def _unfinished_row(name: str, folder: Path) -> RunRow:
    try:
        progress = life_progress(name, folder)
    except UNREADABLE as error:
        return RunRow(
            name=name, kind="unreadable", system=name, about="", made="", reason=plain(error)
        )
    words = "running" if progress.running else "stopped"
    if progress.done > progress.sessions:
        words = "lived, not scored"
    return RunRow(
        name=name,
        kind="unfinished",
        system=progress.system,
        about=progress.about,
        made=_written(folder),
        reason=f"{words} at {min(progress.done, progress.sessions)} of {progress.sessions}",
    )


def life_progress(name: str, folder: Path) -> LifeProgress:
    """How far the life in a folder has come, from its files alone."""
    files = LifeFiles(folder)
    plan = files.plan_record()
    system = files.sut().sut_id if files.sut_file.exists() else name
    done = files.points()
    parts = [plan.scenario, plan.preset, f"seed {plan.seed}"]
    parts += [f"{event.name}@{event.at}" for event in plan.events]
    latest = max((file.stat().st_mtime for file in _changing(files)), default=0.0)
    is_running = done <= plan.n_sessions and time.time() - latest < FRESH
    about = ", ".join(plain(part) for part in parts)
    return LifeProgress(name, plain(system), about, done, plan.n_sessions, is_running)


def _changing(files: LifeFiles) -> list[Path]:
    """What a life writes while it goes on."""
    places = [files.plan_file, files.trace, files.answers, files.memory]
    return [place for place in places if place.exists()]


def _written(folder: Path) -> str:
    moment = datetime.fromtimestamp(folder.stat().st_mtime, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# -- what is asked of the table

SORTS: dict[str, Callable[[RunRow], object]] = {
    "system": lambda row: row.system.lower(),
    "about": lambda row: row.about,
    "seed": lambda row: row.seed,
    "start": lambda row: row.start,
    "end": lambda row: row.end,
    "whole": lambda row: row.whole,
    "half_life": lambda row: row.half_life,
    "aging": lambda row: row.aging,
    "tokens": lambda row: row.tokens,
    "cost": lambda row: row.cost,
    "made": lambda row: row.made,
}


def chosen(rows: Sequence[RunRow], text: str, kind: str) -> list[RunRow]:
    """The rows of a kind in which every word occurs."""
    words = text.lower().split()
    found = []
    for row in rows:
        whole = f"{row.name} {row.system} {row.about} {row.kind} {row.reason}".lower()
        is_kind = not kind or row.kind == kind
        if is_kind and all(word in whole for word in words):
            found.append(row)
    return found


def in_order(rows: Sequence[RunRow], sort: str, descending: bool) -> list[RunRow]:
    """The rows by a column; those without a value come last either way."""
    key = SORTS.get(sort, SORTS["made"])
    known = [row for row in rows if key(row) is not None]
    missing = [row for row in rows if key(row) is None]
    return sorted(known, key=lambda row: (key(row), row.name), reverse=descending) + missing
