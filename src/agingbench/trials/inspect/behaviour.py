"""The behaviour of a trial: labels, transitions, and a comparison with successful trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agingbench.trials.inspect.behaviour_rules import CODES, RULES, classify_turns
from agingbench.trials.inspect.reviews import classifications
from agingbench.trials.inspect.sequences import (
    SequenceComparison,
    compare_with,
    count_labels,
    sequence_of,
    transition_shares,
    transitions,
)
from agingbench.trials.inspect.targets import read_stored, read_target
from agingbench.trials.inspect.transcripts import AUTO
from agingbench.trials.inspect.turns import Turn, assistant_turns
from agingbench.trials.ledger import Ledger, StoredTrial
from agingbench.trials.query import Query

SUCCESS = 1.0


class SessionBehaviour(msgspec.Struct, frozen=True):
    """The labels of one session, compared with the other sessions of its life."""

    session: int
    sequence: str
    counts: dict[str, int]
    reference_n: int
    similarity: float | None
    edit_distance: int | None
    normalized_edit_distance: float | None
    reason: str | None


class LabelProfile(msgspec.Struct, frozen=True):
    """Counts, transitions and sessions of one trial's labels."""

    classified_turns: int
    sequence: str
    counts: dict[str, int]
    transitions: list[list[int]]
    transition_shares: list[list[float | None]]
    labels: str
    sessions: list[SessionBehaviour]


class Behaviour(msgspec.Struct, frozen=True):
    """The labels of a trial, who gave them, and the comparison with other successful trials."""

    target: str
    source: str
    classifier: str
    prompt_hash: str | None
    classified_turns: int
    sequence: str
    counts: dict[str, int]
    transitions: list[list[int]]
    transition_shares: list[list[float | None]]
    labels: str
    sessions: list[SessionBehaviour]
    reference: SequenceComparison
    # Only a model that labels can have problems; the rules leave the key out.
    problems: list[str] | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True)
class Labeller:
    """Who labels turns: a name, the hash of its prompt, and the function."""

    name: str
    prompt_hash: str | None
    label: Callable[[Sequence[Turn]], list[str | None]]


BY_RULES = Labeller(RULES, None, lambda turns: list(classify_turns(turns)))


def profile_labels(labels: Sequence[str | None], turns: Sequence[Turn]) -> LabelProfile:
    """Describe the labels of one trial; sessions are compared when there are at least two."""
    sequence = sequence_of(labels)
    counts = transitions(sequence)

    by_session: dict[int, str] = {}
    for turn, label in zip(turns, labels, strict=True):
        if turn.session is not None:
            by_session[turn.session] = by_session.get(turn.session, "") + (label or "?")

    sessions = []
    if len(by_session) > 1:
        for session, own in sorted(by_session.items()):
            others = [other for t, other in by_session.items() if t != session]
            comparison = msgspec.structs.asdict(compare_with(own, others))
            sessions.append(SessionBehaviour(session, own, count_labels(own), **comparison))

    return LabelProfile(
        classified_turns=sum(label is not None for label in labels),
        sequence=sequence,
        counts=count_labels(sequence),
        transitions=counts,
        transition_shares=transition_shares(counts),
        labels=CODES,
        sessions=sessions,
    )


def classify_trial(
    target: str,
    ledger: Callable[[], Ledger],
    labeller: Labeller = BY_RULES,
    success: float = SUCCESS,
    format: str = AUTO,
) -> tuple[Behaviour, StoredTrial | None]:
    """Label a trial and compare it with other successful trials of its experiment and task."""
    transcript, stored = read_target(target, ledger, format)
    turns = assistant_turns(transcript.events)
    profile = profile_labels(labeller.label(turns), turns)

    others: list[str] = []
    if stored is not None:
        others = _successful_sequences(ledger(), stored, labeller, success)

    behaviour = Behaviour(
        target=stored.record.trial_id if stored else Path(target).name,
        source=transcript.source,
        classifier=labeller.name,
        prompt_hash=labeller.prompt_hash,
        reference=compare_with(profile.sequence, others),
        **msgspec.structs.asdict(profile),
    )
    return behaviour, stored


def _successful_sequences(
    ledger: Ledger, stored: StoredTrial, labeller: Labeller, success: float
) -> list[str]:
    """The sequences of other successful trials of the task, never of the trial itself.

    Labels of different classifiers are not compared: a model is compared with the labels it
    recorded for the other trials.
    """
    record = stored.record
    recorded = {}
    for classification in classifications(ledger):
        if classification.classifier != labeller.name:
            continue
        if classification.prompt_hash == labeller.prompt_hash:
            recorded[classification.trial_id] = classification.labels

    sequences = []
    for row in ledger.list(Query(experiment=record.experiment_id, min_reward=success)):
        is_same_trial = record.trial_id in (row.trial_id, row.supersedes, row.superseded_by)
        if is_same_trial or row.superseded_by is not None:
            continue
        if row.task_id != record.task.task_id:
            continue

        if labeller is BY_RULES:
            transcript = read_stored(ledger.get(row.trial_id))
            sequences.append("".join(classify_turns(assistant_turns(transcript.events))))
        else:
            sequences.append(recorded.get(row.trial_id, ""))

    return [sequence for sequence in sequences if sequence]
