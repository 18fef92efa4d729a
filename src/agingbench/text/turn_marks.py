"""The marks by which a user's turn is weighed: its words, their kinds, and what stood before it.

A kind is a set of words of several languages with one role: "not" and "nicht", "you" and "du",
"forgot" and "oublié". What is learned of kinds holds for words that were never seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

LOOKED_AT = 240  # characters: what is wrong is said first, and pastes come after it
MOST_WRAPPED = 4000  # characters in which what a client puts before a turn is looked for
STEM = 5  # letters
SIZES = (1, 2, 4, 8, 16, 30)  # words
LONG = 1000  # characters
KIND_OF_NUMBERS = "NUM"
OTHER = "x"  # a word of no kind

# What clients put before the words of a user.
_WRAPPED = re.compile(
    r"\s*(?:<(ide_\w{1,40}|system-reminder)>.*?</\1>|\[image[^\]\n]{0,40}\])",
    re.DOTALL | re.IGNORECASE,
)
# Words of others: sentences in quotes, code.
_QUOTED = re.compile(r'"[^"\n]{12,}"|“[^”\n]{12,}”|„[^“”\n]{12,}[“”]|`[^`\n]+`')
_LOCATOR = re.compile(
    r"(?<!\S)\S*?(?:\w[/\\]\w|\w\.[a-z]{1,4}\b(?!\.)|\w_\w|://)\S*", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,:]\d+)*|[?!]+|[.:,;…]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_PLAIN = str.maketrans(
    "áàâãåäéèêëíìîïóòôõöúùûüçñąćęłńśźżё？！。，、",
    "aaaaaaeeeeiiiiooooouuuucnacelnszzе?!.,,",
)


class WordKinds:
    """Which kinds a word is of; `word*` in a list stands for every word that begins so."""

    def __init__(self, kinds: Mapping[str, str], signs: Mapping[str, str]) -> None:
        self.signs = [(sign, kind) for kind, row in signs.items() for sign in row.split()]
        self._known: dict[str, tuple[str, ...]] = {}
        self._stems: dict[str, set[str]] = {}
        words: dict[str, set[str]] = {}
        for kind, row in kinds.items():
            for entry in plain(row).split():
                if entry.endswith("*"):
                    self._stems.setdefault(entry[:-1], set()).add(kind)
                else:
                    words.setdefault(entry, set()).add(kind)

        self._words = words
        self._longest = max(map(len, self._stems), default=0)

    def of(self, word: str) -> tuple[str, ...]:
        """Return the kinds of a plain word, in order."""
        found = self._known.get(word)
        if found is None:
            kinds = set(self._words.get(word, ()))
            for end in range(2, min(len(word), self._longest) + 1):
                kinds |= self._stems.get(word[:end], set())
            found = tuple(sorted(kinds)) or (OTHER,)
            if len(self._known) < 100_000:
                self._known[word] = found

        return found


def plain(text: str) -> str:
    """Return a text in small letters without accents."""
    return text.casefold().translate(_PLAIN)


def opening(text: str) -> str:
    """Return the beginning of what the user says; nothing of a record that a program wrote."""
    start = 0
    while True:
        wrapped = _WRAPPED.match(text, start, MOST_WRAPPED)
        if wrapped is None:
            break
        start = wrapped.end()

    words = text[start : start + LOOKED_AT + 60].lstrip()
    if words.startswith("<"):
        return ""
    if len(text) - start > LONG:  # a paste, which may have a word before it
        words = words.partition("\n")[0]

    return words[:LOOKED_AT]


def marks_of(start: str, length: int, after_question: bool, kinds: WordKinds) -> set[str]:
    """Return the marks of a turn that begins with `start`, has a length, and may be an answer."""
    bare = _LOCATOR.sub(" somefile ", _QUOTED.sub(" quoted ", start))
    text = plain(bare)
    reading = _Reading(kinds)
    for token in _TOKEN.finditer(text):
        reading.add(token.group())

    marks = reading.finish()
    if _UNSPACED.search(text):
        marks.update(_unspaced_marks(text, kinds.signs))
    marks.add(f"n={sum(reading.n >= size for size in SIZES)}")
    if length > LOOKED_AT:
        marks.add("n=long" if length <= LONG else "n=very long")
    if after_question:
        marks.update([f"asked {kind}" for kind in reading.seen])
        marks.add("asked")

    return marks


class _Reading:
    """The marks of a turn, token by token."""

    def __init__(self, kinds: WordKinds) -> None:
        self.kinds = kinds
        self.marks: set[str] = set()
        self.seen: set[str] = set()  # kinds of the whole turn
        self.n = 0  # words
        self._sentence: set[str] = set()
        self._word = "^"
        self._kinds: Sequence[str] = ("^",)

    def add(self, token: str) -> None:
        """Add a word or a mark of punctuation."""
        first = token[0]
        if first in "?!.…":
            self._end_sentence("?" if "?" in token else "!" if first == "!" else ".", len(token))
        elif first in ",:;":
            self._link(",", (",",))
        elif first.isdigit():
            self._add_word("0", (KIND_OF_NUMBERS,))
        else:
            word = token.replace("'", "").replace("’", "")
            self._add_word(word, self.kinds.of(word))

    def finish(self) -> set[str]:
        """Return all marks."""
        self._link("$", ("$",))
        self._add_pairs()
        return self.marks

    def _add_word(self, word: str, kinds: Sequence[str]) -> None:
        marks = self.marks
        marks.add(word)
        if len(word) > STEM:
            marks.add(f"{word[:STEM]}~")
        for kind in kinds:
            if kind != OTHER:
                marks.add(kind)
                self._sentence.add(kind)
                if self.n == 0:
                    marks.add(f"^{kind}")

        self.n += 1
        self._link(word, kinds)

    def _link(self, word: str, kinds: Sequence[str]) -> None:
        self.marks.add(f"{self._word} {word}")
        for before in self._kinds:
            for kind in kinds:
                self.marks.add(f"{before}>{kind}")

        self._word = word
        self._kinds = kinds

    def _end_sentence(self, sign: str, count: int) -> None:
        if sign != ".":
            self.marks.add(sign if count == 1 else f"{sign}{sign}")
            self._sentence.add(sign)
        self._link(sign, (sign,))
        self._add_pairs()

    def _add_pairs(self) -> None:
        self.seen |= self._sentence
        self.marks.update(_pairs(self._sentence))
        self._sentence.clear()


def _pairs(kinds: set[str]) -> Iterator[str]:
    ordered = sorted(kinds)
    for place, kind in enumerate(ordered):
        for other in ordered[place + 1 :]:
            yield f"{kind}&{other}"


def _unspaced_marks(text: str, signs: Sequence[tuple[str, str]]) -> set[str]:
    """Return the marks of scripts without spaces: runs of two and three signs, and kinds."""
    marks: set[str] = set()
    for run in _UNSPACED.finditer(text):
        word = f"^{run.group()}$"
        for size in (2, 3):
            marks.update(f"#{word[i : i + size]}" for i in range(len(word) - size + 1))

    kinds = {kind for sign, kind in signs if sign in text}
    if "?" in text:
        kinds.add("?")
    marks |= kinds
    marks.update(_pairs(kinds))
    return marks
