"""Structured consolidation: next steps, state, wishes and findings, without abandoned branches.

A language model is asked for exactly that. With the embedded reader, rules do it: `abandoned.py`
finds what was given up, `state.py` what the calls left behind, `sentence_worth.py` which sentences
are worth their tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agingbench.interfaces import Consolidator, Model
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
from agingbench.text.wording import count_tokens, normalise

EMBEDDED_MODEL = "extractive"
MOST_ENTRY = 1500  # characters of one entry that a model is shown
MOST_AHEAD = 8
MOST_WISHES = 6
# More than one finding in so many steps retells the session, what was given up included.
STEPS_A_FINDING = 4
FEWEST_FINDINGS = 5
SHORTEST_LAST_LINE = 20
PROMPT = (
    "An agent was interrupted in the middle of a task. Write the hand-over note that the next agent"
    " works from, at most {words} words, under these headings: Decisions, State, Next steps. Under"
    " Decisions, what was found out and settled. Under State, what is done, what exists now, and"
    " what is not done yet. Under Next steps, concrete steps, with files, commands and values. Keep"
    " every name, path, number and command exactly. Leave out every approach that was tried and"
    " given up: do not mention it, not even as failed.\n\nTask: {task}\n\n<text>\n{text}\n</text>"
)
_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


class StructuredConsolidator(Consolidator):
    """Writes a note under headings, without the abandoned branches of the trajectory."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        """Ask the model for the note, or write it by rules with the embedded reader."""
        trajectory = list(events)
        if self._model.name == EMBEDDED_MODEL:
            return write_note(task, trajectory, budget)

        entries = [entry_text(event)[:MOST_ENTRY] for event in trajectory]
        text = "\n".join(entry for entry in entries if entry)
        words = max(20, 4 * budget // 7)
        request = PROMPT.format(words=words, task=task, text=text)
        reply = self._model.complete([Message("user", request)], max_tokens=budget)
        return cut_to_budget(reply.text, budget)


def write_note(task: str, events: Sequence[Event], budget: int) -> str:
    """Write the note by rules.

    The budget goes first to what is next, then to state, wishes, agreements and findings.
    """
    sentences = session_sentences(events)
    branches = split_branches(sentences, events)
    state = read_state(events)
    statements = user_statements(sentences, task)
    wishes = _wishes(sentences, branches, statements)
    ahead = _next_steps(branches, state, sentences)
    last = _last_messages(branches, ahead)

    newest_wish = wishes[-1:]
    next_steps = [f"asked: {wish}" for wish in newest_wish] + ahead
    next_names = code_names("\n".join([*ahead, *newest_wish]))
    agreements = list(statements.values())
    findings = _findings(branches, sentences, statements, next_names, {*ahead, *last})

    note = _Note(budget)
    note.add("Next steps", enumerate(next_steps))
    note.add("Said last", enumerate(last))
    note.add("State", enumerate(_state_lines(state, branches)))
    note.add("Asked before", reversed(list(enumerate(wishes[:-1]))))
    note.add("Agreed with the user", _rank_agreements(agreements, next_names))
    note.add("Decisions and findings", findings)
    return note.text()


def _rank_agreements(lines: Sequence[str], next_names: set[str]) -> list[tuple[int, str]]:
    """Return the lines with their places: first those that name what is next, then the newest."""

    def rank(placed: tuple[int, str]) -> tuple[bool, int]:
        place, line = placed
        return bool(code_names(line) & next_names), place

    return sorted(enumerate(lines), key=rank, reverse=True)


def _wishes(
    sentences: Sequence[Sentence], branches: SessionBranches, statements: dict[str, str]
) -> list[str]:
    """Return what the user asked for after the task itself, one line per message.

    Of a long message only the sentences that ask for something are taken.
    """
    messages: dict[int, list[str]] = {}
    for sentence in sentences:
        if sentence.role == "user":
            messages.setdefault(sentence.step, []).append(sentence.text)

    lines = []
    for texts in list(messages.values())[1:]:
        is_short = sum(map(len, texts)) <= LONGEST
        parts = []
        for text in texts:
            is_wish = is_short or asks_for_something(text)
            is_dead = bool(code_names(text) & branches.dead)
            if is_wish and not is_dead and not contradicts_statement(text, statements):
                parts.append(text)
        lines.append(" ".join(parts)[:LONGEST])
    return _distinct(filter(None, lines))[-MOST_WISHES:]


def _next_steps(
    branches: SessionBranches, state: SessionState, sentences: Sequence[Sentence]
) -> list[str]:
    """Return open to-do points, what was announced lately, and the check to repeat."""
    todo = []
    for text, status in state.todo:
        if status != "completed":
            todo.append(f"{text} ({status.replace('_', ' ')})")

    lines = _distinct([*todo[: MOST_AHEAD // 2], *_announcements(branches, sentences)])
    if state.checks:
        check = state.checks[-1]
        if state.edited > check.place:
            lines.append(f"run again after the last change: {check.command}")
        elif check.failed:
            lines.append(f"not passing yet: {check.command}: {check.outcome}")
    return lines[: 2 * MOST_AHEAD]


def _announcements(branches: SessionBranches, sentences: Sequence[Sentence]) -> list[str]:
    """Return what the agent announced lately, with the list below each announcement."""
    first_recent = first_recent_step(sentences)
    lines = []
    inside_list = False
    for sentence in branches.alive:
        if sentence.role != "assistant" or sentence.step < first_recent:
            continue
        text = sentence.text
        announces = announces_work(text)
        opens_list = announces and text.endswith(":")
        continues_list = inside_list and bool(_LIST_ITEM.match(text))

        is_line = (announces and not opens_list) or continues_list
        if is_line and len(text) <= LONGEST:
            lines.append(_LIST_ITEM.sub("", text))
        inside_list = opens_list or continues_list
    return lines[-MOST_AHEAD:]


def _last_messages(branches: SessionBranches, ahead: Sequence[str]) -> list[str]:
    """Return the agent's last two messages without what is among the next steps."""
    spoken = []
    for sentence in branches.alive:
        is_complete = len(sentence.text) <= LONGEST and not sentence.text.endswith(":")
        if sentence.role == "assistant" and is_complete:
            spoken.append(sentence)

    last_steps = sorted({sentence.step for sentence in spoken})[-2:]
    texts = [_LIST_ITEM.sub("", s.text) for s in spoken if s.step in last_steps]
    next_steps = {normalise(line) for line in ahead}
    lines = []
    for line in _distinct(texts):
        if len(line) > SHORTEST_LAST_LINE and normalise(line) not in next_steps:
            lines.append(line)
    return lines[-MOST_AHEAD:]


