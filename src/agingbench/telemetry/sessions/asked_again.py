"""Which turns of the user answer what the user had said already.

The agent asks, and the short answer holds only values that the user gave earlier in the session; or
it repeats the words of an earlier statement that speaks of what the question is about; or the user
says that it was said before; or the agent asks nearly the same question twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from agingbench.text.wording import STOPWORDS, stem

LONGEST_ANSWER = 160  # characters
MOST_SAID = 2_000  # values of a session that are remembered
MOST_STATEMENTS = 300  # of a session that are remembered
LONGEST_STATEMENT = 25  # words that matter; more of them are a paste, which holds any word
MOST_QUESTIONS = 50
LOOKED_AT = 2_000  # characters of a request that are searched for values
LEAST_WORDS = 3  # of a question that is compared with others
ALIKE = 0.6  # share of the words that two questions have in common
REPEATED = 0.6  # share of the words of an answer that an earlier statement holds
# A value is told by a digit, or by a letter or sign that plain words do not have inside. A word or
# a sentence is looked at from its first letter alone: from every letter, a long one takes long.
_SIGNS = r"[\w@#%./:+-]"
_TELLS = r"(?:\d|[a-z][A-Z]|\w[_/@#]\w)"
_VALUE = re.compile(rf"(?<!{_SIGNS})(?={_SIGNS}*?{_TELLS}){_SIGNS}+|[\"'`][^\"'`\n]{{2,40}}[\"'`]")
_QUESTION = re.compile(r"(?<![^.!?？\n])[^.!?？\n]*[?？]")
_SENTENCE = re.compile(r"[^.!?？;\n]+")
_WORD = re.compile(r"\w{2,}")
# Words of German that stand in any sentence, beside those of English.
_GERMAN = frozenset(
    "aber alle als also am an auch auf aus bei bitte da das dem den der des die doch du ein eine"
    " einen einer er es für hat hier ich im in ist ja kein keine man mit nach nein nicht noch nur"
    " ob oder schon sein sich sie sind so soll sollen und uns vom von vor was wenn werden wie wir"
    " wird zu zum zur".split()
)
_ANY_SENTENCE = STOPWORDS | _GERMAN | {"please", "yes", "ok", "okay", "shall", "may", "want", "use"}
# The user says that it was said before.
_SAID_BEFORE = re.compile(
    r"\b(?:(?:as|like) (?:i )?(?:said|wrote|told|mentioned|stated)|see above"
    r"|(?:already|just) (?:said|told|wrote|mentioned|answered|gave)|told you"
    r"|wie (?:schon |bereits |oben )?(?:gesagt|geschrieben|erwähnt)|siehe oben"
    r"|(?:schon|bereits) (?:gesagt|geschrieben|erwähnt|beantwortet))\b",
    re.IGNORECASE,
)
# How a client writes down what the user answered to questions that a tool had put.
_PUT_QUESTION = re.compile(r'"([^"\n]{3,500})"="([^"\n]{1,300})"')


_ASKING_TOOL = re.compile(r"ask_?user|user_?input|ask_?question", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def asks_the_user(tool: str) -> bool:
    """Return whether a tool puts questions to the user, by its name."""
    return _ASKING_TOOL.search(tool) is not None


class ToldValues(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What the user of one session has said, and what the agent has asked."""

    said: set[int] = set()
    statements: list[frozenset[str]] = []
    questions: list[frozenset[str]] = []

    def add_turn(self, text: str, last_words: str) -> bool:
        """Note a turn after the agent's last words; return whether it answers a second time."""
        question = _question(last_words)
        again = question is not None and self.add_answer(question, text)
        self._add_said(text)
        return again

    def add_put_questions(self, result: str) -> bool:
        """Note what a tool asked the user; return whether an answer was given before."""
        again = False
        for question, answer in _PUT_QUESTION.findall(result[:LOOKED_AT]):
            again |= self.add_answer(question, answer)
            self._add_said(answer)

        return again

    def add_answer(self, question: str, answer: str) -> bool:
        """Note a question and its answer; return whether the user had given the answer before."""
        words = frozenset(_WORD.findall(question.casefold()))
        again = False
        if len(answer) <= LONGEST_ANSWER:
            values = _values(answer)
            again = (
                (bool(values) and all(value in self.said for value in values))
                or _SAID_BEFORE.search(answer) is not None
                or any(_alike(words, other) for other in self.questions)
                or self._repeats_a_statement(question, answer)
            )
            if len(words) >= LEAST_WORDS and len(self.questions) < MOST_QUESTIONS:
                self.questions.append(words)

        return again

    def _repeats_a_statement(self, question: str, answer: str) -> bool:
        """Return whether an earlier statement gives the answer and speaks of what was asked.

        An answer of one word that the question holds says nothing of what else was asked.
        """
        answered = _content(answer)
        asked = _content(question)
        for said in self.statements:
            repeated = answered & said
            if not repeated or len(repeated) < REPEATED * len(answered):
                continue

            about = asked & said
            if about - answered or (about and len(repeated) > 1):
                return True

        return False

    def _add_said(self, text: str) -> None:
        if len(self.said) < MOST_SAID:
            self.said.update(_values(text))
        if len(self.statements) < MOST_STATEMENTS:
            self.statements += _statements(text)


def _values(text: str) -> list[int]:
    found = _VALUE.findall(text[:LOOKED_AT].replace(",", " "))
    return [hash(value.strip("\"'`.,:;!?()-").casefold()) for value in found]


def _statements(text: str) -> Iterator[frozenset[str]]:
    """Yield the words that matter of each sentence with two or more of them."""
    for sentence in _SENTENCE.findall(text[:LOOKED_AT]):
        words = _content(sentence)
        if 1 < len(words) <= LONGEST_STATEMENT:
            yield words


def _content(text: str) -> frozenset[str]:
    """Return the stems of the words that do not stand in any sentence."""
    words = _WORD.findall(text.casefold())
    return frozenset(stem(word) for word in words if word not in _ANY_SENTENCE)


def _question(text: str) -> str | None:
    """Return the last question of a text; None where it asks nothing."""
    found = _QUESTION.findall(text)
    return found[-1] if found else None


def _alike(first: frozenset[str], second: frozenset[str]) -> bool:
    return len(first & second) >= ALIKE * max(1, len(first | second)) and len(first) >= LEAST_WORDS
