"""How well a judge sees forgotten approaches that are put in other words, and what its calibration
promises of that.

A promise about paraphrases rests on paraphrases: those in episodes that the gate has grades of. Its
lower 95 % bound is what calibration promises, and the held-out ones, those in other episodes, keep
it or not. How well the judge finds the mentions among the gate's own grades, which mostly name the
approach, is told beside it under its own name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.metrics.intervals import Estimate, wilson
from agingbench.resumption.calibration.grades import Grade

Rows = Sequence[
    tuple[Grade, str, str, object]
]  # a grade, the hand's label, the judge's, and the judge's second one


def measure_paraphrases(rows: Rows) -> dict[str, Any] | None:
    """The measurement; None without grades of the split `paraphrase`."""
    graded = [row for row in rows if row[0].split == "paraphrase"]
    if not graded:
        return None
    gate = [row for row in rows if row[0].split == "gate" and row[0].component == "forgetting"]
    known = {grade.episode for grade, *_ in gate}
    held, promise = (
        _seen([row for row in graded if (row[0].episode in known) is near])
        for near in (False, True)
    )
    named = _seen(gate)
    alarms = _seen(graded, mentioned=False)
    return {
        **_told(held),
        "promised": promise.low,
        "kept": _kept(held, promise),
        "calibration": _told(promise),
        "mentions": {**_told(named), "kept": _kept(held, named)},
        "false_alarms": alarms.value,
        "false_alarms_n": alarms.n,
    }


def _seen(rows: Rows, mentioned: bool = True) -> Estimate:
    """The share of texts that the judge sees a mention in, of those that hold one (or of those that
    do not).
    """
    found = [_carried(judged) for _, hand, judged, _ in rows if _carried(hand) is mentioned]
    if not found:
        return Estimate(None, None, None, 0)
    share = sum(found) / len(found)
    return Estimate(share, *wilson(share, len(found)), len(found))


def _carried(label: str) -> bool:
    return label in ("mentioned", "open", "no")


def _told(of: Estimate) -> dict[str, Any]:
    return {
        "n": of.n,
        "recall": of.value,
        "recall_ci": None if of.low is None else [of.low, of.high],
    }


def _kept(found: Estimate, promise: Estimate) -> bool | None:
    return None if found.value is None or promise.low is None else found.value >= promise.low


# --------------------------------------------------------------------------------------------------------
# words

_KEPT = {True: ", which is kept", False: ", which is not kept", None: ""}


def paraphrase_words(found: dict[str, Any]) -> str:
    """The measurement in words."""
    told = "Paraphrases of forgotten approaches seen as mentions: "
    told += (
        f"{_share(found)} of the held-out ones"
        if found["n"]
        else "none is held out, in an episode not of the gate"
    )
    if found["promised"] is None:
        told += "; nothing was promised, since none is in an episode of the gate"
    else:
        told += f"; {_share(found['calibration'])} of those in episodes of the gate"
        told += f", a promise of at least {found['promised']:.2f}{_KEPT[found['kept']]}"
    if found["false_alarms"] is not None:
        told += f". False alarms {found['false_alarms']:.2f} (n = {found['false_alarms_n']})"
    if found["mentions"]["n"]:
        told += (
            ". Mentions among the gate's own grades, which mostly name the approach:"
            f" {_share(found['mentions'])}"
        )
        told += (
            ", a bound that paraphrases do not reach" if found["mentions"]["kept"] is False else ""
        )
    return told + "."


def paraphrase_warning(found: dict[str, Any] | None) -> str | None:
    """What a card warns of: paraphrases that are seen less often than was promised, or than
    mentions by name.
    """
    if found is None or (found["kept"] is not False and found["mentions"]["kept"] is not False):
        return None
    told = (
        f"paraphrase: the judge sees {found['recall']:.2f} of held-out paraphrases of forgotten"
        " approaches"
    )
    if found["kept"] is False:
        told += f", less than its calibration promised ({found['promised']:.2f})"
    if found["mentions"]["kept"] is False:
        told += (
            "; of mentions, which mostly name the approach, it sees"
            f" {found['mentions']['recall']:.2f}"
        )
    return told


def _share(found: dict[str, Any]) -> str:
    low, high = found["recall_ci"]
    return f"{found['recall']:.2f} ({low:.2f} to {high:.2f}, n = {found['n']})"
