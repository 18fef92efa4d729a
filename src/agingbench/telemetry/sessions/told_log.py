"""What was told in sentences, and where calls and answers of the agent come back to it.

A *statement* is one sentence of the user, or one `name: value` of a short result. A *mention* is a
call that gives words which had been told, at whatever depth and however packed, or a sentence of
the agent. Nothing is decided here; only words that were told before are kept of calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from agingbench.records import Event, Source
from agingbench.telemetry.sessions.entities import text_lines
from agingbench.text.case import small_letters

LONGEST_WORD = 40
MOST_NUMBERS = 60_000  # distinct words that are kept
MOST_ROWS = 25_000  # statements, and mentions
MOST_TURNS = 200_000
MOST_TEXT = 2_000  # characters of a request or an answer that are read
MOST_RESULT = 400  # characters of a result that may state a value
MOST_SENTENCES = 24  # of one text
MOST_WORDS = 40  # of one sentence
LISTED = 4  # values of a sentence, from which each part between commas is one
MOST_LEAVES = 24  # values of one call
LONGEST_LEAF = 240  # characters of a value that is looked into
DEEPEST = 6
_SENTENCE = re.compile(r"\n|(?<=[.!?;])\s+|\s[–—-]\s")
_NUMBER = re.compile(r"\S*\d\S*")
_WORD = re.compile(r"[\w@#%+.:/&-]*\w%?")
_OUTER = re.compile(r"[\s,;=\"'`(){}\[\]<>|/@?&\\]+")
_INNER = re.compile(r"[-_#+.]+")
_FILE = re.compile(r"^[~./]*/|/[\w.-]*\.[a-z]\w{0,4}(?=$|[\s\"':])")
_VERSIONED = re.compile(r"[a-z]+/v?\d[\d.]*", re.IGNORECASE)  # a branch: release/4.41
_OPTION = re.compile(r"\s--?[A-Za-z]")
_DENIES = re.compile(  # of small letters
    r"n['’]t\b|\b(?:not|no longer|any ?more|any longer|old|previous(?:ly)?|former(?:ly)?|gone"
    r"|was|were|used|forget|scrap|wrong|retired|stale|outdated|until|never|history"
    r"|nicht|kein\w*|mehr|alte?[nrs]?|vorher\w*|falsch|bisher\w*|war|vergessen"
    r"|ya no|antes|anterior|era|olvida|plus|pas|ancien\w*|avant|était|oublie\w*"
    r"|non|più|vecchi\w+|prima|não|antig\w+|niet|oude?|eerder)\b",
)


# Words right before a value that holds no more: "from 3 to 5", "5 instead of 3".
_PAST = re.compile(
    r"\b(?:from|instead of|rather than|in place of|not|no longer|old|previous|former|was|were"
    r"|until(?: last \w+)?|forget|drop|replac(?:es|ing)|over|von|statt|anstelle|nicht"
    r"|alte?[nrms]?|bisher\w*|vorher\w*|vergiss"
    r"|de|desde|en vez de|antiguo|au lieu de|ancien\w*|da|invece di|em vez de|van|in plaats van)"
    r"(?: (?:the|a|an|dem|der|den|die|das|el|la|le))?[\s\"'`:]+$",
    re.IGNORECASE,
)
LOOK_BACK = 24  # characters before a value that say whether it holds


# Tool and argument, and the words that a call gives there.
GivenWords = tuple[tuple[str, tuple[str, ...]], ...]


class Statement(msgspec.Struct, frozen=True, gc=False):
    """The words of one sentence; `marked` look like values, and `past` of these hold no more."""

    session: int
    time: float
    order: int
    words: tuple[int, ...]
    marked: tuple[int, ...]
    past: tuple[int, ...]
    by_user: bool
    denies: bool
    turn: int  # number of the user's turn


class Mention(msgspec.Struct, frozen=True, gc=False):
    """What a call gives in one place, or what a sentence of the agent says."""

    session: int
    time: float
    order: int
    slot: int  # tool and argument; -1 for a sentence of the agent
    words: tuple[int, ...]
    asked: int  # number of the user's turn that it follows
    place: int
    call: int  # its number among all calls; -1 for a sentence of the agent

    @property
    def record(self) -> int:
        """What tells it from other calls and sentences; a call that gives several has one."""
        return self.call if self.call >= 0 else -self.order


class ToldLog:
    """Statements and mentions of a trace in the order of arrival, in bounded memory."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.statements: list[Statement] = []
        self.mentions: list[Mention] = []
        self.turns: dict[int, frozenset[int]] = {}  # turn of the user -> the values that it names
        self.sentences = 0  # of the user
        self.replaced = 0  # sentences that name a value that holds no more beside another one
        self.sources: list[Source | None] = []
        self.plain: dict[int, int] = {}  # how often a word of the user stands in small letters
        self.said: dict[int, int] = {}  # in how many sentences of the user a word stands
        self._numbers: dict[str, int] = {}
        self._slots: dict[str, int] = {}
        self._turn_of: dict[int, int] = {}
        self._rows = 0
        self._turns = 0

    def add_request(self, text: str, session: int, time: float) -> None:
        """Keep the sentences of a request."""
        if len(self.statements) >= MOST_ROWS or self._turns >= MOST_TURNS:
            return

        named: set[int] = set()
        for sentence in _sentences(text):
            words, marked, past = self._sentence(sentence)
            named.update(marked)
            self.sentences += bool(words)
            for word in words:
                self.said[word] = self.said.get(word, 0) + 1
            if marked and len(words) >= 2:
                denies = _DENIES.search(small_letters(sentence)) is not None
                self.replaced += 0 < len(past) < len(marked)
                self._turn_of[session] = self._turns
                self._add_statement(session, time, words, marked, past, denies)

        if session in self._turn_of:
            self._turn_of[session] = self._turns
        if named:
            self.turns[self._turns] = frozenset(named)
        self._turns += 1

    def add_result(self, text: str, session: int, time: float) -> None:
        """Keep the `name: value` lines of a short result."""
        if len(text) > MOST_RESULT or len(self.statements) >= MOST_ROWS:
            return

        for name, value in _stated(text):
            words, marked, _ = self._sentence(value)
            names, _, _ = self._sentence(name)
            if len(words) == 1 and names:
                self._add_statement(session, time, (*names, *words), marked or words, None)

    def turn_of(self, session: int) -> int:
        """Return the number of the last turn of a session that told a value, or one after it."""
        return self._turn_of.get(session, -1)

    def takes_mentions(self) -> bool:
        """Return whether what a call gives could be kept."""
        return bool(self._numbers) and len(self.mentions) < MOST_ROWS

    def add_call(
        self, given: GivenWords, event: Event, session: int, time: float, call: int = -1
    ) -> None:
        """Keep what a call gives of words that were told before."""
        numbers = self._numbers
        for slot, words in given:
            if numbers.keys().isdisjoint(words):
                continue

            found = [numbers[word] for word in words if word in numbers]
            number = self._slots.setdefault(slot, len(self._slots))
            self._add_mention(session, time, number, tuple(dict.fromkeys(found)), event, call)

    def add_answer(self, text: str, event: Event, session: int, time: float) -> None:
        """Keep the sentences of the agent by the words that were told before."""
        if not self.takes_mentions():
            return

        for sentence in _SENTENCE.split(text[:MOST_TEXT])[:MOST_SENTENCES]:
            found: dict[int, None] = {}
            for word in _WORD.findall(sentence.casefold())[:MOST_WORDS]:
                number = self._numbers.get(word.strip(".,:;-/"))
                if number is not None:
                    found[number] = None

            if len(found) >= 2:
                self._add_mention(session, time, -1, tuple(found), event, -1)

    def _add_mention(
        self,
        session: int,
        time: float,
        slot: int,
        words: tuple[int, ...],
        event: Event,
        call: int,
    ) -> None:
        if len(self.mentions) >= MOST_ROWS:
            return

        asked = self._turn_of.get(session, -1)
        place = len(self.sources)
        self.sources.append(event.source)
        self._rows += 1
        row = Mention(session, time, self._rows, slot, words, asked, place, call)
        self.mentions.append(row)

    def _add_statement(
        self,
        session: int,
        time: float,
        words: tuple[int, ...],
        marked: tuple[int, ...],
        past: tuple[int, ...] | None,
        denies: bool = False,
    ) -> None:
        """Keep a sentence of the user, or what a result states where `past` is None."""
        if len(self.statements) < MOST_ROWS:
            self._rows += 1
            by_user = past is not None
            turn = self._turn_of.get(session, -1)
            gone = past or ()
            order = self._rows
            row = Statement(session, time, order, words, marked, gone, by_user, denies, turn)
            self.statements.append(row)

    def _sentence(self, sentence: str) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return the words of a sentence, those that look like values, and past ones of these."""
        words: dict[int, None] = {}
        marked: dict[int, None] = {}
        past: dict[int, None] = {}
        for place, found in enumerate(_WORD.finditer(sentence)):
            if place >= MOST_WORDS:
                break
            plain = found.group().strip(".,:;-/")
            if not plain or len(plain) > LONGEST_WORD:
                continue

            number = self._number(plain.casefold())
            if number < 0:
                continue
            words[number] = None
            if plain[0].islower():
                self.plain[number] = self.plain.get(number, 0) + 1
            if _looks_like_value(plain, place):
                marked[number] = None
                if is_past(sentence, found.start()):
                    past[number] = None

        return tuple(words), tuple(marked), tuple(past)

    def _number(self, text: str) -> int:
        found = self._numbers.get(text)
        if found is None:
            if len(self.texts) >= MOST_NUMBERS:
                return -1
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text)

        return found


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a request; one that lists many values is several."""
    for sentence in _SENTENCE.split(text[:MOST_TEXT])[:MOST_SENTENCES]:
        if len(_NUMBER.findall(sentence)) > LISTED:
            yield from sentence.split(", ")
        else:
            yield sentence


