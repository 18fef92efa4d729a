"""Targets that were mistaken for another of nearly the same name.

A target is a file, or a record that a call names. Its first visit in a session is a mistake when it
looks like one that the request names; or when, right after it, the agent goes to another new one
that looks like it, while the request does not name the first. A file whose name stands in many
folders is mistaken for one of another folder where the request says that folder, and not its own.
The same asked of a tool of nearly the same name is a mistake too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from agingbench.telemetry.sessions.given_fields import given_records
from agingbench.telemetry.sessions.rereads import FileNames, target_of

ALIKE = 0.75  # of the letters that two words have in common, in order
FILE = "file"
TOOL = "tool"
RIGHT_AFTER = 3  # calls within which the right target follows the wrong one
MOST_VISITS = 40  # of a request, that are compared
MOST_KNOWN = 300  # targets of a session that are remembered
MOST_NAMED = 20  # targets that a request names
SHORTEST = 4  # letters of a name
LONGEST = 100
LONGEST_REST = 8  # letters that one name may have beyond the other
LONGEST_REQUEST = 2_000  # characters of a request that are searched for names
MOST_NAMES = 20_000  # of a trace, whose folders are counted
MANY_FOLDERS = 3  # that a name stands in, from which it is common
MOST_RECORDS = 3  # that one call names
NEAR_DIGITS = 3  # digits of an id from which one wrong digit makes a look-alike
_DIGITS = re.compile(r"\d+")
_NAMED = re.compile(r"[\w@./\\-]*\w")
_RECORD = re.compile(r"(?=\D*\d{2})[\w#:.-]+")
_TEST = re.compile(r"(?:^|[/._-])(?:tests?|specs?|conftest|mocks?|stories)(?:$|[/._-])")
_PARTS = re.compile(r"[A-Za-z]+|\d+")
# Names that stand in many folders.
_COMMON = frozenset(
    {
        "index", "__init__", "main", "mod", "lib", "readme", "package", "types", "utils", "config",
        "setup", "constants", "settings", "models", "views", "helpers", "common", "license",
        "page", "route", "layout", "skill", "styles", "schema", "app", "makefile", "dockerfile",
    }
)  # fmt: skip


FoldersOfNames = dict[str, set[str]]


class Visit(NamedTuple):
    """One visit: what kind of target it had, and whether that was taken for another."""

    label: str
    mistaken: bool


class TargetVisits(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What one session has visited, and the targets that its request names."""

    known: dict[str, None] = {}  # of the session
    order: list[str] = []  # of the request
    named: tuple[str, ...] = ()
    request: str = ""
    names: set[str] = set()  # of the files known, with and without their endings
    last_call: tuple[str, tuple[str, ...]] = ("", ())  # tool, and the records it names
    calls: int = 0
    last_new: tuple[str, int] = ("", 0)  # a target visited for the first time, and at which call
    files: FileNames = msgspec.field(default_factory=FileNames)

    def begin(self, named: tuple[str, ...], request: str = "") -> None:
        """Note a request and the targets that it names."""
        self.named = named
        self.request = request
        self.order.clear()
        self.last_new = ("", 0)

    def add_file(self, file: str, folders: FoldersOfNames) -> Visit | None:
        """Count a file that a call reads or changes; `folders` are those of the whole trace."""
        target = _file_target(file)
        return None if target is None else self._add(FILE, self.files.same(target), folders)

    def add_record(self, tool: str, records: Sequence[str], folders: FoldersOfNames) -> list[Visit]:
        """Count the records that a call names; the same asked of a tool of nearly the same name."""
        last_tool, last_records = self.last_call
        self.last_call = (tool, tuple(records))
        was_asked = bool(records) and tuple(records) == last_records and tool != last_tool
        mistaken = was_asked and alike_tools(tool, last_tool)
        found = [Visit(TOOL, mistaken)] if records else []
        visits = [self._add("record", record, folders) for record in records]
        return found + [visit for visit in visits if visit is not None]

    def knows_name(self, name: str) -> bool:
        """Return whether a file of that name, with or without its ending, was visited."""
        return name in self.names

    def _add(self, kind: str, target: str, folders: FoldersOfNames) -> Visit | None:
        if target in self.order or len(self.order) >= MOST_VISITS:
            return None

        self.order.append(target)
        folder, _, name = target.rpartition("/")
        if len(folders) < MOST_NAMES:
            same_name = folders.get(name)
            if same_name is None:
                same_name = folders[name] = set()
            if len(same_name) < MANY_FOLDERS:
                same_name.add(folder)

        if target in self.known:
            return None

        mistaken = self._is_mistake(target, folders)
        # One mistake is counted once: not again by what follows it.
        self.last_new = ("", 0) if mistaken else (target, self.calls)
        if len(self.known) < MOST_KNOWN:
            self.known[target] = None
            if kind == FILE:
                self.names.update((name, name.rpartition(".")[0]))

        return Visit(f"{kind} {'named' if self.named else 'open'}", mistaken)

    def _is_mistake(self, target: str, folders: FoldersOfNames) -> bool:
        """Return whether a new target was taken for another one."""
        is_named = False
        if self.named:  # most requests name nothing
            is_named = any(_is_named(target, named) for named in self.named)
            wanted = [target_of(named) for named in self.named]
            if not is_named and any(_may_be_mixed_up(target, one, False) for one in wanted):
                return True

        last, at = self.last_new
        if not last or self.calls - at > RIGHT_AFTER:
            return False
        if any(_is_named(last, named) for named in self.named):
            return False

        # A name that stands in many folders is no look-alike of itself.
        name = target.rpartition("/")[2]
        if name.partition(".")[0] in _COMMON or len(folders.get(name, ())) >= MANY_FOLDERS:
            if last.endswith(f"/{name}"):
                return self._says_folder(target, last)
            if last.endswith(name):
                return False

        return _may_be_mixed_up(target, last, is_named)

    def _says_folder(self, target: str, last: str) -> bool:
        """Return whether the request says the folder of a target, and not that of the last one."""
        own = set(_PARTS.findall(target.rpartition("/")[0]))
        others = set(_PARTS.findall(last.rpartition("/")[0]))
        words = _words_of(self.request)
        return not words.isdisjoint(own - others) and words.isdisjoint(others - own)


