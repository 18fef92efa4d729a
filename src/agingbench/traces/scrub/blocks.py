"""Private keys in their blocks: whole, escaped, quoted line by line, or cut off at an end."""

from __future__ import annotations

import re

_DASHES = r"-{4,5} ?"
_KIND = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
_MARK = re.compile(rf"{_DASHES}(BEGIN|END) {_KIND} ?-{{4,5}}|Private-Lines: \d{{1,4}}")
# What may stand between the lines of a key: breaks (escaped or not), quotes, line numbers, marks of
# a diff or a quote, and the lines that describe it.
_BETWEEN = re.compile(
    r"(?:\s|\\{1,16}u2192|\\+[nrt\"']?|[\"'+|>,→;]|\d{1,5}(?:[→:\t|]|\\{1,16}(?:u2192|t))"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Private-MAC)\s?:[^\n\\]{0,120})"
)
_ON_LINES = re.compile(r"[ \t\r]{0,4}(?:\n|\\{1,8}n)[^\"']{1,20000}(?:\n|\\{1,8}n)[ \t>|+]{0,12}")
_BODY = re.compile(r"[A-Za-z0-9+/=]+")
LONGEST = 20_000  # characters; an RSA key of 16,384 bits fits


def clean_blocks(text: str) -> str:
    """The text without private keys; a mere mention of the lines around one stays."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return text

    marks = list(_MARK.finditer(text))
    parts = []
    at = 0

    for n, mark in enumerate(marks):
        if mark.start() < at:
            continue

        if mark[1] == "END":
            start = _body_before(text, max(at, marks[n - 1].end() if n else 0), mark.start())
            if start < mark.start():
                parts += [text[at:start], "[PRIVATE_KEY]"]
                at = mark.end()
            continue

        stop = _body_after(text, mark.end())
        following = marks[n + 1] if n + 1 < len(marks) else None
        if following is not None and following[1] == "END":
            body = text[mark.end() : following.start()]
            if len(body) <= LONGEST and _is_block(body):
                stop = following.end()

        if stop > mark.end():
            parts += [text[at : mark.start()], "[PRIVATE_KEY]"]
            at = stop

    return "".join([*parts, text[at:]])


def _of_a_key(word: str) -> bool:
    """Whether a word may be part of a key: long, or made of several kinds of characters."""
    mixed = (
        any(map(str.islower, word)),
        any(map(str.isupper, word[1:])),
        any(map(str.isdigit, word)),
    )

    return len(word) >= 24 or (len(word) >= 3 and (sum(mixed) > 1 or word.endswith("=")))


def _is_block(body: str) -> bool:
    """Whether the text between two marks is a key; code that names the marks has quotes there."""
    return _holds_a_key(body) or _ON_LINES.fullmatch(body) is not None


def _holds_a_key(text: str) -> bool:
    return any(len(word) >= 10 and _of_a_key(word) for word in _BODY.findall(text))


def _body_after(text: str, start: int) -> int:
    """Where the key that begins here ends; `start` itself when there is none."""
    at = start
    end = start
    while at < len(text) and at - start < LONGEST:
        between = _BETWEEN.match(text, at)
        if between is not None:
            at = between.end()
            continue

        word = _BODY.match(text, at)
        if word is None or not _of_a_key(word.group()):
            break

        at = word.end()
        end = at

    return end if _holds_a_key(text[start:end]) else start


def _body_before(text: str, floor: int, end: int) -> int:
    """Where the key began whose beginning was cut off; `end` when there is none."""
    start = max(floor, end - LONGEST)
    words = []
    for word in _BODY.finditer(text, start, end):
        if len(word.group()) >= 16 and _of_a_key(word.group()):
            words.append(word)

    begin = end
    for word in reversed(words):
        if len(_BETWEEN.sub("", text[word.end() : begin])) > 24:
            break
        begin = word.start()

    return begin
