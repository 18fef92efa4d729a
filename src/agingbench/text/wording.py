"""One spelling for all texts, and what they are made of: words, tokens and sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeVar


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
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


def singular(word: str) -> str:
    """The singular of a word, by its ending."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def looks_plural(word: str) -> bool:
    """Does a word after a number look like a plural noun?"""
    return (
        len(word) >= 4
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is", "'s"))
        and word not in _NOT_NOUNS
    )


def no_possessive(token: str) -> str:
    """The token without 's at its end."""
    while token.endswith("'s") and len(token) > 2:
        token = token[:-2]
    return token


@lru_cache(maxsize=1 << 16)  # a life says the same words over and over
def stem(word: str) -> str:
    """A small, careful stemmer: plurals, -ing, -ed; at least four letters stay."""
    base = singular(word) if len(singular(word)) >= 4 else word
    for suffix in ("ing", "ed"):
        root = base[: -len(suffix)]
        if base.endswith(suffix) and len(root) >= 4 and re.search(r"[aeiouy]", root):
            doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled and len(root) > 4 else root
    return base


T = TypeVar("T")

SAME_LENGTH = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–−﹣－", "-"),
        **dict.fromkeys("―⸺", "—"),
        **dict.fromkeys("\u2007\u2009\u202f", "\xa0"),
    }
)
_BEYOND_SIMPLE = re.compile(r"[^\x00-\x7f\xa0—€£¥₹°]")
_SHORT = 2000


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    # Superscripts and fractions stay: NFKC would glue "5²" into "52".
    if unicodedata.category(char) == "No":
        return char
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    letters = unicodedata.normalize("NFKC", char)
    parts = unicodedata.normalize("NFKD", char)
    if parts and ord(parts[0]) < 0x250:
        letters = "".join(p for p in parts if not "\u0300" <= p <= "\u036f")
    return letters.casefold().translate(SAME_LENGTH)


def fold(text: str) -> tuple[str, list[int] | None]:
    """The text with case and accents folded, and each character's place in `text` (None: the same
    places).
    """
    plain = text.translate(SAME_LENGTH)
    if _BEYOND_SIMPLE.search(plain) is None:
        return plain.lower(), None

    parts: list[str] = []
    places: list[int] = []
    latin = False
    for at, char in enumerate(plain):
        if "\u0300" <= char <= "\u036f" and latin:
            continue
        letters = _fold_char(char)
        latin = bool(letters) and ord(letters[-1]) < 0x250
        parts.append(letters)
        places.extend([at] * len(letters))
    places.append(len(text))
    return "".join(parts), places


def remembered(compute: Callable[[str], T]) -> Callable[[str], T]:
    """`compute` with a cache: a large one for short texts and a small one for long texts."""
    short = lru_cache(maxsize=4096)(compute)
    long = lru_cache(maxsize=32)(compute)
    return lambda text: short(text) if len(text) <= _SHORT else long(text)


folded = remembered(fold)


def original_end(text: str, places: list[int], end: int) -> int:
    """Where in `text` a folded stretch up to `end` stops, accents of its last letter included."""
    stop = places[end - 1] + 1
    while stop < len(text) and "\u0300" <= text[stop] <= "\u036f":
        stop += 1
    return stop


@remembered
def normalise(text: str) -> str:
    """Unicode, case, accents, quotes, dashes and white space made equal."""
    return " ".join(fold(text)[0].replace("—", "-").split())


_WORD = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|\w+(?:(?:[.'@&]|(?<=[0-9]):(?=[0-9]))\w+)*"
)


def words(text: str) -> list[str]:
    """Normalised tokens in order, stop words included; amounts without sign and commas, no
    possessives.
    """
    return list(_words_of(text))


@remembered
def _words_of(text: str) -> tuple[str, ...]:
    tokens: list[str] = _WORD.findall(folded(text)[0])
    return tuple(no_possessive(token).replace(",", "") for token in tokens)


def first_words(text: str, n: int) -> str:
    """The first `n` words of `text` with the spacing between them as it was."""
    if n <= 0:
        return ""
    for count, match in enumerate(re.finditer(r"\S+", text), start=1):
        if count == n:
            return text[: match.end()].lstrip()
    return text.strip()


def count_tokens(text: str) -> int:
    """An estimate of model tokens: four characters each, rounded up."""
    return -(-len(text) // 4)


_STOP = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s)|\n")
_NEVER_ENDS = word_set(
    "dr mr mrs ms prof st sr jr rev gen col capt lt sgt hon vs e.g i.e cf al approx fig eq sec vol"
    " u.s u.k u.n e.u d.c jan feb mar apr jun jul aug sept sep oct nov dec dept est ver"
)
_ENDS_BEFORE_CAPITAL = word_set("a.m p.m etc inc ltd co corp no ph.d")
_LAST_TOKEN = re.compile(r"[\w.]*$")


def _ends_here(text: str, begin: int, match: re.Match[str]) -> bool:
    """Does the sentence that begins at `begin` end at this stop?"""
    if match[0][0] != ".":
        return True
    before = text[max(begin, match.start() - 16) : match.start()]
    last = (_LAST_TOKEN.search(before) or match)[0].casefold()

    is_initial = len(last) == 1 and last.isalpha() and last != "i"
    is_unit = last == "ms" and re.search(r"\d\s?ms$", before) is not None  # milliseconds
    if is_initial or (last in _NEVER_ENDS and not is_unit):
        return False
    if last in _ENDS_BEFORE_CAPITAL:
        following = text[match.end() : match.end() + 3].lstrip()[:1]
        return following.isupper() or (not following and last != "no")

    # "1." alone at the beginning numbers an item of a list.
    if len(last) > 3 or not last.isdigit():
        return True
    return bool(text[begin : match.start()].strip()[: -len(last)])


def _sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    spans = []
    begin = 0
    for match in _STOP.finditer(text):
        if match[0] == "\n" or _ends_here(text, begin, match):
            spans.append((begin, match.end()))
            begin = match.end()
    spans.append((begin, len(text)))
    return tuple(spans)


_spans_of = remembered(_sentence_spans)


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences as spans that cover `text` without gaps."""
    return _spans_of(text)


def sentences(text: str) -> list[str]:
    """The stripped sentences of `text`; abbreviations, initials, decimals and versions end none."""
    parts = [text[start:end].strip() for start, end in sentence_spans(text)]
    return [part for part in parts if part]
