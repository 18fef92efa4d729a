"""The calibration gate: Cohen's kappa per component and domain, compared exactly, and its report.

Below 0.6 on any component of a domain no number is published for its episodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import msgspec

from agingbench.cards.resumption import Component, ComponentGate
from agingbench.metrics.agreement import cohen_kappa, kappa_interval
from agingbench.metrics.intervals import Estimate
from agingbench.resumption.calibration.grades import LABELS
from agingbench.resumption.calibration.paraphrases import ParaphraseRecall, paraphrase_words
from agingbench.resumption.episodes.episode import LATE
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.judges.verdict import FAILED

THRESHOLD = Fraction(3, 5)
WEAK = 0.4
NEEDED = 50
RARER = 10


class CalibrationGate(msgspec.Struct, frozen=True):
    """Whether a judge agrees with the reference grades well enough to publish numbers, or why not.

    `passed` says that at least one domain is open; the others have verdicts and no scores.
    """

    passed: bool
    weak: bool
    reasons: list[str]
    components: list[ComponentGate]
    identity: JudgeIdentity | None = None
    graders: dict[str, int] = {}
    paraphrases: ParaphraseRecall | None = None
    tuned_on: int = 0

    @property
    def open_domains(self) -> frozenset[str]:
        """The domains whose components all passed."""
        return open_domains(self.components)

    @property
    def words(self) -> str:
        """The gate as the card names it: uncalibrated, weak gate or calibrated."""
        if not self.passed:
            return "uncalibrated"
        words = "weak gate" if self.weak else "calibrated"
        closed = {part.domain for part in self.components} - self.open_domains
        return f"{words} for {', '.join(sorted(self.open_domains))} only" if closed else words


def open_domains(components: Sequence[ComponentGate]) -> frozenset[str]:
    """Return the domains whose components all passed.

    A judge that fails on late-written episodes is calibrated for nothing: agreement on facts that
    its own author wrote is no evidence.
    """
    closed = {part.domain for part in components if not part.passed}
    if LATE in closed:
        return frozenset()
    return frozenset(part.domain for part in components) - closed


def closed_reasons(components: Sequence[ComponentGate]) -> list[str]:
    """Return why domains are closed; one line says all of a domain that nobody graded."""
    graded = {part.domain for part in components if part.n}
    reasons = []
    for part in components:
        if part.domain in graded:
            reasons += [f"{part.component} ({part.domain}): {reason}" for reason in part.reasons]
    for domain in sorted({part.domain for part in components} - graded):
        reasons.append(f"{domain}: no reference grades, its episodes have verdicts and no scores")
    return reasons


def component_gate(
    component: Component,
    domain: str,
    reference: Sequence[str],
    judged: Sequence[str],
    clusters: Sequence[str] | None = None,
    retest: float | None = None,
) -> ComponentGate:
    """Apply the rule to one component.

    It asks for enough grades, enough of the rarer label, and a kappa of at least 0.6.
    """
    labels = LABELS[component]
    if reference and set(reference) <= {"yes", "no"}:
        labels = ("yes", "no")
    counts = Counter(reference)
    rarer_label = min(labels, key=lambda label: (counts[label], label))
    rarer = counts[rarer_label]
    kappa = cohen_kappa(list(reference), list(judged))
    interval = _kappa_interval(reference, judged, clusters)

    reasons = []
    if len(reference) < NEEDED:
        reasons.append(f"{len(reference)} reference grades, {NEEDED} are needed")
    if rarer < RARER:
        reasons.append(f"{rarer} of the rarer label '{rarer_label}', {RARER} are needed")
    if kappa.value is None:
        reasons.append(f"kappa is undefined: {kappa.reason}")
    elif kappa.value < THRESHOLD:
        # Four digits and the fraction: 0.5999 must not read as 0.60 beside "is below 0.6".
        exact = f"{float(kappa.value):.4f} ({kappa.value})"
        reasons.append(f"kappa {exact} is below 0.6")

    passed = not reasons
    has_low_bound = interval.low is not None and interval.low >= WEAK
    return ComponentGate(
        component=component,
        domain=domain,
        n=len(reference),
        kappa=None if kappa.value is None else str(kappa.value),
        value=interval.value,
        low=interval.low,
        high=interval.high,
        rarer=rarer,
        rarer_label=rarer_label,
        failed=sum(label == FAILED for label in judged),
        passed=passed,
        weak=passed and not has_low_bound,
        missing=missing_labels(counts, labels),
        missing_for_bound=_missing_for_bound(interval),
        reasons=reasons,
        retest=retest,
    )


def _kappa_interval(
    reference: Sequence[str], judged: Sequence[str], clusters: Sequence[str] | None
) -> Estimate:
    """Return the wider of two intervals, over grades and over episodes.

    With few episodes there is little spread to resample, so that interval alone may be too narrow.
    """
    if not reference:
        return Estimate(None, None, None, 0)

    plain = kappa_interval(list(reference), list(judged))
    if clusters is None or len(set(clusters)) < 2:
        return plain

    grouped = kappa_interval(list(reference), list(judged), clusters=list(clusters))
    if plain.low is None or plain.high is None or grouped.low is None or grouped.high is None:
        return Estimate(plain.value, None, None, plain.n)
    low = min(plain.low, grouped.low)
    high = max(plain.high, grouped.high)
    return Estimate(plain.value, low, high, plain.n)


def missing_labels(counts: Counter[str], labels: Sequence[str]) -> int:
    """Return how many more grades the gate needs: 50 in all and 10 of each label."""
    missing = sum(max(0, RARER - counts[label]) for label in labels)
    return max(missing, NEEDED - sum(counts.values()))


def _missing_for_bound(interval: Estimate) -> int | None:
    """Estimate how many more grades would lift the lower bound to 0.4 at the same kappa."""
    if interval.value is None or interval.low is None or interval.value <= WEAK:
        return None
    if interval.low >= WEAK:
        return 0
    ratio = (interval.value - interval.low) / (interval.value - WEAK)
    return max(1, round(interval.n * (ratio**2 - 1) + 0.5))


def report_text(gates: Sequence[CalibrationGate]) -> str:
    """Return the Markdown of kappa_report.md: a section per judge, the newest first."""
    sections = ["# Cohen's κ per component", *map(_report_section, gates)]
    return "\n\n".join(sections) + "\n"


def _report_section(gate: CalibrationGate) -> str:
    lines = []
    identity = gate.identity
    if identity is not None:
        name = identity.judge.partition("/")[0]
        lines += [f"## {name}", ""]
        lines += [f"Judge `{identity.judge}`, tokenizer `{identity.tokenizer}`.", ""]
        for name, digest in sorted(identity.prompts.items()):
            lines.append(f"- prompt {name}: `{digest[:16]}`")
        lines.append("")

    lines += [
        "| component | domain | n | κ | 95 % interval | rarer label | judge failures"
        " | labels still needed | gate |",
        "|---|---|--:|--:|---|---|--:|--:|---|",
    ]
    lines += [_report_row(part) for part in gate.components]

    conclusion = gate.words if gate.passed else "uncalibrated: no number is published"
    lines += ["", f"**{conclusion}**", ""]
    lines += [f"- {reason}" for reason in gate.reasons]

    graders = ", ".join(f"{grader} ({n})" for grader, n in gate.graders.items())
    lines += ["", f"Grades by: {graders or 'nobody'}."]
    lines.append(f"Grades used to tune the judge, left out here: {gate.tuned_on}.")

    retests = [part.retest for part in gate.components if part.retest is not None]
    if retests:
        lines.append(
            f"Asked a second time, the judge gave the same label to {min(retests):.0%} of each"
            " component or more."
        )
    if gate.paraphrases is not None:
        lines += ["", paraphrase_words(gate.paraphrases)]
    return "\n".join(lines).rstrip()


def _report_row(part: ComponentGate) -> str:
    value = "undefined"
    if part.value is not None:
        value = f"{part.value:.3f} = {part.kappa}"
    interval = "missing"
    if part.low is not None and part.high is not None:
        interval = f"{part.low:.2f} to {part.high:.2f}"
    missing = str(part.missing)
    if part.missing_for_bound:
        missing += f" (about {part.missing_for_bound} for a lower bound of 0.4)"
    verdict = "refused"
    if part.passed:
        verdict = "weak gate" if part.weak else "passed"

    rarer = f"{part.rarer} {part.rarer_label}"
    cells = (
        part.component,
        part.domain,
        part.n,
        value,
        interval,
        rarer,
        part.failed,
        missing,
        verdict,
    )
    return f"| {' | '.join(map(str, cells))} |"