@lru_cache(maxsize=4_096)
def _file_target(file: str) -> str | None:
    """Return a file by its name and folder; None for a name that says too little."""
    path = file.replace("\\", "/").casefold()
    stem, _, ending = path.rpartition("/")[2].rpartition(".")
    if not ending or not SHORTEST <= len(stem) <= LONGEST:
        return None
    return target_of(path)


def named_targets(text: str) -> tuple[str, ...]:
    """Return the files and records that a request may name."""
    request = text[:LONGEST_REQUEST].casefold().replace("\\", "/")
    words = [word for word in _NAMED.findall(request) if _may_name(word)]
    return tuple(dict.fromkeys(words))[:MOST_NAMED]


@lru_cache(maxsize=64)
def _words_of(request: str) -> frozenset[str]:
    """Return the words of a request that may say a folder."""
    return frozenset(_PARTS.findall(request.casefold()))


def named_records(arguments: Mapping[str, Any]) -> list[str]:
    """Return the records that a call names: short values with digits in them."""
    found = []
    for record in given_records(arguments):
        for value in record.values():
            if value.__class__ is str and SHORTEST <= len(value) <= LONGEST:
                text = value.casefold()
                if _RECORD.fullmatch(text):
                    found.append(text)

    return list(dict.fromkeys(found))[:MOST_RECORDS]


@lru_cache(maxsize=4_096)
def alike_tools(first: str, second: str) -> bool:
    """Return whether two names of tools differ in one word."""
    return _words_alike(_PARTS.findall(first.casefold()), _PARTS.findall(second.casefold()))


