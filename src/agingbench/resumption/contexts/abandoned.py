"""Which branches of a trajectory were abandoned: the sentences that turn away, and the names that
died with them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agingbench.records import Event
from agingbench.resumption.contexts.code_names import code_names
from agingbench.resumption.contexts.state import written_texts
from agingbench.resumption.episodes.trajectory import call_text, is_step
from agingbench.text import STOPWORDS, sentences, stem, words

# A sentence that turns away from what was being done.
_TURN = re.compile(
    r"\b(?:revert(?:ed|ing)?|undo|undid|abandon\w*|g[ia]v(?:e|ing) up|roll(?:ed|ing)?"
    r" back|back(?:ed|ing) out"
    r"|scrap(?:ped)?|(?:did|does|do|would|will|could|can)(?:n't| not)"
    r" (?:work|help|fix|solve|matter|exist)"
    r"|(?:is|was|are|were)(?:n't| not) (?:the"
    r" (?:issue|problem|cause|right|fix)|working|needed|necessary"
    r"|enough|possible|from|in the)|wrong (?:approach|track|assumption|path)|dead end|no longer"
    r"|didn't (?:help|work|fix)|still fail\w*|no effect|instead of|rather than"
    r"|(?:different|another|simpler|better) approach|that failed|overkill|overcomplicat\w*"
    r"|too (?:complex|complicated)|unnecessary|not (?:viable|worth)|correction"
    r"|(?:can't|cannot) (?:read|use|run|access|reach|find))\b",
    re.IGNORECASE,
)
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
    """Something that was said, and at which step."""

    step: int
    role: str
    text: str


class SessionBranches(NamedTuple):
    """What is left of what was said, and what took the place of something that was given up."""

    alive: list[Sentence]
    chosen: list[Sentence]
    dead: frozenset[str]


def session_sentences(events: Iterable[Event]) -> list[Sentence]:
    """Every sentence that user and agent said, in order; steps count from 1."""
    found = []
    step = 0
    for event in events:
        step += is_step(event)
        if event.role in ("user", "assistant") and event.content:
            text = _read_through(event.content)
            text = _CLIENT.sub("", text) if event.role == "user" else text
            found += [Sentence(step, event.role, s) for s in sentences(text)]
    return found


def _read_through(text: str) -> str:
    # A message of many pages is a paste: what is said about it stands before and behind it.
    # Apostrophes come in two kinds, and half of all agents write the other one.
    text = (
        text if len(text) <= MOST_SAID else f"{text[: MOST_SAID // 2]}\n\n{text[-MOST_SAID // 2 :]}"
    )
    return text.replace("’", "'")


def turns_away(text: str) -> bool:
    """Does the sentence turn away from something?"""
    return _TURN.search(text) is not None


def read_replacement(text: str) -> tuple[set[str], str]:
    """Of a sentence that gives one thing up for another: the names that die, and the words for what
    takes over.
    """
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


def split_branches(said: Sequence[Sentence], events: Sequence[Event]) -> SessionBranches:
    """What was said without what speaks of an abandoned branch.

    A name dies when a turn holds it, when it is given up for another, when an edit takes it out of
    the code, or when it was only supposed; unless it comes up again later, in what is said without
    turning or in what is done. Where a turn names no code, the announcement just before it goes
    with it.
    """
    later = _uses(said, events)
    newest = first_recent_step(said)
    dead = _taken_out(events, later, newest)
    gone: set[int] = set()
    chosen: list[Sentence] = []
    for place, sentence in enumerate(said):
        text = sentence.text
        step = sentence.step
        if step >= newest:
            continue  # where it stands now: a turn of just now is the decision to carry on from
        left, instead = read_replacement(text)
        supposed = _SUPPOSED.search(text) is not None
        dying = left | (
            code_names(text) - code_names(instead) if turns_away(text) or supposed else set()
        )
        if sentence.role == "user":  # a wish is a wish: what it replaces dies, the wish stays
            dying = left
            supposed = False
        died = {n for n in dying if not _lives_on(later.get(n, ()), step, newest)}
        dead |= died
        if sentence.role == "assistant" and (turns_away(text) or supposed or died):
            gone.add(place)
        if sentence.role == "assistant" and died and code_names(instead):
            chosen.append(Sentence(step, sentence.role, instead.strip(" .,;:")))
        if sentence.role == "assistant" and turns_away(text) and not code_names(text):
            gone |= _announced(said, place)
    kept = [s for p, s in enumerate(said) if p not in gone and not (code_names(s.text) & dead)]
    return SessionBranches(
        kept, [s for s in chosen if not code_names(s.text) & dead], frozenset(dead)
    )


def first_recent_step(said: Sequence[Sentence]) -> int:
    """The step from which on things are said lately: the last tenth of the session, and at least
    four steps.
    """
    last = max((s.step for s in said), default=0)
    return last - max(4, last // 10)


def _lives_on(uses: Sequence[int], step: int, newest: int) -> bool:
    """Does a name come up again behind a step: lately, or more than once?"""
    return any(at >= newest for at in uses) or sum(at > step for at in uses) >= SEEN_AGAIN


def _taken_out(events: Sequence[Event], uses: dict[str, list[int]], newest: int) -> set[str]:
    """Names that edits took out of the code, not just now, and that nothing put back or spoke of
    again.
    """
    out: dict[str, int] = {}
    step = 0
    for event in events:
        step += is_step(event)
        gone, new = written_texts(event)
        added = code_names(new)
        for name in code_names(gone) - added:
            out[name] = step
        for name in added:
            out.pop(name, None)
    return {
        name
        for name, at in out.items()
        if at < newest and not _lives_on(uses.get(name, ()), at, newest)
    }


def _announced(said: Sequence[Sentence], turn: int) -> set[int]:
    """What was said shortly before a turn and shares its content words with it."""
    wanted = _content(said[turn].text)
    found = set()
    for place in range(turn - 1, -1, -1):
        if said[place].step < said[turn].step - NEAR:
            break
        if said[place].role == "assistant" and len(_content(said[place].text) & wanted) >= 2:
            found.add(place)
    return found


def _content(text: str) -> set[str]:
    return {stem(w) for w in words(text) if w not in STOPWORDS and len(w) > 2}


def _uses(said: Sequence[Sentence], events: Sequence[Event]) -> dict[str, list[int]]:
    """At which steps each name of code was used: in sentences that do not turn away, and in what
    was called.

    What an edit takes out is no use of it, nor is looking for it.
    """
    uses: dict[str, list[int]] = defaultdict(list)
    for sentence in said:
        if not turns_away(sentence.text) and not read_replacement(sentence.text)[0]:
            for name in code_names(sentence.text):
                uses[name].append(sentence.step)
    step = 0
    for event in events:
        step += is_step(event)
        if event.role == "tool_call":
            gone, new = written_texts(event)
            text = new if gone or new else call_text(event)[:4000]
            for name in () if _LOOKS.search(f"{event.tool_name} {text[:40]}") else code_names(text):
                uses[name].append(step)
    return uses
