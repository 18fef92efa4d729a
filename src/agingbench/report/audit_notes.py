"""What is printed below an audit's table: evidence, what would help, and notes in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from rich.text import Text

from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.text import plain

LINES = 3  # of records per signal
PER_LINE = 3
LEAST_P = 0.001
TOO_SHORT = "are the least"
TOO_CROWDED = "several sessions a day"
TOO_LITTLE = "too little to see"

# Codes of the card whose words do not stand on it; {} is the figure behind the colon.
_IN_WORDS = {
    "telemetry_no_outcome_events": (
        "no outcomes linked (--outcomes, --extract): what is told rests on behaviour alone"
    ),
    "telemetry_empty_trace": "the trace holds nothing that an agent did",
    "sessions_without_times": "{} sessions carry no time and stand where they were read",
    "time_missing": "{} records carry no time",
    "times_interpolated": "{} events without a time were placed by their order",
    "time_without_zone": "{} times name no zone and were taken as UTC",
    "time_unreadable": "{} times cannot be read",
    "time_absurd": "{} times lie before 1970 or after 2200 and were left out",
    "sessions_joined": "{} resumed sessions were joined with the one they continue",
    "events_older_than_since": "{} events are older than --since and were left out",
}


def p_text(p: object) -> str:
    """A p-value; a very small one as the limit that it is below."""
    small = isinstance(p, float) and 0 <= p < LEAST_P
    return f"<{LEAST_P}" if small else number(p, 3)


def effect_text(effect: object, unit: object) -> str:
    """An effect by its unit: a factor with ×, a difference with its sign, a level as it is."""
    text = number(effect, 2, " minus " in str(unit))
    if text != MISSING and str(unit).startswith("factor"):
        return f"×{text}"
    return text


def evidence_rows(audit: dict[str, Any]) -> list[tuple[str, Text]]:
    """For each signal that fired: its effect, and where the first records are that it counts."""
    rows: list[tuple[str, Text]] = []
    evidence = audit["dominant_mechanism"].get("evidence")
    for mechanism, signals in evidence.items() if isinstance(evidence, dict) else ():
        for signal in signals if isinstance(signals, list) else ():
            rows.append(("evidence", Text(_claim(mechanism, signal))))
            rows += [
                ("", Text(line, "dim")) for line in _records(signal.get("records") or [], audit)
            ]
    return rows


def _claim(mechanism: str, signal: dict[str, Any]) -> str:
    interval = interval_text(signal.get("effect_ci"), 2, False)
    effect = effect_text(signal.get("effect"), signal.get("effect_unit"))
    figures = f"{effect} ({interval}), p {p_text(signal.get('p'))}, n {signal.get('n')}"
    return (
        f"{plain(mechanism)} · {in_words(signal['signal'])} {figures}:"
        f" {plain(signal.get('effect_unit') or '')}"
    )


def _records(records: Sequence[dict[str, Any]], audit: dict[str, Any]) -> list[str]:
    times = audit.get("session_times") or []
    lines = []
    for session, part in groupby(records, key=lambda r: r.get("session")):
        places = "; ".join(
            _places(file, list(group)) for file, group in groupby(part, key=lambda r: r.get("file"))
        )
        lines.append(f"session {session}{_day(session, times)}: {places}")
    return lines[:LINES]


def _places(file: object, records: Sequence[dict[str, Any]]) -> str:
    name = plain(file or "unknown file")
    places = [_line(r) for r in records if r.get("line")]
    if not places:
        return name
    more = f" and {len(places) - PER_LINE} more" if len(places) > PER_LINE else ""
    return f"{name} line{'' if len(places) == 1 else 's'} {', '.join(places[:PER_LINE])}{more}"


def _line(record: dict[str, Any]) -> str:
    event = f" ({in_words(record['event'])})" if record.get("event") else ""
    return f"{record['line']}{event}"


def _day(session: object, times: Sequence[float | None]) -> str:
    if not isinstance(session, int) or not 0 <= session < len(times):
        return ""
    moment = times[session]
    try:
        return "" if moment is None else f" ({datetime.fromtimestamp(moment, UTC):%Y-%m-%d})"
    except (OverflowError, OSError, ValueError):
        return ""


def open_rows(audit: dict[str, Any], mechanisms: Sequence[str]) -> list[tuple[str, Text]]:
    """Why mechanisms have no answer, once per reason, and what would give one."""
    head = audit["headline"]
    reason = str(head.get("aging_reason"))
    if TOO_SHORT in reason or TOO_CROWDED in reason:
        more = "sessions" if TOO_SHORT in reason else "days"
        return [
            (
                "next",
                Text(
                    f"audit again with more {more}: 24 sessions show most effects of moderate size"
                ),
            )
        ]
    unknown: dict[str, list[str]] = {}
    for name in mechanisms:
        if audit[name].get("fired") is None and audit[name].get("reason"):
            unknown.setdefault(plain(audit[name]["reason"]), []).append(name)
    rows = [
        ("cannot tell", Text(f"{', '.join(names)}: {reason}")) for reason, names in unknown.items()
    ]
    if TOO_LITTLE in str(head.get("aging_reason")):
        rows.append(
            (
                "next",
                Text(
                    "more sessions or busier ones; coverage says how far each mechanism is from an"
                    " answer"
                ),
            )
        )
    return rows


def fleet_reasons(rows: Sequence[tuple[bool | None, dict[str, Any]]]) -> list[str]:
    """Why projects of a fleet have no answer, the most usual reason first."""
    counts: dict[str, int] = {}
    for detected, card in rows:
        if detected is not None:
            continue
        reason = plain(card["headline"].get("aging_reason") or "")
        if TOO_SHORT in reason:
            reason = f"too few sessions: {reason.partition('; ')[2]}"
        counts[reason] = counts.get(reason, 0) + 1

    lines = []
    for reason, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        lines.append(f"cannot tell in {n} project{'' if n == 1 else 's'}: {reason}")
    return lines


def moments_rows(audit: dict[str, Any]) -> list[tuple[str, Text]]:
    """What follows compactions inside sessions, where enough moments could be compared."""
    moments = audit["maintenance"].get("placebo_moments") or {}
    errors = moments.get("error_rate")
    effort = moments.get("effort_per_task")
    if moments.get("p") is None or not errors or not effort:
        return []
    words = (
        f"{moments['n_events']} inside sessions, against {moments['n_moments']} matched moments:"
        f" errors {number(errors['effect'], 2, True)}, effort ×{number(effort['effect'])}, p"
        f" {p_text(moments['p'])}; a second reading that decides nothing"
    )
    return [("compactions", Text(words))]


def other_tiers(head: dict[str, Any]) -> str:
    """What the trace also carries behind the headline."""
    tiers = head.get("tiers")
    if not isinstance(tiers, dict):
        return ""
    others = [plain(t.get("label")) for name, t in tiers.items() if name != head.get("source")]
    return f"; also {', '.join(others)}" if others else ""


def profile_words(card: dict[str, Any]) -> str:
    """Which profile was used, and why."""
    used = card["trace_audit"].get("profile") or {}
    name = used.get("name") or card["provenance"].get("profile") or "unknown"
    why = used.get("chosen_by")
    return (
        plain(name)
        if why in (None, "named")
        else f"{plain(name)}: {plain(why)} (--profile chooses another)"
    )


def notes(card: dict[str, Any], told_elsewhere: Sequence[str]) -> list[str]:
    """The warnings of the card as sentences."""
    out = []
    for warning in card["warnings"]:
        code, _, rest = str(warning).partition(":")
        if code not in told_elsewhere:
            out.append(_sentence(code, plain(rest)))
    return out


def _sentence(code: str, rest: str) -> str:
    if code in _IN_WORDS:
        return _IN_WORDS[code].replace("{}", rest)
    # What is more than a figure says by itself what the code stands for.
    if rest and not rest.isdigit():
        return rest
    return f"{in_words(code)}: {rest}" if rest else in_words(code)
