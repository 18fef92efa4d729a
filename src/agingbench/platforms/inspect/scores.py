"""The scores of a life: its curve m_00 … m_N, slope, half-life and the mechanisms' figures.

What was not measured is NaN, which Inspect leaves out of every mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from anyio import to_thread
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState
from msgspec import UnsetType

from agingbench.cards.model import MECHANISMS, Card
from agingbench.metrics.survival import half_lives
from agingbench.platforms.figures import AT_LEAST, HALF_LIFE, life_figures
from agingbench.platforms.inspect.life_files import KEY, score_packed

SCORER = "aging"
NOT_FINISHED = "life_not_finished"
CENSORED = "half_life_censored"
LAST_POINT = "last_point"

# A half-life is not among them: a mean over those that were reached would leave out the best lives.
MEANS = ("m_[0-9]*", "slope", *(f"{mechanism}_*" for mechanism in MECHANISMS))


@metric(name="half_lives", scores="unreduced")
def half_lives_metric() -> Metric:
    """Half-lives over all lives with censoring: restricted mean, median and counts."""

    def summary(scores: list[SampleScore]) -> Value:
        found = half_lives([_half_life(one.score) for one in scores])
        return {
            "rmst": _number(found.rmst.value),
            "median": _number(found.median.value),
            "censored": found.censored,
        }

    return summary


def _half_life(score: Score) -> tuple[float | None, bool | None, float]:
    about = score.metadata or {}
    return about[HALF_LIFE], about[CENSORED], about[LAST_POINT]


@scorer(
    name=SCORER,
    metrics={
        **{key: [mean(), stderr()] for key in MEANS},
        AT_LEAST: [half_lives_metric()],
    },
)
def aging() -> Scorer:
    """Score a life from its files in the store; one that did not end stays unscored."""

    async def score(state: TaskState, target: Target) -> Score:
        files = state.store.get(KEY)
        if files is None:
            return Score.unscored(
                reason=NOT_FINISHED,
                explanation="The life did not come to its end, so that it has no curve.",
            )
        card = await to_thread.run_sync(score_packed, files)
        reason = card.headline.aging_reason
        return score_of(card, None if isinstance(reason, UnsetType) else reason)

    return score


def score_of(card: Card, reason: str | None) -> Score:
    """The score of a life's card; the card stands whole in its metadata."""
    headline = card.headline
    censored = headline.half_life_censored
    about = {
        HALF_LIFE: headline.half_life.value,
        CENSORED: None if isinstance(censored, UnsetType) else censored,
        LAST_POINT: float(card.checkpoints[-1][0]),
        "card": card.document(),
    }
    return Score(value=score_values(card), explanation=reason, metadata=about)


def score_values(card: Card) -> dict[str, float]:
    """The figures of a life's card as Inspect holds them."""
    return with_nan(life_figures(card))


def with_nan(figures: Mapping[str, float | None]) -> dict[str, float]:
    """Figures with NaN, Inspect's word for unscored, where one is missing."""
    return {name: _number(value) for name, value in figures.items()}


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
