"""Finds abandoned branches: the sentences that turn away, and the names that died with them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agingbench.records import Event
from agingbench.resumption.contexts.code_names import code_names
from agingbench.resumption.contexts.state import restored_files, written_files, written_texts
from agingbench.resumption.episodes.trajectory import call_text
from agingbench.text.cues import TURNS_AWAY
from agingbench.text.wording import STOPWORDS, sentences, stem, words
from agingbench.traces.steps import is_step

# One thing is given up for another: the first group dies, the second takes its place.
_FOR_ANOTHER = (
    re.compile(r"\breplac(?:e|es|ed|ing) (.{2,120}?) (?:with|by) (.{2,160})", re.IGNORECASE),
    re.compile(
        r"\b(?:renam|switch|chang|mov|migrat)(?:e|es|ed|ing) (?:from )?(.{2,80}?) to (.{2,120})",
        re.IGNORECASE,
    ),
    re.compile(r"(`[^`]{2,60}`) (?:→|->|=>) (`[^`]{2,60}`)"),
)
# What stands before dies, what stands behind takes over; and the other way round.
_TAKES_OVER = re.compile(
    r"\b(?:was|were|is|are) (?:renamed|replaced|superseded) (?:to|by|with) "
    r"|,? so (?:i'm|i'll|we're|we'll|let's) (?:keep|stick|stay|go with|going with)\w* ",
    re.IGNORECASE,
)
_IN_PLACE_OF = re.compile(r"[, ]*\b(?:instead of|rather than|in place of) ", re.IGNORECASE)
_FORMER = re.compile(
    r"\b(?:old|former|previous|legacy|original|obsolete)\W+(.{2,60})", re.IGNORECASE
)
# What is only supposed: worth nothing later unless it comes up again.
_SUPPOSED = re.compile(
    r"\b(?:whether|maybe|perhaps|might|could be|may"
    r" be|possibly|probably|likely|suspect\w*|clue|hypothes\w*|theory"
    r"|seems?|wonder\w*|if (?:it|that|this|there)(?:'s| is| are)|let me try|i'll try|trying)\b",
    re.IGNORECASE,
)
# What clients put into a user's mouth: the environment, selections, notices.
_CLIENT = re.compile(
    r"<([a-z][\w-]{2,40})>.{0,4000}?</\1>|\[Request interrupted[^\]]{0,40}\]", re.DOTALL
)
_LOOKS = re.compile(r"^(?:grep|glob|search\w*|\w+ (?:rg|grep|ag|find|ls|git grep) )", re.IGNORECASE)
NEAR = 3  # steps before a turn in which what is turned away from was announced
LONGEST = 400  # characters of a sentence; a longer one is a paste
MOST_SAID = 40_000  # characters of one message
SEEN_AGAIN = 2  # how often a name must come up behind the turn to count as still alive


class Sentence(NamedTuple):
    """A sentence of the session, who said it and at which step."""

    step: int
    role: str
    text: str


class SessionBranches(NamedTuple):
    """The sentences of live branches, what replaced abandoned things, and abandoned names."""

    alive: list[Sentence]
    chosen: list[Sentence]
    dead: frozenset[str]


def session_sentences(events: Iterable[Event]) -> list[Sentence]:
    """Return every sentence of user and agent, in order; steps count from 1."""
    result = []
    step = 0
    for event in events:
        step += is_step(event)
        if event.role in ("user", "assistant") and event.content:
            text = _without_paste(event.content).replace("’", "'")
            if event.role == "user":
                text = _CLIENT.sub("", text)
            result += [Sentence(step, event.role, s) for s in sentences(text)]
    return result


def _without_paste(text: str) -> str:
    # A message of many pages is a paste: the words about it stand before and behind it.
    if len(text) <= MOST_SAID:
        return text
    half = MOST_SAID // 2
    return f"{text[:half]}\n\n{text[-half:]}"


def turns_away(text: str) -> bool:
    """Whether the sentence turns away from something."""
    return TURNS_AWAY.search(text) is not None


def read_replacement(text: str) -> tuple[set[str], str]:
    """Return the names that a sentence gives up, and its words for what takes over."""
    if len(text) > LONGEST:
        return set(), ""
    for pattern in _FOR_ANOTHER:
        if match := pattern.search(text):
            return code_names(match[1]) - code_names(match[2]), match[2]

    if match := _TAKES_OVER.search(text):
        before = text[: match.start()]
        behind = text[match.end() :]
        return code_names(before) - code_names(behind), behind

    if match := _IN_PLACE_OF.search(text):
        before = text[: match.start()]
        behind = text[match.end() :]
        return code_names(behind) - code_names(before), before

    if match := _FORMER.search(text):
        return code_names(match[1]), ""
    return set(), ""


def split_branches(sentences: Sequence[Sentence], events: Sequence[Event]) -> SessionBranches:
    """Separate the sentences of live branches from those of abandoned ones.

    A name dies when a turn holds it, when it is given up for another, when an edit takes it out of
    the code, or when it was only supposed; unless it comes up again later, in a sentence without a
    turn or in a call. Where a turn names no code, the announcement just before it goes with it.
    """
    uses = _name_uses(sentences, events)
    newest = first_recent_step(sentences)
    dead = _removed_names(events, uses, newest) | _restored_names(events, uses)
    abandoned: set[int] = set()
    chosen: list[Sentence] = []

    for place, sentence in enumerate(sentences):
        text = sentence.text
        step = sentence.step
        if step >= newest:
            continue  # a turn of just now is the decision to carry on from

        names = code_names(text)
        replaced, replacement = read_replacement(text)
        if sentence.role == "user":
            # What a wish replaces dies, the wish stays.
            dead |= _dying_names(replaced, uses, step, newest)
            continue
        if sentence.role != "assistant":
            continue

        is_turn = turns_away(text)
        is_supposed = _SUPPOSED.search(text) is not None
        candidates = replaced
        if is_turn or is_supposed:
            candidates = replaced | (names - code_names(replacement))
        dying = _dying_names(candidates, uses, step, newest)
        dead |= dying

        if is_turn or is_supposed or dying:
            abandoned.add(place)
        if dying and code_names(replacement):
            chosen.append(Sentence(step, sentence.role, replacement.strip(" .,;:")))
        if is_turn and not names:
            abandoned |= _announcements(sentences, place)

    alive = []
    for place, sentence in enumerate(sentences):
        if place not in abandoned and not code_names(sentence.text) & dead:
            alive.append(sentence)
    chosen = [sentence for sentence in chosen if not code_names(sentence.text) & dead]
    return SessionBranches(alive, chosen, frozenset(dead))


def first_recent_step(sentences: Sequence[Sentence]) -> int:
    """Return where the last tenth of the session begins, at least four steps from its end."""
    last = max((sentence.step for sentence in sentences), default=0)
    return last - max(4, last // 10)


def _dying_names(
    names: Iterable[str], uses: dict[str, list[int]], step: int, newest: int
) -> set[str]:
    return {name for name in names if not _lives_on(uses.get(name, ()), step, newest)}


def _lives_on(uses: Sequence[int], step: int, newest: int) -> bool:
    """Whether a name comes up again behind a step: lately, or more than once."""
    if any(use >= newest for use in uses):
        return True
    return sum(use > step for use in uses) >= SEEN_AGAIN


def _removed_names(events: Sequence[Event], uses: dict[str, list[int]], newest: int) -> set[str]:
    """Return names that edits took out of the code, before lately, and nothing brought back."""
    removed_at: dict[str, int] = {}
    step = 0
    for event in events:
        step += is_step(event)
        old_text, new_text = written_texts(event)
        added = code_names(new_text)
        for name in code_names(old_text) - added:
            removed_at[name] = step
        for name in added:
            removed_at.pop(name, None)

    removed = set()
    for name, at in removed_at.items():
        if at < newest and not _lives_on(uses.get(name, ()), at, newest):
            removed.add(name)
    return removed


def _restored_names(events: Sequence[Event], uses: dict[str, list[int]]) -> set[str]:
    """Return names that edits put into files whose changes git threw away later."""
    added: dict[str, set[str]] = {}
    restored = set()
    step = 0
    for event in events:
        step += is_step(event)
        old_text, new_text = written_texts(event)
        for name in written_files(event):
            added.setdefault(name, set()).update(code_names(new_text) - code_names(old_text))
        for name in restored_files(event, list(added)):
            # A name that is used again later has come back in another way.
            restored |= {n for n in added.pop(name) if not any(u > step for u in uses.get(n, ()))}
    return restored


def _announcements(sentences: Sequence[Sentence], turn: int) -> set[int]:
    """Return the places shortly before a turn that share at least two content words with it."""
    turn_words = content_stems(sentences[turn].text)
    earliest = sentences[turn].step - NEAR
    places = set()
    for place in range(turn - 1, -1, -1):
        sentence = sentences[place]
        if sentence.step < earliest:
            break
        shared = content_stems(sentence.text) & turn_words
        if sentence.role == "assistant" and len(shared) >= 2:
            places.add(place)
    return places


def content_stems(text: str) -> set[str]:
    """Return the stems of the words that carry meaning."""
    return {stem(word) for word in words(text) if word not in STOPWORDS and len(word) > 2}


def _name_uses(sentences: Sequence[Sentence], events: Sequence[Event]) -> dict[str, list[int]]:
    """Return the steps at which each name was used, in sentences without a turn and in calls.

    What an edit takes out is no use of it, nor is a search for it.
    """
    uses: dict[str, list[int]] = defaultdict(list)
    for sentence in sentences:
        replaced, _ = read_replacement(sentence.text)
        if not turns_away(sentence.text) and not replaced:
            for name in code_names(sentence.text):
                uses[name].append(sentence.step)

    step = 0
    for event in events:
        step += is_step(event)
        if event.role != "tool_call":
            continue
        old_text, new_text = written_texts(event)
        text = new_text
        if not old_text and not new_text:
            text = call_text(event)[:4000]
        is_search = _LOOKS.search(f"{event.tool_name} {text[:40]}") is not None
        if not is_search:
            for name in code_names(text):
                uses[name].append(step)
    return uses
