"""Where sentences end."""

from __future__ import annotations

import re

from agingbench.text.english import word_set

_STOP = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s)|\n")
_NEVER_ENDS = word_set(
    "dr mr mrs ms prof st sr jr rev gen col capt lt sgt hon vs e.g i.e cf al approx fig eq sec vol"
    " u.s u.k u.n e.u d.c jan feb mar apr jun jul aug sept sep oct nov dec dept est ver"
)
_ENDS_BEFORE_CAPITAL = word_set("a.m p.m etc inc ltd co corp no ph.d")
_LAST_TOKEN = re.compile(r"[\w.]*$")


def _ends_here(text: str, begin: int, match: re.Match[str]) -> bool:
    if match[0][0] != ".":
        return True
    last = (_LAST_TOKEN.search(text[max(begin, match.start() - 16) : match.start()]) or match)[
        0
    ].casefold()
    following = text[match.end() : match.end() + 3].lstrip()[:1]
    if last in _NEVER_ENDS or (len(last) == 1 and last.isalpha() and last != "i"):
        return False
    if last in _ENDS_BEFORE_CAPITAL:
        return following.isupper() or (not following and last != "no")
    listed = (
        len(last) <= 3 and last.isdigit() and not text[begin : match.start()].strip()[: -len(last)]
    )
    return not listed


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The sentences as spans that cover `text` without gaps."""
    out = []
    begin = 0
    for match in _STOP.finditer(text):
        if match[0] == "\n" or _ends_here(text, begin, match):
            out.append((begin, match.end()))
            begin = match.end()
    out.append((begin, len(text)))
    return out


def sentences(text: str) -> list[str]:
    """The sentences of `text`, stripped; abbreviations, initials, decimals and versions do not end
    one.
    """
    return [part for start, end in sentence_spans(text) if (part := text[start:end].strip())]
