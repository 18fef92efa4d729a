"""What the calls of a trajectory left behind: files, checks and their outcomes, commits, to-dos."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from agingbench.records import Event
from agingbench.resumption.episodes.trajectory import call_text

# Characters of one call or result that are read; how a check ended stands at its end.
MOST_READ = 20_000
LONGEST_COMMAND = 140
_OLD_FIELDS = ("old_string", "old_str")
_NEW_FIELDS = ("new_string", "new_str", "content", "file_text")
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
    r" (?:passed|failed|passing|failing|errors?|issues?)[^\n]{0,80}"
    r"|(?:ok|FAIL)\s+\S+/\S+[^\n]{0,40}"
    r"|test result: [^\n]{0,80}|Tests?:? +\d+[^\n]{0,60}|All checks passed|Success: no"
    r" issues[^\n]{0,60}"
    r"|Found \d+ error[^\n]{0,40}|FAILED \([^\n]{0,40}|OK(?= *$)|build (?:succeeded|failed))",
    re.MULTILINE,
)
_COMMIT = re.compile(
    r"\bgit commit\b[^\n]{0,200}?-m\s+[\"']?(?:\$\(cat <<'?EOF'?\n)?([^\n\"']{5,120})"
)
_BRANCH = re.compile(
    r"\bgit (?:(switch(?: -[cC])?|checkout -[bB])|checkout) ([\w./-]{3,80})\s*(?:$|&|;|\|)",
    re.MULTILINE,
)
# Files whose changes are thrown away: `git checkout FILE`, `git restore FILE`, and all of them.
_THROWN_AWAY = re.compile(
    r"\bgit (?:checkout|restore)((?: (?!-[bBcC]\b)[\w./*@~^-]+)+)\s*(?:$|&|;|\|)", re.MULTILINE
)
_ALL_THROWN_AWAY = re.compile(r"\bgit reset --hard\b")
_PATHS_UPDATED = re.compile(r"^Updated \d+ paths? from ", re.MULTILINE)
_FILE_NAME = re.compile(r"(?:^|/)\.?[\w-]*[A-Za-z][\w-]*\.[A-Za-z]\w{0,7}$|/$|^\.$")


class CheckRun(NamedTuple):
    """A command that checks something, how its last use ended, and at which entry that was."""

    command: str
    outcome: str
    failed: bool
    place: int


class SessionState(NamedTuple):
    """What the calls left behind; `edited` is the entry of the last change to a file."""

    files: list[str]
    checks: list[CheckRun]
    commits: list[str]
    todo: list[tuple[str, str]]
    branch: str
    edited: int


def read_state(events: Sequence[Event]) -> SessionState:
    """Read files, checks, commits and to-do list off the calls and their results."""
    files: dict[str, None] = {}
    commits: list[str] = []
    todo: list[tuple[str, str]] = []
    branch = ""
    edited = -1
    failed_calls = {event.tool_call_id for event in events if _is_failed_result(event)}

    restoring = _restoring_calls(events)

    for place, event in enumerate(events):
        if event.role != "tool_call":
            continue
        todo = _todo_list(event.arguments) or todo
        if event.tool_call_id is not None and event.tool_call_id in failed_calls:
            continue

        for name in written_files(event):
            files.pop(name, None)
            files[name] = None
            edited = place

        text = call_text(event)[:MOST_READ]
        if "git " not in text:
            continue
        commits += [message.strip() for message in _COMMIT.findall(text)]
        branch = _branch_name(text, place in restoring) or branch
        for name in restored_files(event, list(files)):
            files.pop(name)
            edited = place
    return SessionState(list(files), _check_runs(events), commits, todo, branch, edited)


def _restoring_calls(events: Sequence[Event]) -> set[int]:
    """Return the places of the calls whose result says that git restored files."""
    places = set()
    for place, _, result in _calls_with_results(events):
        output = "\n".join(filter(None, (result.stdout, result.stderr, result.content)))
        if _PATHS_UPDATED.search(output[-MOST_READ:]):
            places.add(place)
    return places


def _branch_name(text: str, restores: bool) -> str:
    """Return the branch that a command changes to; `git checkout FILE` changes to none."""
    branch = ""
    for certain, name in _BRANCH.findall(text):
        is_file = restores or _FILE_NAME.search(name) is not None
        if certain or not is_file:
            branch = name
    return branch


def restored_files(event: Event, files: Sequence[str]) -> list[str]:
    """Return those of the files whose changes this call throws away through git."""
    if event.role != "tool_call":
        return []
    text = call_text(event)[:MOST_READ]
    if _ALL_THROWN_AWAY.search(text):
        return list(files)

    arguments = []
    for match in _THROWN_AWAY.findall(text):
        arguments += [part.removeprefix("./") for part in match.split()]
    return [name for name in files if any(_covers(argument, name) for argument in arguments)]


def _covers(argument: str, name: str) -> bool:
    """Whether an argument of git means this file, a folder above it, or everything."""
    if argument in (".", "*"):
        return True
    if argument.endswith("/"):
        return f"/{argument}" in f"/{name}"
    return f"/{name}".endswith(f"/{argument}") or f"/{argument}".endswith(f"/{name}")


def _is_failed_result(event: Event) -> bool:
    return event.role == "tool_result" and bool(event.error_kind or event.exit_code)


def written_texts(event: Event) -> tuple[str, str]:
    """Return the text that a call takes out of files and the text it puts in; else both empty."""
    if event.role != "tool_call":
        return "", ""

    arguments = event.arguments if isinstance(event.arguments, dict) else {}
    edits = arguments.get("edits")
    if not isinstance(edits, list):
        edits = [arguments]
    edits = [edit for edit in edits if isinstance(edit, dict)]
    old_text = "\n".join(_text_fields(edit, _OLD_FIELDS) for edit in edits)
    new_text = "\n".join(_text_fields(edit, _NEW_FIELDS) for edit in edits)

    patch = call_text(event)
    if "*** Begin Patch" in patch:
        lines = patch[:MOST_READ].splitlines()
        old_text += "\n".join(line[1:] for line in lines if line.startswith("-"))
        new_text += "\n".join(line[1:] for line in lines if line.startswith("+"))
    return old_text[:MOST_READ], new_text[:MOST_READ]


def _text_fields(edit: dict[str, Any], names: Sequence[str]) -> str:
    values = [edit.get(name) for name in names]
    return "\n".join(value for value in values if isinstance(value, str))


def _check_runs(events: Sequence[Event]) -> list[CheckRun]:
    """Return the last use of each check that ended well, and the last of all in any case.

    A check that failed and was not run again in the same words is one that was given up.
    """
    latest: dict[str, CheckRun] = {}
    for place, call, result in _calls_with_results(events):
        command = " ".join(_last_check_line(call_text(call)[:MOST_READ]).split())
        if not _CHECKS.search(command):
            continue
        outcome = _outcome(result)
        failed = bool(result.exit_code or result.error_kind) or "fail" in outcome.lower()

        key = " ".join(command.split()[:4])
        latest.pop(key, None)
        if len(command) > LONGEST_COMMAND:
            command = command[: LONGEST_COMMAND - 1] + "…"
        latest[key] = CheckRun(command, outcome, failed, place)

    runs = list(latest.values())
    return [run for run in runs if not run.failed or run is runs[-1]]


def _last_check_line(command: str) -> str:
    # A here-document before a check is what was written, not what was run.
    lines = [line for line in command.splitlines() if _CHECKS.search(line)]
    return lines[-1] if lines else ""


def _calls_with_results(events: Sequence[Event]) -> Iterator[tuple[int, Event, Event]]:
    """Yield the place of each call, the call, and its result."""
    waiting: dict[str | None, tuple[int, Event]] = {}
    for place, event in enumerate(events):
        if event.role == "tool_call":
            waiting[event.tool_call_id] = place, event
        elif event.role == "tool_result" and event.tool_call_id in waiting:
            call_place, call = waiting.pop(event.tool_call_id)
            yield call_place, call, event


def _outcome(result: Event) -> str:
    parts = (result.stdout, result.stderr, result.content)
    text = "\n".join(part for part in parts if part)[-MOST_READ:]
    outcomes = _TESTED.findall(text)
    if outcomes:
        return " ".join(outcomes[-1].split())
    if result.exit_code:
        return f"exit {result.exit_code}"
    return "failed" if result.error_kind else ""


def written_files(event: Event) -> list[str]:
    """Return the files that a call writes to, by the last three parts of their paths."""
    arguments = event.arguments if isinstance(event.arguments, dict) else {}
    path = arguments.get("file_path") or arguments.get("path")
    if isinstance(path, str) and _WRITES.match(event.tool_name or ""):
        return [_short_path(path)]
    return [_short_path(patched.strip()) for patched in _PATCHED.findall(call_text(event))]


def _short_path(path: str) -> str:
    # Where on a machine a project lies is no part of its state.
    return "/".join(PurePosixPath(path).parts[-3:]).lstrip("/")


def _todo_list(arguments: Any) -> list[tuple[str, str]]:
    """Return (text, status) of every point of a to-do list; [] if the call writes none."""
    if not isinstance(arguments, dict):
        return []
    items = arguments.get("todos") or arguments.get("plan")
    if not isinstance(items, list):
        return []

    points = []
    for item in items:
        if isinstance(item, dict):
            text = item.get("content") or item.get("step")
            status = item.get("status")
            if isinstance(text, str) and isinstance(status, str):
                points.append((text, status))
    return points
