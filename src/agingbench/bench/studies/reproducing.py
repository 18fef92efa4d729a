"""Merges folders of lives, and lives a life on disk again to see what differs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.scoring.life_card import LifeCard
from agingbench.bench.scoring.paired import read_control_link
from agingbench.bench.studies.follow_up import ask_alike
from agingbench.cards.check import VOLATILE
from agingbench.errors import InputError

# What may differ between a life and its repetition, in addition to what no content hash covers.
_NOT_COMPARED = (
    *VOLATILE,
    "provenance.git_sha",
    "provenance.agingbench_version",
    "cost_and_efficiency.latency_ms_p50",
    "cost_and_efficiency.latency_ms_p95",
)


# -- folders put together


class MergeCounts(msgspec.Struct, frozen=True):
    """How many lives were merged, and how many were there already."""

    merged: int
    kept: int


def merge(sources: Sequence[Path], out: Path) -> MergeCounts:
    """Put the lives of several folders into one.

    The same life twice is kept once. Raises InputError, before anything is copied, where two
    folders hold the same life with different content.
    """
    lives: dict[Path, Path] = {}
    present = 0
    for source in sources:
        for life in _lives_below(source):
            place = out / life.relative_to(source)
            other = lives.get(place)
            if other is None and place.exists():
                other = place

            if other is None:
                lives[place] = life
            elif _same_evidence(life, other):
                present += 1
            else:
                raise InputError(
                    f"{life} and {other} are the same life with different content; nothing was"
                    " merged"
                )

    for place, life in lives.items():
        aside = place.with_name(f".{place.name}.merging")
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(life, aside, ignore=shutil.ignore_patterns(".lock", ".*.tmp"))
        aside.rename(place)
    return MergeCounts(merged=len(lives), kept=present)


def _lives_below(source: Path) -> list[Path]:
    if not source.is_dir():
        raise InputError(f"{source}: there is no such folder")
    lives = sorted(plan.parent for plan in source.rglob("plan.json"))
    if not lives:
        raise InputError(f"{source}: no run directory here (nothing holds a plan.json)")
    return lives


def _same_evidence(one: Path, other: Path) -> bool:
    """Whether two folders hold the same evidence; times and latencies may differ."""
    if one.resolve() == other.resolve():
        return True

    a = RunDirectory(one)
    b = RunDirectory(other)
    same_life = a.plan().hash == b.plan().hash and a.sut() == b.sut() and a.ended() == b.ended()
    return same_life and not answer_changes(a, b) and _memory_texts(a) == _memory_texts(b)


def _memory_texts(run: RunDirectory) -> list[str]:
    texts = []
    for t in range(run.plan().n_sessions + 1):
        if (run.memory / f"{t}.json").exists():
            texts.append(run.snapshot(t).text)
    return texts


# -- a life and its repetition


class FigureChange(msgspec.Struct, frozen=True):
    """A value of a card that its repetition does not share, by its path."""

    path: str
    recorded: Any
    now: Any


class AnswerChange(msgspec.Struct, frozen=True):
    """A probe with another answer in the repetition."""

    probe: str
    t: int
    recorded: str
    now: str


class CodeRevision(msgspec.Struct, frozen=True):
    """The version and the commit of the tool that scored a life."""

    agingbench_version: str | None
    git_sha: str | None


class Revisions(msgspec.Struct, frozen=True):
    """The tool when the life was recorded, and the tool now."""

    recorded: CodeRevision
    now: CodeRevision


class Reproduction(msgspec.Struct, frozen=True):
    """Whether a life and its repetition are the same, and all that differs."""

    run_dir: str
    same: bool
    content_hash: tuple[str, str]
    same_revision: bool
    revision: Revisions
    figures: list[FigureChange]
    answers: list[AnswerChange]


def reproduce(
    path: Path,
    out: Path,
    resources: Resources,
    *,
    trust: bool = False,
) -> Reproduction:
    """Live a life again below `out` from its plan and its system, and report what differs.

    Its control is lived again too, and what was asked after its end is asked again. Raises
    InputError for a life that has not ended, and UntrustedFile for one whose files name code.
    """
    life = Life.open(path, trust=trust)
    if not life.folder.ended():
        raise InputError(
            f"{path}: this life has not ended, so there is nothing to repeat; run it to its end"
            " first"
        )

    again = life.again(out)
    again.live(resources)
    link = read_control_link(life.folder)
    if link is not None:
        control = Life.open(path / link.control, trust=trust).again(out)
        control.live(resources)
        again.control = control.folder
    ask_alike(life, again, resources)

    before = life.score()
    now = again.score()
    figures = figure_changes(before.document(), now.document())
    revision = Revisions(recorded=_code_revision(before), now=_code_revision(now))
    return Reproduction(
        run_dir=str(path),
        same=not figures,
        content_hash=(str(before.content_hash), str(now.content_hash)),
        same_revision=revision.recorded == revision.now,
        revision=revision,
        figures=figures,
        answers=answer_changes(life.folder, again.folder),
    )


def _code_revision(card: LifeCard) -> CodeRevision:
    provenance = card.provenance
    return CodeRevision(
        agingbench_version=provenance.agingbench_version,
        git_sha=provenance.git_sha,
    )


def figure_changes(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> list[FigureChange]:
    """List where two cards of the same evidence differ, apart from times, machine and revision."""
    changes: list[FigureChange] = []

    def walk(
        a: Any,
        b: Any,
        path: str,
    ) -> None:
        if path in _NOT_COMPARED or a == b:
            return
        if not isinstance(a, dict) or not isinstance(b, dict):
            changes.append(FigureChange(path, a, b))
            return
        for key in sorted(a.keys() | b.keys()):
            walk(a.get(key), b.get(key), f"{path}.{key}" if path else key)

    walk(recorded, now, "")
    return changes


def answer_changes(recorded: RunDirectory, now: RunDirectory) -> list[AnswerChange]:
    """List the probes that both lives were asked and answered differently."""
    rows_now = {row.probe: row for row in now.answer_rows()}
    changes = []
    for row in recorded.answer_rows():
        other = rows_now.get(row.probe)
        if other is None:
            continue
        if row.text != other.text or row.status != other.status:
            changes.append(AnswerChange(row.probe, row.t, row.text, other.text))
    return changes
