"""Audits on the terminal: the Lifespan Card of one, a fleet, and two compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from agingbench.cards.audit import (
    AuditBlock,
    AuditCard,
    AuditChange,
    AuditVerdict,
    FleetOutcomes,
    MechanismFinding,
    TraceExtent,
)
from agingbench.cards.model import RecordCounts
from agingbench.records import Problem
from agingbench.report.audit_notes import (
    effect_text,
    evidence_rows,
    fleet_reasons,
    moments_rows,
    open_rows,
    other_tiers,
    p_text,
    profile_words,
    warning_sentences,
)
from agingbench.report.layout import (
    MISSING,
    bare_table,
    block,
    grid,
    in_words,
    interval_text,
    number,
    show,
)
from agingbench.report.text import plain

WIDEST = 12
LONGEST_NAME = 30  # of a project on a screen of 80 columns; a wider one gives the rest to names
MOST_SHOWN = 5  # projects of a fleet whose evidence is shown
MOST_MALFORMED = 5

# Warnings that the page says in another place.
_SHOWN_ELSEWHERE = (
    "telemetry_partial",
    "malformed_records",
    "mechanism_not_exercised",
    "confounded",
)
_EFFECTS = "effect: first to last session, or after events; × is a factor, else a share"
_ANSWERS = {
    True: ("aging", "bold red"),
    False: ("no", "green"),
    None: ("cannot tell", "yellow"),
}
_DETECTED = {
    True: ("aging detected", "bold red"),
    False: ("no aging detected", "bold green"),
    None: ("undecided", "bold yellow"),
}


@dataclass(frozen=True)
class FleetRow:
    """The audit of one project of a fleet."""

    name: str
    detected: bool | None
    card: AuditCard
    p: float | None
    p_fleet: float | None


def print_audit(card: AuditCard, problems: Sequence[Problem], console: Console) -> None:
    """Print the card of one agent; raises ValueError where the card is not that of an audit."""
    audit = card.trace_audit
    if audit.trace_regime is None:
        raise ValueError("the trace_audit of the card has no trace_regime")

    counts = _record_counts(card)
    word, style = _DETECTED[card.headline.aging_detected]
    reason = plain(card.headline.aging_reason or "")
    about = [
        ("verdict", Text.assemble((word, style), f": {reason}")),
        ("headline", Text(_headline(card.headline))),
        ("trace", Text(_extent(audit.trace_regime))),
        ("profile", Text(profile_words(card))),
        ("records", Text(_record_words(counts))),
    ]
    parts: list[RenderableType] = [
        Text("Agent Lifespan Report", "bold"),
        grid(about),
        Text(),
        _mechanism_table(audit),
    ]
    if any(finding.effect is not None for finding in audit.findings().values()):
        parts.append(Text(_EFFECTS, "dim"))

    closing = [
        *_dominant_rows(audit),
        *evidence_rows(audit),
        *moments_rows(audit),
        *open_rows(audit),
    ]
    parts += [Text(), grid(closing)]

    notes = [f"note: {words}" for words in warning_sentences(card.warnings, _SHOWN_ELSEWHERE)]
    notes += _malformed_lines(problems, counts["malformed"])
    if notes:
        parts.append(Text())
        parts += [Text(line, "dim") for line in notes]
    show(console, *parts)


def _headline(verdict: AuditVerdict) -> str:
    return f"{plain(verdict.label)}  ({plain(verdict.source)}){other_tiers(verdict)}"


def _extent(extent: TraceExtent) -> str:
    sessions = f"{extent.n_sessions} session{'' if extent.n_sessions == 1 else 's'}"
    if extent.n_days:
        sessions += f" on {extent.n_days} day{'' if extent.n_days == 1 else 's'}"
    parts = [
        "tool-using" if extent.tool_using else "chat-only",
        sessions,
        f"{extent.n_tool_calls:,} tool calls",
        f"outcomes {extent.outcomes}",
        plain(extent.adapter),
    ]
    return " · ".join(parts)


def _record_counts(card: AuditCard) -> dict[str, int]:
    """The records by what became of them; 0 where the card does not say."""
    records = card.records or RecordCounts()
    return {
        "used": records.used or 0,
        "ignored": records.ignored or 0,
        "duplicate": records.duplicate or 0,
        "malformed": records.malformed or 0,
    }


def _record_words(counts: Mapping[str, int]) -> str:
    return " · ".join(f"{count:,} {name}" for name, count in counts.items())


def _mechanism_table(audit: AuditBlock) -> Table:
    table = bare_table(
        "mechanism",
        ("aging", "left"),
        ("leading signal", "left"),
        ("effect", "right"),
        ("95 % interval", "right"),
        ("p", "right"),
        ("coverage", "left"),
        narrow=True,
    )
    # The name of a signal may take two lines, that of a mechanism may not.
    table.columns[0].no_wrap = True
    table.columns[2].no_wrap = False
    for name, finding in audit.findings().items():
        table.add_row(name, *_finding_cells(finding))
        series = finding.leading_series()
        if finding.fired and series:
            table.add_row("", "", Text(_curve(series), "dim"), "", "", "", "")
    return table


def _finding_cells(finding: MechanismFinding) -> list[RenderableType]:
    word, style = _ANSWERS[finding.fired]
    leading = finding.leading_signal
    coverage = finding.coverage
    return [
        Text(word, style),
        in_words(leading) if leading else MISSING,
        effect_text(finding.effect, finding.effect_unit),
        interval_text(finding.effect_ci, 2, False),
        p_text(finding.p_adjusted),
        MISSING if coverage is None else plain(coverage.verdict),
    ]


def _curve(values: Sequence[float | None]) -> str:
    """A series as blocks between its lowest and highest value; a dash where nothing is known."""
    numbers = [value for value in values if value is not None]
    if not numbers:
        return ""
    low = min(numbers)
    span = (max(numbers) - low) or 1.0
    step = max(1, -(-len(values) // WIDEST))

    marks = []
    for start in range(0, len(values), step):
        part = [value for value in values[start : start + step] if value is not None]
        if part:
            mean = sum(part) / len(part)
            marks.append(block((mean - low) / span))
        else:
            marks.append(MISSING)
    return "".join(marks)


def _dominant_rows(audit: AuditBlock) -> list[tuple[str, Text]]:
    choice = audit.dominant_mechanism
    if choice.dominant is None:
        words = f"none: {in_words(choice.reason or '')}"
        if choice.compatible:
            words += f" (compatible with {', '.join(choice.compatible)})"
        return [("dominant", Text(words))]

    # The scores are weighted by the profile; how large the effect is does not depend on that.
    size = number(audit.findings()[choice.dominant].standardised_effect)
    return [
        ("dominant", Text(f"{choice.dominant} ({size} times moderate)")),
        ("signature", Text(plain(audit.signature))),
        ("repair", Text(plain(audit.repair))),
    ]


def _malformed_lines(problems: Sequence[Problem], count: int) -> list[str]:
    """The first malformed records, and how many more there are."""
    lines = []
    for problem in problems[:MOST_MALFORMED]:
        line = f":{problem.line}" if problem.line else ""
        lines.append(f"malformed: {plain(problem.file)}{line}: {plain(problem.reason)}")
    if lines and count > len(lines):
        lines.append(f"malformed: {count - len(lines)} more")
    return lines


# -- several projects


def print_fleet(
    rows: Sequence[FleetRow],
    console: Console,
    outcomes: FleetOutcomes | None = None,
    problems: Sequence[Problem] = (),
) -> None:
    """Print one row per project, the clearest first, with corrected p, and the evidence."""
    aging = [row for row in rows if row.detected]
    parts: list[RenderableType] = [
        Text(f"{len(rows)} projects, {len(aging)} with evidence of aging", "bold"),
        _fleet_table(rows, LONGEST_NAME + max(0, console.width - 80)),
    ]
    for row in aging[:MOST_SHOWN]:
        name = ("project", Text(plain(row.name)))
        parts.append(grid([name, *evidence_rows(row.card.trace_audit)]))

    answers = [(row.detected, row.card.headline) for row in rows]
    parts += [Text(reason) for reason in fleet_reasons(answers)]

    totals: Counter[str] = Counter()
    for row in rows:
        totals.update(_record_counts(row.card))
    parts.append(Text(f"records: {_record_words(totals)}"))

    broken = totals["malformed"]
    if outcomes is not None:
        parts.append(Text(_outcome_words(outcomes)))
        broken += outcomes.malformed
    parts += [Text(line, "dim") for line in _malformed_lines(problems, broken)]

    show(
        console,
        *parts,
        Text("p of fleet: Benjamini-Hochberg over the rows", "dim"),
        Text("--out DIR keeps a card of each project, which `agingbench card show` prints", "dim"),
    )


def _fleet_table(rows: Sequence[FleetRow], longest_name: int) -> Table:
    table = bare_table(
        "project",
        ("aging", "left"),
        ("dominant", "left"),
        ("sessions", "right"),
        ("p", "right"),
        ("p of fleet", "right"),
        narrow=True,
    )
    for row in rows:
        word, style = _ANSWERS[row.detected]
        table.add_row(
            _end_of(plain(row.name), longest_name),
            Text(word, style),
            row.card.trace_audit.dominant_mechanism.dominant or MISSING,
            str(row.card.n_sessions),
            p_text(row.p),
            p_text(row.p_fleet),
        )
    return table


def _outcome_words(outcomes: FleetOutcomes) -> str:
    words = (
        f"outcomes: {outcomes.read:,} read, {outcomes.linked:,} linked to the project that holds"
        " their session"
    )
    if outcomes.unmatched:
        words += f", {outcomes.unmatched:,} match no session of these projects"
    if outcomes.malformed:
        words += f", {outcomes.malformed:,} malformed lines"
    return words


def _end_of(name: str, longest: int) -> str:
    """The end of a long path, which is where projects differ."""
    return name if len(name) <= longest else f"…{name[1 - longest :]}"


# -- two audits of one agent


def print_comparison(change: AuditChange, console: Console) -> None:
    """Print what changed since an earlier audit."""
    table = bare_table(
        "since the earlier audit",
        ("before", "left"),
        ("now", "left"),
        ("effect before", "right"),
        ("effect now", "right"),
        narrow=True,
    )
    other_signals = []
    for name, row in change.mechanisms.items():
        table.add_row(
            name,
            _ANSWERS[row.fired_before][0],
            _ANSWERS[row.fired_now][0],
            effect_text(row.effect_before, row.effect_unit_before),
            effect_text(row.effect_now, row.effect_unit),
        )
        if row.signal_before is not None and row.signal_before != row.signal:
            words = f"{name}: the effect before is that of {in_words(row.signal_before)}"
            other_signals.append(Text(words, "dim"))

    before, _ = _DETECTED[change.aging_before]
    now, _ = _DETECTED[change.aging_now]
    verdict = f"{before}, now {now}"
    verdict += f"; {change.n_sessions_before} then {change.n_sessions_now} sessions"
    if change.same_evidence:
        verdict += "; the evidence is the same"
    show(console, Text(), table, *other_signals, Text(verdict, "dim"))
