"""The three scores of an episode and their geometric mean; a missing score stays missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import msgspec

from agingbench.resumption.judges.claim import COMPONENTS
from agingbench.resumption.judges.verdict import FAILED, WORTH, ItemVerdict


class EpisodeScores(msgspec.Struct, frozen=True):
    """The three components, each between 0 and 1, or None where nothing was judged."""

    continuation_correctness: float | None
    preservation_recall: float | None
    forgetting_precision: float | None

    @property
    def quality(self) -> float | None:
        """The geometric mean of the components; None when one is missing."""
        return quality(
            self.continuation_correctness, self.preservation_recall, self.forgetting_precision
        )


def quality(
    continuation: float | None, preservation: float | None, forgetting: float | None
) -> float | None:
    """Return the geometric mean of the components, or None when one is missing."""
    if continuation is None or preservation is None or forgetting is None:
        return None

    scores = (continuation, preservation, forgetting)
    for name, score in zip(COMPONENTS, scores, strict=True):
        if not 0 <= score <= 1:
            raise ValueError(f"{name} must lie in 0..1, not {score}")
    return float((continuation * preservation * forgetting) ** (1 / 3))


def score_verdicts(verdicts: Iterable[ItemVerdict]) -> EpisodeScores:
    """Return the mean worth per component; of several continuations the best one counts."""
    by_component: dict[str, dict[int, list[ItemVerdict]]] = {name: {} for name in COMPONENTS}
    for verdict in verdicts:
        ways = by_component[verdict.component]
        ways.setdefault(verdict.way, []).append(verdict)

    best: dict[str, float | None] = {}
    for component, ways in by_component.items():
        means = [_mean_worth(group) for group in ways.values()]
        judged = [mean for mean in means if mean is not None]
        best[component] = max(judged, default=None)

    return EpisodeScores(
        continuation_correctness=best["continuation"],
        preservation_recall=best["preservation"],
        forgetting_precision=best["forgetting"],
    )


def _mean_worth(verdicts: Sequence[ItemVerdict]) -> float | None:
    worth = [WORTH[verdict.label] for verdict in verdicts if verdict.label != FAILED]
    if not worth:
        return None
    return float(sum(worth, Fraction(0)) / len(worth))
