"""The sentences of a study's page: who kept most, under which condition, and by how much."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from agingbench.cards.model import Card
from agingbench.metrics.intervals import smallest_p
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import number
from agingbench.report.lives import USUAL_LEVEL, difference_words, paired_by_seed
from agingbench.report.series import Series
from agingbench.trials.run_folder import LifeFiles, ScoreRecord


def values_of(series: Series, key: str) -> list[float]:
    """A headline figure of each life that has it."""
    values = [card.headline.figure(key).value for card in series.cards]
    return [value for value in values if value is not None]


def mean_of(series: Series, key: str) -> float | None:
    """The mean of a headline figure over lives; None where no life has it."""
    values = values_of(series, key)
    return statistics.fmean(values) if values else None


def study_sentences(groups: Mapping[str, Sequence[Series]]) -> list[str]:
    """Who kept the most under every condition, if one did; then who did and by how much in one."""
    sentences = [study_answer(groups)]
    winners = []
    for rows in groups.values():
        known = [one for one in rows if mean_of(one, "time_average") is not None]
        if len(known) > 1:
            winners.append(max(known, key=lambda one: mean_of(one, "time_average") or 0.0).label)
    if len(winners) > 1 and len(set(winners)) == 1:
        sentences.insert(0, f"{winners[0]} kept the most under all {len(winners)} conditions.")
    return sentences


def study_answer(groups: Mapping[str, Sequence[Series]]) -> str:
    """Who kept most and who least, where several systems lived under one condition."""
    widest = max(groups.values(), key=len)  # the first, where several are as wide
    means = {}
    for one in widest:
        value = mean_of(one, "time_average")
        if value is not None:
            means[one.label] = value
    if len(means) < 2:
        return "No condition was lived by two systems, so none can be called the better."
    best = max(means, key=lambda name: means[name])
    worst = min(means, key=lambda name: means[name])
    counts = {len(one.cards) for one in widest}
    least = min(counts)
    noun = "life" if least == 1 else "lives"
    extent = f"{least} {noun} each" if len(counts) == 1 else f"{least} {noun} at least"
    words = headline_words(card for one in widest for card in one.cards)
    where = f"In {widest[0].condition}: " if len(groups) > 1 else ""
    return (
        f"{where}{best} kept the most, {100 * means[best]:.0f} % {words.share}, over its life;"
        f" {worst} the least, {100 * means[worst]:.0f} % ({extent})."
    )


def lead_words(ranked: Sequence[Series]) -> str:
    """By how much the first of the systems leads the second, over lives of equal seeds."""
    if len(ranked) < 2:
        return ""
    first, second = ranked[:2]
    result = paired_by_seed(first, second, "time_average")
    if result is None or result.effect.value is None:
        return ""
    words = f" {first.label} − {second.label} over the life, paired by seed:"
    words += f" {difference_words(result)}."
    least = smallest_p(result.n)
    if least is not None and least > USUAL_LEVEL:
        words += f" So few pairs cannot give a p below {number(least)}, so none is shown."
    return words


def scores_by_card(cards: Sequence[Card], folders: Sequence[Path | None]) -> dict[str, ScoreRecord]:
    """The verdicts of each life whose folder holds them, by the card's content hash."""
    records = {}
    for card, folder in zip(cards, folders, strict=True):
        if folder is None:
            continue
        files = LifeFiles(folder)
        if files.metrics.exists():
            records[str(card.content_hash)] = files.scores()
    return records
