"""How well a judge sees forgotten approaches in other words, and what its calibration promises.

The promise rests on the paraphrases in episodes that the gate has grades of: it is the lower 95 %
bound of the judge's recall there. The held-out paraphrases, those in other episodes, keep it or
not. The recall on the mentions among the gate's own grades, which mostly name the approach, is
reported beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from agingbench.metrics.intervals import Estimate, wilson
from agingbench.resumption.calibration.grades import Grade

_MENTION_LABELS = ("mentioned", "open", "no")
_KEPT_WORDS = {True: ", which is kept", False: ", which is not kept", None: ""}


class GradedLabel(NamedTuple):
    """A graded item: its reference label, the judge's, and the judge's second if asked again."""

    grade: Grade
    reference: str
    judge: str
    retest: str | None


class Recall(msgspec.Struct, frozen=True):
    """The share of texts with a mention in which the judge sees it."""

    n: int
    recall: float | None
    recall_ci: list[float] | None

    @property
    def words(self) -> str:
        """The share with its interval and n; only for n above 0."""
        if self.recall is None or self.recall_ci is None:
            return "none (n = 0)"
        low, high = self.recall_ci
        return f"{self.recall:.2f} ({low:.2f} to {high:.2f}, n = {self.n})"


class MentionRecall(Recall, frozen=True):
    """The recall on the gate's own mentions; `kept` says whether paraphrases reach its bound."""

    kept: bool | None


class ParaphraseRecall(Recall, frozen=True):
    """The recall on held-out paraphrases, beside what calibration promised."""

    promised: float | None
    kept: bool | None
    calibration: Recall
    mentions: MentionRecall
    false_alarms: float | None
    false_alarms_n: int


def measure_paraphrases(labels: Sequence[GradedLabel]) -> ParaphraseRecall | None:
    """Return the measurement, or None without grades of the split `paraphrase`."""
    paraphrases = [label for label in labels if label.grade.split == "paraphrase"]
    if not paraphrases:
        return None

    gate = []
    for label in labels:
        if label.grade.split == "gate" and label.grade.component == "forgetting":
            gate.append(label)
    gate_episodes = {label.grade.episode for label in gate}
    in_gate = [label for label in paraphrases if label.grade.episode in gate_episodes]
    held_out = [label for label in paraphrases if label.grade.episode not in gate_episodes]

    recall = _mention_share(held_out)
    promise = _mention_share(in_gate)
    mentions = _mention_share(gate)
    false_alarms = _mention_share(paraphrases, mentioned=False)

    return ParaphraseRecall(
        n=recall.n,
        recall=recall.value,
        recall_ci=_interval(recall),
        promised=promise.low,
        kept=_reaches(recall, promise),
        calibration=Recall(promise.n, promise.value, _interval(promise)),
        mentions=MentionRecall(
            n=mentions.n,
            recall=mentions.value,
            recall_ci=_interval(mentions),
            kept=_reaches(recall, mentions),
        ),
        false_alarms=false_alarms.value,
        false_alarms_n=false_alarms.n,
    )


def _mention_share(labels: Sequence[GradedLabel], mentioned: bool = True) -> Estimate:
    """Return how often the judge sees a mention where the reference grade has one (or has none)."""
    seen = []
    for label in labels:
        if (label.reference in _MENTION_LABELS) is mentioned:
            seen.append(label.judge in _MENTION_LABELS)
    if not seen:
        return Estimate(None, None, None, 0)
    share = sum(seen) / len(seen)
    low, high = wilson(share, len(seen))
    return Estimate(share, low, high, len(seen))


def _interval(share: Estimate) -> list[float] | None:
    if share.low is None or share.high is None:
        return None
    return [share.low, share.high]


def _reaches(recall: Estimate, promise: Estimate) -> bool | None:
    if recall.value is None or promise.low is None:
        return None
    return recall.value >= promise.low


def paraphrase_words(measurement: ParaphraseRecall) -> str:
    """Return the measurement in words, for the report."""
    words = "Paraphrases of forgotten approaches seen as mentions: "
    if measurement.n:
        words += f"{measurement.words} of the held-out ones"
    else:
        words += "none is held out, in an episode not of the gate"

    if measurement.promised is None:
        words += "; nothing was promised, since none is in an episode of the gate"
    else:
        words += f"; {measurement.calibration.words} of those in episodes of the gate"
        words += f", a promise of at least {measurement.promised:.2f}"
        words += _KEPT_WORDS[measurement.kept]

    if measurement.false_alarms is not None:
        words += f". False alarms {measurement.false_alarms:.2f}"
        words += f" (n = {measurement.false_alarms_n})"

    if measurement.mentions.n:
        words += ". Mentions among the gate's own grades, which mostly name the approach: "
        words += measurement.mentions.words
        if measurement.mentions.kept is False:
            words += ", a bound that paraphrases do not reach"
    return words + "."


def paraphrase_warning(measurement: ParaphraseRecall | None) -> str | None:
    """Return the card's warning if paraphrases are seen less often than promised or than names."""
    if measurement is None:
        return None
    mentions = measurement.mentions
    if measurement.kept is not False and mentions.kept is not False:
        return None

    words = (
        f"paraphrase: the judge sees {measurement.recall:.2f} of held-out paraphrases of forgotten"
        " approaches"
    )
    if measurement.kept is False:
        words += f", less than its calibration promised ({measurement.promised:.2f})"
    if mentions.kept is False:
        words += f"; of mentions, which mostly name the approach, it sees {mentions.recall:.2f}"
    return words
