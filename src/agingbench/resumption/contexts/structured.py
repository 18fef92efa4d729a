"""Structured consolidation: next steps, state, wishes and findings kept apart, and abandoned
branches left out.

With a language model, PROMPT asks it for exactly that. With the embedded reader, rules do it:
`abandoned.py` finds what was given up, `state.py` what the calls left behind, `weighing.py` what a
sentence is worth; the budget is filled from the most to the least needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agingbench.interfaces import Model
from agingbench.records import Event, Message
from agingbench.resumption.contexts.abandoned import (
    LONGEST,
    Sentence,
    SessionBranches,
    first_recent_step,
    session_sentences,
    split_branches,
)
from agingbench.resumption.contexts.code_names import code_names
from agingbench.resumption.contexts.sentence_worth import (
    announces_work,
    is_informative,
    sentence_worth,
)
from agingbench.resumption.contexts.state import SessionState, read_state
from agingbench.resumption.contexts.statements import (
    asks_for_something,
    contradicts_statement,
    user_statements,
)
from agingbench.resumption.contexts.summary import cut_to_budget
from agingbench.resumption.episodes.trajectory import entry_text
from agingbench.text import count_tokens, normalise

EMBEDDED_MODEL = "extractive"
MOST_ENTRY = 1500
MOST_AHEAD = 8
MOST_WISHES = 6
STEPS_A_FINDING = (
    4  # more than one in so many steps is retelling, and retells what was given up as well
)
FEWEST_FINDINGS = 5
PROMPT = (
    "An agent was interrupted in the middle of a task. Write the hand-over note that the next agent"
    " works from, at most {words} words, under these headings: Decisions, State, Next steps. Under"
    " Decisions, what was found out and settled. Under State, what is done, what exists now, and"
    " what is not done yet. Under Next steps, concrete steps, with files, commands and values. Keep"
    " every name, path, number and command exactly. Leave out every approach that was tried and"
    " given up: do not mention it, not even as failed.\n\nTask: {task}\n\n<text>\n{text}\n</text>"
)
_LISTED = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


class StructuredConsolidator:
    """A consolidator in the sense of the interface; see the top of this file."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        listed = list(events)
        if self._model.name != EMBEDDED_MODEL:
            return self._asked(task, listed, budget)
        return write_note(task, listed, budget)

    def _asked(self, task: str, events: Sequence[Event], budget: int) -> str:
        text = "\n".join(entry[:MOST_ENTRY] for event in events if (entry := entry_text(event)))
        request = PROMPT.format(words=max(20, 4 * budget // 7), task=task, text=text)
        return cut_to_budget(
            self._model.complete([Message("user", request)], max_tokens=budget).text, budget
        )


def write_note(task: str, events: Sequence[Event], budget: int) -> str:
    """The note made by rules. The budget goes first to what is next, then to state, wishes,
    agreements and findings.
    """
    said = session_sentences(events)
    found = split_branches(said, events)
    state = read_state(events)
    statements = user_statements(said, task)
    wishes = _wishes(said, found, statements)
    ahead = _ahead(found, state, said)
    last = _said_last(found, ahead)
    wanted = code_names("\n".join([*ahead, *wishes[-1:]]))
    note = _Note(budget)
    note.add("Next steps", enumerate([*(f"asked: {wish}" for wish in wishes[-1:]), *ahead]))
    note.add("Said last", enumerate(last))
    note.add("State", enumerate(_state_lines(state, found)))
    note.add("Asked before", reversed(list(enumerate(wishes[:-1]))))
    note.add("Agreed with the user", _wanted_first(wanted, list(statements.values())))
    note.add("Decisions and findings", _findings(found, said, statements, wanted, {*ahead, *last}))
    return note.text()


def _wanted_first(wanted: set[str], lines: Sequence[str]) -> list[tuple[int, str]]:
    """The lines with their places: first those that speak of what is wanted next, then the newest."""
    return sorted(
        enumerate(lines),
        key=lambda line: (bool(code_names(line[1]) & wanted), line[0]),
        reverse=True,
    )


def _wishes(
    said: Sequence[Sentence], found: SessionBranches, statements: dict[str, str]
) -> list[str]:
    """What the user asked for after the task itself, in the user's words; of a long message what it
    asks for.
    """
    messages: dict[int, list[str]] = {}
    for sentence in said:
        if sentence.role == "user":
            messages.setdefault(sentence.step, []).append(sentence.text)
    lines = []
    for texts in list(messages.values())[1:]:
        short = sum(map(len, texts)) <= LONGEST
        kept = [
            t
            for t in texts
            if (short or asks_for_something(t)) and not contradicts_statement(t, statements)
        ]
        lines.append(" ".join(t for t in kept if not code_names(t) & found.dead)[:LONGEST])
    return _distinct(filter(None, lines))[-MOST_WISHES:]


def _ahead(found: SessionBranches, state: SessionState, said: Sequence[Sentence]) -> list[str]:
    """Open points of the to-do list, what was announced lately with the list below it, and the
    check to repeat.
    """
    lines = [
        f"{text} ({status.replace('_', ' ')})"
        for text, status in state.todo
        if status != "completed"
    ]
    lines = lines[: MOST_AHEAD // 2]
    newest = first_recent_step(said)
    recent = [s for s in found.alive if s.role == "assistant" and s.step >= newest]
    told = []
    under = False
    for sentence in recent:
        item = bool(_LISTED.match(sentence.text))
        heads = announces_work(sentence.text)
        if len(sentence.text) <= LONGEST and (
            (heads and not sentence.text.endswith(":")) or (under and item)
        ):
            told.append(_LISTED.sub("", sentence.text))
        under = (heads and sentence.text.endswith(":")) or (under and item)
    lines = _distinct([*lines, *told[-MOST_AHEAD:]])
    if state.checks and state.edited > state.checks[-1].place:
        lines.append(f"run again after the last change: {state.checks[-1].command}")
    elif state.checks and state.checks[-1].failed:
        lines.append(f"not passing yet: {state.checks[-1].command}: {state.checks[-1].outcome}")
    return lines[: 2 * MOST_AHEAD]


def _said_last(found: SessionBranches, ahead: Sequence[str]) -> list[str]:
    """The last two messages of the agent as far as they are not among the next steps: where it
    stood.
    """
    spoken = [
        s
        for s in found.alive
        if s.role == "assistant" and len(s.text) <= LONGEST and not s.text.endswith(":")
    ]
    steps = sorted({s.step for s in spoken})[-2:]
    told = {normalise(line) for line in ahead}
    lines = [_LISTED.sub("", s.text) for s in spoken if s.step in steps]
    return [line for line in _distinct(lines) if normalise(line) not in told and len(line) > 20][
        -MOST_AHEAD:
    ]


def _state_lines(state: SessionState, found: SessionBranches) -> list[str]:
    lines = [f"done: {text}" for text, status in state.todo if status == "completed"]
    if state.branch:
        lines.append(f"branch: {state.branch}")
    if state.files:
        lines.append("files changed: " + ", ".join(state.files[-12:]))
    lines += [f"committed: {message}" for message in state.commits[-3:]]
    lines += [f"{check.command}: {check.outcome}" for check in state.checks[-5:] if check.outcome]
    return [line for line in lines if not code_names(line) & found.dead]


def _findings(
    found: SessionBranches,
    said: Sequence[Sentence],
    statements: dict[str, str],
    wanted: set[str],
    told: set[str],
) -> list[tuple[int, str]]:
    """What was found out and settled, with its step, the most valuable first."""
    last = max((s.step for s in said), default=0)
    spoken = [
        s
        for s in found.alive
        if s.role == "assistant"
        and is_informative(s.text)
        and not contradicts_statement(s.text, statements)
    ]
    spoken += [s for s in found.chosen if is_informative(s.text)]
    latest = {normalise(s.text): s for s in spoken if s.text not in told}
    weighed = sorted(latest.values(), key=lambda s: sentence_worth(s, last, wanted), reverse=True)
    return [(s.step, s.text) for s in weighed[: max(FEWEST_FINDINGS, last // STEPS_A_FINDING)]]


def _distinct(lines: Iterable[str]) -> list[str]:
    """Without repetitions; of equals the last one stays where it is."""
    seen: dict[str, str] = {}
    for line in lines:
        key = normalise(line)
        seen.pop(key, None)
        seen[key] = line
    return list(seen.values())


class _Note:
    """A note under headings that never grows beyond its budget."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._parts: dict[str, list[tuple[int, str]]] = {}

    def add(self, heading: str, lines: Iterable[tuple[int, str]]) -> None:
        """As many lines as fit, the first ones first; where each stands under its heading is its
        number.
        """
        held = self._parts.setdefault(heading, [])
        for line in lines:
            held.append(line)
            if count_tokens(self.text()) > self._budget:
                held.pop()

    def text(self) -> str:
        # What was said last stands last: who reads it upwards, newest first, comes upon it first.
        order = sorted(self._parts, key=lambda heading: heading == "Said last")
        told = {
            heading: [line for _, line in sorted(self._parts[heading])]
            for heading in order
            if self._parts[heading]
        }
        return "\n\n".join(
            "\n".join([f"{heading}:", *(f"- {line}" for line in told[heading])]) for heading in told
        )
