"""Which branches of a trajectory were abandoned: the sentences that turn away, and the words that died with them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agingbench.records import Event
from agingbench.resumption.naming import names_in
from agingbench.resumption.trajectory import call_text, is_step
from agingbench.text import STOPWORDS, sentences, stem, words

# A sentence that turns away from what was being done.
_TURN = re.compile(
    r"\b(?:revert(?:ed|ing)?|undo|undid|abandon\w*|g[ia]v(?:e|ing) up|roll(?:ed|ing)? back|back(?:ed|ing) out"
    r"|scrap(?:ped)?|(?:did|does|do|would|will|could|can)(?:n['’]t| not) (?:work|help|fix|solve|matter|exist)"
    r"|(?:is|was|are|were)(?:n['’]t| not) (?:the (?:issue|problem|cause|right|fix)|working|needed|necessary"
    r"|enough|possible)|wrong (?:approach|track|assumption|path)|dead end|no longer|didn['’]t (?:help|work|fix)"
    r"|still fail\w*|no effect|instead of|rather than|(?:different|another|simpler|better) approach|that failed"
    r"|overkill|overcomplicat\w*|too (?:complex|complicated)|unnecessary|not (?:viable|worth))\b",
    re.IGNORECASE,
)
NEAR = 3  # steps before a turn in which what is turned away from was announced
SEEN_AGAIN = 2  # how often a name must come up behind the turn to count as still alive


class Sentence(NamedTuple):
    """Something that was said, and at which step."""

    step: int
    role: str
    text: str


def said_in(events: Iterable[Event]) -> list[Sentence]:
    """Every sentence that user and agent said, in order; steps count from 1."""
    found, step = [], 0
    for event in events:
        step += is_step(event)
        if event.role in ("user", "assistant") and event.content:
            found += [Sentence(step, event.role, s) for s in sentences(event.content)]
    return found


def turning(text: str) -> bool:
    """Does the sentence turn away from something?"""
    return _TURN.search(text) is not None


def alive(said: Sequence[Sentence], events: Sequence[Event]) -> list[Sentence]:
    """The sentences without those that speak of an abandoned branch.

    A turn kills the names of code that it and the announcement before it hold, unless they come up again later, in
    what is said without turning or in what is done. Where a turn names no code, the announcement just before it goes.
    """
    later = _last_uses(said, events)
    dead: set[str] = set()
    gone: set[int] = set()
    for place, sentence in enumerate(said):
        if sentence.role != "assistant" or not turning(sentence.text):
            continue
        gone.add(place)
        names = names_in(sentence.text)
        if not names:
            gone |= _announced(said, place)
        dead |= {n for n in names if sum(step > sentence.step for step in later.get(n, ())) < SEEN_AGAIN}
    return [s for place, s in enumerate(said) if place not in gone and not (names_in(s.text) & dead)]


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


def _last_uses(said: Sequence[Sentence], events: Sequence[Event]) -> dict[str, list[int]]:
    """At which steps each name of code was used: in sentences that do not turn away, and in what was called."""
    uses: dict[str, list[int]] = defaultdict(list)
    for sentence in said:
        if not turning(sentence.text):
            for name in names_in(sentence.text):
                uses[name].append(sentence.step)
    step = 0
    for event in events:
        step += is_step(event)
        if event.role == "tool_call":
            for name in names_in(call_text(event)[:4000]):
                uses[name].append(step)
    return uses
