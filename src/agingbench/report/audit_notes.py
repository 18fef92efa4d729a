"""What is printed below an audit's table: evidence, what would help, and notes in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby

from rich.text import Text

from agingbench.cards.audit import (
    CHANGED_AT_ONCE,
    AuditBlock,
    AuditCard,
    AuditVerdict,
    EvidencePlace,
    EvidenceSignal,
    UsedProfile,
)
from agingbench.report.audit_signals import jumped, vague_signals
from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.text import plain

LINES = 3  # of records per signal
PER_LINE = 3
LEAST_P = 0.001
MINUS = " minus "  # in the unit of a difference
TOO_SHORT = "are the least"
TOO_CROWDED = "several sessions a day"

# Why a mechanism has no answer, in short.
_OPEN_REASONS = {
    CHANGED_AT_ONCE: "changed at once, not gradually",
    "work_changed": "your work changed at the same time",
    "suspicious": "looks worse, but with five kinds looked at it may be chance",
    "mix_moves_alone": "other tools than before, but nothing else moved with them",
    "too_imprecise": "a moderate change could have been missed",
    "nothing_to_test": "nothing to test in this trace",
}

# Series that are shown and decide nothing, and their shapes.
_SHOWN = {
    "saturation": "how full the context gets",
    "context_noise": "noise in the context",
    "tool_kl_divergence": "distance from the first sessions' tools",
}
_SHAPES = {
    "rising": "rises",
    "falling": "falls",
    "floor": "stays low",
    "ceiling": "stays high",
    "flat": "is flat",
}

# Warnings that screen and page say in another place.
_SHOWN_ELSEWHERE = (
    "telemetry_partial",
    "malformed_records",
    "mechanism_not_exercised",
    "confounded",
)

# Codes of the card whose words do not stand on it; {} is the figure behind the colon.
_IN_WORDS = {
    "telemetry_no_outcome_events": (
        "no outcomes linked (--outcomes, --extract): what is told rests on behaviour alone"
    ),
    "telemetry_empty_trace": "the trace holds nothing that an agent did",
    "telemetry_unreadable_trace": (
        "no session could be read, and {} records or files could not: what an agent did there is"
        " not known"
    ),
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
    """An effect by its unit: a factor with ×, a share in points, a difference with its sign."""
    if isinstance(effect, int | float) and is_share(unit):
        text = number(100 * effect, 0, True)
        return f"{text} pts" if MINUS in str(unit) else f"{number(100 * effect, 0)} %"

    text = number(effect, 2, MINUS in str(unit))
    if text != MISSING and str(unit).startswith("factor"):
        return f"×{text}"
    return text


def bounds_text(bounds: Sequence[float | None] | None, unit: object) -> str:
    """The interval of an effect in the same unit."""
    known = [bound for bound in bounds or () if bound is not None]
    if len(known) == 2 and is_share(unit):
        # The interval is of a line that knows no limits; a share does.
        possible = [max(-1.0, min(1.0, bound)) for bound in known]
        return interval_text([100 * bound for bound in possible], 0, False)
    return interval_text(bounds, 2, False)


def is_share(unit: object) -> bool:
    """Whether an effect is told as a share of something, so that a hundredth is a point."""
    return str(unit).startswith("share ")


def evidence_rows(audit: AuditBlock) -> list[tuple[str, Text]]:
    """For each signal that fired: its effect, and where the first records are that it counts."""
    rows: list[tuple[str, Text]] = []
    times = audit.session_times or []
    for mechanism, signal in audit.dominant_mechanism.signals():
        rows.append(("evidence", Text(_claim(mechanism, signal))))
        for line in _record_lines(signal.records or [], times):
            rows.append(("", Text(line, "dim")))
    return rows


def _claim(mechanism: str, signal: EvidenceSignal) -> str:
    name = f"{plain(mechanism)} · {in_words(signal.signal)}"
    effect = effect_text(signal.effect, signal.effect_unit)
    interval = bounds_text(signal.effect_ci, signal.effect_unit)
    figures = f"{effect} ({interval}), p {p_text(signal.p)}, n {signal.n}"
    return f"{name} {figures}: {plain(signal.effect_unit or '')}"


def _record_lines(records: Sequence[EvidencePlace], times: Sequence[float | None]) -> list[str]:
    """One line per session that holds records, each file with its lines."""
    lines = []
    for session, in_session in groupby(records, key=lambda record: record.session):
        places = []
        for file, in_file in groupby(in_session, key=lambda record: record.file):
            places.append(_places(file, list(in_file)))
        lines.append(f"session {session}{_day(session, times)}: {'; '.join(places)}")
    return lines[:LINES]


def _places(file: object, records: Sequence[EvidencePlace]) -> str:
    name = plain(file or "unknown file")
    places = []
    for record in records:
        if record.line:
            event = f" ({in_words(record.event)})" if record.event else ""
            places.append(f"{record.line}{event}")
    if not places:
        return name

    noun = "line" if len(places) == 1 else "lines"
    first_places = ", ".join(places[:PER_LINE])
    words = f"{name} {noun} {first_places}"
    if len(places) > PER_LINE:
        words += f" and {len(places) - PER_LINE} more"
    return words


def _day(session: object, times: Sequence[float | None]) -> str:
    if not isinstance(session, int) or not 0 <= session < len(times):
        return ""
    moment = times[session]
    if moment is None:
        return ""
    try:
        return f" ({datetime.fromtimestamp(moment, UTC):%Y-%m-%d})"
    except (OverflowError, OSError, ValueError):
        return ""


def open_rows(audit: AuditBlock) -> list[tuple[str, Text]]:
    """Why mechanisms have no answer, once per reason; none where there are too few sessions."""
    verdict = audit.headline.aging_reason or ""
    if TOO_SHORT in verdict or TOO_CROWDED in verdict:
        return []

    at_once = jumped(audit)
    by_reason: dict[str, list[str]] = {}
    for name, finding in audit.findings().items():
        if finding.fired is None and finding.reason and name not in at_once:
            reason = _OPEN_REASONS.get(finding.open_because or "", plain(finding.reason))
            by_reason.setdefault(reason, []).append(name)

    rows = []
    for reason, names in by_reason.items():
        rows.append(("cannot tell", Text(f"{', '.join(names)}: {reason}")))
    return rows + _vague_rows(audit)


def _vague_rows(audit: AuditBlock) -> list[tuple[str, Text]]:
    """What a no of a mechanism does not rest on, in one line; none where it rests on all."""
    parts = []
    for name, finding in audit.findings().items():
        vague = vague_signals(finding)
        if finding.fired is False and vague:
            parts.append(f"{name} by {', '.join(vague)}")
    words = f"too vague to show a moderate change: {'; '.join(parts)}"
    return [("hardly seen", Text(words))] if parts else []


def fleet_reasons(answers: Sequence[tuple[bool | None, AuditVerdict]]) -> list[str]:
    """Why projects of a fleet have no answer, the most usual reason first."""
    counts: dict[str, int] = {}
    for detected, verdict in answers:
        if detected is not None:
            continue
        reason = plain(verdict.aging_reason or "")
        if TOO_SHORT in reason:
            reason = f"too few sessions: {reason.partition('; ')[2]}"
        counts[reason] = counts.get(reason, 0) + 1

    lines = []
    for reason, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        noun = "project" if n == 1 else "projects"
        lines.append(f"cannot tell in {n} {noun}: {reason}")
    return lines


def moments_rows(audit: AuditBlock) -> list[tuple[str, Text]]:
    """What follows compactions inside sessions, where enough moments could be compared."""
    moments = audit.maintenance.placebo_moments
    if moments is None or moments.p is None:
        return []
    if moments.error_rate is None or moments.effort_per_task is None:
        return []

    errors = effect_text(moments.error_rate.effect, f"share {MINUS}")
    effort = number(moments.effort_per_task.effect)
    words = (
        f"after the {moments.n_events} with enough calls before and after, against"
        f" {moments.n_moments} similar moments in other sessions: failed calls {errors}, calls per"
        f" request ×{effort}; not part of the answer"
    )
    return [("compactions", Text(words))]


def shown_rows(audit: AuditBlock) -> list[tuple[str, Text]]:
    """How the series that decide nothing went: fullness, tools, noise and others."""
    words = []
    for finding in audit.findings().values():
        for metric in finding.others.get("shown_only") or []:
            verdict = str(finding.others.get(f"{metric}_verdict"))
            shape = _SHAPES.get(verdict.partition("_")[0])
            if metric in _SHOWN and shape is not None:
                words.append(f"{_SHOWN[metric]} {shape}")

    return (
        [("beside it", Text(f"{', '.join(words)}; not part of the answer", "dim"))] if words else []
    )


def profile_words(card: AuditCard) -> str:
    """Which profile was used, and why."""
    profile = card.trace_audit.profile or UsedProfile()
    older_name = card.provenance.profile if card.provenance else None
    name = plain(profile.name or older_name or "unknown")
    if profile.chosen_by in (None, "named"):
        return name
    return f"{name}: {plain(profile.chosen_by)} (--profile chooses another)"


def warning_sentences(warnings: Sequence[str]) -> list[str]:
    """The warnings of a card as sentences, without those that are shown elsewhere."""
    sentences = []
    for warning in warnings:
        code, _, rest = warning.partition(":")
        if code not in _SHOWN_ELSEWHERE:
            sentences.append(_sentence(code, plain(rest)))
    return sentences


def _sentence(code: str, rest: str) -> str:
    if code in _IN_WORDS:
        return _IN_WORDS[code].replace("{}", rest)
    # What is more than a figure says by itself what the code stands for.
    if rest and not rest.isdigit():
        return rest
    return f"{in_words(code)}: {rest}" if rest else in_words(code)
