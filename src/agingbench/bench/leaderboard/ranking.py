"""Ranks entries by figure: two systems are told apart only where their difference is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from agingbench.bench.leaderboard.places import (
    EntryPlace,
    entries_of,
    read_disputes,
    read_retraction,
    read_submission,
)
from agingbench.bench.leaderboard.rules import EntryFiles, read_entry
from agingbench.bench.leaderboard.suite import is_scenario, scenario_version
from agingbench.cards.figures import Figure
from agingbench.cards.leaderboard import (
    BoardEntry,
    BoardRank,
    BoardTable,
    Leaderboard,
    RetractedEntry,
    ScenarioBoard,
)
from agingbench.cards.model import Card, Track
from agingbench.errors import InputError
from agingbench.metrics.intervals import Estimate, mean_over_lives, newcombe, paired_difference
from agingbench.metrics.pooling import pooled_difference

# What each table is ranked by; more is better in all of them.
FIGURES = {
    "overall": "headline.time_average",
    "compression": "compression.score",
    "interference": "interference.resistance",
    "revision": "revision.version_accuracy",
    "maintenance": "maintenance.shock_delta",
}


def build_board(root: Path) -> Leaderboard:
    """The ranks of every scenario; raises InputError where an entry cannot be read."""
    groups: dict[tuple[str, str, str], list[EntryFiles]] = {}
    retracted = []
    for place in entries_of(root):
        if place.retracted:
            retracted.append(_retracted(root, place))
            continue
        entry, problems = read_entry(root, place)
        if entry is None or not entry.cards:
            reason = problems[0].reason if problems else "it has no cards"
            raise InputError(f"{place.key}: {reason}; see `agingbench leaderboard check`")
        version = next(iter(entry.cards.values())).scenario_version
        groups.setdefault((place.track, place.scenario, version), []).append(entry)

    disputes = read_disputes(root)
    unsettled = [dispute for dispute in disputes if dispute.outcome is None]
    scenarios = []
    for (track, scenario, version), entries in sorted(groups.items()):
        numbers = {
            entry.place.key: [
                dispute.number
                for dispute in unsettled
                if (dispute.track, dispute.scenario, dispute.key)
                == (track, scenario, entry.place.key)
            ]
            for entry in entries
        }
        scenarios.append(_scenario_board(track, scenario, version, entries, numbers))
    return Leaderboard(scenarios=scenarios, disputes=disputes, retracted=retracted)


def is_current(board: ScenarioBoard) -> bool:
    """Whether the entries are of the scenario's version of now."""
    return is_scenario(board.scenario) and scenario_version(board.scenario) == board.version


def _retracted(root: Path, place: EntryPlace) -> RetractedEntry:
    return RetractedEntry(
        track=place.track,
        scenario=place.scenario,
        key=place.key,
        submitter=read_submission(place.submission(root)).submitter,
        retraction=read_retraction(place.retraction(root)),
    )


def _scenario_board(
    track: str,
    scenario: str,
    version: str,
    entries: Sequence[EntryFiles],
    disputes: dict[str, list[int]],
) -> ScenarioBoard:
    rows = []
    for entry in entries:
        cards = list(entry.cards.values())
        rows.append(
            BoardEntry(
                key=entry.place.key,
                sut_id=cards[0].sut.sut_id,
                submitter=entry.submission.submitter,
                conflict=entry.submission.conflict,
                fork=entry.submission.fork,
                warnings=sorted({text for card in cards for text in card.warnings}),
                disputes=disputes[entry.place.key],
            )
        )
    tables = [rank_entries(name, figure, entries) for name, figure in FIGURES.items()]
    return ScenarioBoard(
        track=cast(Track, track),
        scenario=scenario,
        version=version,
        entries=rows,
        tables=[table for table in tables if table.ranks],
    )


def rank_entries(name: str, figure: str, entries: Sequence[EntryFiles]) -> BoardTable:
    """One table: each entry with its mean over seeds and the ranks that it may have."""
    means: dict[str, Estimate] = {}
    measured = []
    for entry in entries:
        values = [_figure(card, figure).value for card in entry.cards.values()]
        if any(value is None for value in values):
            continue
        measured.append(entry)
        in_range = all(value is not None and 0 <= value <= 1 for value in values)
        means[entry.place.key] = mean_over_lives(values, proportion=in_range)

    better: dict[str, set[str]] = {entry.place.key: set() for entry in measured}
    for i, a in enumerate(measured):
        for b in measured[i + 1 :]:
            winner, loser = _compare_entries(a, b, figure)
            if winner and loser:
                better[loser].add(winner)

    ranks = []
    for entry in measured:
        key = entry.place.key
        mean = means[key]
        losers = {other for other, winners in better.items() if key in winners}
        tied = sorted(better.keys() - better[key] - losers - {key})
        has_interval = mean.low is not None and mean.high is not None
        ranks.append(
            BoardRank(
                key=key,
                sut_id=next(iter(entry.cards.values())).sut.sut_id,
                value=cast(float, mean.value),
                value_ci=cast(tuple[float, float], (mean.low, mean.high)) if has_interval else None,
                value_n=mean.n,
                best=1 + len(better[key]),
                worst=len(measured) - len(losers),
                tied=tied,
            )
        )
    ranks.sort(key=lambda rank: (rank.best, rank.worst, -rank.value, rank.key))
    missing = sorted({entry.place.key for entry in entries} - better.keys())
    pairs = len(measured) * (len(measured) - 1) // 2
    return BoardTable(name=name, figure=figure, ranks=ranks, missing=missing, pairs=pairs)


def _compare_entries(a: EntryFiles, b: EntryFiles, figure: str) -> tuple[str | None, str | None]:
    """The better and the worse of two entries; None twice where they cannot be told apart."""
    seeds = sorted(a.cards.keys() & b.cards.keys())
    pairs = [(_figure(a.cards[seed], figure), _figure(b.cards[seed], figure)) for seed in seeds]
    difference = _difference(pairs)
    if difference.low is not None and difference.low > 0:
        return a.place.key, b.place.key
    if difference.high is not None and difference.high < 0:
        return b.place.key, a.place.key
    return None, None


def _difference(pairs: Sequence[tuple[Figure, Figure]]) -> Estimate:
    """A − B over seeds; with the intervals of the cards where they have them."""
    lives = []
    for a, b in pairs:
        if a.value is None or b.value is None:
            continue
        bounds_a = _bounds(a)
        bounds_b = _bounds(b)
        if bounds_a is None or bounds_b is None:
            break
        low, high = newcombe((a.value, *bounds_a), (b.value, *bounds_b), 0.0)
        lives.append(Estimate(a.value - b.value, low, high, min(a.count, b.count)))
    if len(lives) == len(pairs):
        return pooled_difference(lives)
    return paired_difference([a.value for a, _ in pairs], [b.value for _, b in pairs]).effect


def _bounds(figure: Figure) -> tuple[float, float] | None:
    """Both ends of a figure's interval; None where one is missing or no number."""
    low, high = figure.interval or (None, None)
    if isinstance(low, int | float) and isinstance(high, int | float):
        return low, high
    return None


def _figure(card: Card, name: str) -> Figure:
    section, _, key = name.partition(".")
    if section == "headline":
        return card.headline.figure(key)
    figure: Figure = getattr(card.mechanism_metrics, section).figure(key)
    return figure
