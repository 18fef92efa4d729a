"""Text in pieces: which parts of it are marked, what changed from one text to the next."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import msgspec

from agingbench.text.wording import sentences

LONGEST = 20_000  # characters of one text that a page shows


class TextPiece(msgspec.Struct, frozen=True):
    """A part of a text: how it is marked, if at all, and where the mark leads."""

    text: str
    mark: str = ""
    link: str = ""


class Mark(msgspec.Struct, frozen=True):
    """A phrase to mark wherever it occurs."""

    phrase: str
    mark: str
    link: str = ""


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
        start = text.find(mark.phrase) if mark.phrase else -1
        while start >= 0:
            spans.append((start, start + len(mark.phrase), mark))
            start = text.find(mark.phrase, start + len(mark.phrase))

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
