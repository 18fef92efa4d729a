"""Texts with gaps: alternatives, slots and parts that appear only when a fact fills them.

- `[[one|two|three]]` is one of its alternatives, drawn anew each time; they may be nested.
- `{name}` is a slot: a word that the caller gives, or filler of that kind (`{person}`, `{date}`).
  A number behind the name says which one: `{person1}` is the same person throughout a text, and
  `{person2}` another.
  `{money:20-90}` passes bounds, and `{a:thing}` puts "a" or "an" before the word.
- `{Name}` with a capital is the same slot with its first letter raised.
- `<<…>>` is dropped, with everything in it, when no fact is left for the `{fact}` inside it.
- `{{` and `}}` are plain braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

FACT = "fact"
MOST_DRAWS = 20  # to find a word that another number of the same slot does not have
DROPPED = "\0"  # stands where a part was dropped, until the text is tidied
_TOKEN = re.compile(r"\[\[|\]\]|<<|>>|\||\{\{|\}\}|\{([A-Za-z_]+)(\d*)(?::([^{}|]*))?\}")


@dataclass(frozen=True)
class Slot:
    """A gap that a word fills; `number` tells apart slots of one kind within a text."""

    name: str
    number: str
    argument: str


@dataclass(frozen=True)
class Choice:
    """Alternatives, one of which is taken."""

    options: tuple[Nodes, ...]


@dataclass(frozen=True)
class FactPart:
    """A part of a text that stands only if a fact fills it."""

    nodes: Nodes


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
            nodes.append(Slot(token[1], token[2], token[3] or ""))
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
            nodes.append(FactPart(part))
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


@lru_cache(maxsize=4096)
def fact_count(text: str) -> int:
    """Return how many facts a template can take."""
    return sum(slot.name == FACT for slot in slots(text))


class Filling:
    """Fills one text: words given by the caller first, then filler, equal slots alike."""

    def __init__(
        self, rng: Random, words: Mapping[str, str], fill: Fill, facts: list[str] | None = None
    ) -> None:
        self.rng = rng
        self.words = words
        self.fill = fill
        self.facts = facts or []  # passages that are still to be placed; taken from the front
        self._numbered: dict[tuple[str, str], str] = {}

    def text(self, template: str) -> str:
        """Return the template with all its gaps filled and no traces of dropped parts."""
        return _tidy(self._nodes(parse(template)))

    def _nodes(self, nodes: Nodes) -> str:
        return "".join(self._node(node) for node in nodes)

    def _node(self, node: Node) -> str:
        if isinstance(node, str):
            return node
        if isinstance(node, Choice):
            return self._nodes(self.rng.choice(node.options))
        if isinstance(node, FactPart):
            return self._nodes(node.nodes) if self.facts else DROPPED
        if node.name == FACT:
            return self.facts.pop(0) if self.facts else DROPPED
        return self._word(node)

    def _word(self, slot: Slot) -> str:
        if slot.name in ("a", "A"):
            word = self._lookup(slot.argument, slot.number, "")
            article = article_for(word)
            return f"{article.capitalize() if slot.name == 'A' else article} {word}"

        word = self._lookup(slot.name[0].lower() + slot.name[1:], slot.number, slot.argument)
        return word[0].upper() + word[1:] if slot.name[0].isupper() and word else word

    def _lookup(self, name: str, number: str, argument: str) -> str:
        if name + number in self.words:
            return self.words[name + number]
        if not number:
            return self.fill(self.rng, name, argument)

        key = (name, number)
        if key not in self._numbered:
            others = {word for (kind, _), word in self._numbered.items() if kind == name}
            word = self.fill(self.rng, name, argument)
            for _ in range(MOST_DRAWS):
                if word not in others:
                    break
                word = self.fill(self.rng, name, argument)
            self._numbered[key] = word
        return self._numbered[key]


_DROPPED_LINE = re.compile(rf"^[ \t]*(?:{DROPPED}[ \t]*)+(?:\n|$)", re.MULTILINE)


def _tidy(text: str) -> str:
    # A line that held dropped parts only goes; what else they leave behind are needless blanks.
    text = _DROPPED_LINE.sub("", text).replace(DROPPED, "")
    text = re.sub(r"[ \t]{2,}", " ", text)
    text = re.sub(r"[ \t]*\n[ \t]*", "\n", text)
    text = re.sub(r"\n{3,}", "\n\n", text)
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
