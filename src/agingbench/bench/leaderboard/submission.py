"""Makes a submission of the run folders of one system, and puts it into a leaderboard."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from agingbench.bench.leaderboard.places import (
    TRACKS,
    EntryPlace,
    checked_key,
    entries_of,
    write_board_file,
)
from agingbench.bench.leaderboard.rules import check_entry
from agingbench.bench.leaderboard.suite import DEFAULT_SUITE, BoardSuite, is_scenario
from agingbench.bench.life.folder import RunDirectory
from agingbench.cards.check import load_card, without_paths
from agingbench.cards.leaderboard import BoardProblem, Submission, SubmittedTrial
from agingbench.cards.model import Card, Track
from agingbench.errors import InputError
from agingbench.traces.files import read_bytes, write_atomic
from agingbench.traces.scrub.keys import clean_keys
from agingbench.trials.record import read_trial, record_hash


class Refused(InputError):
    """A submission that breaks rules; carries all of them."""

    def __init__(self, problems: Sequence[BoardProblem]) -> None:
        self.problems = list(problems)
        reasons = "; ".join(f"{problem.rule}: {problem.reason}" for problem in problems)
        super().__init__(f"not submitted, nothing was written: {reasons}")


def submit(
    root: Path,
    runs: Sequence[Path],
    key: str,
    submitter: str,
    *,
    conflict: str | None = None,
    fork: str | None = None,
    suite: BoardSuite = DEFAULT_SUITE,
) -> EntryPlace:
    """Put the cards of these lives into a leaderboard under a key, or write nothing at all.

    Raises Refused with every rule that they break.
    """
    key = checked_key(key)
    lives = _lives_of_suite(runs, suite)
    first = Card.read(load_card(lives[0].card))
    if first.track not in TRACKS or not is_scenario(first.scenario):
        raise InputError(
            f"{lives[0].card}: the leaderboard has no {first.scenario!r} in track {first.track!r}"
        )
    place = EntryPlace(first.track, first.scenario, key)
    _check_key_is_free(root, place)
    submission = _submission(lives, place, submitter, conflict, fork)

    with tempfile.TemporaryDirectory() as scratch:
        draft = Path(scratch)
        _write(draft, place, submission, lives)
        problems = check_entry(draft, place, suite)
        if problems:
            raise Refused(problems)
    _write(root, place, submission, lives)
    return place


def _lives_of_suite(runs: Sequence[Path], suite: BoardSuite) -> list[RunDirectory]:
    """The lives to submit: those of the suite's plans, else all, so that a rule can say why not.

    A run with lifecycle events holds the same lives without them as well.
    """
    lives = [RunDirectory(path) for path in runs]
    for life in lives:
        if not life.card.exists() or not life.trial.exists():
            raise InputError(
                f"{life.path}: this life has not ended (no card or no trial); run it again to"
                " continue"
            )
    planned = []
    for life in lives:
        plan = life.plan()
        if plan.hash == suite.plan_hash(plan.scenario, plan.seed):
            planned.append(life)
    chosen = planned or lives
    scenarios = sorted({life.sut().scenario for life in chosen})
    if len(scenarios) > 1:
        names = ", ".join(scenarios)
        raise InputError(f"these are lives of several scenarios ({names}); submit one at a time")
    return sorted(chosen, key=lambda life: life.plan().seed)


def _check_key_is_free(root: Path, place: EntryPlace) -> None:
    if not root.exists():
        return
    for entry in entries_of(root):
        same = (entry.track, entry.scenario, entry.key)
        if same == (place.track, place.scenario, place.key):
            state = "was retracted and stays on record" if entry.retracted else "is taken"
            raise InputError(f"key {place.key} {state} in {place.scenario}; choose another key")


def _submission(
    lives: Sequence[RunDirectory],
    place: EntryPlace,
    submitter: str,
    conflict: str | None,
    fork: str | None,
) -> Submission:
    configuration = lives[0].sut().document()
    text = json.dumps(configuration)
    if without_paths(configuration) != configuration or clean_keys(text) != text:
        raise InputError(
            f"{lives[0].sut_file}: the system names a path of this machine or a key; run it with"
            " relative paths and keys from the environment, then submit"
        )
    return Submission(
        key=place.key,
        track=cast(Track, place.track),
        scenario=place.scenario,
        submitter=submitter,
        conflict=conflict,
        fork=fork,
        configuration=configuration,
        trials=[_trial(life) for life in lives],
    )


def _trial(life: RunDirectory) -> SubmittedTrial:
    record = read_trial(life.trial)
    card = Card.read(load_card(life.card))
    output = record.outputs.agent_output
    return SubmittedTrial(
        seed=card.seed,
        trial_id=record.trial_id,
        record_hash=record_hash(record),
        content_hash=str(card.content_hash),
        completeness=record.completeness,
        status=output.status if output is not None else "unknown",
        reward=record.evaluation.reward,
    )


def _write(
    root: Path, place: EntryPlace, submission: Submission, lives: Sequence[RunDirectory]
) -> None:
    place.folder(root).mkdir(parents=True, exist_ok=True)
    for life in lives:
        target = place.card(root, life.plan().seed)
        write_atomic(target, read_bytes(life.card))
    # Last: an entry without it is refused, so that half of one is never taken for a whole.
    write_board_file(place.submission(root), submission)


def move_entry(root: Path, place: EntryPlace) -> EntryPlace:
    """Move all files of an entry to the retracted ones."""
    retracted = EntryPlace(place.track, place.scenario, place.key, retracted=True)
    target = retracted.folder(root)
    target.mkdir(parents=True, exist_ok=True)
    cards = sorted(place.folder(root).glob(f"{place.key}__seed*.json"))
    for file in [*cards, place.submission(root)]:
        shutil.move(file, target / file.name)
    return retracted
