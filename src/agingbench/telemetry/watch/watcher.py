"""One step of a watch: keep what is new, audit it, and tell which answers changed.

The folder of a watch holds the archive, the cards, the notices and what it remembers. Each step
takes a lock and starts from these files, so that a kill at any moment costs nothing and several
watchers of one folder do not get in each other's way.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import filelock
import msgspec

from agingbench.cards.audit import AnswerNotice, AuditCard
from agingbench.cards.check import CARD_FILE, save_card
from agingbench.errors import InputError, RunConflict, StorageError
from agingbench.telemetry.audit import Audit, AuditRequest, audit_groups, common_path
from agingbench.telemetry.audit_cache import AuditCache
from agingbench.telemetry.watch.files import WatchedFiles
from agingbench.telemetry.watch.notices import Notices, notice_of
from agingbench.traces.archive.archive import ArchiveReport
from agingbench.traces.archive.index import salt_of, source_of
from agingbench.traces.files import private_folder, read_json

CARDS = "cards"
AUDITS = "audits"
LOCK = ".lock"
PATIENCE = 300.0  # seconds that a step waits for another one


@dataclass(frozen=True)
class WatchedProject:
    """One project after a step."""

    audit: Audit
    folder: Path  # that holds its card
    is_new: bool  # its card differs from the one before


@dataclass(frozen=True)
class WatchStep:
    """What one step did."""

    projects: list[WatchedProject]
    archived: ArchiveReport
    gone: int  # transcripts that only the archive still has
    notices: list[AnswerNotice]
    seconds: float


class Watcher:
    """Looks after the transcripts below some places and keeps what it finds in a folder."""

    def __init__(self, places: Sequence[Path], folder: Path, request: AuditRequest) -> None:
        self.folder = folder
        self.files = WatchedFiles(places, folder)
        self.request = replace(request, path=common_path(places))
        self.notices = Notices(folder)
        self.cache = AuditCache(folder / AUDITS)

    def step(self) -> WatchStep:
        """Archive what is new, audit the projects that changed, and write down what is different.

        Raises RunConflict when another watcher does not finish, and StorageError where the folder
        cannot be written.
        """
        began = time.monotonic()
        with self._lock():
            look = self.files.look()
            audits = []
            if look.has_traces:
                audits = audit_groups(look.members, self.request, cache=self.cache)
            projects, notices = self._write(audits)

        seconds = time.monotonic() - began
        return WatchStep(projects, look.archived, look.gone, notices, seconds)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        try:
            private_folder(self.folder)
            lock = filelock.FileLock(self.folder / LOCK, mode=0o600)
            lock.acquire(timeout=PATIENCE)
        except filelock.Timeout as error:
            raise RunConflict(
                f"{self.folder}: another watcher has been at work for {PATIENCE:.0f} seconds; what"
                " is new will be found by the next one"
            ) from error
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"cannot write {self.folder}: {reason}") from error

        try:
            yield
        finally:
            lock.release()

    def _write(self, audits: Sequence[Audit]) -> tuple[list[WatchedProject], list[AnswerNotice]]:
        """Save the cards that are new, and return the projects and the notices of their answers.

        Notices are written before the cards that they compare: a step that is killed in between
        is noticed when its notices come again.
        """
        projects = []
        notices = []
        for audit, name in zip(audits, self._card_folders(audits), strict=True):
            folder = self.folder / CARDS / name
            document = _earlier_document(folder)
            is_new = _hash_in(document) != audit.trace_card.content_hash
            projects.append(WatchedProject(audit, folder, is_new))
            if is_new:
                earlier = None if document is None else _card_in(document, folder)
                notice = notice_of(audit.name, name, earlier, AuditCard.read(audit.card))
                notices += [] if notice is None else [notice]

        self.notices.add(notices)
        for project in projects:
            if project.is_new:
                _make_folder(project.folder)
                save_card(project.audit.card, project.folder / CARD_FILE)
        return projects, notices

    def _card_folders(self, audits: Sequence[Audit]) -> list[str]:
        """Return a plain name for each project, the same in every step."""
        salt = salt_of(self.files.archive)
        names = []
        for audit in audits:
            plain = re.sub(r"[^A-Za-z0-9._-]+", "-", audit.name).strip(".-") or "project"
            mark = source_of(salt, f"{audit.trace_format} {audit.own_name}")[:6]
            names.append(f"{plain[:80]}-{mark}")
        return names


def _make_folder(folder: Path) -> None:
    try:
        private_folder(folder.parent)
        private_folder(folder)
    except OSError as error:
        raise StorageError(f"cannot make {folder}: {error.strerror or error}") from error


def _earlier_document(folder: Path) -> Any:
    """What the card of the step before says; None where there is none."""
    file = folder / CARD_FILE
    return read_json(file) if file.exists() else None


def _hash_in(document: Any) -> object:
    return document.get("content_hash") if isinstance(document, dict) else None


def _card_in(document: Any, folder: Path) -> AuditCard:
    try:
        return AuditCard.read(document)
    except msgspec.ValidationError as error:
        file = folder / CARD_FILE
        raise InputError(f"{file}: not the card of an audit: {error}") from error
