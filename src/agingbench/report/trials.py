"""Trials on the terminal: lists, summaries, traces, behaviour, agreement and ledger checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.text import Text

from agingbench.report.layout import (
    MISSING,
    bare_table,
    grid,
    interval_text,
    number,
    show,
    whole,
)
from agingbench.report.text import plain
from agingbench.trials.columns import TrialRow
from agingbench.trials.importers.report import ImportDocument
from agingbench.trials.inspect.behaviour import Behaviour
from agingbench.trials.inspect.comparison import TrialComparison
from agingbench.trials.inspect.details import TrialDetails
from agingbench.trials.inspect.groups import tokens_of
from agingbench.trials.inspect.reviews import ReviewerPair
from agingbench.trials.inspect.summary import Summary, TargetSummary
from agingbench.trials.inspect.tool_errors import ToolError
from agingbench.trials.inspect.transcripts import TraceLine
from agingbench.trials.verify import Verification

LONGEST = 300  # characters of an entry; `--json` has all
_ENDLESS = 10_000  # columns


def _print_unfolded(console: Console, label: str, name: str) -> None:
    """Print a name that is never folded, so that it can be copied."""
    encoding = console.encoding
    printable = plain(name).encode(encoding, "replace").decode(encoding)
    margin = label.ljust(13) if label else ""
    line = Text.assemble((margin, "dim"), printable)
    console.print(line, soft_wrap=True, highlight=False)


def _print_by_name(
    console: Console, columns: Sequence[tuple[str, Any]], rows: Sequence[tuple[str, ...]]
) -> None:
    """Print trials as a table, or each name on its own line where the table does not fit."""
    table = bare_table("trial", *columns)
    for row in rows:
        table.add_row(*row)

    endless = console.options.update(max_width=_ENDLESS)
    width = Measurement.get(console, endless, table).maximum
    if width <= console.width:
        show(console, table)
        return

    for name, *cells in rows:
        _print_unfolded(console, "", name)
        details = []
        for (head, _), cell in zip(columns, cells, strict=True):
            details.append(f"{head} {cell}".strip())
        line = ", ".join(details)
        show(console, Text(f"  {line}", style="dim"))


def _labelled(rows: Sequence[tuple[str, str]]) -> list[tuple[str, Text]]:
    return [(label, Text(plain(text))) for label, text in rows]


def print_listing(rows: Sequence[TrialRow], total: int, console: Console) -> None:
    """Trials with their ids in one piece."""
    columns = (
        ("model", "left"),
        ("status", "left"),
        ("", "left"),
        ("reward", "right"),
        ("tokens", "right"),
        ("USD", "right"),
    )
    lines = []
    for row in rows:
        line = (
            plain(row.trial_id),
            plain(row.model)[:32],
            row.status or MISSING,
            row.completeness,
            number(row.reward, 3),
            whole(tokens_of(row)),
            number(row.cost_usd, 4),
        )
        lines.append(line)
    _print_by_name(console, columns, lines)

    of_total = f" of {total}" if total > len(rows) else ""
    show(console, Text(f"{len(rows)}{of_total} trials", style="dim"))


def print_verification(result: Verification, console: Console) -> None:
    """What a check of the ledger found."""
    if result.ok:
        text = f"The ledger is intact: {result.count} entries, {result.blobs} pieces of evidence."
        show(console, Text(text))
    else:
        count = len(result.problems)
        noun = "problem" if count == 1 else "problems"
        table = bare_table("what happened", ("entry", "right"), ("kind", "left"))
        for problem in result.problems:
            entry = MISSING if problem.entry is None else str(problem.entry)
            table.add_row(plain(problem.detail), entry, problem.kind)
        text = f"The ledger was changed: {count} {noun}."
        show(console, Text(text, style="bold red"), table)

    for warning in result.warnings:
        show(console, Text(f"Note: {plain(warning)}", style="dim"))
    show(console, Text(f"Head: {result.head}"))


def print_summary(target: str, about: TargetSummary, console: Console) -> None:
    """One trial at a glance."""
    _print_unfolded(console, "trial", about.trial_id or target)
    show(console, grid(_summary_rows(about.summary)))


def _summary_rows(summary: Summary) -> list[tuple[str, Text]]:
    lacks = ", ".join(summary.source_lacks) or "nothing"
    errors = [f"{n} {kind}" for kind, n in summary.tool_errors.items() if n]
    first_error = MISSING
    if summary.first_error is not None:
        first_error = _pointer(summary.first_error)

    turns = f"{summary.assistant_turns}"
    if summary.turns_reported is not None:
        turns += f" (the agent reported {summary.turns_reported})"

    tokens = "not recorded"
    if summary.tokens is not None:
        counts = summary.tokens
        tokens = f"{counts.input} in, {counts.output} out ({counts.origin})"

    durations = "not measured"
    if summary.durations is not None:
        total_ms = summary.durations.total_ms
        durations = f"{total_ms:.0f} ms in {summary.durations.measured} entries"

    rows = [
        ("source", f"{summary.source}: {summary.source_reason}; it lacks {lacks}"),
        ("turns", turns),
        ("calls", f"{summary.tool_calls} ({summary.unmatched_calls} without a result)"),
        ("tool errors", ", ".join(errors) or "none"),
        ("first error", first_error),
        ("tokens", tokens),
        ("durations", durations),
        ("behaviour", summary.behaviour.sequence or MISSING),
    ]
    if summary.problems:
        first = summary.problems[0]
        text = f"{len(summary.problems)} lines, first {first.line}: {first.reason}"
        rows.append(("unreadable", text))
    return _labelled(rows)


def _pointer(error: ToolError) -> str:
    place = f"step {error.step or MISSING}"
    if error.line is not None:
        place = f"line {error.line}"
    tool = error.tool_name or "unnamed tool"
    text = " ".join(error.text.split())[:120]
    return f"{place}, {error.kind}, {tool}: {text}"


def print_details(details: TrialDetails, console: Console) -> None:
    """A trial with its place in the ledger."""
    record = details.record
    agent = record["agent"]
    _print_unfolded(console, "trial", details.trial_id)
    rows = [
        ("completeness", record["completeness"]),
        ("record", details.record_hash),
        ("entry", f"{details.entry}, added {details.added_at}"),
        ("task", record["task"]["task_id"]),
        ("agent", f"{agent['adapter']} with {agent['model']}"),
        ("reward", number(record["evaluation"]["reward"], 3)),
        ("cost", _cost_text(record["cost"] or {})),
        ("time", _time_text(record["timing"])),
        ("evidence", ", ".join(details.evidence) or "none"),
    ]
    if details.superseded_by:
        rows.append(("sealed as", details.superseded_by))
    for review in details.reviews:
        notes = review.notes or ""
        rows.append(("review", f"{review.reviewer}: {review.judgment} {notes}"))

    all_rows = _labelled(rows) + _summary_rows(details.summary)
    show(console, grid(all_rows))


def _cost_text(cost: Mapping[str, Any]) -> str:
    """What a trial took, in words; what nobody measured is left out."""
    names = {
        "tokens_in": "tokens in",
        "tokens_out": "out",
        "cache_read_tokens": "read from the cache",
        "cache_write_tokens": "written to it",
        "advisor_calls": "calls of the advisor",
    }
    parts = [f"{cost[key]:,} {name}" for key, name in names.items() if cost.get(key) is not None]
    money = cost.get("estimated_cost_usd")
    parts.append("no price" if money is None else f"{money:.4f} USD")
    return ", ".join(parts)


def _time_text(timing: Mapping[str, Any]) -> str:
    names = {
        "total_seconds": "in all",
        "setup_seconds": "setup",
        "agent_seconds": "agent",
        "verification_seconds": "verification",
    }
    known = {key: timing.get(key) for key in names}
    return ", ".join(f"{t:.1f} s {names[key]}" for key, t in known.items() if t is not None)


def print_trace(lines: Sequence[TraceLine], console: Console) -> None:
    """Entries of a trace, one per line."""
    table = bare_table(
        "what",
        ("line", "right"),
        ("step", "right"),
        ("role", "left"),
    )
    for line in lines:
        text = plain(line.text)
        if len(text) > LONGEST:
            text = f"{text[: LONGEST - 1]}…"
        place = str(line.line or MISSING)
        table.add_row(text, place, str(line.step or MISSING), line.role)
    show(console, table)


def print_behaviour(behaviour: Behaviour, console: Console) -> None:
    """The behaviour of one trial."""
    columns = [(f"to {code}", "right") for code in behaviour.labels]
    table = bare_table("from", *columns)
    for code, shares in zip(behaviour.labels, behaviour.transition_shares, strict=True):
        cells = [number(share) for share in shares]
        table.add_row(code, *cells)

    reference = behaviour.reference
    comparison = reference.reason or ""
    if reference.reference_n:
        comparison = (
            f"similarity {number(reference.similarity)}, edit distance {reference.edit_distance}"
            f" against {reference.reference_n} other successful trials"
        )
    counts = [f"{code} {n}" for code, n in behaviour.counts.items()]
    rows = [
        ("classifier", behaviour.classifier),
        ("sequence", behaviour.sequence or MISSING),
        ("counts", ", ".join(counts)),
        ("reference", comparison),
    ]
    _print_unfolded(console, "trial", behaviour.target)
    show(console, grid(_labelled(rows)), table)


def print_comparison(comparison: TrialComparison, console: Console) -> None:
    """Trials side by side."""
    heads = ("reward", "turns", "calls", "errors", "tokens", "USD", "distance", "alike")
    lines = []
    for trial in comparison.trials:
        line = (
            plain(trial.target),
            number(trial.reward, 3),
            str(trial.assistant_turns),
            str(trial.tool_calls),
            str(trial.tool_errors_total),
            whole(trial.tokens_total),
            number(trial.cost_usd, 4),
            str(trial.edit_distance),
            number(trial.similarity),
        )
        lines.append(line)
    _print_by_name(console, [(head, "right") for head in heads], lines)


def print_import(report: ImportDocument, console: Console) -> None:
    """What an import did."""
    rows = [
        ("experiment", report.experiment),
        ("imported", f"{report.imported}, {report.duplicates} were there already"),
    ]
    for flag, n in report.flags.items():
        rows.append(("flagged", f"{n} × {flag}"))
    for change in report.renamed:
        rows.append(("renamed", f"{change.old} to {change.new}: {change.reason}"))
    for problem in report.problems:
        rows.append(("not read", f"{problem.what}: {problem.reason}"))
    for name, notes in report.notes.items():
        for note in notes:
            rows.append(("note", f"{name}: {note}"))
    show(console, grid(_labelled(rows)))


def print_agreement(pairs: Sequence[ReviewerPair], console: Console) -> None:
    """How far reviewers agree."""
    if not pairs:
        show(console, Text("No two reviewers judged the same trials."))
        return

    table = bare_table(
        "reviewers",
        ("trials", "right"),
        ("agreement", "right"),
        ("kappa", "right"),
        ("95 %", "right"),
    )
    for pair in pairs:
        table.add_row(
            plain(" and ".join(pair.reviewers)),
            str(pair.n),
            number(pair.agreement),
            number(pair.kappa),
            interval_text(pair.kappa_ci, 2, signed=False),
        )
    show(console, table)
