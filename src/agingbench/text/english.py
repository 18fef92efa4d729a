"""Small facts about English words: stop words, plurals, possessives, stems, verbs of change."""

from __future__ import annotations

import re
from typing import Final


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOPWORDS: Final = word_set(
    "a about after again all also am an and any are as at be because been before being but by can"
    " could did do does doing for from had has have having he her here hers him his how i if in"
    " into is it its itself just me more most my no nor not now of off on once only or other our"
    " ours out over own per she should so some such than that the their theirs them then there"
    " these they this those through to too under until up very was we were what when where which"
    " while who whom why will with would you your yours"
)
# Words that end in s after a number and are no nouns.
_NOT_NOUNS = word_set(
    "afterwards allows always appears applies becomes begins besides comes counts covers does ends"
    " equals exceeds fits gets gives goes happens has helps holds includes keeps leaves less lets"
    " looks makes matches means needs nowadays perhaps plus puts refers remains represents requires"
    " runs says seems sets sits sometimes sounds stands starts stays takes thanks this thus towards"
    " unless uses was whereas wins works yes"
)
CHANGE_VERB = (
    r"(?:chang|mov|rais|lower|increas|decreas|drop|updat|switch|cut|reduc|ris|rose|fell|fall|grew|grow|shift|adjust"
    r"|revis|bump|scal|expand|upgrad|downgrad|migrat|correct|renam|reschedul|went|go|goes|gone|jump|climb|shrank|shrunk"
    r"|set|reset|amend|alter|modif|replac|transition)(?:s|ed|d|es|e|ing|ped|ping|ting|ging|n|y|ied|ies)?"
)


def singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def looks_plural(word: str) -> bool:
    return (
        len(word) >= 4
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is", "'s"))
        and word not in _NOT_NOUNS
    )


def no_possessive(token: str) -> str:
    while token.endswith("'s") and len(token) > 2:
        token = token[:-2]
    return token


def stem(word: str) -> str:
    """A small, careful stemmer: plurals, -ing, -ed; at least four letters stay."""
    base = singular(word) if len(singular(word)) >= 4 else word
    for suffix in ("ing", "ed"):
        root = base[: -len(suffix)]
        if base.endswith(suffix) and len(root) >= 4 and re.search(r"[aeiouy]", root):
            doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled and len(root) > 4 else root
    return base
