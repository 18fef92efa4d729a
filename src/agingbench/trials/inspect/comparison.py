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
    tokens_total: int | None
    cost_usd: float | None
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
    names = _row_names(targets, summaries)
    for name, about in zip(names, summaries, strict=True):
        summary = about.summary
        sequence = summary.behaviour.sequence
        trials.append(
            ComparedTrial(
                target=name,
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
                tokens_total=_tokens(about),
                cost_usd=about.cost_usd,
                sequence=sequence,
                edit_distance=edit_distance(first.summary.behaviour.sequence, sequence),
                similarity=similarity(first_transitions, transitions(sequence)),
                differs=_differences(first, about),
            )
        )
    return TrialComparison(trials)


def _row_names(targets: Sequence[str], summaries: Sequence[TargetSummary]) -> list[str]:
    """A name for each row that no other has: the trial's id, else as much of a path as it takes."""
    ids = [about.trial_id for about in summaries]
    names = []
    for target, trial_id in zip(targets, ids, strict=True):
        if trial_id is not None and ids.count(trial_id) == 1:
            names.append(trial_id)
        else:
            names.append(_short_path(target, targets))
    return names


def _short_path(target: str, targets: Sequence[str]) -> str:
    """The last parts of a path that tell it apart from the others."""
    parts = Path(target).parts
    others = [Path(other).parts for other in targets if other != target]
    for length in range(1, len(parts) + 1):
        end = parts[-length:]
        if all(other[-length:] != end for other in others):
            return "/".join(end)
    return target


def _tokens(about: TargetSummary) -> int | None:
    counts = about.summary.tokens
    if counts is None or counts.input is None or counts.output is None:
        return None
    return counts.input + counts.output


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
        "tokens_total": _tokens(about),
        "cost_usd": about.cost_usd,
    }
