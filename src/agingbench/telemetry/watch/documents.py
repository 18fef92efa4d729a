"""The JSON document of `agingbench watch`: one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import msgspec

from agingbench.cards.audit import AnswerNotice
from agingbench.telemetry.watch.watcher import WatchedProject, WatchStep


class WatchedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One project: its answer, and where its card lies below the folder of the watch."""

    name: str
    aging_detected: bool | None
    aging_reason: str | None
    n_sessions: int
    is_new: bool
    card: str


class WatchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What a step did, and the notices that were not shown before."""

    archived: dict[str, int]
    only_in_archive: int
    seconds: float
    projects: list[WatchedRow]
    notices: list[AnswerNotice]


def step_document(step: WatchStep, notices: Sequence[AnswerNotice]) -> WatchDocument:
    """Return the document of a step."""
    return WatchDocument(
        archived=asdict(step.archived),
        only_in_archive=step.gone,
        seconds=round(step.seconds, 3),
        projects=[_row(project) for project in step.projects],
        notices=list(notices),
    )


def _row(project: WatchedProject) -> WatchedRow:
    audit = project.audit
    return WatchedRow(
        name=audit.name,
        aging_detected=audit.detected,
        aging_reason=audit.trace_card.headline.aging_reason,
        n_sessions=audit.n_sessions,
        is_new=project.is_new,
        card=f"cards/{project.folder.name}/aging_card.json",
    )
