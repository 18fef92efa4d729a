"""Drafts an episode from a real trace, with candidates for every field, for a person to correct."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypedDict

import yaml

from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.resumption.contexts.abandoned import session_sentences, turns_away
from agingbench.resumption.contexts.structured import write_note
from agingbench.resumption.episodes.episode import MOST_BYTES
from agingbench.resumption.episodes.trajectory import (
    call_text,
    cut_at,
    entry_text,
    step_starts,
    trace_events,
)
from agingbench.text.wording import normalise
from agingbench.traces.trajectory import encode_event

MOST = 8
LONGEST = 300
TO_DO = "TO DO: nothing was found by rule; read the trajectory and write it"
# Written in C where the library is there: a long message takes half a minute otherwise.
_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_UNDO = re.compile(r"\bgit (?:checkout|restore|revert|stash|reset)\b")
# What clients put before the first request in the user's name: instructions, the environment,
# output of commands.
_PREAMBLE = re.compile(r"\s*(?:<[a-z_-]+>|# AGENTS\.md instructions|Caveat: )")
_NOTE = (
    "# A draft, made by rule from {name} at step {at}. Read the trace and correct every field:"
    " facts must be true and\n# stated, the continuation is yours to write. Then run `agingbench"
    " resumption check`.\n"
)


class TraceReference(TypedDict):
    """Which trace an episode is cut from, as its YAML names it."""

    path: str
    at: int
    sha256: str


def draft_episode(
    path: Path,
    at: int,
    *,
    data: Path | None = None,
    inline: bool = False,
    trace_format: str = "auto",
) -> str:
    """Return the YAML text of a draft episode cut at step `at`."""
    events = trace_events(path, trace_format)
    before = cut_at(events, at, str(path))
    after = events[len(before) :]
    task = _first_request(before)

    # A fact may not be in both lists; a candidate for both is one to look at as dead.
    to_forget = forget_candidates(before)
    dead = {fact.casefold() for fact in to_forget}
    to_preserve = preserve_candidates(task or "", before)
    to_preserve = [fact for fact in to_preserve if fact.casefold() not in dead]

    trajectory = _inline_events(path, before) if inline else _reference(path, at, data)
    episode = {
        "id": re.sub(r"[^A-Za-z0-9._-]+", "-", f"{path.stem[:40]}-{at}").strip("-."),
        "domain": "code",
        "source": "trace",
        "provenance": {"trace": path.name, "note": "draft, not yet read by anybody"},
        "turns_in_session": len(step_starts(events)),
        "initial_task": _shorten(task or TO_DO, 2000),
        "partial_trajectory": trajectory,
        "gold_continuation": continuation_candidates(after) or [f"{TO_DO}: how it goes on"],
        "gold_facts_to_preserve": to_preserve or [f"{TO_DO}: what to preserve"],
        "gold_facts_to_forget": to_forget or [f"{TO_DO}: what to forget"],
    }
    text: str = yaml.dump(episode, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return _NOTE.format(name=path.name, at=at) + text


def _first_request(events: Sequence[Event]) -> str | None:
    """Return the user's first message that is no client preamble, else the first of all."""
    messages = [event.content for event in events if event.role == "user" and event.content]
    for message in messages:
        if not _PREAMBLE.match(message):
            return message
    return messages[0] if messages else None


def _inline_events(path: Path, events: Sequence[Event]) -> list[object]:
    """Return the events as the JSON objects of a trace's lines."""
    lines = [encode_event(event) for event in events]
    size = sum(map(len, lines))
    if size > MOST_BYTES:
        raise InputError(
            f"{path}: the steps take {size} bytes and an episode file at most {MOST_BYTES}; "
            "leave --inline out to refer to the trace instead"
        )
    return [json.loads(line) for line in lines]


def _reference(path: Path, at: int, data: Path | None) -> TraceReference:
    base = (data or Path(os.curdir)).resolve()
    trace = path.resolve()
    if not trace.is_relative_to(base):
        raise InputError(
            f"{path} is not below {base}; give --data, the folder that traces are looked up in, or"
            " --inline"
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return TraceReference(path=trace.relative_to(base).as_posix(), at=at, sha256=digest)


def preserve_candidates(task: str, events: Sequence[Event]) -> list[str]:
    """Return the lines of a structured note of the trajectory."""
    note = write_note(task, events, 1500)
    lines = [line[2:] for line in note.splitlines() if line.startswith("- ")]
    return _distinct(lines)[:MOST]


def forget_candidates(events: Sequence[Event]) -> list[str]:
    """Return turns away, edits undone, commands that failed for good, and dropped plans."""
    candidates = []
    for sentence in session_sentences(events):
        if sentence.role == "assistant" and turns_away(sentence.text):
            candidates.append(sentence.text)
    for event in events:
        if event.role == "tool_call" and _UNDO.search(call_text(event)):
            candidates.append(f"edit undone: {call_text(event)}")
    for command in failed_commands(events):
        candidates.append(f"command failed and was not used again: {command}")
    for item in dropped_plans(events):
        candidates.append(f"plan dropped: {item}")
    return _distinct(candidates)[:MOST]


def failed_commands(events: Sequence[Event]) -> list[str]:
    """Return the commands whose last use failed; commands count as equal by their first words."""
    calls = {e.tool_call_id: e for e in events if e.role == "tool_call" and e.tool_call_id}
    last_uses: dict[str, tuple[bool, str]] = {}
    for event in events:
        call = calls.get(event.tool_call_id or "")
        if event.role != "tool_result" or call is None:
            continue
        command = call_text(call).strip()
        failed = bool(event.exit_code) or event.error_kind == "process"
        key = " ".join(command.split()[:3])
        last_uses[key] = (failed, command)
    return [command for failed, command in last_uses.values() if failed and command]


def dropped_plans(events: Iterable[Event]) -> list[str]:
    """Return to-do points that were never done and that the last list no longer holds."""
    statuses: dict[str, str] = {}
    last_list: set[str] = set()
    for event in events:
        if event.role != "tool_call" or not isinstance(event.arguments, dict):
            continue
        items = event.arguments.get("todos")
        if not isinstance(items, list):
            continue
        points = {}
        for item in items:
            if isinstance(item, dict) and "content" in item:
                points[item["content"]] = str(item.get("status"))
        statuses |= points
        last_list = set(points)

    dropped = []
    for text, status in statuses.items():
        if text not in last_list and status != "completed":
            dropped.append(text)
    return dropped


def continuation_candidates(after: Sequence[Event]) -> list[str]:
    """Return the next message of the agent and its next four calls."""
    messages = [event.content for event in after if event.role == "assistant" and event.content]
    calls = [entry_text(event) for event in after if event.role == "tool_call"]
    return _distinct([*messages[:1], *calls[:4]])


def _distinct(lines: Iterable[str]) -> list[str]:
    """Return the lines shortened and without repetitions; of equal ones the last wording stays."""
    distinct: dict[str, str] = {}
    for line in lines:
        short = _shorten(line, LONGEST)
        if short:
            distinct[normalise(short)] = short
    return list(distinct.values())


def _shorten(text: str, most: int) -> str:
    flat = " ".join(text[: 20 * most].split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
