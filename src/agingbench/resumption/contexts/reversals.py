"""Finds what a later step made out of date: decisions that were reversed, plans carried out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agingbench.records import Event
from agingbench.resumption.contexts.abandoned import (
    Sentence,
    content_stems,
    read_replacement,
    turns_away,
)
from agingbench.resumption.contexts.code_names import code_names
from agingbench.resumption.contexts.sentence_worth import announces_work
from agingbench.resumption.contexts.state import written_files
from agingbench.traces.steps import is_step

# What a decision is about; the verbs of deciding count as one more noun.
_DECISION = re.compile(
    r"\b(?:the|our|my|new|revised) (?:\w+ ){0,2}?"
    r"(root cause|cause|fix|plan|solution|approach|decision|design|answer)"
    r" (?:is|was|will be|would be|becomes)\b"
    r"|\b(?:i|we)(?:'ve| have|'ll| will|'m|'re| am| are)? "
    r"(decided|decide|chose|choose|settled|settle|landed|go with|going with|went with)\b",
    re.IGNORECASE,
)
_CHANGE_OF_MIND = re.compile(
    r"\b(?:actually|instead(?! of)|after all|on second thought|change of plan|changed my mind"
    r"|new plan|revised plan|no longer|turns out|in fact|not .{2,60} but)\b",
    re.IGNORECASE,
)
_CHANGE_OF_PLAN = re.compile(
    r"\b(?:instead(?! of)|change of plan|new plan|revised plan|on second thought|scrap that"
    r"|forget (?:that|it)|plan b)\b",
    re.IGNORECASE,
)
_OBJECTION = re.compile(
    r"^\W*(?:no\b[,.!]|nope|stop|wait\b[,.!]|don't|do not|please don't|rather not)"
    r"|\b(?:instead(?! of)|forget (?:that|it)|scrap that|change of plan)\b",
    re.IGNORECASE,
)
_STILL_OPEN = re.compile(
    r"\b(?:not yet|remaining|remains|still|yet to|to-?do|needs? to be|left to)\b", re.IGNORECASE
)
# What an agent announces and a single call carries out: looking, searching, running.
_LOOK = re.compile(
    r"\b(?:let me|let's|i'll|i will|i'm going to|now i|i need to|i should|i'm|first)"
    r"(?: (?:now|also|first|just|quickly|then|again|try to|start by|take a))* "
    r"(?:look|check|see|read|view|search|inspect|find|examine|verify|explore|understand|run|grep"
    r"|list|open|confirm|review|test|reproduce|investigate|trace)(?:ing|ning|ting)?\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:let me|let's|i'll|i will|i'm going to|now i|i need to|i should|i'm|first)"
    r"(?: (?:now|also|first|just|quickly|then|again|try to|start by))* "
    r"(?:add|fix|write|edit|change|update|replace|remove|create|implement|rename|move|try|make|use"
    r"|put|set|apply|patch|adjust|insert|delete|drop|refactor)(?:d?ing|ting|ning)?\b",
    re.IGNORECASE,
)


def reversed_decisions(sentences: Sequence[Sentence]) -> set[Sentence]:
    """Return the agent's decisions that a later one on the same matter takes back.

    The later one says so itself ("instead", "actually"), or a sentence between the two turns away
    and both share a word besides the noun.
    """
    decisions: list[tuple[int, str]] = []
    last_turn = -1
    result: set[Sentence] = set()
    for place, sentence in enumerate(sentences):
        if sentence.role != "assistant":
            continue
        if turns_away(sentence.text):
            last_turn = place
        noun = _decision_noun(sentence.text)
        if not noun:
            continue

        for earlier_place, earlier_noun in decisions:
            earlier = sentences[earlier_place]
            turn_between = earlier_place < last_turn
            if earlier_noun == noun and _takes_back(sentence, earlier, noun, turn_between):
                result.add(earlier)
        decisions.append((place, noun))
    return result


def _decision_noun(text: str) -> str:
    match = _DECISION.search(text)
    if match is None:
        return ""
    noun = (match[1] or "decision").casefold()
    return "cause" if noun == "root cause" else noun


def _takes_back(later: Sentence, earlier: Sentence, noun: str, turn_between: bool) -> bool:
    if later.text == earlier.text:
        return False
    if _CHANGE_OF_MIND.search(later.text):
        return True
    shared = content_stems(later.text) & content_stems(earlier.text)
    return turn_between and bool(shared - content_stems(noun))


def outdated_announcements(
    sentences: Sequence[Sentence], events: Iterable[Event], first_step: int
) -> set[Sentence]:
    """Return announcements from a step on that were carried out, replaced, or objected to."""
    calls, edits = _call_steps(events)
    spoken = [s.step for s in sentences if s.role == "assistant"]
    last_spoken = max(spoken, default=0)
    result = set()
    for place, sentence in enumerate(sentences):
        if sentence.role != "assistant" or sentence.step < first_step:
            continue
        if not announces_work(sentence.text) or _STILL_OPEN.search(sentence.text):
            continue
        is_done = _is_carried_out(sentence, calls, edits, last_spoken)
        if is_done or _is_replaced(sentence, sentences[place + 1 :]):
            result.add(sentence)
    return result


def _call_steps(events: Iterable[Event]) -> tuple[list[int], list[int]]:
    """Return the steps of all calls and of those that write to files."""
    calls = []
    edits = []
    step = 0
    for event in events:
        step += is_step(event)
        if event.role == "tool_call":
            calls.append(step)
            if written_files(event):
                edits.append(step)
    return calls, edits


def _is_carried_out(
    sentence: Sentence, calls: Sequence[int], edits: Sequence[int], last_spoken: int
) -> bool:
    """Whether a call of the announced kind followed and the agent spoke again after it."""
    changes = _CHANGE.search(sentence.text) is not None
    looks = _LOOK.search(sentence.text) is not None
    if not changes and not looks:
        return False
    steps = edits if changes else calls
    return any(sentence.step < step < last_spoken for step in steps)


def _is_replaced(sentence: Sentence, later: Sequence[Sentence]) -> bool:
    """Whether a later sentence changes the plan, or gives up what this one names."""
    names = code_names(sentence.text)
    for other in later:
        if other.step == sentence.step:
            continue
        if other.role == "user" and _OBJECTION.search(other.text):
            return True
        if other.role == "assistant" and _CHANGE_OF_PLAN.search(other.text):
            return True
        replaced, replacement = read_replacement(other.text)
        if replaced & names and not code_names(replacement) & names:
            return True
    return False
