"""What to do next after an audit, with the command to type."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.cards.audit import (
    CHANGED_AT_ONCE,
    AuditBlock,
    AuditCard,
    ChangePointBlock,
    MechanismFinding,
    RecordedBlock,
)
from agingbench.report.audit_figures import day, iso_day, percent
from agingbench.report.audit_notes import TOO_CROWDED
from agingbench.report.audit_sentence import changes_near
from agingbench.report.text import plain

CLAUDE_CODE = "claude_code"
KEEP = "clients delete old transcripts: `agingbench archive PATH --out DIR` keeps them"
ENOUGH = 24  # sessions that show most changes of moderate size
MORE_DAYS = (
    f"audit again once there are sessions on six days or more; {ENOUGH} sessions show most changes"
    " of moderate size"
)

# What helps against each kind of aging, in the words of a user of Claude Code and of anybody else.
_REPAIRS = {
    "compression": (
        "start a new session per task (/clear), keep CLAUDE.md short, and put what must survive a"
        " compaction into a file that the agent reads",
        "keep what later work needs outside the conversation, and compact less often",
    ),
    "interference": (
        "one project or topic per session, and remove tools and MCP servers that are not needed",
        "keep entries of different tasks apart, and fetch by key before fetching by likeness",
    ),
    "revision": (
        "tell the agent to read a value again before it uses it, and delete old values from"
        " CLAUDE.md and memory files",
        "store each value under one key, overwrite it on update, read it again before use",
    ),
    "maintenance": (
        "before /compact or /clear let the agent write down where it stands, and check after it"
        " that it still knows",
        "save what is kept before each such event, check it after, and roll back when it is lost",
    ),
    "reliability": (
        "look at what failed more, and whether it came with something you or the client changed",
        "look at what failed more, and whether it came with something that was changed",
    ),
}
_CAUSES = {
    "model": "run the same kind of work with the model before it for a while, and audit again",
    "permissions": "go back to the permission mode before it for a while, and audit again",
    "instructions": "read what was edited in the instruction file, undo it, and audit again",
    "tools": "take the new tool away for a while, and audit again",
    "subagents": "let the agent work without subagents for a while, and audit again",
    "work": "your work changed there; audit the stretches apart",
}
# What to do where an answer is open for a reason that more sessions alone do not settle.
_OPEN_ADVICE = {
    "effort_rose": (
        "look at the requests that took the most calls; if they are no harder than the early ones,"
        " start a new session per task, and audit again in a week"
    ),
    "one_tool": "look at that tool first: its own errors or answers may have changed",
    "mix_moves_alone": (
        "look whether you ask for other work or work in another way (the tools that moved are in"
        " the card, under interference); if not, audit again in two weeks"
    ),
    "context_grows_alone": (
        "nothing to repair yet; shorter sessions keep the context small: audit again in two weeks"
    ),
}


def advice(card: AuditCard) -> list[str]:
    """What to do next, the most useful first."""
    audit = card.trace_audit
    is_claude = audit.trace_regime is not None and audit.trace_regime.adapter == CLAUDE_CODE
    lines = []
    points = [] if audit.changes is None else audit.changes.points
    for point in points:
        if any(figure.worse for figure in point.moved):
            lines += _after_change(point, audit, is_claude)

    for name, finding in audit.findings().items():
        if finding.fired and name in _REPAIRS:
            lines.append(f"{name}: {_REPAIRS[name][0 if is_claude else 1]}{_risen(finding)}")

    if card.headline.aging_detected is None:
        lines += _undecided(card, is_claude)
    if card.headline.aging_detected is False and not lines:
        lines.append(
            "nothing to do; audit again in two weeks: `agingbench audit PATH --out DIR`, then"
            " `--against DIR`"
        )
    return lines


def _risen(finding: MechanismFinding) -> str:
    """The tool whose errors rose most, from the first to the last third of the sessions."""
    rows = finding.others.get("errors_that_rose") or []
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
        return ""
    tool, early, late = (rows[0].get(key) for key in ("tool", "early", "late"))
    if not isinstance(early, float | int) or not isinstance(late, float | int):
        return ""
    return f"; most of all {plain(str(tool))}: {percent(early)} failed early, {percent(late)} late"


def _after_change(point: ChangePointBlock, audit: AuditBlock, is_claude: bool) -> list[str]:
    lines = []
    for change in point.recorded:
        if change.kind == "client":
            lines.append(_older_client(change, audit, is_claude))
        elif change.kind in _CAUSES:
            lines.append(f"{plain(change.what)}: {_CAUSES[change.kind]}")

    if point.time is not None:
        lines.append(f"only what came after: `agingbench audit PATH --since {iso_day(point.time)}`")
    return lines


def _older_client(change: RecordedBlock, audit: AuditBlock, is_claude: bool) -> str:
    """How to run the client version that was used before an update."""
    recorded = [] if audit.changes is None else audit.changes.recorded
    earlier = [
        one.what.removeprefix("client ")
        for one in recorded
        if one.kind == "client" and one.session < change.session
    ]
    version = plain(earlier[-1]) if earlier else "the version before it"
    if is_claude and earlier:
        return (
            f"pin the client: `npm install -g @anthropic-ai/claude-code@{version}`, work with it"
            " for a week, and audit again"
        )
    return f"go back to client {version} for a week, and audit again"


def _undecided(card: AuditCard, is_claude: bool) -> list[str]:
    kind = card.headline.open_because or card.trace_audit.headline.open_because
    if kind in ("too_short", "too_imprecise", "nothing_to_test", None):
        is_crowded = TOO_CROWDED in (card.headline.aging_reason or "")
        lines = [MORE_DAYS if is_crowded else _more_sessions(card.n_sessions)]
        if is_claude:
            lines.append(KEEP)
        return lines
    if kind == "suspicious":
        return ["audit again in a week: if it is real, it will be clearer by then"]
    if kind == "work_changed":
        return [_last_stretch(card.trace_audit)]
    if kind == CHANGED_AT_ONCE:
        return [*_near_step(card.trace_audit, is_claude), _after_step(card.trace_audit)]
    return [_OPEN_ADVICE[kind]] if kind in _OPEN_ADVICE else []


def _more_sessions(n_sessions: int) -> str:
    if n_sessions < ENOUGH:
        enough = f"{ENOUGH} sessions show most changes of moderate size"
        return f"audit again with more sessions on more days: {enough}"
    return (
        f"audit again with more days: {n_sessions} sessions are many, but they differ so much that"
        " a moderate change could hide"
    )


def _near_step(audit: AuditBlock, is_claude: bool) -> list[str]:
    """How to try whether a new model or client, recorded near a step, brought it."""
    at = audit.step_session()
    near = [] if at is None else changes_near(audit, at)
    for change in near:
        if change.kind == "model":
            return [f"{plain(change.what)}{_beside(change, near, at)}: {_CAUSES[change.kind]}"]
    for change in near:
        if change.kind == "client":
            older = _older_client(change, audit, is_claude)
            return [f"{plain(change.what)}{_beside(change, near, at)}: {older}"]
    return []


def _beside(change: RecordedBlock, near: Sequence[RecordedBlock], at: int | None) -> str:
    """When a change came that may have brought a step, and what came near the step beside it."""
    words = []
    if at is not None and change.session > at:
        later = f"{day(change.time)}, a session after the jump seems to have come"
        words.append(f"{later}, which is known to a session or so")
    others = len(near) - 1
    if others:
        words.append(f"near it came {others} other change{'s' * (others != 1)}")
    return f" ({'; '.join(words)})" if words else ""


def _after_step(audit: AuditBlock) -> str:
    """How to audit what came after a step, with its day where that is known."""
    at = audit.step_session()
    moment = None if at is None or audit.session_times is None else audit.session_times[at]
    # Where it came is known to a session or so: what was recorded right after it may have come
    # with it, and sessions before that are no like ones.
    near = [] if at is None else changes_near(audit, at)
    later = [change.time for change in near if at is not None and change.session > at]
    if later and later[-1] is not None:
        moment = later[-1]
    if moment is not None:
        return _audit_since(audit, moment, f"audit only what came since {day(moment)}")
    return "audit what came before and after apart: `agingbench audit PATH --since DATE`"


def _last_stretch(audit: AuditBlock) -> str:
    """How to audit the last stretch of like work alone, with its day where that is known."""
    recorded = [] if audit.changes is None else audit.changes.recorded
    starts = [change.time for change in recorded if change.kind == "work" and change.time]
    if not starts:
        return "audit stretches of like work apart: `agingbench audit PATH --since DATE`"
    when = day(starts[-1])
    return _audit_since(audit, starts[-1], f"audit the work since {when} alone, which is alike")


def _audit_since(audit: AuditBlock, start: float, what: str) -> str:
    """What to audit from a day on; when that has enough sessions to show most changes."""
    times = audit.session_times or []
    n = sum(moment is not None and moment >= start for moment in times)
    command = f"`agingbench audit PATH --since {iso_day(start)}`"
    if n >= ENOUGH:
        return f"{what} ({n} sessions): {command}"
    count = f"{n} session{'s' * (n != 1)} so far"
    return f"{what}, once there are about {ENOUGH} sessions ({count}): {command}"
