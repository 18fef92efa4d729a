"""Structured consolidation: decisions, state and next steps kept apart, and abandoned branches left out.

With a language model, PROMPT asks it for exactly that. With the embedded reader, rules do it: `abandoned.py` finds the
words of branches that were left, and what remains is sorted by what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from agingbench.interfaces import Model
from agingbench.records import Event, Message
from agingbench.resumption.contexts.abandoned import Sentence, alive, said_in, turning
from agingbench.resumption.contexts.summary import fitted
from agingbench.resumption.naming import names_in
from agingbench.resumption.tokenizer import count_tokens
from agingbench.resumption.trajectory import call_text, entry_text
from agingbench.text import STOPWORDS, normalise, stem, words

EMBEDDED_MODEL = "extractive"
MOST_ENTRY = 1500
MOST_FINDINGS = 20
LONGEST = 400  # characters of a sentence; a longer one is a paste
PROMPT = (
    "An agent was interrupted in the middle of a task. Write the hand-over note that the next agent works from, at "
    "most {words} words, under these headings: Decisions, State, Next steps. Under Decisions, what was found out and "
    "settled. Under State, what is done, what exists now, and what is not done yet. Under Next steps, concrete steps, "
    "with files, commands and values. Keep every name, path, number and command exactly. Leave out every "
    "approach that was tried and given up: do not mention it, not even as failed."
    "\n\nTask: {task}\n\n<text>\n{text}\n</text>"
)

_STRONG = re.compile(
    r"\b(?:root cause|the (?:issue|problem|bug|cause|fix|solution|plan) (?:is|was)|confirmed|decided|decision|turns out"
    r"|caused by|not yet|remaining|still (?:need|fail|to)|all tests pass|tests? (?:pass|fail))",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:next|now (?:let me|i(?:'ll| will| need))|let me|i(?:'ll| will|'m going to| need to| should)|remaining|then"
    r"|still (?:need|have) to|to ?do|not yet|need(?:s)? to|finally)\b",
    re.IGNORECASE,
)
_INTENT = re.compile(
    r"\W*(?:now )?(?:let me|let's|i'll|i will|i should|i need|i want|i can see|i see|the user|good|great|perfect|now i"
    r"|next|first|looking at|actually)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[{};]\s*$|^\W*(?://|func |def |import |return |if \w+[ !=(]|\"|<)|:=|=>|->|\w\(.*\) \{")
_WITHDRAWN = re.compile(r"\b(?:withdrawn|no longer|removed|retracted|cancelled|do not build on)\b", re.IGNORECASE)
_REQUEST = re.compile(r"\W*(?:plan|write|please|can you|could you|use what|reply)\b", re.IGNORECASE)
_STATES = re.compile(r"\b(?:is|are|starts?|keeps|listens?|may|has moved|which is|imports)\b", re.IGNORECASE)
_OPENS = re.compile(r"^(?:after the \w+|from this \w+ on|from now on|now),? ", re.IGNORECASE)
_FILLER = frozenset(stem(w) for w in "settled another we for now".split())
_WRITES = re.compile(r"^(?:edit|write|multiedit|notebookedit|create|str_replace.*|apply_patch|update)$", re.IGNORECASE)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add) File: (.+)$", re.MULTILINE)
_TESTED = re.compile(
    r"\b(?:\d+ (?:passed|failed|passing|failing|errors?)[^\n]{0,80}|(?:ok|FAIL)\s+\S+/\S+[^\n]{0,40}"
    r"|test result: [^\n]{0,80}|Tests?:? +\d+[^\n]{0,60})"
)
_COMMIT = re.compile(r"\bgit commit\b[^\n]*?-m\s+[\"']?(?:\$\(cat <<'?EOF'?\n)?([^\n\"']{5,120})")


class State(NamedTuple):
    """What the calls left behind."""

    files: list[str]
    tests: str
    commits: list[str]
    todo: list[tuple[str, str]]


class Structured:
    """A consolidator in the sense of the interface; see the top of this file."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        listed = list(events)
        if self._model.name != EMBEDDED_MODEL:
            return self._asked(task, listed, budget)
        return by_rules(task, listed, budget)

    def _asked(self, task: str, events: Sequence[Event], budget: int) -> str:
        text = "\n".join(entry[:MOST_ENTRY] for event in events if (entry := entry_text(event)))
        request = PROMPT.format(words=max(20, 4 * budget // 7), task=task, text=text)
        return fitted(self._model.complete([Message("user", request)], max_tokens=budget).text, budget)


def by_rules(task: str, events: Sequence[Event], budget: int) -> str:
    """The note made by rules, from the most to the least needed: next steps, state, findings newest first."""
    sentences = said_in(events)
    kept = alive(sentences, events)
    state = _state(events)
    ahead = _ahead(kept, state, sentences)
    done = _state_lines(state)
    asked = _last_request(events)
    note = _Note(budget)
    note.add("Next steps", ahead)
    note.add("Asked last", asked)
    note.add("State", done)
    note.add("Agreed with the user", _agreed(sentences, task), newest_first=True)
    note.add("Decisions and findings", _findings(kept), newest_first=True)
    return note.text()


def _findings(kept: Sequence[Sentence]) -> list[str]:
    spoken = [s.text for s in kept if s.role == "assistant" and len(s.text) <= LONGEST and _tells(s.text)]
    strong = [text for text in spoken if _STRONG.search(text)]
    other = [text for text in spoken if not _STRONG.search(text)]
    return _distinct([*other[-MOST_FINDINGS:], *strong[-MOST_FINDINGS:]])


def _agreed(sentences: Sequence[Sentence], task: str) -> list[str]:
    """What the user stated. A later statement that differs in its values only replaces an earlier one."""
    latest: dict[str, str] = {}
    gone: set[str] = set()
    for sentence in sentences:
        if sentence.role != "user" or len(sentence.text) > LONGEST or sentence.text in task:
            continue
        key = _subject(sentence.text)
        if _WITHDRAWN.search(sentence.text):
            gone |= {k for k in latest if names_in(latest[k]) and names_in(latest[k]) <= names_in(sentence.text)}
        elif names_in(sentence.text) and _STATES.search(sentence.text) and not _no_statement(sentence.text):
            latest.pop(key, None)
            latest[key] = sentence.text
            gone.discard(key)
    return [text for key, text in latest.items() if key not in gone]


def _no_statement(text: str) -> bool:
    return bool(_REQUEST.match(text) or _CODE.search(text) or text.endswith((":", "?")))


def _subject(text: str) -> str:
    """What a statement speaks of: its names and the words before the first verb of stating."""
    ahead = _STATES.split(_OPENS.sub("", text), maxsplit=1)[0]
    kept = {stem(w) for w in words(ahead) if w not in STOPWORDS and not any(c.isdigit() for c in w)}
    return " ".join(sorted((kept - _FILLER) | names_in(ahead)))


def _tells(text: str) -> bool:
    """Does the sentence tell something: not a mere intention, not a turn away, and about something with a name?"""
    if turning(text) or _INTENT.match(text) or text.endswith(":") or _CODE.search(text):
        return False
    return bool(names_in(text) or _STRONG.search(text) or re.search(r"\d", text))


def _ahead(kept: Sequence[Sentence], state: State, sentences: Sequence[Sentence]) -> list[str]:
    """Open points of the last to-do list, else what was announced in the last tenth of the trajectory."""
    lines = [f"{text} ({status.replace('_', ' ')})" for text, status in state.todo if status != "completed"]
    last = max((s.step for s in sentences), default=0)
    recent = [s for s in kept if s.role == "assistant" and s.step >= last - max(4, last // 10)]
    lines += [s.text for s in recent if _AHEAD.search(s.text) and len(s.text) <= LONGEST]
    return _distinct(lines)[-8:] if not state.todo else _distinct(lines)[:10]


def _state_lines(state: State) -> list[str]:
    lines = [f"done: {text}" for text, status in state.todo if status == "completed"]
    if state.files:
        lines.append("files changed: " + ", ".join(state.files[-12:]))
    lines += [f"committed: {message}" for message in state.commits[-3:]]
    if state.tests:
        lines.append(f"last test run: {state.tests}")
    return lines


def _last_request(events: Sequence[Event]) -> list[str]:
    said = [e.content.strip() for e in events if e.role == "user" and e.content and e.content.strip()]
    if len(said) < 2:  # the first message is the task, and that is handed over with the note
        return []
    return [" ".join(said[-1].split())[:LONGEST]]


def _state(events: Sequence[Event]) -> State:
    files: dict[str, None] = {}
    commits: list[str] = []
    tests = ""
    todo: list[tuple[str, str]] = []
    refused = {e.tool_call_id for e in events if e.role == "tool_result" and (e.error_kind or e.exit_code)}
    for event in events:
        if event.role == "tool_result":
            found = _TESTED.findall("\n".join(filter(None, (event.stdout, event.content))))
            tests = " ".join(found[-1].split()) if found else tests
        if event.role != "tool_call":
            continue
        for name in _written(event) if event.tool_call_id is None or event.tool_call_id not in refused else ():
            files.pop(name, None)
            files[name] = None
        todo = _todo(event.arguments) or todo
        commits += [match.strip() for match in _COMMIT.findall(call_text(event))]
    return State(list(files), tests, commits, todo)


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
    texts = [(i.get("content") or i.get("step"), i.get("status")) for i in items if isinstance(i, dict)]
    return [(t, s) for t, s in texts if isinstance(t, str) and isinstance(s, str)]


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
        self._parts: list[tuple[str, list[str]]] = []

    def add(self, heading: str, lines: Sequence[str], newest_first: bool = False) -> None:
        """As many lines as fit; with `newest_first` the last ones are kept, still in their order."""
        self._parts.append((heading, []))
        held = self._parts[-1][1]
        for line in reversed(lines) if newest_first else lines:
            held.insert(0, line) if newest_first else held.append(line)
            if count_tokens(self.text()) > self._budget:
                held.remove(line)
        if not held:
            self._parts.pop()

    def text(self) -> str:
        parts = ["\n".join([f"{heading}:", *(f"- {line}" for line in lines)]) for heading, lines in self._parts]
        return "\n\n".join(parts)
