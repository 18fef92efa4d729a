"""Texts with gaps: alternatives, slots and parts that appear only when a fact fills them.

- `[[one|two|three]]` is one of its alternatives, drawn anew each time; they may be nested.
- `{name}` is a slot: a word that the caller gives, or filler of that kind (`{person}`, `{date}`).
  A number behind the name says which one: `{person1}` is the same person throughout a text, and
  `{person2}` another.
  `{money:20-90}` passes bounds, and `{a:thing}` puts "a" or "an" before the word.
- `{Name}` with a capital is the same slot with its first letter raised.
- Whoever was named in full is called by the first name from then on.
- `<<…>>` is dropped, with everything in it, when no fact is left for the `{fact}` inside it; a fact
  that nothing leads up to there stands apart from the text, where the caller keeps such facts.
- `{{` and `}}` are plain braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

FACT = "fact"
SLOT_LENGTH = 10  # characters of the usual word in a gap
MOST_DRAWS = 20  # to find a word that another number of the same slot does not have
DROPPED = "\0"  # stands where a part was dropped, until the text is tidied
_TOKEN = re.compile(r"\[\[|\]\]|<<|>>|\||\{\{|\}\}|\{([A-Za-z_]+)(\d*)(?::([^{}|]*))?\}")


@dataclass(frozen=True)
class Slot:
    """A gap that a word fills; `number` tells apart slots of one kind within a text.

    `kind` is what fills it, whatever article or capital the name of the slot asks for.
    """

    name: str
    number: str
    argument: str
    kind: str
    key: str  # kind and number
    has_article: bool
    is_raised: bool


def _slot(name: str, number: str, argument: str) -> Slot:
    is_raised = name[0].isupper()
    if name in ("a", "A"):
        return Slot(name, number, "", argument, argument + number, True, is_raised)
    kind = name[0].lower() + name[1:]
    return Slot(name, number, argument, kind, kind + number, False, is_raised)


@dataclass(frozen=True)
class Choice:
    """Alternatives, one of which is taken."""

    options: tuple[Nodes, ...]


@dataclass(frozen=True)
class FactPart:
    """A part of a text that stands only if a fact fills it; a bare one holds nothing else."""

    nodes: Nodes
    is_bare: bool


Node = str | Slot | Choice | FactPart
Nodes = tuple[Node, ...]
# Returns the filler for a slot that the caller gave no word for.
Fill = Callable[[Random, str, str], str]


@lru_cache(maxsize=16384)
def parse(text: str) -> Nodes:
    """Split a template into its nodes; raise ValueError where its marks do not match."""
    nodes, end = _parse(text, 0, "")
    assert end == len(text)
    return nodes


def _parse(text: str, start: int, closing: str) -> tuple[Nodes, int]:
    # Reads up to the mark that closes this level; an alternative also ends at "|".
    nodes: list[Node] = []
    at = start
    while token := _TOKEN.search(text, at):
        nodes.append(text[at : token.start()])
        mark = token[0]
        at = token.end()

        if token[1] is not None:
            nodes.append(_slot(token[1], token[2], token[3] or ""))
        elif mark in ("{{", "}}"):
            nodes.append(mark[0])
        elif mark == "[[":
            options: list[Nodes] = []
            while text[at - 1] != "]" or not options:
                option, at = _parse(text, at, "]]")
                options.append(option)
            nodes.append(Choice(tuple(options)))
        elif mark == "<<":
            part, at = _parse(text, at, ">>")
            nodes.append(FactPart(part, _is_bare(part)))
        elif mark == closing or (mark == "|" and closing == "]]"):
            return _joined(nodes), at
        elif mark == "|":
            nodes.append(mark)  # a plain bar, as in a table
        else:
            raise ValueError(f"'{mark}' closes nothing in: {text[:60]}…")

    if closing:
        raise ValueError(f"'{closing}' is missing in: {text[:60]}…")
    nodes.append(text[at:])
    return _joined(nodes), len(text)


def _joined(nodes: list[Node]) -> Nodes:
    return tuple(node for node in nodes if node != "")


def _is_bare(part: Nodes) -> bool:
    words = [node for node in part if not (isinstance(node, str) and node.isspace())]
    only = words[0] if len(words) == 1 else None
    return isinstance(only, Slot) and only.kind == FACT


def slots(text: str) -> list[Slot]:
    """Return every slot of a template, those of all alternatives included."""
    return _slots(parse(text))


def _slots(nodes: Nodes) -> list[Slot]:
    found: list[Slot] = []
    for node in nodes:
        if isinstance(node, Slot):
            found.append(node)
        elif isinstance(node, FactPart):
            found += _slots(node.nodes)
        elif isinstance(node, Choice):
            for option in node.options:
                found += _slots(option)
    return found


@lru_cache(maxsize=16384)
def fact_count(text: str) -> int:
    """Return how many facts a template can take."""
    return sum(slot.name == FACT for slot in slots(text))


@lru_cache(maxsize=16384)
def usual_length(text: str) -> int:
    """Return about how many characters a template has when it is filled, without any facts."""
    return _usual_length(parse(text))


def _usual_length(nodes: Nodes) -> int:
    length = 0
    for node in nodes:
        if isinstance(node, str):
            length += len(node)
        elif isinstance(node, Slot):
            length += SLOT_LENGTH
        elif isinstance(node, Choice):
            lengths = [_usual_length(option) for option in node.options]
            length += sum(lengths) // len(lengths)
    return length


class Filling:
    """Fills one text: words given by the caller first, then filler, equal slots alike."""

    def __init__(
        self,
        rng: Random,
        words: Mapping[str, str],
        fill: Fill,
        facts: list[str] | None = None,
        first_names: Mapping[str, str] | None = None,
        among_friends: bool = False,
        apart: list[str] | None = None,
    ) -> None:
        self.rng = rng
        self.words = words
        self.fill = fill
        self.facts = facts or []  # passages that are still to be placed; taken from the front
        self.first_names = first_names if first_names is not None else {}  # by full name
        self.among_friends = among_friends  # nobody is named in full
        self.apart = apart  # takes facts that nothing leads up to; None: they stand in the text
        self._numbered: dict[str, dict[str, str]] = {}  # kind -> number -> word
        self._said: dict[str, list[str]] = {}  # kind -> words so far
        self._named: set[str] = set()  # people so far

    def text(self, template: str) -> str:
        """Return the template with all its gaps filled and no traces of dropped parts."""
        parts: list[str] = []
        self._add(parse(template), parts)
        return _tidy("".join(parts))

    def _add(self, nodes: Nodes, parts: list[str]) -> None:
        for node in nodes:
            if isinstance(node, str):
                parts.append(node)
            elif isinstance(node, Slot):
                parts.append(self._slot(node))
            elif isinstance(node, Choice):
                self._add(self.rng.choice(node.options), parts)
            elif not self.facts:
                parts.append(DROPPED)
            elif node.is_bare and self.apart is not None:
                self.apart.append(self.facts.pop(0))
                parts.append(DROPPED)
            else:
                self._add(node.nodes, parts)

    def _slot(self, slot: Slot) -> str:
        if slot.kind == FACT:
            return self.facts.pop(0) if self.facts else DROPPED

        word = self.words.get(slot.key)
        if word is None and slot.number:
            word = self._numbered_word(slot)
        elif word is None:
            word = self._other_word(slot, self._said.setdefault(slot.kind, []))

        first_name = self.first_names.get(word)
        if first_name is not None:
            if self.among_friends or word in self._named:
                word = first_name
            else:
                self._named.add(word)
        if slot.has_article:
            word = f"{article_for(word)} {word}"
        return word[:1].upper() + word[1:] if slot.is_raised else word

    def _numbered_word(self, slot: Slot) -> str:
        words = self._numbered.setdefault(slot.kind, {})
        if slot.number not in words:
            words[slot.number] = self._other_word(slot, self._said.setdefault(slot.kind, []))
        return words[slot.number]

    def _other_word(self, slot: Slot, others: list[str]) -> str:
        # One thing is never listed twice in a text, as long as there is another.
        word = self.fill(self.rng, slot.kind, slot.argument)
        for _ in range(MOST_DRAWS):
            if word not in others:
                break
            word = self.fill(self.rng, slot.kind, slot.argument)
        others.append(word)
        return word


_DROPPED_LINE = re.compile(rf"^[ \t]*(?:{DROPPED}[ \t]*)+(?:\n|$)", re.MULTILINE)


_BLANKS = re.compile(r"[ \t]{2,}")
_LINE_ENDS = re.compile(r"[ \t]*\n[ \t]*")
_EMPTY_LINES = re.compile(r"\n{3,}")


def _tidy(text: str) -> str:
    # A line that held dropped parts only goes; what else they leave behind are needless blanks.
    # Most texts need none of it, and to look for a string is quicker than to replace a pattern.
    if DROPPED in text:
        text = _DROPPED_LINE.sub("", text).replace(DROPPED, "")
    has_tabs = "\t" in text
    if has_tabs or "  " in text:
        text = _BLANKS.sub(" ", text)
    if has_tabs or " \n" in text or "\n " in text:
        text = _LINE_ENDS.sub("\n", text)
    if "\n\n\n" in text:
        text = _EMPTY_LINES.sub("\n\n", text)
    return text.strip()


_LIKE_CONSONANT = re.compile(
    r"(?:eu|uni|uku|use|usa|usu|ute|one|once|ubi|u[a-z]?\b)", re.IGNORECASE
)
_LIKE_VOWEL = re.compile(r"(?:hour|honest|honou?r|heir|8|11\b|18\b|[FHLMNRSX][A-Z0-9])")


def article_for(word: str) -> str:
    """Return "a" or "an", as the sound of the next word asks for."""
    if _LIKE_VOWEL.match(word):
        return "an"
    if word[:1].lower() in "aeiou" and not _LIKE_CONSONANT.match(word):
        return "an"
    return "a"
