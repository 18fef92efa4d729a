"""How the embedded reader puts what it found into the form that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from agingbench.models.expectation import expectation
from agingbench.text.binding import subjects_in
from agingbench.text.forms import UNKNOWN, AskedForm, in_form
from agingbench.text.matching import Rank, rank, states
from agingbench.text.plain import plain_spans
from agingbench.text.reader import items_of
from agingbench.text.values import Item, Value
from agingbench.text.wording import STOPWORDS, stem, word_set, words

# The sentences that fit a question about equally well, in the order of the text.
Lookup = Callable[[str], Sequence[str]]

_NAME = re.compile(
    r"(?:[A-Z][\w'’&-]*|\w*[_/]\w[\w./-]*|\w+\.[a-z]\w*)"
    r"(?:\s+(?:[A-Z0-9][\w'’&-]*|\w*[_/]\w[\w./-]*))*"
)


def formed_answer(asked: AskedForm, lookup: Lookup) -> str:
    """The reply to a question for a value, several values, a choice or a trend."""
    if asked.form == "value":
        sentences = lookup(asked.question)
        if not sentences:
            return in_form("value", [])
        return _reply([sentences[-1]], in_form("value", [_said(sentences[-1], asked.question)]))

    subjects = subjects_in(asked.question, asked.labels)
    if subjects:
        found = []
        for phrase in subjects.values():
            sentences = lookup(f"What is {phrase}?")
            found.append(sentences[-1] if sentences else "")
    else:
        sentences = lookup(asked.question)
        found = [sentences[0], sentences[-1]] if sentences else ["", ""]
    if not any(found):
        return in_form("value", [])

    parts = [_said(sentence, asked.question) for sentence in found]
    choice = UNKNOWN
    if asked.form == "choice":
        ranks = [_rank(sentence, asked.question) for sentence in found]
        choice = _choice(ranks, asked.options, bool(subjects))
    line = in_form(asked.form, parts, asked.labels, choice)
    return _reply([sentence for sentence in found if sentence], line)


def formed_list(sentences: Sequence[str], question: str) -> str:
    """The reply to a question for a list: what each of the sentences names."""
    entries = [_entry(sentence) for sentence in sentences]
    parts = [entry for entry in entries if entry is not None]
    if not parts:
        names = [name_apart(sentence, question) for sentence in sentences]
        parts = [name for name in names if name is not None]
    if not parts:
        parts = [_words_apart(sentence, question) for sentence in sentences]
    # Where some sentences name something, one without a name speaks of something else.
    return _reply(sentences, in_form("list", parts))


# "Put the blue cup on the packing list": what stands before the list, and before that the verb or
# the mark that it follows.
_LIST = re.compile(r"\b(?:is|are|goes|go)?\s*(?:on|onto|to|in) (?:the|my|our) [\w -]*\blist\b")
_ENTRY = re.compile(
    r"(?:.*(?:\b(?:that|put|add|write|note|keep)\b|[:;,|]))?\s*(?:the |an? )?(.+)", re.IGNORECASE
)


def _entry(sentence: str) -> str | None:
    """The thing that a sentence puts on a list; None where it speaks of no list."""
    list_name = _LIST.search(sentence)
    if list_name is None:
        return None
    entry = _ENTRY.fullmatch(sentence[: list_name.start()].strip())
    return None if entry is None else entry[1]


def _reply(sentences: Sequence[str], line: str) -> str:
    return "\n".join([" ".join(dict.fromkeys(sentences)), line])


def _choice(ranks: Sequence[Rank | None], options: Sequence[str], between_subjects: bool) -> str:
    """The greater one of two subjects, or the direction from the first value to the second."""
    one, other = ranks
    if one is None or other is None or one.scale != other.scale:
        return UNKNOWN
    if one.position == other.position:
        return UNKNOWN
    if between_subjects:
        return options[0] if one.position > other.position else options[1]
    return options[0] if other.position > one.position else options[1]


# -- the value that a sentence gives


def _said(sentence: str, question: str) -> str:
    """The value that a sentence gives to a question; the whole sentence when that is not sure."""
    if not sentence:
        return UNKNOWN
    items = _items(sentence, question)
    if items and expectation(question).kinds != ("name",):
        item = items[-1]
        return sentence[item.start : item.end]
    return name_apart(sentence, question) or _words_apart(sentence, question)


def _items(sentence: str, question: str) -> list[Item]:
    """The values of a sentence that hold, without those in the question; of the kind asked for if
    the question says one.
    """
    items: list[Item] = []
    for item in items_of(sentence):
        text = sentence[item.start : item.end]
        # "2.3" reads as a number and as a version; one of the two is enough.
        is_twin = item.kind == "version" and re.fullmatch(r"[0-9]+\.[0-9]+", text)
        if item.in_range or is_twin:
            continue
        if not _in_question(item.kind, text, question):
            items.append(item)
    items.sort(key=lambda item: item.start)
    places = set(plain_spans(sentence, sorted({(item.start, item.end) for item in items})))
    plain = [item for item in items if (item.start, item.end) in places] or items

    expected = expectation(question)
    fitting = [item for item in plain if expected.kinds and expected.fits(item)]
    return fitting or plain


def _in_question(kind: str, text: str, question: str) -> bool:
    try:
        return states(question, Value(kind, text))
    except ValueError:
        return False


def _asked_places(sentence: str, asked: set[str]) -> list[int]:
    """Where the words of the question stand in a sentence."""
    places = []
    for token in _TOKEN.finditer(sentence):
        if any(stem(part) in asked for part in words(token[0])):
            places += [token.start(), token.end()]
    return places


def name_apart(sentence: str, question: str) -> str | None:
    """The name nearest to the words of the question that is not among them; None without one."""
    asked = {stem(word) for word in words(question) if word not in STOPWORDS}
    places = _asked_places(sentence, asked)
    best: tuple[int, str] | None = None
    first_word: str | None = None
    for match in _NAME.finditer(sentence):
        name = re.sub(r"['’]s$", "", match[0].rstrip(".'’-"))
        first, _, rest = name.partition(" ")
        if match.start() == 0 and (first.lower() in _EDGES or first.lower() in STOPWORDS):
            name = rest
        parts = words(name)
        if not parts or any(stem(part) in asked for part in parts):
            continue
        if all(part in STOPWORDS for part in parts):
            continue
        if match.start() == 0 and " " not in name and not re.search(r"[\d_/.]", name):
            first_word = name  # a name only if there is no other
            continue
        distance = _distance(match.span(), places)
        if best is None or distance < best[0]:
            best = (distance, name)
    return first_word if best is None else best[1]


def _distance(span: tuple[int, int], places: Sequence[int]) -> int:
    start, end = span
    return min((max(start - place, place - end) for place in places), default=0)


_EDGES = word_set(
    "a am an and are as at by for from has have i in is it my of on our the to was we with put add"
    " remember note keep take that please"
)
_TOKEN = re.compile(r"[\w'’&/_-]+(?:\.\w+)*|[^\w\s]")


def _words_apart(sentence: str, question: str) -> str:
    """The run of words nearest to those of the question that is not among them; the sentence when
    there is none.
    """
    asked = {stem(word) for word in words(question) if word not in STOPWORDS}
    places = _asked_places(sentence, asked)
    runs: list[list[re.Match[str]]] = [[]]
    for token in _TOKEN.finditer(sentence):
        parts = words(token[0])
        if not parts or any(stem(part) in asked for part in parts):
            runs.append([])
        else:
            runs[-1].append(token)

    best: tuple[int, str] | None = None
    for run in runs:
        while run and run[0][0].lower() in _EDGES:
            run.pop(0)
        while run and run[-1][0].lower() in _EDGES:
            run.pop()
        if all(token[0].lower() in STOPWORDS for token in run):
            continue
        span = (run[0].start(), run[-1].end())
        distance = _distance(span, places)
        if best is None or distance < best[0]:
            best = (distance, sentence[span[0] : span[1]])
    return sentence.rstrip(".") if best is None else best[1]


def _rank(sentence: str, question: str) -> Rank | None:
    items = _items(sentence, question)
    if not items:
        return None
    item = items[-1]
    try:
        return rank(Value(item.kind, sentence[item.start : item.end]))
    except ValueError:
        return None
