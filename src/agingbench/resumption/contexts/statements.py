"""What the user stated during a session; a later statement replaces one on the same subject."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agingbench.resumption.contexts.abandoned import LONGEST, Sentence
from agingbench.resumption.contexts.code_names import code_names, reads_as_code
from agingbench.text.cues import WITHDRAWS
from agingbench.text.wording import STOPWORDS, stem, words

_REQUEST = re.compile(r"\W*(?:plan|write|please|can you|could you|use what|reply)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:please|can you|could you|i(?:'d| would) (?:like|love|prefer)|i (?:want|need)|we"
    r" (?:should|need)|let's"
    r"|make sure|have in mind|don't|do not)\b"
    r"|^\W*(?:plan|write|add|remove|use|keep|fix|make|run|change|update|check|find|try|now)\b",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:is|are|starts?|keeps|listens?|may|has moved|which is|imports)\b", re.IGNORECASE
)
_OPENS = re.compile(r"^(?:after the \w+|from this \w+ on|from now on|now),? ", re.IGNORECASE)
_FILLER = frozenset(stem(w) for w in "settled another we for now".split())


def user_statements(sentences: Sequence[Sentence], task: str) -> dict[str, str]:
    """Return what the user stated and did not withdraw, by subject, the oldest first."""
    latest: dict[str, str] = {}
    withdrawn: set[str] = set()
    for sentence in sentences:
        text = sentence.text
        if sentence.role != "user" or len(text) > LONGEST or text in task:
            continue

        if WITHDRAWS.search(text):
            withdrawn |= {key for key in latest if _withdraws(text, key, latest[key])}
        elif _is_statement(text):
            key = subject(text)
            latest.pop(key, None)
            latest[key] = text
            withdrawn.discard(key)
    return {key: text for key, text in latest.items() if key not in withdrawn}


def _withdraws(text: str, key: str, statement: str) -> bool:
    # The subject's words are needed beside its names: one decision about a file may go and another
    # about it stay.
    names = code_names(text)
    statement_names = code_names(statement)
    text_words = {stem(word) for word in words(text)} | names
    names_all = bool(statement_names) and statement_names <= names
    return names_all and set(key.split()) <= text_words


def _is_statement(text: str) -> bool:
    if not code_names(text) or not _STATES.search(text):
        return False
    is_other = _REQUEST.match(text) or reads_as_code(text) or text.endswith((":", "?"))
    return not is_other


def asks_for_something(text: str) -> bool:
    """Whether the user asks for something in this sentence."""
    return text.endswith("?") or _ASKS.search(text) is not None


def contradicts_statement(text: str, statements: dict[str, str]) -> bool:
    """Whether the sentence says something else on a subject than the user's last statement."""
    if not statements or _STATES.search(text) is None:
        return False
    return statements.get(subject(text), text) != text


def subject(text: str) -> str:
    """Return the names and words before the first verb of stating, sorted, as one text."""
    head = _STATES.split(_OPENS.sub("", text), maxsplit=1)[0]
    stems = set()
    for word in words(head):
        has_digit = any(character.isdigit() for character in word)
        if word not in STOPWORDS and not has_digit:
            stems.add(stem(word))
    return " ".join(sorted((stems - _FILLER) | code_names(head)))
