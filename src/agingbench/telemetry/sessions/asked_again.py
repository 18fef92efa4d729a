"""Which turns of the user answer what the user had said already.

The agent ends with a question, and the short answer holds only values that the user gave earlier in
the session; or the agent asks nearly the same question twice.
"""

from __future__ import annotations

import re

import msgspec

LONGEST_ANSWER = 160  # characters
MOST_SAID = 2_000  # values of a session that are remembered
MOST_QUESTIONS = 50
LOOKED_AT = 2_000  # characters of a request that are searched for values
LEAST_WORDS = 3  # of a question that is compared with others
ALIKE = 0.6  # share of the words that two questions have in common
# A value is told by a digit, or by a letter or sign that plain words do not have inside. A word or
# a sentence is looked at from its first letter alone: from every letter, a long one takes long.
_SIGNS = r"[\w@#%./:+-]"
_TELLS = r"(?:\d|[a-z][A-Z]|\w[_/@#]\w)"
_VALUE = re.compile(rf"(?<!{_SIGNS})(?={_SIGNS}*?{_TELLS}){_SIGNS}+|[\"'`][^\"'`\n]{{2,40}}[\"'`]")
_QUESTION = re.compile(r"(?<![^.!?？\n])[^.!?？\n]*[?？]")
_WORD = re.compile(r"\w{2,}")


class ToldValues(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What the user of one session has said, and what the agent has asked."""

    said: set[int] = set()
    questions: list[frozenset[str]] = []

    def add_turn(self, text: str, last_words: str) -> bool:
        """Note a turn after the agent's last words; return whether it answers a second time."""
        values = _values(text)
        question = _question(last_words)
        again = False
        if question is not None and len(text) <= LONGEST_ANSWER:
            was_said = bool(values) and all(value in self.said for value in values)
            again = was_said or any(_alike(question, other) for other in self.questions)
            if len(question) >= LEAST_WORDS and len(self.questions) < MOST_QUESTIONS:
                self.questions.append(question)

        if len(self.said) < MOST_SAID:
            self.said.update(values)

        return again


def _values(text: str) -> list[int]:
    found = _VALUE.findall(text[:LOOKED_AT].replace(",", " "))
    return [hash(value.strip("\"'`.,:;!?()-").casefold()) for value in found]


def _question(text: str) -> frozenset[str] | None:
    """Return the words of the last question of a text; None where it asks nothing."""
    found = _QUESTION.findall(text)
    return frozenset(_WORD.findall(found[-1].casefold())) if found else None


def _alike(first: frozenset[str], second: frozenset[str]) -> bool:
    return len(first & second) >= ALIKE * max(1, len(first | second)) and len(first) >= LEAST_WORDS
