"""What calls give and what results show, as plain pairs: no list of names decides what counts.

A *call* keeps its short arguments; a shell command is one call per step. A *display* is one object
of a result, or the `name: value` lines of a short one, together with what the call had asked about.
A *telling* is the words of one clause of the user, or of one line of a short result.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from agingbench.records import Event, Source
from agingbench.telemetry.sessions.command_fields import command_fields
from agingbench.telemetry.sessions.entities import attribute_of, text_lines
from agingbench.telemetry.sessions.given_fields import given_records
from agingbench.telemetry.sessions.shell_reads import READERS
from agingbench.telemetry.sessions.told_log import is_past
from agingbench.text.case import small_letters

LONGEST_VALUE = 64
MOST_VALUES = 100_000  # distinct texts that are kept
MOST_CALLS = 50_000
MOST_DISPLAYS = 50_000
MOST_RESULT = 8_000  # characters of a JSON result that is read
MOST_TEXT = 1_500  # characters of a plain result that is read line by line
MOST_OBJECTS = 40  # of one result
MOST_PAIRS = 24  # of one object
MOST_TELLINGS = 50_000
MOST_REQUEST = 2_000  # characters of a request that are read
MOST_CLAUSES = 40  # of one request or result
MOST_WORDS = 60  # of one clause
DEEPEST = 5
NO_LINE = -1
RESULT = "result"  # the name of a result that is one value
_CLAUSE = re.compile(r"[;\n]|[.,!?](?=\s|$)|\s-\s|\b(?:and|then|und|dann)\b")
_SENTENCE = re.compile(r"\n|[.!?](?=\s|$)")
_WORD = re.compile(r"[\w./:@+#-]+")
# Words of a clause that names a value in order to say that it holds no more.
_DENIES = re.compile(  # of small letters
    r"n['’]t\b|\b(?:not|no longer|any ?more|any longer|old|previous(?:ly)?|former(?:ly)?|gone"
    r"|was|were|used|forget|scrap|drop|wrong|instead|replaced|retired|stale|outdated|before|until|from|never"
    r"|nicht|kein\w*|mehr|alte?[nrs]?|vorher\w*|statt|falsch|bisher\w*|war"
    r"|ya no|no|antes|anterior|era|olvida|usado|equivocad\w+"
    r"|plus|pas|ancien\w*|avant|était|non|più|vecchi\w+|prima|não|antig\w+|niet|oude?|eerder)\b",
)

Pairs = tuple[tuple[int, int], ...]  # numbers of name and value


class GivenCall(msgspec.Struct, frozen=True, gc=False):
    """The short arguments of one call."""

    session: int  # by its number of arrival
    time: float
    tool: int
    pairs: Pairs
    place: int  # of its record
    order: int  # among calls, displays and tellings


class CallFields(msgspec.Struct, frozen=True, gc=False):
    """The short arguments of a call by their numbers, in whichever session it stands."""

    rows: tuple[tuple[int, Pairs], ...]  # number of tool and program, and what is given to it
    values: tuple[int, ...]


class Display(msgspec.Struct, frozen=True, gc=False):
    """What one object of a result shows, and what it is about beside that."""

    session: int
    time: float
    pairs: Pairs
    about: tuple[int, ...]  # values of the call and of the objects around it
    asked: tuple[int, ...]  # values of the call alone: to show these is an echo
    order: int


class Telling(msgspec.Struct, frozen=True, gc=False):
    """The words of one clause, and what it is about beside them."""

    session: int
    time: float
    words: tuple[int, ...]
    asked: tuple[int, ...]
    order: int
    sentence: int = 0  # the same for the clauses of one sentence of the user; 0 for a result
    denies: bool = False  # says of something that it holds no more
    past: tuple[int, ...] = ()  # words that it says so of: "from 3 to 5"


class FactLog:
    """Calls and displays of a trace in the order of arrival, in bounded memory."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: list[GivenCall] = []
        self.displays: list[Display] = []
        self.tellings: list[Telling] = []
        self._rows = 0
        self._sentences = 0
        self._numbers: dict[str, int] = {}
        self._names: dict[str, int] = {}  # argument -> the number of what it is called
        self._files: list[str] = []
        self._file_numbers: dict[str, int] = {}
        self._file_of = array("i")
        self._line_of = array("q")
        self._last_clause = ""
        self._last_words: tuple[int, ...] = ()

    def number(self, text: str) -> int:
        """Return the number of a text; -1 for a new one where too many are kept already."""
        found = self._numbers.get(text)
        if found is None:
            if len(self.texts) >= MOST_VALUES:
                return -1
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text)

        return found

    def _name(self, argument: str) -> int:
        found = self._names.get(argument)
        if found is None:
            found = self.number(attribute_of(argument))
            if len(self._names) < MOST_VALUES:
                self._names[argument] = found

        return found

    def known(self, text: str) -> int | None:
        """Return the number of a text that was seen; None for one that was not."""
        return self._numbers.get(text)

    def read_fields(self, arguments: Any, tool: str) -> CallFields:
        """Return the short arguments of a call, and the fields of its command, by their numbers."""
        rows: list[tuple[int, Pairs]] = []
        values: tuple[int, ...] = ()
        command = arguments
        if arguments.__class__ is dict:
            found: list[int] = []
            for record in given_records(arguments):
                pairs = self._pairs(record)
                found += [value for _, value in pairs]
                self._add_row(rows, tool, pairs)
            values = tuple(dict.fromkeys(found))
            command = arguments.get("command") or arguments.get("cmd")

        # What a command names is what its result is about.
        if command.__class__ is str:
            values = (*values, *self._read_command(command, tool, rows))

        return CallFields(tuple(rows), values)

    def _read_command(
        self, command: str, tool: str, rows: list[tuple[int, Pairs]]
    ) -> tuple[int, ...]:
        """Add the fields of a shell command to the rows; return the numbers of their values."""
        numbers: list[int] = []
        for program, fields in command_fields(command):
            pairs = []
            for name, value in fields:
                number = self.number(value)
                if number >= 0:
                    pairs.append((self.number(name), number))
                    numbers.append(number)

            # Which lines of a file are printed is no value that anything holds.
            if program not in READERS:
                self._add_row(rows, f"{tool} {program}", tuple(pairs))

        return tuple(dict.fromkeys(numbers))

    def _add_row(self, rows: list[tuple[int, Pairs]], label: str, pairs: Pairs) -> None:
        if len(pairs) >= 2 and len(self.calls) + len(rows) < MOST_CALLS:
            rows.append((self.number(label), pairs))

    def add_call(self, fields: CallFields, event: Event, session: int, time: float) -> None:
        """Keep the short arguments of a call."""
        for label, pairs in fields.rows:
            if len(self.calls) < MOST_CALLS:
                place = self._keep_place(event.source)
                row = GivenCall(session, time, label, pairs, place, self._next())
                self.calls.append(row)

    def add_request(self, text: str, session: int, time: float) -> None:
        """Keep the clauses of a request."""
        for sentence in _SENTENCE.split(text[:MOST_REQUEST])[:MOST_CLAUSES]:
            self._sentences += 1
            for clause in _CLAUSE.split(sentence)[:MOST_CLAUSES]:
                self._add_telling(clause, (), session, time, self._sentences)

    def _add_telling(
        self,
        clause: str,
        asked: tuple[int, ...],
        session: int,
        time: float,
        sentence: int = 0,
    ) -> None:
        if len(self.tellings) >= MOST_TELLINGS:
            return

        words = self._words(clause)
        if words and (len(words) + len(asked) >= 2 or sentence):
            denies = bool(sentence) and _DENIES.search(small_letters(clause)) is not None
            past = self._past_words(clause) if denies else ()
            row = Telling(session, time, words, asked, self._next(), sentence, denies, past)
            self.tellings.append(row)

    def _past_words(self, clause: str) -> tuple[int, ...]:
        """Return the numbers of the words of a clause that hold no more by what stands before."""
        found = []
        for word in _WORD.finditer(clause):
            number = self.known(word.group().casefold().strip(".,:;!?'\"-/"))
            if number is not None and is_past(clause, word.start()):
                found.append(number)

        return tuple(found)

    def _words(self, clause: str) -> tuple[int, ...]:
        """Return the numbers of the words of a clause, each once."""
        if clause == self._last_clause:  # results repeat lines
            return self._last_words

        words = _WORD.findall(clause.casefold())[:MOST_WORDS]
        numbers = []
        for word in [word.strip(".,:;!?'\"-/") for word in words]:
            if 1 < len(word) <= LONGEST_VALUE or word.isdigit():
                numbers.append(self.number(word))

        found = tuple(dict.fromkeys(number for number in numbers if number >= 0))
        self._last_clause = clause
        self._last_words = found
        return found

    def _next(self) -> int:
        self._rows += 1
        return self._rows

    def add_result(self, text: str, asked: tuple[int, ...], session: int, time: float) -> None:
        """Keep what a result shows."""
        if len(self.displays) >= MOST_DISPLAYS:
            return

        if text[0] in "{[":
            if len(text) > MOST_RESULT:
                return
            try:
                data = msgspec.json.decode(text)
            except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
                return

            for pairs, around in self._objects(data):
                about = (*asked, *around)
                self.displays.append(Display(session, time, pairs, about, asked, self._next()))
        elif asked and len(text) <= MOST_TEXT:
            self._add_plain(text, asked, session, time)

    def _add_plain(self, text: str, asked: tuple[int, ...], session: int, time: float) -> None:
        """Keep `name: value` lines, a lone value, and the words of each line of a plain result."""
        lone = text.strip()
        is_lone = len(lone) <= LONGEST_VALUE and not any(map(str.isspace, lone))
        lines = {RESULT: lone} if is_lone else dict(text_lines(text))
        pairs = self._pairs(lines)
        if pairs:
            self.displays.append(Display(session, time, pairs, asked, asked, self._next()))
        if is_lone or len(self.tellings) >= MOST_TELLINGS:
            return

        last = ""
        has_digit = False
        for line in text.splitlines()[:MOST_CLAUSES]:
            if line != last:  # results repeat lines
                has_digit = any(map(str.isdigit, line))
                last = line
            if has_digit:
                self._add_telling(line, asked, session, time)

    def place(self, number: int) -> Source | None:
        """Return where a call stands."""
        if number < 0:
            return None
        line = self._line_of[number]
        return Source(self._files[self._file_of[number]], None if line == NO_LINE else line)

    def _keep_place(self, source: Source | None) -> int:
        if source is None:
            return -1

        number = self._file_numbers.get(source.file)
        if number is None:
            number = self._file_numbers[source.file] = len(self._files)
            self._files.append(source.file)

        self._file_of.append(number)
        self._line_of.append(NO_LINE if source.line is None else source.line)
        return len(self._file_of) - 1

    def _pairs(self, fields: Mapping[str, Any]) -> Pairs:
        pairs: list[tuple[int, int]] = []
        for name, value in fields.items():
            text = short_text(value)
            if text is None:
                continue

            number = self.number(text)
            if number >= 0:
                pairs.append((self._name(name), number))
            if len(pairs) >= MOST_PAIRS:
                break

        return tuple(pairs)

    def _objects(self, data: Any) -> Iterator[tuple[Pairs, tuple[int, ...]]]:
        """Yield the pairs of every object, and the values of the objects around it."""
        waiting: list[tuple[Any, tuple[int, ...], int]] = [(data, (), 0)]
        count = 0

        while waiting and count < MOST_OBJECTS:
            item, around, depth = waiting.pop()
            if isinstance(item, list):
                for part in item[:MOST_OBJECTS]:
                    if isinstance(part, dict | list):
                        waiting.append((part, around, depth + 1))
            elif isinstance(item, dict) and depth < DEEPEST:
                pairs = self._pairs(item)
                count += 1
                if pairs:
                    yield pairs, around

                own = tuple(value for _, value in pairs)
                for name, part in item.items():
                    if isinstance(part, dict | list):
                        # An object may be filed under its key: {"api": {"version": 3}}.
                        key = self.number(name.casefold()) if len(name) <= LONGEST_VALUE else -1
                        waiting.append((part, (*around, *own, key), depth + 1))


def short_text(value: Any) -> str | None:
    """Return a short value as it is compared; None for what is no single value."""
    if value.__class__ is str:
        if not 0 < len(value) <= LONGEST_VALUE or "\n" in value:
            return None
        return value.strip().casefold() or None
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is int:
        return str(value)
    if value.__class__ is float:
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)

    return None
