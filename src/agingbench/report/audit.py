"""Audits on the terminal: the Lifespan Card of one, a fleet, and two compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from agingbench.cards.audit import (
    AnswerNotice,
    AuditBlock,
    AuditCard,
    AuditChange,
    FleetOutcomes,
    MechanismFinding,
    TraceExtent,
)
from agingbench.cards.model import RecordCounts
from agingbench.records import Problem
from agingbench.report.audit_advice import advice
from agingbench.report.audit_figures import day, dollars, tokens
from agingbench.report.audit_notes import (
    bounds_text,
    effect_text,
    evidence_rows,
    fleet_reasons,
    moments_rows,
    open_rows,
    profile_words,
    shown_rows,
    warning_sentences,
)
from agingbench.report.audit_receipts import (
    change_parts,
    cost_parts,
    panel_parts,
    request_count,
)
from agingbench.report.audit_sentence import answer_sentences, weeks_sentence
from agingbench.report.audit_signals import is_vague, jumped, measure_words, shown_signal
from agingbench.report.layout import (
    MISSING,
    bare_table,
    block,
    grid,
    in_words,
    number,
    show,
)
from agingbench.report.text import plain

WIDEST = 12
LONGEST_NAME = 30  # of a project on a screen of 80 columns; a wider one gives the rest to names
MOST_SHOWN = 5  # projects of a fleet whose evidence is shown

_ANSWERS = {
    True: ("yes", "bold red"),
    False: ("no", "green"),
    None: ("cannot tell", "yellow"),
}
_JUMPED = ("at once", "yellow")  # it got worse from one session to the next
ANSWER_WORDS = {answer: word for answer, (word, _) in _ANSWERS.items()}
# Kinds of aging as a user would say them.
_KINDS = {
    "compression": "forgets",
    "interference": "mixes things up",
    "revision": "uses old values",
    "maintenance": "worse after events",
    "reliability": "fails more",
}
_STYLES = {True: "bold red", False: "bold green", None: "bold yellow"}
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


def print_audit(
    card: AuditCard, problems: Sequence[Problem], console: Console, place: str = "PATH"
) -> None:
    """Print the card of one agent; `place` is where its trace lies, as one types it.

    Raises ValueError where the card is not that of an audit.
    """
    audit = card.trace_audit
    if audit.trace_regime is None:
        raise ValueError("the trace_audit of the card has no trace_regime")

    counts = _record_counts(card)
    style = _STYLES[card.headline.aging_detected]
    parts: list[RenderableType] = [
        Text("Agent Lifespan Report", "bold"),
        Text(_title(audit.trace_regime, audit), "dim"),
        Text(),
    ]
    sentences = answer_sentences(card)
    parts += [Text(sentence, "bold") for sentence in sentences[:-1]]
    parts += [Text(sentences[-1], style)]
    steadiness = weeks_sentence(card)
    if steadiness is not None:
        parts.append(Text(steadiness))

    for section in (cost_parts(audit), panel_parts(audit), change_parts(audit)):
        if section:
            parts += [Text(), *section]

    if card.headline.open_because != "too_short":
        parts += [Text(), Text("Kinds of aging", "bold"), _mechanism_table(audit)]
        details = [*_dominant_rows(audit), *evidence_rows(audit), *moments_rows(audit)]
        details += [*open_rows(audit), *shown_rows(audit)]
        if details:
            parts.append(grid(details))

    lines = [line.replace(" PATH", f" {place}") for line in advice(card)]
    if lines:
        rows = [(f"{number}.", Text(line)) for number, line in enumerate(lines, start=1)]
        parts += [Text(), Text("What to do next", "bold"), _numbered(rows)]

    notes = [f"profile: {profile_words(card)}", f"records: {_record_words(counts)}"]
    notes += [f"note: {words}" for words in warning_sentences(card.warnings)]
    notes += _malformed_line(problems, counts["malformed"])
    parts.append(Text())
    parts += [Text(line, "dim") for line in notes]
    show(console, *parts)


def _numbered(rows: Sequence[tuple[str, Text]]) -> Table:
    table = Table.grid(padding=(0, 1))
    for number_text, text in rows:
        table.add_row(Text(number_text, "dim"), text)
    return table


def _title(extent: TraceExtent, audit: AuditBlock) -> str:
    """How much was read: sessions, days, requests, calls and the dates between which they lie."""
    noun = "session" if extent.n_sessions == 1 else "sessions"
    words = [f"{extent.n_sessions} {noun}"]
    if extent.n_sessions > 1:
        words[0] += f" (numbered 0 to {extent.n_sessions - 1})"
    if extent.n_days:
        words[0] += f", active on {extent.n_days} day{'' if extent.n_days == 1 else 's'}"
    known = [moment for moment in audit.session_times or [] if moment is not None]
    if extent.n_days and known:
        words.append(f"{day(min(known))} to {day(max(known), True)}")
    requests = request_count(audit.panel)
    if requests:
        words.append(f"{requests:,} request{'s' * (requests != 1)}")
    words.append(f"{extent.n_tool_calls:,} tool calls")
    words.append(plain(extent.adapter))
    return " · ".join(words)


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
    words = {"ignored": "with nothing to count"}
    return " · ".join(f"{count:,} {words.get(name, name)}" for name, count in counts.items())


def _mechanism_table(audit: AuditBlock) -> Table:
    table = bare_table(
        "",
        ("means it", "left"),
        ("worse?", "left"),
        ("measured by", "left"),
        ("change", "right"),
        ("90 % range", "right"),
        narrow=True,
    )
    # What is measured may take two lines, the name of a mechanism may not.
    table.columns[0].no_wrap = True
    table.columns[1].no_wrap = False
    table.columns[3].no_wrap = False
    at_once = jumped(audit)
    for name, finding in audit.findings().items():
        answer = _JUMPED if name in at_once else _ANSWERS[finding.fired]
        table.add_row(name, Text(_KINDS.get(name, ""), "dim"), *_finding_cells(finding, answer))
        series = finding.leading_series()
        if finding.fired and series:
            table.add_row("", "", "", Text(_curve(series), "dim"), "", "")
    return table


def _finding_cells(finding: MechanismFinding, answer: tuple[str, str]) -> list[RenderableType]:
    word, style = answer
    signal, figures = shown_signal(finding)
    unit = figures.get("effect_unit")
    # Beside an answer stands the interval that it rests on, however wide.
    is_open = answer == _ANSWERS[None]
    too_wide = is_open and signal is not None and is_vague(finding, signal)
    return [
        Text(word, style),
        MISSING if signal is None else measure_words(signal),
        effect_text(figures.get("effect"), unit),
        "too wide" if too_wide else bounds_text(figures.get("effect_ci"), unit),
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
        return []

    # The scores are weighted by the profile; how large the effect is does not depend on that.
    size = number(audit.findings()[choice.dominant].standardised_effect)
    return [("strongest", Text(f"{choice.dominant}, {size} times what we call moderate"))]


def _malformed_line(problems: Sequence[Problem], count: int) -> list[str]:
    """How many records could not be read and the first of them, in one line; none without any."""
    if not problems:
        return []
    total = max(count, len(problems))
    first = problems[0]
    line = f":{first.line}" if first.line else ""
    place = f"{plain(first.file)}{line}: {plain(first.reason)}"
    noun = "record was" if total == 1 else "records were"
    return [f"malformed: {total:,} {noun} left out; the first is {place}"]


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
    telling = [row for row in rows if row.detected or _change_days(row.card.trace_audit)]
    for row in telling[:MOST_SHOWN]:
        sentences = [("", Text(sentence)) for sentence in answer_sentences(row.card)]
        name = ("project", Text(plain(row.name), "bold"))
        parts.append(grid([name, *sentences, *evidence_rows(row.card.trace_audit)]))

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
    parts += [Text(line, "dim") for line in _malformed_line(problems, broken)]

    show(
        console,
        *parts,
        Text("the answers are corrected for the number of projects looked at", "dim"),
        Text("--out DIR keeps a card of each project, which `agingbench card show` prints", "dim"),
    )


def _fleet_table(rows: Sequence[FleetRow], longest_name: int) -> Table:
    table = bare_table(
        "project",
        ("worse?", "left"),
        ("sessions", "right"),
        ("tokens", "right"),
        ("cost", "right"),
        ("changed", "left"),
        narrow=True,
    )
    for row in rows:
        word, style = _ANSWERS[row.detected]
        audit = row.card.trace_audit
        spent = None if audit.spending is None else audit.spending.total
        has_spent = spent is not None and spent.model_calls > 0
        table.add_row(
            _end_of(plain(row.name), longest_name),
            Text(word, style),
            str(row.card.n_sessions),
            tokens(spent.tokens) if spent is not None and has_spent else MISSING,
            dollars(spent.cost_usd) if spent is not None and has_spent else MISSING,
            ", ".join(_change_days(audit)) or MISSING,
        )
    total = _fleet_total(rows)
    if total is not None:
        table.add_row("all", "", *total, "", style="dim")
    return table


def _fleet_total(rows: Sequence[FleetRow]) -> tuple[str, str, str] | None:
    """Sessions, tokens and dollars of all projects; None where no model call is recorded."""
    totals = []
    for row in rows:
        spending = row.card.trace_audit.spending
        if spending is not None and spending.total.model_calls:
            totals.append(spending.total)
    if not totals:
        return None

    costs = [total.cost_usd for total in totals]
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) if len(known) == len(costs) else None
    sessions = sum(row.card.n_sessions for row in rows)
    return str(sessions), tokens(sum(total.tokens for total in totals)), dollars(cost)


def _change_days(audit: AuditBlock) -> list[str]:
    """The days on which figures stepped."""
    if audit.changes is None:
        return []
    return [day(point.time) for point in audit.changes.points]


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


def print_notice(notice: AnswerNotice, console: Console) -> None:
    """Print that an answer changed, and why."""
    change = notice.change
    before, _ = _ANSWERS[change.aging_before]
    now, style = _ANSWERS[change.aging_now]
    head = Text(f"NOTICE {plain(notice.project)}: aging: {before}, now ")
    head.append(now, style)
    if notice.reason_now:
        head.append(f" ({plain(notice.reason_now)})")

    causes = [Text(f"  {plain(cause)}") for cause in notice.causes]
    card = Text(f"  {plain(notice.time)}, cards/{plain(notice.folder)}", "dim")
    show(console, head, *causes, card)
