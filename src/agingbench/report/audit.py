"""Audits on the terminal: the Lifespan Card of one, a fleet, and two compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from agingbench.report.audit_notes import (
    effect_text,
    evidence_rows,
    fleet_reasons,
    moments_rows,
    notes,
    open_rows,
    other_tiers,
    p_text,
    profile_words,
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

MECHANISMS = ("compression", "interference", "revision", "maintenance")
RECORDS = ("used", "ignored", "duplicate", "malformed")
WIDEST = 12
LONGEST_NAME = (
    30  # of a project where the screen is 80 columns wide; what it is wider goes to the names
)
MOST_SHOWN = 5  # projects of a fleet whose evidence is shown
_TOLD_ELSEWHERE = (
    "telemetry_partial",
    "malformed_records",
    "mechanism_not_exercised",
    "confounded",
)
_EFFECTS = "effect: first to last session, or after events; × is a factor, else a share"
_ANSWERS = {True: ("aging", "bold red"), False: ("no", "green"), None: ("cannot tell", "yellow")}
_DETECTED = {
    True: ("aging detected", "bold red"),
    False: ("no aging detected", "bold green"),
    None: ("undecided", "bold yellow"),
}


def print_audit(card: dict[str, Any], problems: Sequence[dict[str, Any]], console: Console) -> None:
    """One agent: verdict, headline, the four mechanisms, the dominant one, and record counts."""
    audit = card["trace_audit"]
    head = card["headline"]
    word, style = _DETECTED[head.get("aging_detected")]
    show(
        console,
        Text("Agent Lifespan Report", "bold"),
        grid(
            [
                (
                    "verdict",
                    Text.assemble((word, style), f": {plain(head.get('aging_reason', ''))}"),
                ),
                ("headline", Text(_headline(head))),
                ("regime", Text(_regime(audit["trace_regime"]))),
                ("profile", Text(profile_words(card))),
                ("records", Text(_records(card.get("records") or {}))),
            ]
        ),
        Text(),
        _mechanisms(audit),
        *(
            [Text(_EFFECTS, "dim")]
            if any(audit[name].get("effect") is not None for name in MECHANISMS)
            else []
        ),
        Text(),
        grid(
            [
                *_closing(audit),
                *evidence_rows(audit),
                *moments_rows(audit),
                *open_rows(audit, MECHANISMS),
            ]
        ),
    )
    _notes(card, problems, console)


def _headline(head: dict[str, Any]) -> str:
    return f"{plain(head.get('label', ''))}  ({plain(head.get('source', ''))}){other_tiers(head)}"


def _regime(regime: dict[str, Any]) -> str:
    kind = "tool-using" if regime["tool_using"] else "chat-only"
    n_days = regime.get("n_days")
    days = f" on {n_days} day{'' if n_days == 1 else 's'}" if n_days else ""
    calls = f"{regime['n_tool_calls']:,} tool calls"
    outcomes = f"outcomes {regime['outcomes']}"
    sessions = f"{regime['n_sessions']} session{'' if regime['n_sessions'] == 1 else 's'}"
    return f"{kind} · {sessions}{days} · {calls} · {outcomes} · {plain(regime['adapter'])}"


def _records(records: dict[str, Any]) -> str:
    return " · ".join(f"{records.get(k, 0):,} {k}" for k in RECORDS)


def _mechanisms(audit: dict[str, Any]) -> Table:
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
    for name in MECHANISMS:
        block = audit[name]
        word, style = _ANSWERS[block.get("fired")]
        leading = block.get("leading_signal")
        table.add_row(
            name,
            Text(word, style),
            in_words(leading) if leading else MISSING,
            effect_text(block.get("effect"), block.get("effect_unit")),
            interval_text(block.get("effect_ci"), 2, False),
            p_text(block.get("p_adjusted")),
            plain(block["coverage"]["verdict"]),
        )
        curve = block.get(f"{leading}_trajectory") if leading else None
        if block.get("fired") and curve:
            table.add_row("", "", Text(_curve(curve), "dim"), "", "", "", "")
    return table


def _curve(values: Sequence[float | None]) -> str:
    known = [v for v in values if v is not None]
    if not known:
        return ""
    low = min(known)
    high = max(known)
    step = max(1, -(-len(values) // WIDEST))
    marks = []
    for start in range(0, len(values), step):
        part = [v for v in values[start : start + step] if v is not None]
        if part:
            marks.append(block((sum(part) / len(part) - low) / ((high - low) or 1.0)))
        else:
            marks.append(MISSING)
    return "".join(marks)


def _closing(audit: dict[str, Any]) -> list[tuple[str, Text]]:
    chosen = audit["dominant_mechanism"]
    if chosen["dominant"] is None:
        words = f"none: {in_words(chosen['reason'])}"
        if chosen.get("compatible"):
            words += f" (compatible with {', '.join(chosen['compatible'])})"
        return [("dominant", Text(words))]
    # The scores are weighted by the profile; how large the effect is does not depend on that.
    size = number(audit[chosen["dominant"]].get("standardised_effect"))
    return [
        ("dominant", Text(f"{chosen['dominant']} ({size} times moderate)")),
        ("signature", Text(plain(audit["signature"]))),
        ("repair", Text(plain(audit["repair"]))),
    ]


def _notes(card: dict[str, Any], problems: Sequence[dict[str, Any]], console: Console) -> None:
    lines = [f"note: {words}" for words in notes(card, _TOLD_ELSEWHERE)]
    lines += _malformed(problems, (card.get("records") or {}).get("malformed", len(problems)))
    if lines:
        show(console, Text(), *(Text(line, "dim") for line in lines))


def _malformed(problems: Sequence[dict[str, Any]], n: int) -> list[str]:
    lines = []
    for problem in problems[:5]:
        line = f":{problem['line']}" if problem.get("line") else ""
        lines.append(f"malformed: {plain(problem['file'])}{line}: {plain(problem['reason'])}")
    return [*lines, f"malformed: {n - len(lines)} more"] if lines and n > len(lines) else lines


def print_fleet(
    rows: Sequence[tuple[str, bool | None, dict[str, Any], float | None, float | None]],
    console: Console,
    outcomes: dict[str, int] | None = None,
    problems: Sequence[dict[str, Any]] = (),
) -> None:
    """One row per project, the clearest first, with p corrected over the rows, and evidence."""
    table = bare_table(
        "project",
        ("aging", "left"),
        ("dominant", "left"),
        ("sessions", "right"),
        ("p", "right"),
        ("p of fleet", "right"),
        narrow=True,
    )
    longest = LONGEST_NAME + max(0, console.width - 80)
    for name, detected, card, p, corrected in rows:
        word, style = _ANSWERS[detected]
        chosen = card["trace_audit"]["dominant_mechanism"]["dominant"]
        table.add_row(
            _end_of(plain(name), longest),
            Text(word, style),
            chosen or MISSING,
            str(card["n_sessions"]),
            p_text(p),
            p_text(corrected),
        )
    aging = sum(detected is True for _, detected, *_ in rows)
    totals = {
        k: sum((card.get("records") or {}).get(k, 0) for _, _, card, _, _ in rows) for k in RECORDS
    }
    broken = totals["malformed"] + (0 if outcomes is None else outcomes["malformed"])
    audits = [(name, card["trace_audit"]) for name, detected, card, *_ in rows if detected]
    parts = []
    for name, audit in audits[:MOST_SHOWN]:
        parts.append(grid([("project", Text(plain(name))), *evidence_rows(audit)]))
    show(
        console,
        Text(f"{len(rows)} projects, {aging} with evidence of aging", "bold"),
        table,
        *parts,
        *(
            Text(reason)
            for reason in fleet_reasons([(detected, card) for _, detected, card, *_ in rows])
        ),
        Text(f"records: {_records(totals)}"),
        *_fleet_outcomes(outcomes),
        *(Text(line, "dim") for line in _malformed(problems, broken)),
        Text("p of fleet: Benjamini-Hochberg over the rows", "dim"),
        Text("--out DIR keeps a card of each project, which `agingbench card show` prints", "dim"),
    )


def _fleet_outcomes(counts: dict[str, int] | None) -> list[Text]:
    if counts is None:
        return []
    words = (
        f"outcomes: {counts['read']:,} read, {counts['linked']:,} linked to the project that holds"
        " their session"
    )
    if counts["unmatched"]:
        words += f", {counts['unmatched']:,} match no session of these projects"
    if counts["malformed"]:
        words += f", {counts['malformed']:,} malformed lines"
    return [Text(words)]


def _end_of(name: str, longest: int) -> str:
    """The end of a long path, which is where projects differ."""
    return name if len(name) <= longest else f"…{name[1 - longest :]}"


def compare_audits(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """What changed between two audits of one agent; no test, since they share evidence."""
    rows = {}
    for name in MECHANISMS:
        a = earlier["trace_audit"].get(name, {})
        b = later["trace_audit"].get(name, {})
        same = a.get("leading_signal") == b.get("leading_signal") and None not in (
            a.get("effect"),
            b.get("effect"),
        )
        rows[name] = {
            "fired_before": a.get("fired"),
            "fired_now": b.get("fired"),
            "signal": b.get("leading_signal"),
            "signal_before": a.get("leading_signal"),
            "effect_unit": b.get("effect_unit"),
            "effect_unit_before": a.get("effect_unit"),
            "effect_before": a.get("effect"),
            "effect_now": b.get("effect"),
            "effect_change": b["effect"] - a["effect"] if same else None,
        }
    return {
        "aging_before": earlier["headline"].get("aging_detected"),
        "aging_now": later["headline"].get("aging_detected"),
        "n_sessions_before": earlier["n_sessions"],
        "n_sessions_now": later["n_sessions"],
        "same_evidence": earlier.get("content_hash") == later.get("content_hash"),
        "mechanisms": rows,
    }


def print_comparison(comparison: dict[str, Any], console: Console) -> None:
    """The changes since an earlier audit."""
    table = bare_table(
        "since the earlier audit",
        ("before", "left"),
        ("now", "left"),
        ("effect before", "right"),
        ("effect now", "right"),
        narrow=True,
    )
    for name, row in comparison["mechanisms"].items():
        table.add_row(
            name,
            _ANSWERS[row["fired_before"]][0],
            _ANSWERS[row["fired_now"]][0],
            effect_text(row["effect_before"], row["effect_unit_before"]),
            effect_text(row["effect_now"], row["effect_unit"]),
        )
    before, now = (_DETECTED[comparison[k]][0] for k in ("aging_before", "aging_now"))
    sessions = f"{comparison['n_sessions_before']} then {comparison['n_sessions_now']} sessions"
    same = "; the evidence is the same" if comparison["same_evidence"] else ""
    others = [
        Text(f"{name}: the effect before is that of {in_words(row['signal_before'])}", "dim")
        for name, row in comparison["mechanisms"].items()
        if row["signal_before"] is not None and row["signal_before"] != row["signal"]
    ]
    show(console, Text(), table, *others, Text(f"{before}, now {now}; {sessions}{same}", "dim"))
