"""How many questions of lives were asked and answered right, of every kind together."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agingbench.report.pages.walk import AS_LIVED
from agingbench.trials.run_folder import ScoreRecord


class AnswerCounts(msgspec.Struct, frozen=True):
    """Questions asked and those answered right; calls that broke count for neither."""

    right: int
    asked: int


def count_answers(scores: Iterable[ScoreRecord]) -> AnswerCounts | None:
    """The counts over lives; None where nothing was asked."""
    right = 0
    asked = 0
    for record in scores:
        for answer in record.answers:
            if answer.condition != AS_LIVED or answer.verdict == "failed":
                continue
            asked += 1
            right += answer.verdict == "correct"
    return AnswerCounts(right, asked) if asked else None
