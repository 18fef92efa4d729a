"""The embedded default model: answers by rules from the text in front of it. It is not a language
model.

It is deterministic, needs no key and takes milliseconds. What it does, and nothing else:

- a question: the sentence of the text in front of it that shares most with the question, the
  later one of near equals; a question with a list behind a colon is answered part by part; a
  question for what is on a list collects all that fit and drops what was taken off; a question
  for an account's balance adds up the signed amounts that name the account, unless a JSON object
  in the text has the account as a key: then that is its balance; "How many papers are on the
  shelf now?" adds up counts in the same way. Where the question asks for a form, the value found
  is put on an `Answer:` line, as `form_answers.py` says;
- a request: declined when a sentence it can see forbids it, otherwise done, through tools where
  there are some that fit (`requests.py`);
- a compaction: sentences picked under the word budget that the prompt names, evenly from the whole
  text; those that carry what the prompt says to keep come first (`compaction.py`);
- with file tools: notes, as `notekeeper.py` says, of the statements that a careful compaction
  would keep; with the tools of memory products the same notes, as `memory_hands.py` says;
- a request of mem0 or langmem for memories: those statements, one by one (`memory_extraction.py`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import fsum, log
from typing import Any

from agingbench.errors import UnknownName
from agingbench.interfaces import Model
from agingbench.models.compaction import condense, worth_keeping
from agingbench.models.expectation import could_answer, expectation
from agingbench.models.form_answers import formed_answer, formed_list, name_apart
from agingbench.models.memory_extraction import extraction
from agingbench.models.memory_hands import note_habit
from agingbench.models.notekeeper import FAULTS, SOUND
from agingbench.models.requests import act_on, forbids, offers_acts
from agingbench.models.statements import (
    REQUESTS,
    ParsedSentence,
    parse,
    split_text,
    terms_of,
)
from agingbench.records import Message, Reply, Tool, ToolCall, Usage
from agingbench.text.cues import CALLED_OFF
from agingbench.text.forms import asked_form, in_form
from agingbench.text.linking import linked_sentences
from agingbench.text.matching import numbers
from agingbench.text.wording import count_tokens, stem, words

UNKNOWN = "I do not know."
DONE = "Done."
REFUSED = "I have not done that, since it goes against one of your rules."

QUESTION_WORDS = frozenset(
    "what which who whom whose when where how why many much now right exact exactly give state"
    " value thing things time take want service services among changed change since first mentioned"
    " latest up down become later earlier higher".split()
)
OUTGOING = re.compile(r"\b(?:paid|spent|withdrew|out of|charged|cost)\b", re.IGNORECASE)
OPENING = re.compile(r"\b(?:balance of|starts? (?:out )?with|opening)\b", re.IGNORECASE)
LIST_QUESTION = re.compile(
    r"^(?:which|who|what)\b.*\b(?:are|is)\b.*\b(?:on|among)\b", re.IGNORECASE
)
ACCOUNT_QUESTION = re.compile(r"\bbalance of (?:my|the) ([\w ]+? account)\b", re.IGNORECASE)
# "How many boxes are in the cellar now?": what is counted, and where.
COUNT_QUESTION = re.compile(
    r"\bhow many (\w+) (?:are|stand|remain)\b[^?]*?\b(?:on|in) (?:my|our|the) ([\w ]+?)"
    r"(?: now| at the moment| these days)?\?",
    re.IGNORECASE,
)
TAKEN_OUT = re.compile(
    r"\b(?:took|taken|removed|borrowed|carried off|lost|closed|sold|used up)\b", re.IGNORECASE
)
HOLDS_NOW = re.compile(r"\b(?:is|are|has|have|holds?|contains?|stand)\b", re.IGNORECASE)
# "What is the desk of the owner of the barn?": what is asked, and of whom.
NESTED = re.compile(r"^(.*?\bthe [\w -]+? (?:of|for)) (the [\w -]+? (?:of|for) .+?)\?*$", re.DOTALL)
TELL = re.compile(r"\b(?:tell me|name|draft|salutation)\b", re.IGNORECASE)
LEANING = 0.8  # what a word counts that stands only in a sentence that is referred back to
UNHEARD = 0.3  # what a word of the question counts that the text never uses
UNFIT = 0.5  # what a sentence counts that states no value of the kind asked for
ENOUGH = 0.5  # share of a question's names that a sentence must cover, by their weight
NAMELESS = 0.5  # how much less is enough where a question names nothing
NEAR = 0.9  # sentences this close to the best count as equals


class Extractive(Model):
    """The embedded default: a rule-based reader without a key. It is not a language model."""

    name = "extractive"

    def __init__(self, fault: str = SOUND) -> None:
        """`fault` names a bad habit of its note-keeping (see `notekeeper.FAULTS`)."""
        if fault and fault not in FAULTS:
            raise UnknownName("fault", fault, FAULTS)
        self.fault = fault

    def cache_identity(self) -> dict[str, Any]:
        """Its name, and its fault where it has one."""
        return {"name": self.name} | ({"fault": self.fault} if self.fault else {})

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        request = messages[-1].content
        calls: tuple[ToolCall, ...] = ()
        memories = extraction(messages, tools, worth_keeping)
        habit = note_habit(tools)
        if memories is not None:
            text, calls = memories
        elif habit is not None:
            calls, ask, context, text = habit(messages, worth_keeping, _is_request, self.fault)
            if not calls and not text:
                calls, text = _reply(ask, context, tools, messages)
        elif "<text>" in request:
            instruction, _, rest = request.partition("<text>")
            text = condense(rest.rpartition("</text>")[0], instruction)
        else:
            user_texts = [message.content for message in messages if message.role == "user"]
            *earlier, request = user_texts or [""]
            *statements, ask = request.split("\n\n")
            context = "\n\n".join([_memory(messages), *earlier, *statements])
            calls, text = _reply(ask, context, tools, messages)

        outputs = [text, *(str(call.arguments) for call in calls)]
        usage = Usage(
            input_tokens=sum(count_tokens(message.content) for message in messages),
            output_tokens=sum(count_tokens(output) for output in outputs),
            cost_usd=0.0,
            calls=1,
        )
        return Reply(text, calls, usage, self.name)


def _memory(messages: Sequence[Message]) -> str:
    """What stands between the memory markers of the system prompt."""
    system = messages[0].content if messages[0].role == "system" else ""
    return system.partition("<memory>")[2].rpartition("</memory>")[0]


def _reply(
    ask: str, context: str, tools: Sequence[Tool], messages: Sequence[Message]
) -> tuple[tuple[ToolCall, ...], str]:
    """The calls or, without any, the text that answers a request or a question."""
    if _is_request(ask) and offers_acts(tools):
        calls = _act(ask, context, tools, messages)
        if calls:
            return calls, ""
    return (), respond(ask, context)


def respond(ask: str, context: str) -> str:
    """A question is answered, a request is done or refused."""
    return decide(ask, context) if _is_request(ask) else answer(ask, context)


def _is_request(ask: str) -> bool:
    tokens = words(ask)
    return bool(tokens) and tokens[0] in REQUESTS


# -- questions


def answer(prompt: str, context: str, enough: float = ENOUGH) -> str:
    """What the text says to the question, in its own sentences and in the form asked for.

    `enough` is the share of the question's weight that a sentence has to cover.
    """
    asked = asked_form(prompt)
    question = asked.question
    account = ACCOUNT_QUESTION.search(question)
    if account:
        return _balance(account.group(1), context, asked.form)
    counted = COUNT_QUESTION.search(question)
    if counted:
        total = _count(counted.group(2), context)
        reply = [] if total is None else [f"{total:,.0f} {counted.group(1)}"]
        if asked.form:
            return in_form(asked.form, reply)
        return f"{reply[0]}." if reply else UNKNOWN
    if asked.form == "list" or (not asked.form and LIST_QUESTION.search(question)):
        entries = _entries(_rank(question, context, enough), terms_of(question))
        if asked.form:
            return formed_list(entries, question)
        return " ".join(entries) if entries else UNKNOWN
    if asked.form:
        return formed_answer(asked, lambda part: _look_up(part, context, enough))

    if ";" in question:
        parts = question.partition(":")[2].rstrip(".").split(";")
        questions = [f"What is {part.strip()}?" for part in parts]
        return " ".join(answer(part, context, enough) for part in questions)
    ranked = _look_up(question, context, enough)
    return ranked[-1] if ranked else UNKNOWN


def _look_up(question: str, context: str, enough: float) -> list[str]:
    """The sentences that fit a question about equally well, asked of what it refers to."""
    return _rank(_resolved(question, context, enough), context, enough)


def _resolved(question: str, context: str, enough: float) -> str:
    """The question with a name for what it refers to, where one sentence says it: "the desk of the
    owner of the barn" is the desk of Ana, if Ana is the owner of the barn.
    """
    nested = NESTED.match(question)
    if nested is None:
        return question
    outer, inner = nested.groups()
    reference = _resolved(f"What is {inner}?", context, enough)
    ranked = _rank(reference, context, enough)
    if not ranked or not terms_of(reference) - _ASKING <= terms_of(ranked[-1]):
        return question
    name = name_apart(ranked[-1], reference)
    if name is None or f" is {name}" not in ranked[-1]:
        return question
    return f"{outer} {name}?"


def _rank(question: str, context: str, enough: float) -> list[str]:
    """The sentences that fit the question about equally well, in their order; [] when none fits
    well enough.
    """
    statements, frequency = _statements(context)
    question_terms = terms_of(question) - _ASKING
    weight = {}
    for term in question_terms:
        weight[term] = log(1 + len(statements) / (1 + frequency[term]))
        if not frequency[term]:
            weight[term] *= UNHEARD

    # A question names what it is about; where it does, a sentence has to cover those names.
    names = _names(question) & question_terms
    named = names or question_terms
    # fsum: a set has no order that holds across processes, and a rounding error must not decide a
    # tie.
    share = enough if names else NAMELESS * enough
    needed = share * fsum(weight[term] for term in named)
    expected = expectation(question)
    scores = []
    for sentence in statements:
        shared = question_terms & sentence.terms
        behind = question_terms & sentence.leans_on
        if not shared and not behind:
            scores.append(0.0)
            continue
        score = fsum(weight[term] for term in shared)
        score += LEANING * fsum(weight[term] for term in behind)
        covered = fsum(weight[term] for term in named & (shared | behind))
        if not score or covered < needed:
            scores.append(0.0)
        elif could_answer(sentence.text, expected):
            scores.append(score)
        else:
            scores.append(UNFIT * score)

    best = max(scores, default=0.0)
    if best == 0 and enough:
        return []
    return [
        sentence.text
        for sentence, score in zip(statements, scores, strict=True)
        if score >= NEAR * best
    ]


def _names(question: str) -> frozenset[str]:
    """The terms of a question that are part of a name: capitals within it, paths, codes."""
    names: set[str] = set()
    for place, token in enumerate(question.split()):
        has_capital = any(char.isupper() for char in token)
        if (has_capital and place > 0) or re.search(r"\w[_/\d]\w|\w\.\w|\d", token):
            names |= terms_of(token)
    return frozenset(names)


def _entries(ranked: Sequence[str], question_terms: frozenset[str]) -> list[str]:
    """The sentences that name a thing on the list, without those that another one calls off."""
    # Things are told apart by the words beside the list's own name, which every sentence about the
    # list shares.
    removals = [
        terms_of(sentence) - question_terms for sentence in ranked if CALLED_OFF.search(sentence)
    ]
    entries = []
    for sentence in ranked:
        if CALLED_OFF.search(sentence):
            continue
        terms = terms_of(sentence) - question_terms
        removed = any(len(terms & removal) >= 0.5 * len(terms) for removal in removals)
        if not removed:
            entries.append(sentence)
    return entries


def _balance(account: str, context: str, form: str = "") -> str:
    """The balance of an account: a stored one, or the last opening balance and what came after."""
    balance = _stored_balance(account, context)
    if balance is None:
        balance = _running_balance(account, context, "usd", OUTGOING)
    if balance is None:
        return in_form(form, []) if form else UNKNOWN
    if form:
        return in_form(form, [f"${balance:,.0f}"])
    return f"The balance of the {account} is ${balance:,.0f}."


def _count(place: str, context: str) -> float | None:
    """How many things a place holds: a stored number, the first count and what came after, or the
    last count that a sentence gives.
    """
    total = _stored_balance(place, context)
    if total is None:
        total = _running_balance(place, context, None, TAKEN_OUT)
    if total is not None:
        return total
    for sentence in reversed(split_text(context)):
        if place.lower() in sentence.text.lower() and HOLDS_NOW.search(sentence.text):
            counts = [quantity.value for quantity in numbers(sentence.text) if not quantity.unit]
            if counts:
                return counts[0]
    return None


def _running_balance(
    account: str, context: str, unit: str | None, outgoing: re.Pattern[str]
) -> float | None:
    """The opening balance with all later amounts; None without an opening balance in sight."""
    opening: float | None = None
    change = 0.0
    for sentence in split_text(context):
        text = sentence.text
        if account.lower() not in text.lower() or sentence.first_word in REQUESTS:
            continue
        amounts = [quantity.value for quantity in numbers(text) if quantity.unit == unit]
        if not amounts:
            continue
        amount = amounts[0]
        if OPENING.search(text):
            opening = amount
            change = 0.0
        elif outgoing.search(text):
            change -= amount
        else:
            change += amount
    return None if opening is None else opening + change


def _stored_balance(account: str, context: str) -> float | None:
    """The number under the account's name in a JSON object that fills a line; None without one."""
    for line in context.splitlines():
        if not (line.startswith("{") and line.endswith("}")):
            continue
        try:
            balances = json.loads(line)
        except ValueError:
            continue
        for key, value in balances.items():
            name = key.replace("_", " ").lower()
            if name == account.lower() and type(value) in (int, float):
                return float(value)
    return None


