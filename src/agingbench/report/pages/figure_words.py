"""What each figure of a mechanism says, in words for somebody who meets it for the first time."""

from __future__ import annotations

FIGURE_WORDS = {
    ("compression", "score"): "plain facts, asked for one by one, that were answered right",
    ("compression", "dep_recall"): "values right in questions that need several facts",
    ("interference", "resistance"): "right answers about facts that have a look-alike",
    ("interference", "confusion_rate"): "the look-alike's value was given, alone or with the right",
    ("interference", "miss_rate"): "neither the right value nor the look-alike's was given",
    ("interference", "confusion_given_stored"): (
        "another value was given although the memory still states the right one"
    ),
    ("revision", "version_accuracy"): "of facts that changed, the value of now and no old one",
    ("revision", "forget_accuracy"): "lists and facts right without what was taken back",
    ("revision", "accumulator_accuracy"): "running totals that were right",
    ("revision", "accumulator_rel_error"): "how far off totals were, as a share of the true one",
    ("revision", "stale_residue_rate"): "an old value was given, alone or with the one of now",
    ("revision", "cvr"): "rules broken in tasks that a rule forbids (constraint violation rate)",
    ("revision", "over_refusal_rate"): "tasks declined that no rule forbids",
    ("revision", "undecided_share"): "tasks neither done nor declined",
    ("revision", "cite_accuracy"): "acts that name rightly what they leave to memory",
    ("maintenance", "pre_shock"): "the curve at the two points before the first event",
    ("maintenance", "post_shock"): "the curve at the two points after it",
    ("maintenance", "delta"): "after minus before",
}


def figure_words(mechanism: str, figure: str) -> str:
    """What a figure says; empty where its name says it."""
    return FIGURE_WORDS.get((mechanism, figure), "")
