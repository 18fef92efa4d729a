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
from agingbench.resumption.contexts.reversals import outdated_announcements, reversed_decisions
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
from agingbench.resumption.contexts.summary import EMBEDDED_MODEL, cut_to_budget
from agingbench.resumption.episodes.trajectory import entry_text
from agingbench.text.wording import count_tokens, normalise

MOST_ENTRY = 1500  # characters of one entry that a model is shown
MOST_AHEAD = 8
MOST_WISHES = 6
# More than one finding in so many steps retells the session, what was given up included.
STEPS_A_FINDING = 4
FEWEST_FINDINGS = 5
SHORTEST_LINE = 20
PROMPT = (
    "An agent was interrupted in the middle of a task. Write the hand-over note that the next agent"
    " works from, at most {words} words, under these headings: Decisions, State, Next steps. Under"
    " Decisions, what was found out and settled. Under State, what is done, what exists now, and"
    " what is not done yet. Under Next steps, concrete steps, with files, commands and values. Keep"
    " every name, path, number and command exactly. Leave out every approach that was tried and"
    " given up: do not mention it, not even as failed.\n\nTask: {task}\n\n<text>\n{text}\n</text>"
)
_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_LABEL = re.compile(r"^(?:asked|done|committed|run again after the last change|not passing yet): ")


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
        return drop_bare_headings(cut_to_budget(reply.text, budget))


def write_note(task: str, events: Sequence[Event], budget: int) -> str:
    """Write the note by rules.

    The budget goes first to what is next, then to state, wishes, agreements and findings.
    """
    sentences = session_sentences(events)
    branches = _without_outdated(split_branches(sentences, events), sentences, events)
    state = read_state(events)
    statements = user_statements(sentences, task)
    wishes = _wishes(sentences, branches, statements)
    ahead = _next_steps(branches, state, sentences)
    last = _last_messages(branches)

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


def _without_outdated(
    branches: SessionBranches, sentences: Sequence[Sentence], events: Sequence[Event]
) -> SessionBranches:
    """Return the branches without reversed decisions and plans that no longer lie ahead."""
    first_recent = first_recent_step(sentences)
    outdated = reversed_decisions(sentences)
    outdated |= outdated_announcements(sentences, events, first_recent)
    alive = [sentence for sentence in branches.alive if sentence not in outdated]
    return branches._replace(alive=alive)


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
    """Return what the agent announced lately, with the list below the last one that opens one."""
    first_recent = first_recent_step(sentences)
    lines: list[str] = []
    listed: list[str] = []
    inside_list = False
    for sentence in branches.alive:
        if sentence.role != "assistant" or sentence.step < first_recent:
            continue
        text = sentence.text
        announces = announces_work(text)
        opens_list = announces and text.endswith(":")
        continues_list = inside_list and bool(_LIST_ITEM.match(text))

        if opens_list:
            # A new list of what is to be done replaces the one before it.
            lines = [line for line in lines if line not in listed]
            listed = []
        is_line = (announces and not opens_list) or continues_list
        if is_line and len(text) <= LONGEST and not is_heading(text):
            line = _LIST_ITEM.sub("", text)
            lines.append(line)
            if continues_list:
                listed.append(line)
        inside_list = opens_list or continues_list
    return lines[-MOST_AHEAD:]


def _last_messages(branches: SessionBranches) -> list[str]:
    """Return the sentences of the agent's last two messages."""
    spoken = []
    for sentence in branches.alive:
        is_complete = len(sentence.text) <= LONGEST and not is_heading(sentence.text)
        if sentence.role == "assistant" and is_complete:
            spoken.append(sentence)

    last_steps = sorted({sentence.step for sentence in spoken})[-2:]
    texts = [_LIST_ITEM.sub("", s.text) for s in spoken if s.step in last_steps]
    lines = [line for line in _distinct(texts) if len(line) > SHORTEST_LINE]
    return lines[-MOST_AHEAD:]


def _state_lines(state: SessionState, branches: SessionBranches) -> list[str]:
    lines = [f"done: {text}" for text, status in state.todo if status == "completed"]
    if state.branch:
        lines.append(f"branch: {state.branch}")
    if state.files:
        lines.append("files changed: " + ", ".join(state.files[-12:]))
    lines += [f"committed: {message}" for message in state.commits[-3:]]
    for check in state.checks[-5:]:
        # How a check failed before the last change says nothing of how things stand.
        is_stale = check.failed and state.edited > check.place
        if check.outcome and not is_stale:
            lines.append(f"{check.command}: {check.outcome}")
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
        if sentence.role != "assistant" or is_heading(sentence.text):
            continue
        if not is_informative(sentence.text):
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


def is_heading(text: str) -> bool:
    """Whether a line only says what stands below it: "## State", "**State**", "State:"."""
    line = _LIST_ITEM.sub("", text).strip()
    if line.startswith("#"):
        return True
    is_bold = line.startswith("**") and line.endswith("**") and "**" not in line[2:-2]
    return line.rstrip("*_ ").endswith(":") or (is_bold and not line.endswith(".**"))


def drop_bare_headings(text: str) -> str:
    """Return the text without headings that have no line below them."""
    kept: list[str] = []
    for line in reversed(text.splitlines()):
        below = next((other for other in reversed(kept) if other.strip()), "")
        is_bare = is_heading(line) and (not below or is_heading(below))
        if not is_bare:
            kept.append(line)
    return "\n".join(reversed(kept)).strip()


def _statement(line: str) -> str:
    """Return what a line states: without its label, list mark and markup."""
    bare = _LABEL.sub("", _LIST_ITEM.sub("", line))
    return normalise(bare.replace("**", "").replace("`", "")).strip(" .")


class _Note:
    """A note under headings that never grows beyond its budget and says nothing twice."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._stated: set[str] = set()
        self._parts: dict[str, list[tuple[int, str]]] = {}

    def add(self, heading: str, lines: Iterable[tuple[int, str]]) -> None:
        """Add the lines that fit, in this order; under the heading they are sorted by number."""
        part = self._parts.setdefault(heading, [])
        for line in lines:
            statement = _statement(line[1])
            if self._states(statement):
                continue
            part.append(line)
            if count_tokens(self.text()) > self._budget:
                part.pop()
            else:
                self._stated.add(statement)

    def _states(self, statement: str) -> bool:
        """Whether a line says this already, alone or, if it is no scrap, among more."""
        if len(statement) < SHORTEST_LINE:
            return statement in self._stated
        return any(statement in other for other in self._stated)

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