def _state_lines(state: SessionState, branches: SessionBranches) -> list[str]:
    lines = [f"done: {text}" for text, status in state.todo if status == "completed"]
    if state.branch:
        lines.append(f"branch: {state.branch}")
    if state.files:
        lines.append("files changed: " + ", ".join(state.files[-12:]))
    lines += [f"committed: {message}" for message in state.commits[-3:]]
    lines += [f"{check.command}: {check.outcome}" for check in state.checks[-5:] if check.outcome]
    return [line for line in lines if not code_names(line) & branches.dead]


def _findings(
    branches: SessionBranches,
    sentences: Sequence[Sentence],
    statements: dict[str, str],
    next_names: set[str],
    other_lines: set[str],
) -> list[tuple[int, str]]:
    """Return what was found out and settled, with its step, the most valuable first."""
    candidates = []
    for sentence in branches.alive:
        if sentence.role != "assistant" or not is_informative(sentence.text):
            continue
        if not contradicts_statement(sentence.text, statements):
            candidates.append(sentence)
    candidates += [s for s in branches.chosen if is_informative(s.text)]

    latest = {normalise(s.text): s for s in candidates if s.text not in other_lines}
    last_step = max((s.step for s in sentences), default=0)
    ranking = sorted(
        latest.values(), key=lambda s: sentence_worth(s, last_step, next_names), reverse=True
    )
    most = max(FEWEST_FINDINGS, last_step // STEPS_A_FINDING)
    return [(sentence.step, sentence.text) for sentence in ranking[:most]]


def _distinct(lines: Iterable[str]) -> list[str]:
    """Return the lines without repetitions; of equal ones the last stays."""
    latest: dict[str, str] = {}
    for line in lines:
        key = normalise(line)
        latest.pop(key, None)
        latest[key] = line
    return list(latest.values())


class _Note:
    """A note under headings that never grows beyond its budget."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._parts: dict[str, list[tuple[int, str]]] = {}

    def add(self, heading: str, lines: Iterable[tuple[int, str]]) -> None:
        """Add the lines that fit, in this order; under the heading they are sorted by number."""
        part = self._parts.setdefault(heading, [])
        for line in lines:
            part.append(line)
            if count_tokens(self.text()) > self._budget:
                part.pop()

    def text(self) -> str:
        """Return the note."""
        # "Said last" stands last: who reads upwards, newest first, comes upon it first.
        order = sorted(self._parts, key=lambda heading: heading == "Said last")
        blocks = []
        for heading in order:
            part = sorted(self._parts[heading])
            if part:
                lines = [f"- {line}" for _, line in part]
                blocks.append("\n".join([f"{heading}:", *lines]))
        return "\n\n".join(blocks)