def _is_named(target: str, named: str) -> bool:
    """Return whether a word of the request names a target, with or without its folder."""
    if "/" not in named:
        return target.rpartition("/")[2] == named
    return target_of(named) == target or named.endswith(target) or target.endswith(f"/{named}")


def _may_name(word: str) -> bool:
    """Return whether a word of a request may name a file or a record."""
    stem, _, ending = word.rpartition(".")
    is_file = bool(stem) and 0 < len(ending) <= 5 and ending.isalnum() and not ending.isdigit()
    has_digits = len(word) >= SHORTEST and any(map(str.isdigit, word))
    return len(word) <= LONGEST and (is_file or has_digits)


def alike(target: str, other: str, was_named: bool) -> bool:
    """Return whether a target may have been taken for another.

    `was_named` says that the request names one of the two: then one wrong digit is enough.
    """
    folder, _, name = target.rpartition("/")
    other_folder, _, other_name = target_of(other).rpartition("/")
    stem, ending = _ending(name)
    other_stem, other_ending = _ending(other_name)
    if bool(stem) != bool(other_stem) or (stem and ending != other_ending):
        return False

    first = stem or name
    second = other_stem or other_name
    if first in _COMMON or second in _COMMON or min(len(first), len(second)) < SHORTEST:
        return False
    if bool(_TEST.search(target)) != bool(_TEST.search(other)):
        return False
    if first == second:
        places = (_DIGITS.sub("", folder), _DIGITS.sub("", other_folder))
        return all(places) and places[0] != places[1]

    if _DIGITS.sub("", first) == _DIGITS.sub("", second):
        return was_named and _one_digit(first, second)

    return _words_alike(_PARTS.findall(first), _PARTS.findall(second))


@lru_cache(maxsize=20_000)
def _may_be_mixed_up(target: str, last: str, was_named: bool) -> bool:
    """Return whether one may have been opened for the other.

    Numbered parts are read one after the other: of ids that the request does not name, only two
    digits that changed places count.
    """
    return alike(target, last, was_named) or _swapped(target, last)


def _swapped(first: str, second: str) -> bool:
    """Return whether two ids differ in two neighbouring digits that changed places."""
    if len(first) != len(second):
        return False

    apart = [i for i in range(len(first)) if first[i] != second[i]]
    if len(apart) != 2 or apart[1] != apart[0] + 1:
        return False
    ends = first[apart[0] : apart[1] + 1]
    return ends.isdigit() and ends[::-1] == second[apart[0] : apart[1] + 1]


def _ending(name: str) -> tuple[str, str]:
    """Return the stem of a file's name and its ending; no stem where it has none, as in AC.1234."""
    stem, _, ending = name.rpartition(".")
    return ("", "") if ending.isdigit() else (stem, ending)


def _words_alike(first: list[str], second: list[str]) -> bool:
    """Return whether two names hold the same words, or one more, or one that is nearly the same."""
    if len(first) == len(second):
        # As they stand, and in whatever order: `job_log` and `log_jobs`.
        return _one_apart(first, second) or _one_apart(sorted(first), sorted(second))

    shorter, longer = sorted((first, second), key=len)
    more = len(longer) - len(shorter)
    if "".join(longer).startswith("".join(shorter)) or "".join(longer).endswith("".join(shorter)):
        return sum(map(len, longer)) - sum(map(len, shorter)) <= LONGEST_REST

    return more == 1 and any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))


def _one_apart(first: list[str], second: list[str]) -> bool:
    """Return whether all words are the same but for one, which is nearly."""
    apart = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    return not apart or (len(apart) == 1 and _nearly(*apart[0]))


def _nearly(first: str, second: str) -> bool:
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def _one_digit(first: str, second: str) -> bool:
    """Return whether two ids differ in one digit, or in two that changed places."""
    digits = sum(letter.isdigit() for letter in first)
    if len(first) != len(second) or digits < NEAR_DIGITS:
        return False

    apart = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    return len(apart) == 1 or (len(apart) == 2 and apart[0] == apart[1][::-1])