def is_past(sentence: str, start: int) -> bool:
    """Return whether the words before a place of a sentence say that what follows holds no more."""
    return _PAST.search(sentence[max(0, start - LOOK_BACK) : start]) is not None


def _looks_like_value(word: str, place: int) -> bool:
    """Return whether a word of a sentence may be a value: by a digit, or as a name."""
    if "/" in word and _VERSIONED.fullmatch(word) is None:
        return False
    if any(map(str.isdigit, word)):
        return len(word) > 1
    return place > 0 and len(word) > 2 and word[0].isupper()


def _stated(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values that a short result states."""
    if text[0] not in "{[":
        yield from text_lines(text)
        return

    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return

    for name, value in _leaves(data):
        yield name.rpartition(".")[2], value


def given_words(tool: str, arguments: Any) -> GivenWords:
    """Return the words that a call gives, by tool and argument or option."""
    found = []
    for name, value in _leaves(arguments):
        if " " in value and _OPTION.search(value) is not None:
            for option, word in _options(value):
                found.append((f"{tool} {option}", _tokens(word)))
        else:
            found.append((f"{tool} {name}", _tokens(value)))

    return tuple(found)


def _leaves(data: Any) -> Iterator[tuple[str, str]]:
    """Yield the path and text of the short values of arguments; options of commands by name."""
    waiting: list[tuple[str, Any, int]] = [("", data, 0)]
    count = 0
    while waiting and count < MOST_LEAVES:
        path, item, depth = waiting.pop()
        kind = item.__class__
        if kind is dict and depth < DEEPEST:
            for name, value in reversed(item.items()):
                waiting.append((f"{path}.{name}", value, depth + 1))
        elif kind is list and depth < DEEPEST:
            waiting += [(path, value, depth + 1) for value in item[:MOST_LEAVES]]
        elif kind is str or kind is int or kind is float:
            count += 1
            text = str(item)
            if len(text) <= LONGEST_LEAF and "\n" not in text:
                yield path, text


def _options(command: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a command, each with the option that it belongs to."""
    words = command.split()
    program = words[0]
    option = ""
    for word in words[1:]:
        if word.startswith("-"):
            option, _, word = word.partition("=")
        if word:
            yield f"{program} {option}", word


@lru_cache(maxsize=2_048)
def _tokens(value: str) -> tuple[str, ...]:
    """Return the words of a value, those of which they are put together, and the parts of these.

    Calls give the same values again and again.
    """
    text = value.casefold()
    found = [text] if len(text) <= LONGEST_WORD else []
    for outer in _OUTER.split(text):
        found.append(outer.strip(".:-"))
        inner = _INNER.split(outer)
        if len(inner) > 1:
            for part in inner:
                found.append(part)
                found += _colon_parts(part)
        else:
            found += _colon_parts(outer)

    # The folders of a file are named in every call, whatever was said of one of the same name.
    if _FILE.search(text) is not None:
        found = [word for word in found if any(map(str.isdigit, word))]
    return tuple(dict.fromkeys(found))


def _colon_parts(word: str) -> Iterator[str]:
    """Yield what stands before and after each colon: `a:14:05` holds `14:05`."""
    if ":" not in word:
        return

    parts = word.split(":")
    for cut in range(1, len(parts)):
        yield ":".join(parts[:cut])
        yield ":".join(parts[cut:])
    yield from parts[1:-1]
