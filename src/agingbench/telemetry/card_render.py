"""The Lifespan Card as plain text, from the `trace_audit` block alone."""

from __future__ import annotations

from typing import Any

from agingbench.telemetry.profile import MECHANISMS

WIDTH = 60
STARS = 5
_ANSWERS = {True: "aging", False: "no evidence", None: "cannot tell"}


def render_card_ascii(trace_audit: dict[str, Any]) -> str:
    """The card, 60 columns or a little more, ASCII only."""
    head = trace_audit["headline"]
    regime = trace_audit["trace_regime"]
    kind = "tool-using" if regime["tool_using"] else "chat-only"
    detected = {True: "AGING DETECTED", False: "no aging detected", None: "undecided"}[
        head["aging_detected"]
    ]
    lines = [
        "Agent Lifespan Report",
        "=" * WIDTH,
        f"{detected}: {head['aging_reason']}",
        f"Headline: {head['label']} [{head['source']}]",
        (
            f"Trace regime: {kind}, {regime['n_sessions']} sessions, outcomes {regime['outcomes']},"
            f" {regime['adapter']}"
        ),
        "",
        "Mechanism evidence:",
        *(_row(name, trace_audit[name]) for name in MECHANISMS),
        "",
        *_closing(trace_audit),
    ]

    return "\n".join(_ascii(line) for line in lines) + "\n"


def stars(block: dict[str, Any]) -> int:
    """Return 0 to 5 stars: one per half of a moderate effect for what fired, else none."""
    if not block.get("fired"):
        return 0

    effect = block.get("standardised_effect") or 0.0
    return max(1, min(STARS, round(2 * effect)))


def _row(name: str, block: dict[str, Any]) -> str:
    n_stars = stars(block)
    marks = "*" * n_stars + "." * (STARS - n_stars)
    answer = _ANSWERS[block.get("fired")]
    figures = _figures(block)
    weak = " (text patterns only)" if block.get("weak_evidence") else ""
    coverage = block["coverage"]["verdict"]
    return f"  {name:<14}{marks}  {answer}{weak}; {figures}; coverage {coverage}"


def _figures(block: dict[str, Any]) -> str:
    effect = block.get("effect")
    interval = block.get("effect_ci")
    if effect is None:
        return block.get("reason") or "nothing to test"

    ends = f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else ""
    p = block.get("p_adjusted")
    sure = "" if p is None else f", p {p:.3f}"

    return f"{block['leading_signal'].replace('_', ' ')} {effect:.2f}{ends}{sure}"


def _closing(trace_audit: dict[str, Any]) -> list[str]:
    chosen = trace_audit["dominant_mechanism"]
    if chosen["dominant"] is None:
        compatible = (
            f"; compatible with {', '.join(chosen['compatible'])}" if chosen["compatible"] else ""
        )
        return [f"Dominant mechanism: none, {chosen['reason'].replace('_', ' ')}{compatible}"]

    scores = sorted(chosen["scores"].items(), key=lambda kv: -kv[1])
    runner = f", runner-up {scores[1][0]} {scores[1][1]:.2f}" if len(scores) > 1 else ""
    return [
        f"Dominant mechanism: {chosen['dominant']} (score {scores[0][1]:.2f}{runner})",
        f"Signature: {trace_audit['signature']}",
        f"Repair: {trace_audit['repair']}",
    ]


def _ascii(line: str) -> str:
    return line.encode("ascii", "replace").decode()