# -- requests


def decide(request: str, context: str) -> str:
    """Refuse what a visible rule forbids; otherwise do it and say what it asks to hear."""
    if _ban_on(request, context) is not None:
        return REFUSED
    if TELL.search(request):
        return f"{answer(request, context, enough=0.2)} {DONE}"
    return DONE


def _ban_on(request: str, context: str) -> str | None:
    """The first sentence in sight that forbids the request; None without one."""
    terms = terms_of(request)
    for sentence in split_text(context):
        if sentence.first_word in REQUESTS or not terms & sentence.terms:
            continue
        if forbids(sentence.text, request):
            return sentence.text
    return None


def _act(
    request: str, context: str, tools: Sequence[Tool], messages: Sequence[Message]
) -> tuple[ToolCall, ...]:
    """The call with which a request is done or declined; none once there was one."""
    start = max(place for place, message in enumerate(messages) if message.role == "user")
    names = {tool.name for tool in tools if tool.decides}
    turn = [call for message in messages[start:] for call in message.tool_calls]
    if any(call.name in names for call in turn):
        return ()

    def look_up(question: str) -> str:
        return answer(question, context, enough=0.2)

    call = act_on(request, _ban_on(request, context), tools, look_up, f"act-{len(messages)}")
    return () if call is None else (call,)


# -- sentences


_ASKING = frozenset(stem(word) for word in QUESTION_WORDS)


@lru_cache(maxsize=16)
def _statements(text: str) -> tuple[list[ParsedSentence], Counter[str]]:
    """The sentences that state something, and in how many of them each term stands."""
    statements = []
    for linked in linked_sentences(text):
        sentence = parse(linked.text)
        if sentence.terms and sentence.is_statement:
            # A sentence is also about what it refers back to.
            leans_on = terms_of(linked.whole) - sentence.terms
            statements.append(sentence._replace(leans_on=leans_on))
    return statements, Counter(term for sentence in statements for term in sentence.terms)
