"""The answer of an audit in one or two sentences, in the words of its user."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from agingbench.cards.audit import (
    CHANGED_AT_ONCE,
    AuditBlock,
    AuditCard,
    ChangePointBlock,
    ChangesBlock,
    MovedBlock,
    PanelBlock,
    RecordedBlock,
)
from agingbench.report.audit_figures import FAILURES, clause, day, figure_value, session_words
from agingbench.report.audit_notes import TOO_CROWDED
from agingbench.report.audit_signals import changed_measures, stepped_measures, vague_signals
from agingbench.report.layout import in_words, number
from agingbench.report.text import plain

MOST_CLAUSES = 2
MOST_WORDS = 3
LEAST_RISE = 1.5  # of calls per request, to be said beside other work
# Figures that say most to a user come first.
_FIRST = (
    "tool_errors",
    "corrections",
    "calls_per_request",
    "dollars_per_request",
    "reads_per_change",
    "edits_without_read",
)
# What a signal says when it fired, as the end of "Your agent is getting worse, gradually: …".
_SIGNALS = {
    "context_growth": "each step adds {effect} times as much to its context as at the start",
    "tool_argument_specificity": "fewer of its calls name a file, an id or a symbol",
    "reread_rate": "it reads again more often what it had read before",
    "asked_again": "it asks more often what it had been told",
    "repeated_lookups": "it looks up more often what it had looked up before",
    "look_alike_visits": "it goes more often to what only looks like the right file or record",
    "look_alike_tools": "it calls more often a tool that only looks like the right one",
    "tool_mix_drift": "it uses other tools for the same kind of requests than at the start",
    "value_supersession": "it uses values that had been replaced by newer ones",
    "error_rate": "it makes more errors after events such as compactions",
    "effort_per_task": "it needs more calls per request after events such as compactions",
    "process_errors": "more of its tool calls fail",
    "rejections": "you reject or interrupt it more often",
    "corrections": "you correct it more often",
}
_OPEN_STILL = "Whether it got worse cannot be told"
_OPEN_YET = f"{_OPEN_STILL} yet"
_OPEN = {
    CHANGED_AT_ONCE: "What looks worse came at once, not gradually: not called aging",
    "work_changed": f"{_OPEN_STILL}: what it does seems to have changed",
    "one_tool": f"{_OPEN_STILL}: what changed shows in one tool only",
    "context_grows_alone": f"{_OPEN_STILL}: its context grows faster, but nothing seems lost",
    "mix_moves_alone": (
        f"{_OPEN_STILL}: it uses other tools than before, but nothing shows that it mixes things up"
    ),
    "effort_rose": "Not called aging, and not healthy: it needs more and more calls per request",
    "suspicious": f"{_OPEN_YET}: something looks worse, but among so many figures it may be chance",
    "too_imprecise": f"{_OPEN_STILL}: a moderate change could have been missed",
    "too_short": _OPEN_YET,
    "nothing_to_test": f"{_OPEN_STILL}: the trace shows too little",
}


def answer_sentences(card: AuditCard) -> list[str]:
    """The answer: what changed at once and when, then whether the agent ages."""
    audit = card.trace_audit
    sentences = []
    if audit.changes is not None and audit.panel is not None:
        for point in audit.changes.points:
            sentences.append(_change(point, audit.panel))

    sentences.append(_aging(card, bool(sentences)))
    return sentences


def weeks_sentence(card: AuditCard) -> str | None:
    """How much the answer hangs on single weeks; None where that was not looked at."""
    weeks = card.trace_audit.left_out_weeks
    if weeks is None or not weeks.windows or card.headline.aging_detected is None:
        return None

    one = "week" if weeks.weeks == weeks.windows else "stretch of the weeks"
    times = f"{weeks.same} of {weeks.windows} times"
    if weeks.same == weeks.windows:
        return f"Leaving out any one {one} of the trace gives the same answer ({times})."

    if weeks.opposite == weeks.windows - weeks.same:
        otherwise = "it is the opposite"
    elif weeks.opposite:
        otherwise = "there is none, or it is the opposite"
    else:
        otherwise = "there is none"
    return (
        f"It hangs on single weeks: leaving out any one {one} keeps the answer {times};"
        f" otherwise {otherwise}."
    )


def _change(point: ChangePointBlock, panel: PanelBlock) -> str:
    """One change point: since when, what moved, and what came with it."""
    moved = [figure for figure in point.moved if figure.worse] or list(point.moved)
    better = "" if moved and moved[0].worse else " (no harm in that)"
    clauses = _clauses(moved, panel)
    causes = [plain(change.what) for change in point.recorded]
    what = listed(causes)
    return f"Since {day(point.time)} {clauses}. It came with {what}, not gradually{better}."


def _clauses(moved: Sequence[MovedBlock], panel: PanelBlock) -> str:
    def rank(figure: MovedBlock) -> tuple[int, float]:
        order = _FIRST.index(figure.figure) if figure.figure in _FIRST else len(_FIRST)
        return order, figure.p_adjusted or 0.0

    words = []
    for figure in sorted(moved, key=rank)[:MOST_CLAUSES]:
        block = panel.figures.get(figure.figure)
        scale = "ratio" if block is None else block.scale
        words.append(clause(figure.figure, scale, figure.before, figure.after))

    return " and ".join(words)


def listed(words: Sequence[str]) -> str:
    """Words as a list that ends in "and"; a phrase for none."""
    if len(words) < 2:
        return words[0] if words else "nothing that was recorded"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _aging(card: AuditCard, has_changes: bool) -> str:
    detected = card.headline.aging_detected
    audit = card.trace_audit
    if detected:
        return f"Your agent is getting worse, gradually: {_fired(audit)}."
    if detected is False:
        rest = "Apart from that, no" if has_changes else "No"
        likelier = (
            "what was measured is three times likelier without a moderate change than with one"
        )
        return f"{rest} aging seen: {likelier}{_vague(audit)}."

    open_because = card.headline.open_because or audit.headline.open_because
    reason = plain(card.headline.aging_reason or "")
    if open_because in _OPEN:
        return f"{_OPEN[open_because]}{_detail(open_because, audit, reason)}."
    return f"{_OPEN_STILL}: {reason}."


def _vague(audit: AuditBlock) -> str:
    """The signals that a no does not rest on, since they could not show a moderate change."""
    vague = [name for one in audit.findings().values() for name in vague_signals(one)]
    return f" (too vague to show one: {listed(vague)})" if vague else ""


def _detail(kind: str, audit: AuditBlock, reason: str) -> str:
    """What stands behind an open answer, where a short phrase says it."""
    if kind == "too_short":
        return f": {_shortage(audit, reason)}"

    if kind == "work_changed":
        return _work(audit)

    names = [name for name, one in audit.findings().items() if one.open_because == kind]
    if kind == CHANGED_AT_ONCE:
        return _when(audit, names)
    if kind == "effort_rose":
        return _effort(audit)
    if kind in ("suspicious", "one_tool") and names:
        return f" ({listed(names)})"
    return ""


def _shortage(audit: AuditBlock, reason: str) -> str:
    """What there is too little of, days or sessions, and how much there is."""
    extent = audit.trace_regime
    if extent is None or not extent.n_days or TOO_CROWDED not in reason:
        return f"there are too few sessions ({reason})"
    days = f"{extent.n_sessions} sessions on {extent.n_days} days, at least 6 are needed"
    return f"there are too few days ({days})"


def _work(audit: AuditBlock) -> str:
    """What changed, and how the work did: the words of requests that became more and less usual."""
    measures = changed_measures(audit, "work_changed") or ["calls per request"]
    words = f" ({listed(measures)}), but your work changed at the same time"
    effort = _effort(audit, LEAST_RISE)
    harder = f"; a request takes more calls{effort}: harder work, or more trouble" if effort else ""
    if audit.work is None:
        return words + harder

    parts = []
    rose = [plain(word) for word in audit.work.words_that_rose[:MOST_WORDS]]
    fell = [plain(word) for word in audit.work.words_that_fell[:MOST_WORDS]]
    if rose:
        parts.append(f"more requests with {_quoted(rose)}")
    if fell:
        parts.append(f"fewer with {_quoted(fell)}")
    if parts:
        words += f" ({', '.join(parts)})"
    return words + harder


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


def _when(audit: AuditBlock, names: Sequence[str]) -> str:
    """What changed at once, and from which session on."""
    moved = stepped_measures(audit) or names
    parts = [listed(moved)] if moved else []
    at = audit.step_session()
    if at is not None and audit.session_times is not None:
        parts.append(f"since about {session_words(at, audit.session_times[at])}")
    return f" ({' '.join(parts)})" if parts else ""


def step_words(audit: AuditBlock) -> list[tuple[str, str]]:
    """The day of the step that leaves the answer open, what moved, and what was recorded around it.

    Empty where there is none.
    """
    at = audit.step_session()
    if at is None or audit.session_times is None:
        return []

    moved = listed(stepped_measures(audit) or ["what the kinds of aging measure"])
    words = f"{moved}, from about session {at} on"
    for session, changes in groupby(changes_near(audit, at), key=lambda change: change.session):
        together = list(changes)
        causes = ", ".join(plain(change.what) for change in together)
        when = f"session {session} ({day(together[0].time)})"
        words += f"; near it, in {when}: {causes}"
    return [(day(audit.session_times[at]), words)]


def changes_near(audit: AuditBlock, session: int) -> list[RecordedBlock]:
    """The recorded changes around a step: where it came is known to a session or so."""
    recorded = [] if audit.changes is None else audit.changes.recorded
    return [change for change in recorded if abs(change.session - session) <= 1]


def _effort(audit: AuditBlock, least_rise: float = 0.0) -> str:
    """How many calls a request took in the first and in the last week that had any.

    Empty where the last is not at least so many times the first.
    """
    figure = None if audit.panel is None else audit.panel.figures.get("calls_per_request")
    weeks = [] if figure is None else [value for value in figure.by_week if value is not None]
    if len(weeks) < 2 or weeks[-1] < least_rise * weeks[0]:
        return ""
    first, last = (figure_value("calls_per_request", "ratio", weeks[at]) for at in (0, -1))
    return f" ({first} in the first week, {last} in the last)"


def _fired(audit: AuditBlock) -> str:
    """What got worse, by the leading signal of each mechanism that fired."""
    words = []
    for name, finding in audit.findings().items():
        if not finding.fired:
            continue
        signal = finding.leading_signal or name
        text = _SIGNALS.get(signal, f"{in_words(signal)} ({name})")
        words.append(text.format(effect=number(finding.effect, 1)))

    return listed(words) if words else "the outcomes of its work get worse"


def _harmless(figure: str) -> str:
    """What a move to the better side is: fewer failures are better, longer thoughts are not."""
    return "looks better" if figure in FAILURES else "not counted as worse"


def drift_words(
    changes: ChangesBlock, panel: PanelBlock, left_out: Sequence[str] = ()
) -> list[str]:
    """Figures that drift without a step, one line each, but for those left out."""
    lines = []
    for figure in changes.drifts:
        if figure.figure in left_out:
            continue

        block = panel.figures.get(figure.figure)
        scale = "ratio" if block is None else block.scale
        words = clause(figure.figure, scale, figure.before, figure.after)
        harm = "looks worse, no part of the answer" if figure.worse else _harmless(figure.figure)
        lines.append(f"{words} (last third of the sessions against the first; {harm})")

    return lines
