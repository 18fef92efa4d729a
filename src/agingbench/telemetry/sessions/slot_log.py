"""What displays showed of named slots, and where calls give what was shown, or told by the user.

A value with a digit is known by itself: calls are searched for it wherever it stands, whatever the
tool and argument, in commands, ids that are put together and the text of files. Nothing is decided
here.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from agingbench.records import Event, Source
from agingbench.telemetry.sessions.shown_slots import Names, shown_slots, words_of
from agingbench.text.case import small_letters

MOST_ROWS = 25_000  # shows, and uses
MOST_VALUES = 50_000  # distinct ones
MOST_GIVEN = 50_000  # words of calls that are remembered
MOST_PENDING = 1_000  # calls without a result
MOST_TEXT = 4_000  # characters of an argument that are searched
MOST_LEAVES = 60
DEEPEST = 6
LEAST_LENGTH = 4  # of a value that comes up nowhere by chance
LONGEST_WORD = 80
_WORD = re.compile(r"[\w.:/@+-]{4,}")
_DIGIT = re.compile(r"\d")
_JOINT = re.compile(r"[:/@]")
_INNER = re.compile(r"[-_+:/@]")
_REMOVED = re.compile(r"^-.*$", re.MULTILINE)  # the lines that a patch takes away
_REPLACED = re.compile(r"^old(?:_|[A-Z]|$)")  # arguments that name what is to be replaced


class SlotShow(msgspec.Struct, frozen=True, gc=False):
    """A display that shows another value of a slot than the one before."""

    session: int
    time: float
    order: int
    names: Names  # their words
    value: int
    is_own: bool  # the agent gave the value before anything showed it


class SlotUse(msgspec.Struct, frozen=True, gc=False):
    """A call that gives values that were shown or told before."""

    session: int
    time: float
    order: int
    values: tuple[int, ...]
    asked: tuple[int, ...]  # of these, those that the user names in the request
    turn: int  # number of the user's turn that it follows
    source: Source | None
    record: int  # number of the call among all calls


class SlotLog:
    """Shows and uses in the order of arrival, in bounded memory."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.shows: list[SlotShow] = []
        self.uses: list[SlotUse] = []
        self._numbers: dict[str, int] = {}
        self._last: dict[Names, int] = {}
        self._given: set[str] = set()
        self._pending: dict[str, frozenset[str]] = {}
        self._rows = 0

    def add_request(self, text: str) -> frozenset[str]:
        """Keep the words with a digit of a request as values that calls may give; return them."""
        words = frozenset(_words(text[:MOST_TEXT]))
        for word in words:
            self._number(word)
        return words

    def add_call(
        self,
        words: frozenset[str],
        named: frozenset[str],
        looks_up: bool,
        event: Event,
        session: int,
        time: float,
        turn: int,
        call: int = 0,
    ) -> None:
        """Keep which known values a call gives; one that looks something up gives none.

        `named` are the words with a digit of the request that it follows.
        """
        if not words:
            return

        if len(self._given) < MOST_GIVEN:
            self._given |= words
        if event.tool_call_id is not None:
            if len(self._pending) >= MOST_PENDING:
                del self._pending[next(iter(self._pending))]
            self._pending[event.tool_call_id] = words

        if looks_up or self._numbers.keys().isdisjoint(words) or len(self.uses) >= MOST_ROWS:
            return

        values = sorted(self._numbers[word] for word in words if word in self._numbers)
        asked = tuple([value for value in values if self.texts[value] in named])
        self._rows += 1
        row = SlotUse(session, time, self._rows, tuple(values), asked, turn, event.source, call)
        self.uses.append(row)

    def add_result(self, text: str, event: Event, session: int, time: float) -> None:
        """Keep what a display shows that its call did not give, where it is another value."""
        given = self._pending.pop(event.tool_call_id or "", frozenset())
        if len(self.shows) >= MOST_ROWS:
            return

        for names, shown in shown_slots(text):
            value = small_letters(shown)
            if len(value) >= LEAST_LENGTH and value not in given:
                self._add_show(words_of(names), value, session, time)

    def _add_show(self, names: Names, value: str, session: int, time: float) -> None:
        number = self._number(value)
        if number < 0 or self._last.get(names) == number:
            return

        self._last[names] = number
        self._rows += 1
        is_own = value in self._given
        self.shows.append(SlotShow(session, time, self._rows, names, number, is_own))

    def _number(self, value: str) -> int:
        found = self._numbers.get(value)
        if found is None:
            if len(self.texts) >= MOST_VALUES:
                return -1
            found = self._numbers[value] = len(self.texts)
            self.texts.append(value)

        return found


def value_words(arguments: Any) -> frozenset[str]:
    """Return the words with a digit that a call gives, and the parts they are put together of.

    What is to be replaced, and the lines that a patch takes away, are not given.
    """
    found: set[str] = set()
    waiting: list[tuple[str, Any, int]] = [("", arguments, 0)]
    count = 0
    while waiting and count < MOST_LEAVES:
        name, item, depth = waiting.pop()
        if isinstance(item, dict) and depth < DEEPEST:
            waiting += [(str(key), value, depth + 1) for key, value in item.items()]
        elif isinstance(item, list) and depth < DEEPEST:
            waiting += [(name, value, depth + 1) for value in item[:MOST_LEAVES]]
        elif isinstance(item, str):
            count += 1
            if _REPLACED.match(name) is None:
                text = item[:MOST_TEXT]
                found |= _words(_REMOVED.sub("", text) if "\n-" in text else text)
        elif isinstance(item, int | float) and not isinstance(item, bool):
            count += 1
            if len(str(item)) >= LEAST_LENGTH:
                found.add(str(item))

    return frozenset(found)


def _words(text: str) -> set[str]:
    """Return the words of a text that hold a digit, in small letters, and their parts."""
    if _DIGIT.search(text) is None:
        return set()

    found = set()
    for word in _WORD.findall(text):
        if len(word) > LONGEST_WORD or _DIGIT.search(word) is None:
            continue

        plain = small_letters(word.strip(".:/@+-"))
        found.add(plain)
        joints = [joint.start() for joint in _JOINT.finditer(plain)]
        if joints:
            found.update(_JOINT.split(plain))
            found.update(plain[:at] for at in joints[1:])
            found.update(plain[at + 1 :] for at in joints[:-1])

        inner = _INNER.split(plain)
        if len(inner) > 1:
            found.update(inner)

    return {word for word in found if len(word) >= LEAST_LENGTH and _DIGIT.search(word)}
