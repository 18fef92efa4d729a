"""Outcome extractors: outcomes read out of what the trace, or the repository beside it, records
anyway.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from agingbench.errors import InputError, UnknownName
from agingbench.records import ReadLog
from agingbench.telemetry.profile import OUTCOMES
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeEvent
from agingbench.traces.decoding.times import seconds

Extractor = Callable[[TraceSessions, str], Iterable[OutcomeEvent | dict[str, Any]]]

SOON = 3600.0  # seconds after the last reply of a session within which a commit belongs to it
_REVERT = re.compile(r"^\s*revert\b", re.IGNORECASE)
_GIT_SECONDS = 60
_registered: dict[str, Extractor] = {}


def register_extractor(name: str, fn: Extractor) -> None:
    """Make an extractor usable by name: `fn(sessions, argument)` gives OutcomeEvents or dicts with
    their fields.
    """
    if not callable(fn):
        raise InputError(f"extractor '{name}' is not callable")
    if not name or ":" in name:
        raise InputError(f"extractor name '{name}': a name without ':' is needed")

    _registered[name] = fn


def extract(trace: TraceSessions, specs: Iterable[str]) -> list[OutcomeEvent]:
    """The outcomes that the named extractors find; a spec is NAME or NAME:ARGUMENT."""
    events: list[OutcomeEvent] = []
    for spec in specs:
        name, _, argument = spec.partition(":")
        known = {**_BUILT_IN, **_registered}
        if name not in known:
            raise UnknownName("outcome extractor", name, known)

        try:
            events += [_checked(e, name) for e in known[name](trace, argument)]
        except InputError:
            raise
        except Exception as error:
            if name in _BUILT_IN:
                raise
            raise InputError(
                f"outcome extractor '{name}' failed with {type(error).__name__}: {error}"
            ) from error

    return events


def _checked(event: OutcomeEvent | dict[str, Any], name: str) -> OutcomeEvent:
    if isinstance(event, dict):
        session, task, time = (event.get(k) for k in ("session_id", "task_id", "timestamp"))
        event = OutcomeEvent(
            None if session is None else str(session),
            str(event.get("outcome")),
            None if task is None else str(task),
            None if time is None else seconds(time, ReadLog()),
            name,
        )

    if event.outcome not in OUTCOMES:
        raise UnknownName("outcome", event.outcome, OUTCOMES)
    return event


def claude_session_flags(trace: TraceSessions, argument: str) -> list[OutcomeEvent]:
    """Completion markers: a session left by /clear after a failed or interrupted turn, or with
    rejected calls.

    A session whose last turn was answered without a rejected or cancelled call counts as a success.
    """
    cleared = {id(s.session) for s in trace.lifecycle if s.kind == "clear"}
    events = []

    for session in trace.sessions:
        if not session.turns or not session.tool_calls:
            continue

        last = session.turns[-1]
        stopped = session.errors.get("cancelled", 0) > 0
        rejected = session.errors.get("rejected", 0)

        if not last.reply and id(session) in cleared:
            outcome = "abandoned"
        elif rejected and last.errors:
            outcome = "user_rejected"
        elif stopped and last.errors:
            outcome = "abandoned"
        elif last.reply:
            outcome = "success"
        else:
            outcome = "fail"

        events.append(OutcomeEvent(session.id, outcome, None, session.end, "claude_session_flags"))

    return events


def record_patterns(trace: TraceSessions, argument: str) -> list[OutcomeEvent]:
    """What the user says next about the turn before, by the patterns of the profile."""
    events = []
    for session in trace.sessions:
        for turn in session.turns[1:]:
            for outcome, patterns in trace.profile.patterns.items():
                if any(p.search(turn.text) for p in patterns):
                    events.append(
                        OutcomeEvent(session.id, outcome, None, turn.time, "record_patterns")
                    )
                    break

    return events


def git_log(trace: TraceSessions, argument: str) -> list[OutcomeEvent]:
    """Commits while a session ran or soon after are successes, reverts are revision_fail; window
    from the trace.
    """
    repository = Path(argument).expanduser()
    if not argument or not repository.is_dir():
        said = f"{argument} is no folder" if argument else "which repository?"
        raise InputError(
            f"git_log: {said}; give that of a git repository, as in git_log:../project"
        )

    git = shutil.which("git")
    if git is None:
        raise InputError("git_log needs the git command, which is not installed")

    timed = [
        (s.start, s.end, s) for s in trace.sessions if s.start is not None and s.end is not None
    ]
    if not timed:
        return []

    since = min(a for a, _, _ in timed)
    until = max(b for _, b, _ in timed) + SOON
    command = [
        git,
        "-C",
        str(repository),
        "log",
        "--all",
        "--no-color",
        "--no-show-signature",
        f"--since=@{int(since) - 1}",
        f"--until=@{int(until) + 1}",
        "--format=%ct%x09%s",
    ]
    # The settings of a foreign repository may name programs: none to check signatures, none to
    # fetch what is missing.
    settings = {**os.environ, "GIT_ALLOW_PROTOCOL": "none"}

    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, timeout=_GIT_SECONDS, check=False, env=settings
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"git_log:{argument}: git took longer than {_GIT_SECONDS} s") from error

    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"git_log:{argument}: {reason[-1] if reason else 'git failed'}")

    events = []
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        moment, _, subject = line.partition("\t")
        if not moment.isdigit():
            continue

        time = float(moment)
        homes = [s for start, end, s in timed if start <= time <= end + SOON]
        if homes:
            home = max(homes, key=lambda s: s.start or 0.0)
            outcome = "revision_fail" if _REVERT.match(subject) else "success"
            events.append(OutcomeEvent(home.id, outcome, None, time, "git_log"))

    return events


_BUILT_IN: dict[str, Extractor] = {
    "claude_session_flags": claude_session_flags,
    "git_log": git_log,
    "record_patterns": record_patterns,
}
