"""The gate's verdict as Markdown with a picture, for the summary of a build."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.cards.comparison import GatedLife, GateResult
from agingbench.cards.model import Card
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import interval_text, number
from agingbench.report.paper.tables import markdown_cell
from agingbench.report.series import mean_curve
from agingbench.report.text import plain

# Mermaid draws no legend; the colours are named in words below the chart.
_COLOURS = "#c0392b, #2c7fb8"
_THEME = f'%%{{init: {{"themeVariables": {{"xyChart": {{"plotColorPalette": "{_COLOURS}"}}}}}}}}%%'


def gate_markdown(result: GateResult, candidate: Sequence[Card], baseline: Sequence[Card]) -> str:
    """What the gate decided and why, the figures, and the mean curves of both sides."""
    verdict = "failed" if result.failures else "passed"
    reasons = "; ".join(result.failures) or f"no drop beyond {result.max_drop:g}"
    lines = [
        f"### Aging gate: {verdict}",
        "",
        markdown_cell(f"{reasons}. {result.basis}."),
        "",
        "| | system | right over the life |",
        "|---|---|--:|",
        _row("candidate", result.candidate),
        _row("baseline", result.baseline),
        "",
        f"Drop {number(result.drop, 3, True)}, 95 % interval"
        f" {interval_text(result.drop_ci, 3, True)}, limit {result.max_drop:g}; a drop below"
        f" {number(result.detectable, 3)} could not have been seen. Seeds paired:"
        f" {len(result.seeds)}.",
        "",
        *_picture(candidate, baseline),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, life: GatedLife) -> str:
    system = markdown_cell(plain(life.sut_id))
    return f"| {name} | {system} | {number(life.time_average, 3)} |"


def _picture(candidate: Sequence[Card], baseline: Sequence[Card]) -> list[str]:
    """A Mermaid chart of both curves over the points that both were measured at."""
    new = {t: m for t, m in mean_curve(candidate) if m is not None}
    old = {t: m for t, m in mean_curve(baseline) if m is not None}
    points = sorted(new.keys() & old.keys())
    if len(points) < 2:
        return []
    words = headline_words([*candidate, *baseline])
    return [
        "```mermaid",
        _THEME,
        "xychart-beta",
        f'  title "{words.axis.capitalize()}, by session"',
        f"  x-axis [{', '.join(f'{t:g}' for t in points)}]",
        '  y-axis "share" 0 --> 1',
        f"  line [{', '.join(f'{new[t]:.4f}' for t in points)}]",
        f"  line [{', '.join(f'{old[t]:.4f}' for t in points)}]",
        "```",
        "",
        "Red: candidate. Blue: baseline. Means over seeds.",
    ]
