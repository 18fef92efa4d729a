"""The Lifespan Card as plain text, from the `trace_audit` block alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agingbench.cards.audit import AuditBlock, MechanismFinding

WIDTH = 60
STARS = 5
_DETECTED = {True: "AGING DETECTED", False: "no aging detected", None: "undecided"}
_ANSWERS = {True: "aging", False: "no evidence", None: "cannot tell"}


def render_card_ascii(trace_audit: Mapping[str, Any]) -> str:
    """The card, 60 columns or a little more, ASCII only; raises ValueError without a regime."""
    audit = AuditBlock.read(trace_audit)
    headline = audit.headline
    regime = audit.trace_regime
    if regime is None:
        raise ValueError("the trace_audit of the card has no trace_regime")

    detected = _DETECTED[headline.aging_detected]
    kind = "tool-using" if regime.tool_using else "chat-only"
    rows = [_row(name, finding) for name, finding in audit.findings().items()]
    lines = [
        "Agent Lifespan Report",
        "=" * WIDTH,
        f"{detected}: {headline.aging_reason}",
        f"Headline: {headline.label} [{headline.source}]",
        (
            f"Trace regime: {kind}, {regime.n_sessions} sessions, outcomes {regime.outcomes},"
            f" {regime.adapter}"
        ),
        "",
        "Mechanism evidence:",
        *rows,
        "",
        *_closing(audit),
    ]

    return "\n".join(_ascii(line) for line in lines) + "\n"


def stars(finding: MechanismFinding) -> int:
    """Return 0 to 5 stars: one per half of a moderate effect for what fired, else none."""
    if not finding.fired:
        return 0

    effect = finding.standardised_effect or 0.0
    return max(1, min(STARS, round(2 * effect)))


def _row(name: str, finding: MechanismFinding) -> str:
    n_stars = stars(finding)
    marks = "*" * n_stars + "." * (STARS - n_stars)
    answer = _ANSWERS[finding.fired]
    figures = _figures(finding)
    weak = " (text patterns only)" if finding.weak_evidence else ""
    coverage = "unknown" if finding.coverage is None else finding.coverage.verdict
    return f"  {name:<14}{marks}  {answer}{weak}; {figures}; coverage {coverage}"


def _figures(finding: MechanismFinding) -> str:
    effect = finding.effect
    if effect is None or finding.leading_signal is None:
        return finding.reason or "nothing to test"

    interval = finding.effect_ci
    ends = f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else ""
    p = finding.p_adjusted
    sure = "" if p is None else f", p {p:.3f}"
    signal = finding.leading_signal.replace("_", " ")

    return f"{signal} {effect:.2f}{ends}{sure}"


def _closing(audit: AuditBlock) -> list[str]:
    choice = audit.dominant_mechanism
    if choice.dominant is None:
        reason = (choice.reason or "").replace("_", " ")
        compatible = ""
        if choice.compatible:
            compatible = f"; compatible with {', '.join(choice.compatible)}"
        return [f"Dominant mechanism: none, {reason}{compatible}"]

    scores = sorted((choice.scores or {}).items(), key=lambda item: -item[1])
    places = [f"{name} {score:.2f}" for name, score in scores]
    runner_up = f", runner-up {places[1]}" if len(places) > 1 else ""
    return [
        f"Dominant mechanism: {choice.dominant} (score {scores[0][1]:.2f}{runner_up})",
        f"Signature: {audit.signature}",
        f"Repair: {audit.repair}",
    ]


def _ascii(line: str) -> str:
    return line.encode("ascii", "replace").decode()
