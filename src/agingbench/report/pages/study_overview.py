"""The first table of a study's page: what each condition shows, and where the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agingbench.metrics.intervals import smallest_p
from agingbench.report.layout import MISSING, number
from agingbench.report.lives import USUAL_LEVEL, difference_words, paired_by_seed
from agingbench.report.pages.charts import TableCell
from agingbench.report.pages.study_answer import mean_of
from agingbench.report.series import Series, last_point, median_half_life

OVERVIEW_COLUMNS = [
    "condition",
    "kept most over the life",
    "share",
    "lead over the second, paired by seed",
    "shortest half-life, in sessions",
]


def condition_anchor(place: int) -> str:
    """Where the page shows a condition."""
    return f"condition-{place}"


def overview_rows(groups: Mapping[str, Sequence[Series]]) -> list[list[TableCell]]:
    """One row per condition; empty where there is only one, which the page shows at once."""
    if len(groups) < 2:
        return []
    rows = []
    for place, series in enumerate(groups.values()):
        ranked = ranked_by_share(series)
        first = ranked[0]
        cells = [
            TableCell(first.condition, condition_anchor(place)),
            TableCell(first.label),
            TableCell(number(mean_of(first, "time_average"))),
            TableCell(_lead(ranked)),
            TableCell(_shortest(series)),
        ]
        rows.append(cells)
    return rows


def overview_words(groups: Mapping[str, Sequence[Series]]) -> str:
    """Which system has the shortest half-life of all; empty where none lost half."""
    found = []
    for series in groups.values():
        for one in series:
            middle = median_half_life(one)[0].value
            if middle is not None:
                found.append((middle, one))
    if not found:
        return "No system lost half of what it knew under any condition."
    least = min(middle for middle, _ in found)
    equal = [one for middle, one in found if f"{middle:.1f}" == f"{least:.1f}"]
    first = equal[0]
    words = f"The shortest half-life of all is {least:.1f} sessions: {first.label}"
    words += f" in {first.condition}"
    if len(equal) > 1:
        words += f", and {len(equal) - 1} more with the same to one decimal"
    return f"{words}.{_pairs_words(groups)}"


def _pairs_words(groups: Mapping[str, Sequence[Series]]) -> str:
    """That a lead rests on too few pairs for a small p-value, where any does."""
    limits = []
    for series in groups.values():
        ranked = ranked_by_share(series)
        if len(ranked) < 2:
            continue
        result = paired_by_seed(ranked[0], ranked[1], "time_average")
        least = None if result is None else smallest_p(result.n)
        if least is not None and least > USUAL_LEVEL:
            limits.append(least)
    if not limits:
        return ""
    return (
        f" So few pairs cannot give a p below {number(max(limits))}, so none is shown: read how"
        " large a lead is, and how sure, from its interval."
    )


def ranked_by_share(series: Sequence[Series]) -> list[Series]:
    """The systems of one condition, the one that kept most over its life first."""
    return sorted(series, key=lambda one: -(mean_of(one, "time_average") or 0.0))


def _lead(ranked: Sequence[Series]) -> str:
    if len(ranked) < 2:
        return MISSING
    result = paired_by_seed(ranked[0], ranked[1], "time_average")
    if result is None:
        return f"no common seeds with {ranked[1].label}"
    return f"over {ranked[1].label}: {difference_words(result)}"


def _shortest(series: Sequence[Series]) -> str:
    known = []
    for one in series:
        middle = median_half_life(one)[0].value
        if middle is not None:
            known.append((middle, one.label))
    if not known:
        length = max(last_point(card) for one in series for card in one.cards)
        return f"none lost half in {length:g}"
    least = min(middle for middle, _ in known)
    names = [label for middle, label in known if f"{middle:.1f}" == f"{least:.1f}"]
    return f"{', '.join(names)}: {least:.1f}"
