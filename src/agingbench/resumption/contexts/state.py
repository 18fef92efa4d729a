"""What the calls of a trajectory left behind: files, checks that were run and how they ended,
commits, open points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from agingbench.records import Event
from agingbench.resumption.episodes.trajectory import call_text

# characters of one call or result that are looked at; what a check came to stands at its end
MOST_READ = 20_000
LONGEST_COMMAND = 140
_WRITES = re.compile(
    r"^(?:edit|write|multiedit|notebookedit|create|str_replace.*|apply_patch|update)$",
    re.IGNORECASE,
)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add) File: (.+)$", re.MULTILINE)
# Commands whose outcome says how things stand: tests, linters, type checkers, builds.
_CHECKS = re.compile(
    r"\b(?:pytest|unittest|tox|nox|(?:go|cargo|npm|yarn|pnpm|bun|deno|mix|dotnet|swift|gradle|mvn|make|just|mise|task)"
    r"[\w: -]{0,60}(?:test|check|lint|build|clippy|vet|verify|ci)\w*|ruff|mypy|pyright|eslint|tsc"
    r"|golangci-lint|rspec|jest|vitest|ctest|python3? -m \w*test\w*|python3? \S*test\S*\.py)\b"
)
_TESTED = re.compile(
    r"\b(?:\d+"
    r" (?:passed|failed|passing|failing|errors?|issues?)[^\n]{0,80}|(?:ok|FAIL)\s+\S+/\S+[^\n]{0,40}"
    r"|test result: [^\n]{0,80}|Tests?:? +\d+[^\n]{0,60}|All checks passed|Success: no"
    r" issues[^\n]{0,60}"
    r"|Found \d+ error[^\n]{0,40}|FAILED \([^\n]{0,40}|OK(?= *$)|build (?:succeeded|failed))",
    re.MULTILINE,
)
_COMMIT = re.compile(
    r"\bgit commit\b[^\n]{0,200}?-m\s+[\"']?(?:\$\(cat <<'?EOF'?\n)?([^\n\"']{5,120})"
)
_BRANCH = re.compile(
    r"\bgit (?:checkout|switch)(?: -[bcBC])? ([\w./-]{3,80})\s*(?:$|&|;|\|)", re.MULTILINE
)


class CheckRun(NamedTuple):
    """A command that checks something, how its last use ended, and at which entry that was."""

    command: str
    outcome: str
    failed: bool
    place: int


class SessionState(NamedTuple):
    """What the calls left behind. `edited` is the entry of the last change to a file."""

    files: list[str]
    checks: list[CheckRun]
    commits: list[str]
    todo: list[tuple[str, str]]
    branch: str
    edited: int


def read_state(events: Sequence[Event]) -> SessionState:
    """Read it off the calls and their results."""
    files: dict[str, None] = {}
    commits: list[str] = []
    todo: list[tuple[str, str]] = []
    branch = ""
    edited = -1
    failed = {
        e.tool_call_id for e in events if e.role == "tool_result" and (e.error_kind or e.exit_code)
    }
    for place, event in enumerate(events):
        if event.role != "tool_call":
            continue
        worked = event.tool_call_id is None or event.tool_call_id not in failed
        for name in _written(event) if worked else ():
            files.pop(name, None)
            files[name] = None
            edited = place
        todo = _todo(event.arguments) or todo
        text = call_text(event)[:MOST_READ]
        if worked and "git " in text:
            commits += [match.strip() for match in _COMMIT.findall(text)]
            branch = (_BRANCH.findall(text) or [branch])[-1]
    return SessionState(list(files), _checks(events), commits, todo, branch, edited)


def written_texts(event: Event) -> tuple[str, str]:
    """What a call takes out of files and what it puts into them, as text; both empty for any other
    call.
    """
    given = event.arguments if isinstance(event.arguments, dict) else {}
    if event.role != "tool_call":
        return "", ""
    several = given.get("edits")
    edits: list[Any] = several if isinstance(several, list) else [given]
    gone = "\n".join(_text(e, "old_string", "old_str") for e in edits if isinstance(e, dict))
    new = "\n".join(
        _text(e, "new_string", "new_str", "content", "file_text")
        for e in edits
        if isinstance(e, dict)
    )
    patch = call_text(event)
    if "*** Begin Patch" in patch:
        lines = patch[:MOST_READ].splitlines()
        gone += "\n".join(line[1:] for line in lines if line.startswith("-"))
        new += "\n".join(line[1:] for line in lines if line.startswith("+"))
    return gone[:MOST_READ], new[:MOST_READ]


def _text(given: dict[str, Any], *names: str) -> str:
    return "\n".join(value for name in names if isinstance(value := given.get(name), str))


def _checks(events: Sequence[Event]) -> list[CheckRun]:
    """The last use of each check that ended well, and the last of all however it ended.

    A check that failed and was not run again in the same words is one that was given up.
    """
    found: dict[str, CheckRun] = {}
    for place, call, result in _with_results(events):
        command = " ".join(_last_line(call_text(call)[:MOST_READ]).split())
        if not _CHECKS.search(command):
            continue
        key = " ".join(command.split()[:4])
        found.pop(key, None)
        failed = bool(result.exit_code or result.error_kind)
        found[key] = CheckRun(
            _shortened(command),
            _outcome(result),
            failed or "fail" in _outcome(result).lower(),
            place,
        )
    listed = list(found.values())
    return [check for check in listed if not check.failed or check is listed[-1]]


def _last_line(command: str) -> str:
    # A here-document before a check is what was written, not what was run.
    lines = [line for line in command.splitlines() if _CHECKS.search(line)]
    return lines[-1] if lines else ""


def _shortened(command: str) -> str:
    return command if len(command) <= LONGEST_COMMAND else command[: LONGEST_COMMAND - 1] + "…"


def _with_results(events: Sequence[Event]) -> Iterator[tuple[int, Event, Event]]:
    waiting: dict[str | None, tuple[int, Event]] = {}
    for place, event in enumerate(events):
        if event.role == "tool_call":
            waiting[event.tool_call_id] = place, event
        elif event.role == "tool_result" and event.tool_call_id in waiting:
            at, call = waiting.pop(event.tool_call_id)
            yield at, call, event


def _outcome(result: Event) -> str:
    text = "\n".join(filter(None, (result.stdout, result.stderr, result.content)))[-MOST_READ:]
    found = _TESTED.findall(text)
    if found:
        return " ".join(found[-1].split())
    return f"exit {result.exit_code}" if result.exit_code else "failed" if result.error_kind else ""


def _written(event: Event) -> list[str]:
    given = event.arguments if isinstance(event.arguments, dict) else {}
    path = given.get("file_path") or given.get("path")
    if isinstance(path, str) and _WRITES.match(event.tool_name or ""):
        return [_short(path)]
    return [_short(p.strip()) for p in _PATCHED.findall(call_text(event))]


def _short(path: str) -> str:
    # Where on a machine a project lies is no part of its state.
    return "/".join(PurePosixPath(path).parts[-3:]).lstrip("/")


def _todo(arguments: Any) -> list[tuple[str, str]]:
    items = arguments.get("todos") or arguments.get("plan") if isinstance(arguments, dict) else None
    if not isinstance(items, list):
        return []
    texts = [
        (i.get("content") or i.get("step"), i.get("status")) for i in items if isinstance(i, dict)
    ]
    return [(t, s) for t, s in texts if isinstance(t, str) and isinstance(s, str)]
