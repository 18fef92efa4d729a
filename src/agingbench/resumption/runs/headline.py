"""The headline of a run in words: late-written episodes first, what is left out, who graded."""

from __future__ import annotations

from collections.abc import Mapping

from agingbench.metrics.intervals import Estimate
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.episodes.episode import LATE
from agingbench.resumption.runs.summary import RunSummary


def headline(summary: RunSummary, gate: CalibrationGate) -> str:
    """Return the headline; empty where no number is published."""
    if not summary.publishable:
        return ""
    parts = [_late_words(summary, gate), _quality_words(summary.figures["all"], "episodes")]
    left_out = {name: n for name, n in summary.statuses.items() if name != "scored"}
    if left_out:
        parts.append(", ".join(f"{n} {name}" for name, n in sorted(left_out.items())))
    parts.append(grader_words(gate.graders))
    return "; ".join(part for part in parts if part)


def _late_words(summary: RunSummary, gate: CalibrationGate) -> str:
    """What is known of late-written episodes and of the judge on them."""
    if "late" in summary.figures:
        return _quality_words(summary.figures["late"], "late-written episodes")
    if any(part.domain == LATE for part in gate.components):
        return "no late-written episode was scored"
    return "judge not tested on late-written episodes"


def _quality_words(figures: Mapping[str, Estimate], what: str) -> str:
    quality = figures["quality"]
    if quality.value is None:
        return f"no quality on {what}"
    words = f"quality {quality.value:.3f}"
    if quality.low is not None and quality.high is not None:
        words += f" ({quality.low:.3f} to {quality.high:.3f})"
    return f"{words} on {quality.n} {what}"


def grader_words(graders: Mapping[str, int]) -> str:
    """Who graded, by kind: "graded by model: anna (50); no human"."""
    names = ", ".join(f"{who} ({n})" for who, n in graders.items())
    if not names:
        return "graded by nobody"
    has_human = any(who.startswith("human") for who in graders)
    return f"graded by {names}" if has_human else f"graded by {names}, no human"
