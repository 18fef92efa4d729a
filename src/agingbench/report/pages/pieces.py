"""Text in pieces: which parts of it are marked, what changed from one text to the next."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import msgspec

from agingbench.text.matching import find
from agingbench.text.values import Value
from agingbench.text.wording import sentences

LONGEST = 20_000  # characters of one text that a page shows


class TextPiece(msgspec.Struct, frozen=True):
    """A part of a text: how it is marked, if at all, and where the mark leads."""

    text: str
    mark: str = ""
    link: str = ""


class Mark(msgspec.Struct, frozen=True):
    """A phrase to mark wherever it occurs, or a value wherever it is stated."""

    phrase: str
    mark: str
    link: str = ""
    kind: str = ""  # how the phrase is read as a value; empty for words to be found as they stand


class TextChange(msgspec.Struct, frozen=True):
    """Sentences that stayed, went or came between two texts."""

    kind: str  # same, gone or new
    pieces: list[TextPiece]
    n_sentences: int


def shortened(text: str) -> str:
    """The text as far as a page shows it, with what was left out in words."""
    if len(text) <= LONGEST:
        return text
    left = len(text) - LONGEST
    return f"{text[:LONGEST]} … ({left:,} more characters are not shown)"


def marked(text: str, marks: Sequence[Mark]) -> list[TextPiece]:
    """A text in pieces; where marks overlap, the first in the text wins, then the longest."""
    text = shortened(text)
    spans = []
    for mark in marks:
        spans += [(start, stop, mark) for start, stop in places(text, mark)]

    pieces = []
    end = 0
    for start, stop, mark in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start < end:
            continue
        if start > end:
            pieces.append(TextPiece(text[end:start]))
        pieces.append(TextPiece(text[start:stop], mark.mark, mark.link))
        end = stop
    if end < len(text):
        pieces.append(TextPiece(text[end:]))
    return pieces


def places(text: str, mark: Mark) -> list[tuple[int, int]]:
    """Where a text states a value, or has a phrase that neither begins nor ends within a word."""
    if mark.kind:
        try:
            return find(text, Value(mark.kind, mark.phrase))
        except ValueError:
            return []  # a file of another version may hold a value that cannot be read
    if not mark.phrase:
        return []
    before = r"(?<!\w)(?<!\d[.,:])" if mark.phrase[0].isalnum() else ""
    after = r"(?!\w|[.,:]\d)" if mark.phrase[-1].isalnum() else ""
    pattern = re.compile(before + re.escape(mark.phrase) + after)
    return [match.span() for match in pattern.finditer(text)]


def changes(before: str, after: str, marks: Sequence[Mark]) -> list[TextChange]:
    """What went and what came from one text to the next, sentence by sentence."""
    old = sentences(before)
    new = sentences(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(old) > 2000)
    rows = []
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            rows.append(_change("same", old[old_start:old_end], ()))
            continue
        if old_end > old_start:
            rows.append(_change("gone", old[old_start:old_end], marks))
        if new_end > new_start:
            rows.append(_change("new", new[new_start:new_end], ()))
    return rows


def _change(kind: str, parts: Sequence[str], marks: Sequence[Mark]) -> TextChange:
    return TextChange(kind, marked(" ".join(parts), marks), len(parts))
