"""A draft episode from a real trace, for a person to correct: task, cut, and candidates for every
gold field.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

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
# commands' own output.
_PREAMBLE = re.compile(r"\s*(?:<[a-z_-]+>|# AGENTS\.md instructions|Caveat: )")
_NOTE = (
    "# A draft, made by rule from {name} at step {at}. Read the trace and correct every field:"
    " facts must be true and\n# stated, the continuation is yours to write. Then run `agingbench"
    " resumption check`.\n"
)


def draft_episode(
    path: Path,
    at: int,
    *,
    data: Path | None = None,
    inline: bool = False,
    trace_format: str = "auto",
) -> str:
    """The YAML text of a draft episode cut at step `at`."""
    events = trace_events(path, trace_format)
    before = cut_at(events, at, str(path))
    after = events[len(before) :]
    trajectory: Any = _copied(path, before) if inline else _reference(path, at, data)
    asked = [e.content for e in before if e.role == "user" and e.content]
    task = next((text for text in asked if not _PREAMBLE.match(text)), asked[0] if asked else None)
    dead = forget_candidates(before)
    # An episode may not hold a fact in both lists; a candidate for both is one that a person has to
    # look at as dead.
    kept = [
        fact
        for fact in preserve_candidates(task or "", before)
        if fact.casefold() not in {d.casefold() for d in dead}
    ]
    episode = {
        "id": re.sub(r"[^A-Za-z0-9._-]+", "-", f"{path.stem[:40]}-{at}").strip("-."),
        "domain": "code",
        "source": "trace",
        "provenance": {"trace": path.name, "note": "draft, not yet read by anybody"},
        "turns_in_session": len(step_starts(events)),
        "initial_task": _short(task or TO_DO, 2000),
        "partial_trajectory": trajectory,
        "gold_continuation": _or_to_do(continuation_candidates(after), "how it goes on"),
        "gold_facts_to_preserve": _or_to_do(kept, "what to preserve"),
        "gold_facts_to_forget": _or_to_do(dead, "what to forget"),
    }
    text: str = yaml.dump(episode, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return _NOTE.format(name=path.name, at=at) + text


def _copied(path: Path, events: Sequence[Event]) -> list[dict[str, Any]]:
    lines = [encode_event(event) for event in events]
    size = sum(map(len, lines))
    if size > MOST_BYTES:
        raise InputError(
            f"{path}: the steps take {size} bytes and an episode file at most {MOST_BYTES}; "
            "leave --inline out to refer to the trace instead"
        )
    return [json.loads(line) for line in lines]


def _reference(path: Path, at: int, data: Path | None) -> dict[str, Any]:
    base = (data or Path(os.curdir)).resolve()
    whole = path.resolve()
    if not whole.is_relative_to(base):
        raise InputError(
            f"{path} is not below {base}; give --data, the folder that traces are looked up in, or"
            " --inline"
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"path": whole.relative_to(base).as_posix(), "at": at, "sha256": digest}


def preserve_candidates(task: str, events: Sequence[Event]) -> list[str]:
    """Candidates to preserve: what a structured note of the trajectory holds."""
    lines = [
        line[2:] for line in write_note(task, events, 1500).splitlines() if line.startswith("- ")
    ]
    return _distinct(lines)[:MOST]


def forget_candidates(events: Sequence[Event]) -> list[str]:
    """Candidates to forget: turns away from something, edits undone, commands that failed for good,
    dropped plans.
    """
    found = [
        s.text for s in session_sentences(events) if s.role == "assistant" and turns_away(s.text)
    ]
    found += [
        f"edit undone: {call_text(e)}"
        for e in events
        if e.role == "tool_call" and _UNDO.search(call_text(e))
    ]
    found += [f"command failed and was not used again: {c}" for c in failed_commands(events)]
    found += [f"plan dropped: {item}" for item in dropped_plans(events)]
    return _distinct(found)[:MOST]


def failed_commands(events: Sequence[Event]) -> list[str]:
    """Commands whose last use failed, by the first words of them."""
    outcome: dict[str, tuple[bool, str]] = {}
    calls = {e.tool_call_id: e for e in events if e.role == "tool_call" and e.tool_call_id}
    for event in events:
        call = calls.get(event.tool_call_id or "") if event.role == "tool_result" else None
        if call is None:
            continue
        command = call_text(call).strip()
        failed = bool(event.exit_code) or event.error_kind == "process"
        outcome[" ".join(command.split()[:3])] = (failed, command)
    return [command for failed, command in outcome.values() if failed and command]


def dropped_plans(events: Iterable[Event]) -> list[str]:
    """Points of a to-do list that a later list no longer holds and that were never done."""
    seen: dict[str, str] = {}
    last: set[str] = set()
    for event in events:
        items = (
            event.arguments.get("todos")
            if event.role == "tool_call" and isinstance(event.arguments, dict)
            else None
        )
        if isinstance(items, list):
            listed = {
                i["content"]: str(i.get("status"))
                for i in items
                if isinstance(i, dict) and "content" in i
            }
            seen |= listed
            last = set(listed)
    return [text for text, status in seen.items() if text not in last and status != "completed"]


def continuation_candidates(after: Sequence[Event]) -> list[str]:
    """What the session did next: its next calls and the first thing said."""
    said = [e.content for e in after if e.role == "assistant" and e.content][:1]
    called = [entry_text(e) for e in after if e.role == "tool_call"][:4]
    return _distinct([*said, *called])


def _distinct(lines: Iterable[str]) -> list[str]:
    return list(
        {normalise(short): short for line in lines if (short := _short(line, LONGEST))}.values()
    )


def _or_to_do(lines: list[str], what: str) -> list[str]:
    return lines or [f"{TO_DO}: {what}"]


def _short(text: str, most: int) -> str:
    flat = " ".join(text[: 20 * most].split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
