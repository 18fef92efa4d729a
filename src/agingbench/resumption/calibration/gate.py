"""The rule of the calibration gate: Cohen's kappa per component and domain, compared exactly, and
its report.

Below 0.6 on any component no number is published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec

from agingbench.metrics.agreement import cohen_kappa, kappa_interval
from agingbench.metrics.intervals import Estimate
from agingbench.resumption.calibration.grades import LABELS
from agingbench.resumption.calibration.paraphrases import paraphrase_words
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.judges.claim import Component
from agingbench.resumption.runs.score import FAILED

THRESHOLD = Fraction(3, 5)
WEAK = 0.4
NEEDED = 50
RARER = 10


class ComponentGate(msgspec.Struct, frozen=True):
    """One component in one domain. `kappa` is exact, as text; `missing` counts the labels still
    needed.
    """

    component: Component
    domain: str
    n: int
    kappa: str | None
    value: float | None
    low: float | None
    high: float | None
    rarer: int
    rarer_label: str | None
    failed: int
    passed: bool
    weak: bool
    missing: int
    missing_for_bound: int | None
    reasons: list[str]
    retest: float | None = None


class CalibrationGate(msgspec.Struct, frozen=True):
    """The verdict on a judge: may numbers be published, and if not, why."""

    passed: bool
    weak: bool
    reasons: list[str]
    components: list[ComponentGate]
    identity: JudgeIdentity | None = None
    graders: dict[str, int] = {}
    paraphrases: dict[str, Any] | None = None
    tuned_on: int = 0

    @property
    def words(self) -> str:
        """What the card says of it."""
        if not self.passed:
            return "uncalibrated"
        return "weak gate" if self.weak else "calibrated"


# -----------------------------------------------------------------------------------------------------
# the rule


def component_gate(
    component: Component,
    domain: str,
    hand: Sequence[str],
    judged: Sequence[str],
    clusters: Sequence[str] | None = None,
    retest: float | None = None,
) -> ComponentGate:
    """The rule for one component: enough labels, enough of the rarer one, a kappa that is defined
    and at least 0.6.
    """
    labels = ("yes", "no") if set(hand) <= {"yes", "no"} and hand else LABELS[component]
    counts = Counter(hand)
    rarer_label = min(labels, key=lambda label: (counts[label], label))
    rarer = counts[rarer_label]
    kappa = cohen_kappa(list(hand), list(judged))
    interval = _interval(hand, judged, clusters)
    reasons = []
    if len(hand) < NEEDED:
        reasons.append(f"{len(hand)} hand grades, {NEEDED} are needed")
    if rarer < RARER:
        reasons.append(f"{rarer} of the rarer label '{rarer_label}', {RARER} are needed")
    if kappa.value is None:
        reasons.append(f"kappa is undefined: {kappa.reason}")
    elif kappa.value < THRESHOLD:
        reasons.append(f"kappa {_shown(kappa.value)} is below 0.6")
    passed = not reasons
    low = interval.low
    return ComponentGate(
        component,
        domain,
        len(hand),
        None if kappa.value is None else str(kappa.value),
        interval.value,
        low,
        interval.high,
        rarer,
        rarer_label,
        sum(label == FAILED for label in judged),
        passed,
        passed and (low is None or low < WEAK),
        missing_labels(counts, labels),
        _for_bound(interval),
        reasons,
        retest,
    )


def _interval(
    hand: Sequence[str], judged: Sequence[str], clusters: Sequence[str] | None
) -> Estimate:
    """The wider of two intervals, over grades and over episodes: few episodes have no spread to
    resample.
    """
    if not hand:
        return Estimate(None, None, None, 0)
    plain = kappa_interval(list(hand), list(judged))
    if clusters is None or len(set(clusters)) < 2:
        return plain
    grouped = kappa_interval(list(hand), list(judged), clusters=list(clusters))
    if plain.low is None or plain.high is None or grouped.low is None or grouped.high is None:
        return Estimate(plain.value, None, None, plain.n)
    return Estimate(
        plain.value, min(plain.low, grouped.low), max(plain.high, grouped.high), plain.n
    )


def missing_labels(counts: Counter[str], labels: Sequence[str]) -> int:
    """How many more grades the gate needs: up to 50 in all and 10 of each label."""
    short = sum(max(0, RARER - counts[label]) for label in labels)
    return max(short, NEEDED - sum(counts.values()))


def _for_bound(interval: Estimate) -> int | None:
    """About how many more grades would bring the lower bound to 0.4, were kappa to stay as it is."""
    if interval.value is None or interval.low is None or interval.value <= WEAK:
        return None
    if interval.low >= WEAK:
        return 0
    wide = (interval.value - interval.low) / (interval.value - WEAK)
    return max(1, round(interval.n * (wide**2 - 1) + 0.5))


def _shown(value: Fraction) -> str:
    # 0.5999 must not read as 0.60 beside "is below 0.6".
    return f"{float(value):.4f} ({value})"


# -------------------------------------------------------------------------------------------------------
# report


def report_text(gate: CalibrationGate) -> str:
    """kappa_report.md."""
    identity = gate.identity
    lines = ["# Cohen's κ per component", ""]
    if identity is not None:
        lines += [f"Judge `{identity.judge}`, tokenizer `{identity.tokenizer}`.", ""]
        lines += [
            f"- prompt {name}: `{digest[:16]}`" for name, digest in sorted(identity.prompts.items())
        ] + [""]
    lines += [
        (
            "| component | domain | n | κ | 95 % interval | rarer label | judge failures | labels"
            " still needed | gate |"
        ),
        "|---|---|--:|--:|---|---|--:|--:|---|",
    ]
    for part in gate.components:
        interval = (
            "missing"
            if part.low is None or part.high is None
            else f"{part.low:.2f} to {part.high:.2f}"
        )
        verdict = "refused" if not part.passed else "weak gate" if part.weak else "passed"
        value = "undefined" if part.value is None else f"{part.value:.3f} = {part.kappa}"
        lines.append(
            f"| {part.component} | {part.domain} | {part.n} | {value} | {interval} | {part.rarer}"
            f" {part.rarer_label} | {part.failed} | {part.missing}{_more(part)} | {verdict} |"
        )
    lines += [
        "",
        f"**{gate.words}**" if gate.passed else "**uncalibrated: no number is published**",
        "",
    ]
    lines += [f"- {reason}" for reason in gate.reasons]
    lines += [
        "",
        "Grades by: "
        + (", ".join(f"{who} ({n})" for who, n in gate.graders.items()) or "nobody")
        + ".",
    ]
    lines.append(f"Grades used to tune the judge, left out here: {gate.tuned_on}.")
    retests = [p.retest for p in gate.components if p.retest is not None]
    if retests:
        lines.append(
            f"Asked a second time, the judge gave the same label to {min(retests):.0%} of each"
            " component or more."
        )
    if gate.paraphrases is not None:
        lines += ["", paraphrase_words(gate.paraphrases)]
    return "\n".join(lines).rstrip() + "\n"


def _more(part: ComponentGate) -> str:
    return (
        f" (about {part.missing_for_bound} for a lower bound of 0.4)"
        if part.missing_for_bound
        else ""
    )
