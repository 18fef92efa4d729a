"""Checks a whole leaderboard: every file, every entry, what was there before, and the evidence."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from agingbench.bench.leaderboard.disputes import changed_disputes, dispute_problems
from agingbench.bench.leaderboard.places import (
    RETRACTED,
    EntryPlace,
    card_place,
    files_of,
    is_dispute,
    is_free,
    retraction_place,
    submission_place,
)
from agingbench.bench.leaderboard.rules import check_entry, read_entry
from agingbench.bench.leaderboard.suite import DEFAULT_SUITE, BoardSuite
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import score_folder
from agingbench.cards.leaderboard import BoardCheck, BoardProblem, Submission
from agingbench.errors import AgingBenchError
from agingbench.traces.canonical import content_hash
from agingbench.traces.files import read_bytes
from agingbench.trials.record import read_trial, record_hash


def check_board(
    root: Path,
    suite: BoardSuite = DEFAULT_SUITE,
    *,
    base: Path | None = None,
    evidence: Sequence[Path] = (),
    trust: bool = False,
) -> BoardCheck:
    """Hold a leaderboard to its rules.

    `base` is the leaderboard before the change: what stands there must still stand, or be
    retracted. `evidence` are run folders: their lives are scored again and compared with the cards.
    """
    problems: list[BoardProblem] = []
    places: set[EntryPlace] = set()
    cards = 0
    for file in files_of(root):
        place, reason = _placed(root, file)
        if reason:
            name = file.relative_to(root).as_posix()
            problems.append(BoardProblem(name, "name", reason))
        if place is not None:
            places.add(place)
            cards += card_place(root, file) is not None

    for place in sorted(places):
        problems += check_entry(root, place, suite) if not place.retracted else []
    problems += _duplicates(root, places)
    disputes = dispute_problems(root, places, base)
    problems += disputes
    if base is not None and not disputes:
        problems += changed_disputes(root, base)
    if base is not None:
        problems += _history_problems(root, base)
    scored, found = _evidence_problems(root, places, evidence, trust)
    problems += found
    entries = sum(not place.retracted for place in places)
    return BoardCheck(not problems, entries, cards, scored, problems)


def _placed(root: Path, file: Path) -> tuple[EntryPlace | None, str | None]:
    """The entry that a file belongs to, or why it may not lie there."""
    if file.is_symlink():
        return None, "a link; a leaderboard holds files only, and nothing outside itself"
    card = card_place(root, file)
    if card is not None:
        return card.entry, None
    place = submission_place(root, file) or retraction_place(root, file)
    if place is not None or is_dispute(root, file) or is_free(root, file):
        return place, None
    wanted = "<track>/<scenario>/<key>__seed<N>.json"
    return None, f"no file of a leaderboard lies here; cards are {wanted}"


def _duplicates(root: Path, places: Iterable[EntryPlace]) -> list[BoardProblem]:
    """Trials that are submitted twice, and systems that stand under two keys."""
    problems = []
    trials: dict[str, str] = {}
    systems: dict[tuple[str, str, str], str] = {}
    for place in sorted(places):
        entry, _ = read_entry(root, place)
        if entry is None:
            continue
        file = place.submission(root).relative_to(root).as_posix()
        for trial in entry.submission.trials:
            first = trials.setdefault(trial.trial_id, file)
            if first != file:
                reason = f"trial {trial.trial_id} was submitted already, in {first}"
                problems.append(BoardProblem(file, "duplicate", reason))
        if place.retracted:
            continue
        system = content_hash(entry.submission.configuration)
        first = systems.setdefault((place.track, place.scenario, system), file)
        if first != file:
            reason = f"the same system stands on the leaderboard already, in {first}"
            problems.append(BoardProblem(file, "duplicate", reason))
    return problems


def _history_problems(root: Path, base: Path) -> list[BoardProblem]:
    """Entries that were changed or taken away; a retraction moves them and changes nothing."""
    problems = []
    for file in files_of(base):
        if file.is_symlink() or is_free(base, file) or is_dispute(base, file):
            continue
        name = file.relative_to(base)
        kept = [root / name, root / RETRACTED / name]
        present = [path for path in kept if path.is_file() and not path.is_symlink()]
        if not present:
            reason = "an entry was taken away; entries are retracted with a reason, never deleted"
            problems.append(BoardProblem(name.as_posix(), "history", reason))
        elif read_bytes(present[0]) != read_bytes(file):
            reason = "an entry of the leaderboard was changed; submit under another key"
            problems.append(BoardProblem(name.as_posix(), "history", reason))
    return problems


# -- evidence


def _evidence_problems(
    root: Path, places: Iterable[EntryPlace], evidence: Sequence[Path], trust: bool
) -> tuple[int, list[BoardProblem]]:
    """Cards that differ from what the files of their lives say; and how many were compared."""
    if not evidence:
        return 0, []
    folders = {}
    for path in evidence:
        run = RunDirectory(path)
        if run.trial.exists():
            folders[read_trial(run.trial).trial_id] = path
    problems = []
    scored = 0
    for place in sorted(places):
        entry, _ = read_entry(root, place)
        if entry is None:
            continue
        for seed, reason in _rescored(entry.submission, folders, trust):
            scored += 1
            if reason:
                name = place.card(root, seed).relative_to(root).as_posix()
                problems.append(BoardProblem(name, "evidence", reason))
    return scored, problems


def _rescored(
    submission: Submission, folders: dict[str, Path], trust: bool
) -> Iterable[tuple[int, str | None]]:
    for trial in submission.trials:
        folder = folders.get(trial.trial_id)
        if folder is None:
            continue
        try:
            hashes = _score_again(folder, trust)
        except AgingBenchError as error:
            yield trial.seed, f"its life cannot be scored again: {error}"
            continue
        differs = hashes != (trial.content_hash, trial.record_hash)
        reason = "scored again from the files of its life, the card or its trial says otherwise"
        yield trial.seed, reason if differs else None


def _score_again(folder: Path, trust: bool) -> tuple[str, str]:
    """Content hash of the card and hash of the record, made in a copy of the run folder."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "life"
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".lock"))
        card = score_folder(copy, trust=trust)
        return str(card.content_hash), record_hash(read_trial(RunDirectory(copy).trial))
