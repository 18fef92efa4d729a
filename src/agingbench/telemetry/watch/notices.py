"""Notices of answers that changed: written down before anything else, so that no kill costs one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agingbench.cards.audit import AnswerNotice, AuditCard, AuditChange, compare_audits
from agingbench.traces.files import read_bytes, write_atomic
from agingbench.traces.journal import Journal

NOTICES = "notices.jsonl"
SHOWN = "notices_shown"
NEW_CARD = AuditCard()  # a project that was not there before says nothing
_WORDS = {True: "yes", False: "no", None: "cannot tell"}


class Notices:
    """The journal of notices in the folder of a watch, and how many of them were shown."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NOTICES
        self.shown_path = folder / SHOWN

    def all(self) -> list[AnswerNotice]:
        """Return every notice, oldest first; a torn line is left out."""
        notices = []
        lines = read_bytes(self.path).split(b"\n") if self.path.exists() else []
        for line in lines:
            try:
                notices.append(msgspec.json.decode(line, type=AnswerNotice))
            except msgspec.MsgspecError:
                continue
        return notices

    def add(self, notices: Sequence[AnswerNotice]) -> None:
        """Write notices down; one that a killed run has written is not written again."""
        if not notices:
            return

        written = {_identity(notice) for notice in self.all()}
        with Journal(self.path, private=True) as journal:
            for notice in notices:
                if _identity(notice) not in written:
                    journal.append(msgspec.json.encode(notice))

    def unread(self) -> list[AnswerNotice]:
        """Return the notices that nobody was shown."""
        return self.all()[self._shown() :]

    def mark_shown(self) -> None:
        """Remember that every notice was shown."""
        count = len(self.all())
        if count != self._shown():
            write_atomic(self.shown_path, str(count).encode(), private=True)

    def _shown(self) -> int:
        if not self.shown_path.exists():
            return 0
        text = os.fsdecode(read_bytes(self.shown_path))
        return int(text) if text.isdecimal() else 0


def _identity(notice: AnswerNotice) -> tuple[str, str | None, str | None]:
    return notice.folder, notice.hash_before, notice.hash_now


def notice_of(
    project: str, folder: str, earlier: AuditCard | None, later: AuditCard
) -> AnswerNotice | None:
    """Return the notice of a changed answer; None where the answer is as before.

    The answer is whether the agent ages and which mechanisms fire. A project that is seen for the
    first time is worth a notice only when it ages.
    """
    before = NEW_CARD if earlier is None else earlier
    change = compare_audits(before, later)
    if earlier is None and not change.aging_now:
        return None
    if change.aging_before == change.aging_now and _fired(before) == _fired(later):
        return None

    return AnswerNotice(
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        project=project,
        folder=folder,
        reason_before=before.headline.aging_reason,
        reason_now=later.headline.aging_reason,
        causes=_causes(before, later, change),
        change=change,
        hash_before=before.content_hash,
        hash_now=later.content_hash,
    )


def _fired(card: AuditCard) -> set[str]:
    return {name for name, finding in card.trace_audit.findings().items() if finding.fired}


def _causes(before: AuditCard, later: AuditCard, change: AuditChange) -> list[str]:
    """Return what is different, in words: sessions, how they were read, and each mechanism."""
    causes = []
    more = change.n_sessions_now - change.n_sessions_before
    if more:
        causes.append(f"{more} new session{'s' * (more != 1)}" if more > 0 else f"{more} sessions")
    causes += _other_reading(before, later)
    if not causes:
        causes.append("more records, or other projects, in the same sessions")

    findings = later.trace_audit.findings()
    for name, row in change.mechanisms.items():
        if row.fired_before != row.fired_now:
            words = f"{name}: {_WORDS[row.fired_before]}, now {_WORDS[row.fired_now]}"
            reason = findings[name].reason
            causes.append(f"{words} ({reason})" if reason else words)
    return causes


def _other_reading(before: AuditCard, later: AuditCard) -> list[str]:
    """Return what changed in how the same traces are read."""
    old = before.provenance
    new = later.provenance
    if old is None or new is None:
        return []

    causes = []
    if old.agingbench_version != new.agingbench_version:
        causes.append(f"agingbench {old.agingbench_version}, now {new.agingbench_version}")
    if old.profile != new.profile:
        causes.append(f"profile {old.profile}, now {new.profile}")
    return causes
