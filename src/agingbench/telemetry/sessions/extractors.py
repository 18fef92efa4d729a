"""Outcome extractors: outcomes derived from what the trace or its repository records anyway."""

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
_GIT_SECONDS = 60  # after which git is stopped
_registered: dict[str, Extractor] = {}


def register_extractor(name: str, fn: Extractor) -> None:
    """Make an extractor usable by name; raises InputError unless it is callable and named plainly.

    `fn(sessions, argument)` returns OutcomeEvents or dicts with their fields.
    """
    if not callable(fn):
        raise InputError(f"extractor '{name}' is not callable")
    if not name or ":" in name:
        raise InputError(f"extractor name '{name}': a name without ':' is needed")

    _registered[name] = fn


def extract(trace: TraceSessions, specs: Iterable[str]) -> list[OutcomeEvent]:
    """Return the outcomes that the named extractors find; a spec is NAME or NAME:ARGUMENT."""
    extractors = {**_BUILT_IN, **_registered}
    events: list[OutcomeEvent] = []

    for spec in specs:
        name, _, argument = spec.partition(":")
        if name not in extractors:
            raise UnknownName("outcome extractor", name, extractors)

        try:
            for event in extractors[name](trace, argument):
                events.append(_outcome_event(event, name))
        except InputError:
            raise
        except Exception as error:
            if name in _BUILT_IN:
                raise
            raise InputError(
                f"outcome extractor '{name}' failed with {type(error).__name__}: {error}"
            ) from error

    return events


def _outcome_event(event: OutcomeEvent | dict[str, Any], name: str) -> OutcomeEvent:
    """Return what an extractor gave as an OutcomeEvent; raises UnknownName for another outcome."""
    if isinstance(event, dict):
        session = event.get("session_id")
        task = event.get("task_id")
        time = event.get("timestamp")
        event = OutcomeEvent(
            session_id=None if session is None else str(session),
            outcome=str(event.get("outcome")),
            task_id=None if task is None else str(task),
            timestamp=None if time is None else seconds(time, ReadLog()),
            source=name,
        )

    if event.outcome not in OUTCOMES:
        raise UnknownName("outcome", event.outcome, OUTCOMES)

    return event


def claude_session_flags(trace: TraceSessions, argument: str) -> list[OutcomeEvent]:
    """Return one outcome per session, from how its last turn ended.

    Abandoned: cleared without a reply, or stopped with errors. Rejected: the user refused a call,
    and there were errors. A last turn that was answered is a success, any other a failure.
    """
    cleared = {id(record.session) for record in trace.lifecycle if record.kind == "clear"}
    events = []

    for session in trace.sessions:
        if not session.turns or not session.tool_calls:
            continue

        last = session.turns[-1]
        has_cancellation = session.errors.get("cancelled", 0) > 0
        has_rejection = session.errors.get("rejected", 0) > 0

        if not last.reply and id(session) in cleared:
            outcome = "abandoned"
        elif has_rejection and last.errors:
            outcome = "user_rejected"
        elif has_cancellation and last.errors:
            outcome = "abandoned"
        elif last.reply:
            outcome = "success"
        else:
            outcome = "fail"

        events.append(OutcomeEvent(session.id, outcome, None, session.end, "claude_session_flags"))

    return events


def record_patterns(trace: TraceSessions, argument: str) -> list[OutcomeEvent]:
    """Return what the user says next about the turn before, by the patterns of the profile."""
    events = []
    for session in trace.sessions:
        for turn in session.turns[1:]:
            outcome = _pattern_outcome(trace, turn.text)
            if outcome is not None:
                event = OutcomeEvent(session.id, outcome, None, turn.time, "record_patterns")
                events.append(event)

    return events


def _pattern_outcome(trace: TraceSessions, text: str) -> str | None:
    for outcome, patterns in trace.profile.patterns.items():
        if any(pattern.search(text) for pattern in patterns):
            return outcome

    return None


def git_log(trace: TraceSessions, argument: str) -> list[OutcomeEvent]:
    """Return an outcome per commit made while a session ran or soon after.

    A commit is a success, a revert a revision_fail. `argument` is the folder of the repository;
    raises InputError where it is none or git fails.
    """
    repository = Path(argument).expanduser()
    if not argument or not repository.is_dir():
        problem = f"{argument} is no folder" if argument else "which repository?"
        raise InputError(
            f"git_log: {problem}; give that of a git repository, as in git_log:../project"
        )

    git = shutil.which("git")
    if git is None:
        raise InputError("git_log needs the git command, which is not installed")

    timed = []
    for session in trace.sessions:
        if session.start is not None and session.end is not None:
            timed.append((session.start, session.end, session))

    if not timed:
        return []

    since = min(start for start, _, _ in timed)
    until = max(end for _, end, _ in timed) + SOON
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
        process = subprocess.run(  # noqa: S603
            command,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
            env=settings,
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"git_log:{argument}: git took longer than {_GIT_SECONDS} s") from error

    if process.returncode:
        reason = process.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"git_log:{argument}: {reason[-1] if reason else 'git failed'}")

    events = []
    for line in process.stdout.decode("utf-8", "replace").splitlines():
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
