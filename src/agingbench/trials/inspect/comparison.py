"""Trials side by side, each compared with the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from agingbench.trials.inspect.sequences import edit_distance, similarity, transitions
from agingbench.trials.inspect.summary import TargetSummary, TokenCounts, summarize_target
from agingbench.trials.inspect.transcripts import AUTO
from agingbench.trials.ledger import Ledger


class ComparedTrial(msgspec.Struct, frozen=True):
    """One trial of a comparison; `differs` holds its figures minus those of the first trial."""

    target: str
    source: str
    reward: float | None
    completeness: str | None
    assistant_turns: int
    tool_calls: int
    tool_errors_total: int
    unmatched_calls: int
    total_messages: int
    tool_errors: dict[str, int]
    tokens: TokenCounts | None
    sequence: str
    edit_distance: int
    similarity: float | None
    differs: dict[str, float | None]


class TrialComparison(msgspec.Struct, frozen=True):
    """The result of `trials compare`."""

    trials: list[ComparedTrial]


def compare_trials(
    targets: Sequence[str], ledger: Callable[[], Ledger], format: str = AUTO
) -> TrialComparison:
    """Summarise each target and compare its figures and behaviour with those of the first."""
    summaries = [summarize_target(target, ledger, format) for target in targets]
    first = summaries[0]
    first_transitions = transitions(first.summary.behaviour.sequence)

    trials = []
    for target, about in zip(targets, summaries, strict=True):
        summary = about.summary
        sequence = summary.behaviour.sequence
        trials.append(
            ComparedTrial(
                target=about.trial_id or Path(target).name,
                source=summary.source,
                reward=about.reward,
                completeness=about.completeness,
                assistant_turns=summary.assistant_turns,
                tool_calls=summary.tool_calls,
                tool_errors_total=summary.tool_errors_total,
                unmatched_calls=summary.unmatched_calls,
                total_messages=summary.total_messages,
                tool_errors=summary.tool_errors,
                tokens=summary.tokens,
                sequence=sequence,
                edit_distance=edit_distance(first.summary.behaviour.sequence, sequence),
                similarity=similarity(first_transitions, transitions(sequence)),
                differs=_differences(first, about),
            )
        )
    return TrialComparison(trials)


def _differences(first: TargetSummary, other: TargetSummary) -> dict[str, float | None]:
    """The figures that differ, by name; None where one side has no value."""
    figures_of_both = zip(_figures(first).items(), _figures(other).values(), strict=True)
    differences: dict[str, float | None] = {}
    for (name, a), b in figures_of_both:
        if a != b:
            differences[name] = b - a if a is not None and b is not None else None
    return differences


def _figures(about: TargetSummary) -> dict[str, float | None]:
    summary = about.summary
    return {
        "reward": about.reward,
        "assistant_turns": summary.assistant_turns,
        "tool_calls": summary.tool_calls,
        "tool_errors_total": summary.tool_errors_total,
        "unmatched_calls": summary.unmatched_calls,
        "total_messages": summary.total_messages,
    }
