"""Trials on the terminal: lists, summaries, traces, behaviour, agreement and what a check of the
ledger found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.text import Text

from agingbench.report.layout import MISSING, bare_table, grid, interval_text, number, show
from agingbench.report.text import plain

LONGEST = 300  # characters of an entry; `--json` has all
_ENDLESS = 10_000  # columns


def _in_one_piece(console: Console, label: str, name: str) -> None:
    """A name that the console may wrap and we never fold, so that it can be copied."""
    encoding = console.encoding
    whole = plain(name).encode(encoding, "replace").decode(encoding)
    console.print(
        Text.assemble((label.ljust(13) if label else "", "dim"), whole),
        soft_wrap=True,
        highlight=False,
    )


def _by_name(
    console: Console, columns: Sequence[tuple[str, Any]], rows: Sequence[tuple[str, ...]]
) -> None:
    """Trials as a table; where their names and the rest do not fit side by side, each name has a
    line of its own.
    """
    table = bare_table("trial", *columns)
    for row in rows:
        table.add_row(*row)
    if (
        Measurement.get(console, console.options.update(max_width=_ENDLESS), table).maximum
        <= console.width
    ):
        show(console, table)
        return
    for name, *cells in rows:
        _in_one_piece(console, "", name)
        about = (f"{head} {cell}".strip() for (head, _), cell in zip(columns, cells, strict=True))
        show(console, Text(f"  {', '.join(about)}", style="dim"))


def print_listing(rows: Sequence[dict[str, Any]], total: int, console: Console) -> None:
    """Trials, their ids in one piece."""
    columns = (("model", "left"), ("status", "left"), ("", "left"), ("reward", "right"))
    lines = [
        (
            plain(row["trial_id"]),
            plain(row["model"])[:32],
            row["status"] or MISSING,
            row["completeness"],
            number(row["reward"], 3),
        )
        for row in rows
    ]
    _by_name(console, columns, lines)
    left = f" of {total}" if total > len(rows) else ""
    show(console, Text(f"{len(rows)}{left} trials", style="dim"))


def print_verdict(told: dict[str, Any], console: Console) -> None:
    """What a check of the ledger found."""
    parts: list[RenderableType] = []
    if told["ok"]:
        parts.append(
            Text(
                f"The ledger is intact: {told['entries']} entries, {told['blobs']} pieces of"
                " evidence."
            )
        )
    else:
        found = len(told["problems"])
        parts.append(
            Text(
                f"The ledger was changed: {found} {'problem' if found == 1 else 'problems'}.",
                style="bold red",
            )
        )
        table = bare_table("what happened", ("entry", "right"), ("kind", "left"))
        for problem in told["problems"]:
            entry = MISSING if problem["entry"] is None else str(problem["entry"])
            table.add_row(plain(problem["detail"]), entry, problem["kind"])
        parts.append(table)
    parts += [Text(f"Note: {plain(warning)}", style="dim") for warning in told["warnings"]]
    show(console, *parts, Text(f"Head: {told['head']}"))


def print_summary(target: str, told: dict[str, Any], console: Console) -> None:
    """One trial at a glance."""
    _in_one_piece(console, "trial", told["trial_id"] or target)
    show(console, grid(_summary_rows(told)))


def _summary_rows(told: dict[str, Any]) -> list[tuple[str, Text]]:
    errors = ", ".join(f"{n} {kind}" for kind, n in told["tool_errors"].items() if n) or "none"
    tokens = told["tokens"]
    took = told["durations"]
    first = told["first_error"]
    turns = f"{told['assistant_turns']}"
    if told["turns_reported"] is not None:
        turns += f" (the agent reported {told['turns_reported']})"
    rows = [
        (
            "source",
            (
                f"{told['source']}: {told['source_reason']}; it lacks"
                f" {', '.join(told['source_lacks']) or 'nothing'}"
            ),
        ),
        ("turns", turns),
        ("calls", f"{told['tool_calls']} ({told['unmatched_calls']} without a result)"),
        ("tool errors", errors),
        ("first error", _pointer(first) if first else MISSING),
        (
            "tokens",
            (
                f"{tokens['input']} in, {tokens['output']} out ({tokens['from']})"
                if tokens
                else "not recorded"
            ),
        ),
        (
            "durations",
            f"{took['total_ms']:.0f} ms in {took['measured']} entries" if took else "not measured",
        ),
        ("behaviour", told["behaviour"]["sequence"] or MISSING),
    ]
    if told["problems"]:
        first_bad = told["problems"][0]
        rows.append(
            (
                "unreadable",
                f"{len(told['problems'])} lines, first {first_bad['line']}: {first_bad['reason']}",
            )
        )
    return [(label, Text(plain(text))) for label, text in rows]


def _pointer(error: dict[str, Any]) -> str:
    where = f"line {error['line']}" if error["line"] is not None else f"step {error['step']}"
    return (
        f"{where}, {error['kind']}, {error['tool_name'] or 'unnamed tool'}:"
        f" {' '.join(error['text'].split())[:120]}"
    )


def print_shown(told: dict[str, Any], console: Console) -> None:
    """A trial with its place in the ledger."""
    record = told["record"]
    _in_one_piece(console, "trial", told["trial_id"])
    rows = [
        ("completeness", record["completeness"]),
        ("record", told["record_hash"]),
        ("entry", f"{told['entry']}, added {told['added_at']}"),
        ("task", record["task"]["task_id"]),
        ("agent", f"{record['agent']['adapter']} with {record['agent']['model']}"),
        ("reward", number(record["evaluation"]["reward"], 3)),
        ("evidence", ", ".join(told["evidence"]) or "none"),
    ]
    if told["superseded_by"]:
        rows.append(("sealed as", told["superseded_by"]))
    rows += [
        ("review", f"{r['reviewer']}: {r['judgment']} {r['notes'] or ''}") for r in told["reviews"]
    ]
    show(
        console,
        grid([(label, Text(plain(text))) for label, text in rows] + _summary_rows(told["summary"])),
    )


def print_trace(rows: Sequence[dict[str, Any]], console: Console) -> None:
    """Entries of a trace, one per line."""
    table = bare_table("what", ("line", "right"), ("step", "right"), ("role", "left"))
    for row in rows:
        text = plain(row["text"])
        told = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        table.add_row(told, str(row["line"] or MISSING), str(row["step"]), row["role"])
    show(console, table)


def print_behaviour(told: dict[str, Any], console: Console) -> None:
    """The behaviour of one trial."""
    table = bare_table("from", *((f"to {code}", "right") for code in told["labels"]))
    for code, row in zip(told["labels"], told["transition_shares"], strict=True):
        table.add_row(code, *(number(share) for share in row))
    reference = told["reference"]
    against = (
        f"similarity {number(reference['similarity'])}, edit distance {reference['edit_distance']}"
        f" against {reference['reference_n']} other successful trials"
        if reference["reference_n"]
        else reference["reason"]
    )
    counts = ", ".join(f"{code} {n}" for code, n in told["counts"].items())
    rows = [
        ("classifier", told["classifier"]),
        ("sequence", told["sequence"] or MISSING),
        ("counts", counts),
        ("reference", against),
    ]
    _in_one_piece(console, "trial", told["target"])
    show(console, grid([(label, Text(plain(text))) for label, text in rows]), table)


def print_compared(told: dict[str, Any], console: Console) -> None:
    """Trials side by side."""
    columns = [
        (head, "right") for head in ("reward", "turns", "calls", "errors", "distance", "alike")
    ]
    lines = [
        (
            plain(row["target"]),
            number(row["reward"], 3),
            str(row["assistant_turns"]),
            str(row["tool_calls"]),
            str(row["tool_errors_total"]),
            str(row["edit_distance"]),
            number(row["similarity"]),
        )
        for row in told["trials"]
    ]
    _by_name(console, columns, lines)


def print_import(told: dict[str, Any], console: Console) -> None:
    """What an import did."""
    rows = [
        ("experiment", told["experiment"]),
        ("imported", f"{told['imported']}, {told['duplicates']} were there already"),
    ]
    rows += [("flagged", f"{n} × {flag}") for flag, n in told["flags"].items()]
    rows += [("renamed", f"{r['from']} to {r['to']}: {r['reason']}") for r in told["renamed"]]
    rows += [("not read", f"{p['what']}: {p['reason']}") for p in told["problems"]]
    rows += [("note", f"{name}: {note}") for name, notes in told["notes"].items() for note in notes]
    show(console, grid([(label, Text(plain(text))) for label, text in rows]))


def print_agreement(pairs: Sequence[dict[str, Any]], console: Console) -> None:
    """How far reviewers agree."""
    table = bare_table(
        "reviewers",
        ("trials", "right"),
        ("agreement", "right"),
        ("kappa", "right"),
        ("95 %", "right"),
    )
    for pair in pairs:
        table.add_row(
            plain(" and ".join(pair["reviewers"])),
            str(pair["n"]),
            number(pair["agreement"]),
            number(pair["kappa"]),
            interval_text(pair["kappa_ci"], 2, signed=False),
        )
    show(console, table if pairs else Text("No two reviewers judged the same trials."))


def print_ranking(told: dict[str, Any], console: Console) -> None:
    """Complete records ranked, and what was left out."""
    table = bare_table(
        "task",
        ("model", "left"),
        ("harness", "left"),
        ("reward", "right"),
        ("95 %", "right"),
        ("n", "right"),
    )
    for row in told["ranking"]:
        table.add_row(
            plain(row["task_id"]),
            plain(row["model"])[:32],
            plain(row["harness"])[:20],
            number(row["reward"], 3),
            interval_text(row["reward_ci"], 3, signed=False),
            str(row["reward_n"]),
        )
    left = ", ".join(f"{n} × {reason}" for reason, n in told["left_out"].items()) or "none"
    used = Text(f"{told['used']} complete records used; left out: {left}", style="dim")
    show(console, *([table] if told["ranking"] else []), used)
