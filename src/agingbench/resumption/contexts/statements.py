"""What the user stated in the course of a session: a later statement replaces an earlier one on the
same subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agingbench.resumption.contexts.abandoned import LONGEST, Sentence
from agingbench.resumption.contexts.code_names import code_names, reads_as_code
from agingbench.text import STOPWORDS, stem, words

_WITHDRAWN = re.compile(
    r"\b(?:withdrawn|no longer|removed|retracted|cancelled|do not build on)\b", re.IGNORECASE
)
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


def user_statements(said: Sequence[Sentence], task: str) -> dict[str, str]:
    """What the user stated and did not withdraw, by subject, the oldest first."""
    latest: dict[str, str] = {}
    gone: set[str] = set()
    for sentence in said:
        if sentence.role != "user" or len(sentence.text) > LONGEST or sentence.text in task:
            continue
        key = subject(sentence.text)
        if _WITHDRAWN.search(sentence.text):
            gone |= {k for k in latest if _withdraws(sentence.text, k, latest[k])}
        elif (
            code_names(sentence.text)
            and _STATES.search(sentence.text)
            and not _no_statement(sentence.text)
        ):
            latest.pop(key, None)
            latest[key] = sentence.text
            gone.discard(key)
    return {key: text for key, text in latest.items() if key not in gone}


def _withdraws(text: str, key: str, statement: str) -> bool:
    # The words of the subject as well as its names: one decision about a file may go and another
    # about it stay.
    told = {stem(w) for w in words(text)} | code_names(text)
    return (
        bool(code_names(statement))
        and code_names(statement) <= code_names(text)
        and set(key.split()) <= told
    )


def asks_for_something(text: str) -> bool:
    """Does the user ask for something in this sentence?"""
    return text.endswith("?") or _ASKS.search(text) is not None


def contradicts_statement(text: str, statements: dict[str, str]) -> bool:
    """Does the sentence say something else on a subject than what the user stated last?"""
    if not statements or _STATES.search(text) is None:
        return False
    return statements.get(subject(text), text) != text


def subject(text: str) -> str:
    """What a statement speaks of: its names and the words before the first verb of stating."""
    ahead = _STATES.split(_OPENS.sub("", text), maxsplit=1)[0]
    kept = {stem(w) for w in words(ahead) if w not in STOPWORDS and not any(c.isdigit() for c in w)}
    return " ".join(sorted((kept - _FILLER) | code_names(ahead)))


def _no_statement(text: str) -> bool:
    return bool(_REQUEST.match(text) or reads_as_code(text) or text.endswith((":", "?")))
