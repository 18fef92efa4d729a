"""The embedded default: a rule-based reader that answers from the text in front of it. It is not a
language model.

It is deterministic, needs no key and takes milliseconds. What it does, and nothing else:

- a question: the sentence of the text in front of it that shares most with the question, the
  later one of near equals; a question with a list behind a colon is answered part by part; a
  question for what is on a list collects all that fit and drops what was taken off; a question
  for an account's balance adds up the signed amounts that name the account, unless a JSON object
  in the text has the account as a key: then that is its balance;
- a request: refused when a sentence it can see forbids it (FORBIDS and LIMITS below), otherwise
  done;
- a compaction: sentences picked under the word budget that the prompt names. First those that
  carry what the prompt says to keep (KEEP below); statements before requests; then the ones with
  the rarer words;
- with file tools: notes, as `notekeeper.py` says, of the statements that a careful compaction
  would keep.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import fsum, log

from agingbench.interfaces import Model
from agingbench.models.notekeeper import keeps_notes, next_step
from agingbench.records import Message, Reply, Tool, ToolCall, Usage
from agingbench.text.cues import CALLED_OFF
from agingbench.text.matching import keys, numbers
from agingbench.text.wording import STOPWORDS, count_tokens, sentences, stem, words

UNKNOWN = "I do not know."
DONE = "Done."
REFUSED = "I have not done that, since it goes against one of your rules."

# What a compaction prompt asks to keep -> how a sentence shows that it carries it.
KEEP: tuple[tuple[str, str], ...] = (
    (r"amount|budget|money|dollar", r"[$€£]\s?\d"),
    (
        r"\bdate|deadline",
        (
            r"\b(?:January|February|March|April|May|June|July|August|September|October|November"
            r"|December) \d"
        ),
    ),
    (r"person|people|names?\b", r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+"),
    (r"constraint|version|number", r"\d"),
    (
        r"most important",
        r"\b(?:I|me|my)\b",
    ),  # no more precise guidance: what the user says of themself
)
# Verbs that open a request to do something, and those that only ask for words; neither kind of
# sentence states a fact.
REQUESTS = frozenset("arrange book buy draft order reserve schedule sign".split())
ASKS = REQUESTS | frozenset("check list plan prepare say suggest tell write".split())
QUESTION_WORDS = frozenset(
    "what which who whom whose when where how why many much now right exact exactly give state"
    " value thing things time take want service services among changed change since first mentioned"
    " latest".split()
)
OUTGOING = re.compile(r"\b(?:paid|spent|withdrew|out of|charged|cost)\b", re.IGNORECASE)
OPENING = re.compile(r"\b(?:balance of|starts? (?:out )?with|opening)\b", re.IGNORECASE)
LIST_QUESTION = re.compile(
    r"^(?:which|who|what)\b.*\b(?:are|is)\b.*\b(?:on|among)\b", re.IGNORECASE
)
ACCOUNT_QUESTION = re.compile(r"\bbalance of (?:my|the) ([\w ]+? account)\b", re.IGNORECASE)
TELL = re.compile(r"\b(?:tell me|name|draft|salutation)\b", re.IGNORECASE)
FORBIDS = re.compile(r"\b(?:boycott|never|allergic|no other|not allowed)\b", re.IGNORECASE)
LIMITS = re.compile(r"\b(?:budget|at most|limit|maximum|price range|before|over)\b", re.IGNORECASE)
ENOUGH = 0.5  # share of a question's weight that a sentence must cover
NEAR = 0.9  # sentences this close to the best count as equals


class Extractive(Model):
    """A model in the sense of the interface; see the top of this file for what it does."""

    name = "extractive"

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        request = messages[-1].content
        calls: tuple[ToolCall, ...] = ()
        if keeps_notes(tools):
            calls, ask, context = next_step(messages, _worth_keeping, _is_request)
            text = "" if calls else respond(ask, context)
        elif "<text>" in request:
            instruction, _, rest = request.partition("<text>")
            text = condense(rest.rpartition("</text>")[0], instruction)
        else:
            *told, ask = request.split("\n\n")
            context = "\n\n".join(
                [_memory(messages), *(m.content for m in messages[1:-1] if m.role == "user"), *told]
            )
            text = respond(ask, context)
        said = count_tokens(text) + sum(count_tokens(str(call.arguments)) for call in calls)
        usage = Usage(sum(count_tokens(m.content) for m in messages), said, cost_usd=0.0, calls=1)
        return Reply(text, calls, usage, self.name)


def _memory(messages: Sequence[Message]) -> str:
    system = messages[0].content if messages[0].role == "system" else ""
    return system.partition("<memory>")[2].rpartition("</memory>")[0]


def respond(ask: str, context: str) -> str:
    """A question is answered, a request is done or refused."""
    return decide(ask, context) if _is_request(ask) else answer(ask, context)


def _is_request(ask: str) -> bool:
    return words(ask)[:1] != [] and words(ask)[0] in REQUESTS


def _worth_keeping(sentence: str) -> bool:
    # What a careful compaction is told to keep: every row of the table but the one for want of
    # better guidance.
    return _read(sentence)[2] not in ASKS and any(
        re.search(shows, sentence) for _, shows in KEEP[:-1]
    )


# -- questions


def answer(question: str, context: str, enough: float = ENOUGH) -> str:
    """What the text says to the question, in its own sentences; `enough` is how well a sentence has
    to fit.
    """
    if ";" in question:
        parts = question.partition(":")[2].rstrip(".").split(";")
        return " ".join(answer(f"What is {part.strip()}?", context, enough) for part in parts)
    account = ACCOUNT_QUESTION.search(question)
    if account:
        return _balance(account.group(1), context)
    ranked = _rank(question, context, enough)
    if LIST_QUESTION.search(question):
        return _listed(ranked, _content(question))
    return ranked[-1] if ranked else UNKNOWN


def _rank(question: str, context: str, enough: float) -> list[str]:
    # The sentences that fit the question about equally well, in their order; none when nothing fits
    # well enough.
    known, seen = _statements(context)
    wanted = _content(question) - _ASKING
    weight = {term: log(1 + len(known) / (1 + seen[term])) for term in wanted}
    # fsum: a set has no order that holds across processes, and a rounding error must not decide a
    # tie.
    total = fsum(weight.values())
    scored = [(fsum(weight[t] for t in wanted & terms), sentence) for sentence, terms, _ in known]
    best = max((score for score, _ in scored), default=0.0)
    if best < enough * total or (best == 0 and enough):
        return []
    return [sentence for score, sentence in scored if score >= NEAR * best]


def _listed(ranked: Sequence[str], asked: frozenset[str]) -> str:
    # What is gone is told by the words beside the list's own name, which every sentence about the
    # list shares.
    gone = [_content(s) - asked for s in ranked if CALLED_OFF.search(s)]
    kept = []
    for sentence in ranked:
        terms = _content(sentence) - asked
        if not CALLED_OFF.search(sentence) and not any(
            len(terms & g) >= 0.5 * len(terms) for g in gone
        ):
            kept.append(sentence)
    return " ".join(kept) if kept else UNKNOWN


def _balance(account: str, context: str) -> str:
    # The one running-total rule: without an opening balance in sight there is nothing to add to.
    typed = _typed(account, context)
    if typed is not None:
        return f"The balance of the {account} is ${typed:,.0f}."
    total: float | None = None
    moved = 0.0
    for sentence, _, first in _split(context):
        if account.lower() not in sentence.lower() or first in REQUESTS:
            continue
        amounts = [q.value for q in numbers(sentence) if q.unit == "usd"]
        if not amounts:
            continue
        if OPENING.search(sentence):
            total = amounts[0]
            moved = 0.0
        else:
            moved += -amounts[0] if OUTGOING.search(sentence) else amounts[0]
    return UNKNOWN if total is None else f"The balance of the {account} is ${total + moved:,.0f}."


def _typed(account: str, context: str) -> float | None:
    for line in context.splitlines():
        if line.startswith("{") and line.endswith("}"):
            try:
                held = json.loads(line)
            except ValueError:
                continue
            for key, value in held.items():
                if key.replace("_", " ").lower() == account.lower() and type(value) in (int, float):
                    return float(value)
    return None


# -- requests


def decide(request: str, context: str) -> str:
    """Refuse what a visible rule forbids; otherwise do it, and tell what was asked to be told."""
    wanted = _content(request)
    for sentence, terms, first in _split(context):
        if first not in REQUESTS and wanted & terms and _forbids(sentence, terms, request, wanted):
            return REFUSED
    return f"{answer(request, context, enough=0.2)} {DONE}" if TELL.search(request) else DONE


def _forbids(sentence: str, terms: frozenset[str], request: str, wanted: frozenset[str]) -> bool:
    if FORBIDS.search(sentence):
        named = {stem(w.lower()) for w in re.findall(r"\b[A-Z][a-z]\w+", sentence[1:])}
        if "no other" in sentence:
            return (
                bool(named)
                and "ride" in wanted & terms
                and not named & wanted
                and "with" in request
            )
        return bool((named or terms) & wanted)
    if not LIMITS.search(sentence) or len(wanted & terms) < 1:
        return False
    asked = [q.value for q in numbers(request) if q.unit == "usd"]
    limits = [q.value for q in numbers(sentence) if q.unit == "usd"]
    if "card" in wanted & terms:
        card = {str(int(q.value)) for q in numbers(sentence) if q.unit is None}
        return any(a > b for a in asked for b in limits) and not card & set(words(request))
    if "range" in terms and len(limits) == 2 and "gift" in wanted & terms:
        return any(not limits[0] <= a <= limits[1] for a in asked)
    if "before" in sentence and keys(sentence, "clock"):
        return "meet" in wanted & terms and min(keys(request, "clock"), default="99") < min(
            keys(sentence, "clock")
        )
    if "subscription" in wanted & terms:
        count = [q.value for q in numbers(sentence)]
        return any(a.value >= c for a in numbers(request) for c in count)
    return "dining" in wanted & terms and any(a > b for a in asked for b in limits)


# -- compaction


def condense(text: str, instruction: str) -> str:
    """Sentences of the text under the budget the instruction names, in their order."""
    budget = re.search(r"at most (\d+) words", instruction)
    left = int(budget.group(1)) if budget else 300
    keep = [
        re.compile(shows) for asks, shows in KEEP if re.search(asks, instruction, re.IGNORECASE)
    ]
    parts = [s for s in _split(text) if s[1]]
    common = Counter(term for _, terms, _ in parts for term in terms)
    ranked = []
    for place, (sentence, terms, first) in enumerate(parts):
        kept = sum(bool(pattern.search(sentence)) for pattern in keep)
        rarity = fsum(log(len(parts) / common[t]) for t in terms) / len(terms)
        ranked.append((kept > 0, first not in ASKS, rarity, place))
    chosen = []
    for *_, place in sorted(ranked, reverse=True):
        size = len(parts[place][0].split())
        if size <= left:
            chosen.append(place)
            left -= size
    return " ".join(parts[place][0] for place in sorted(chosen))


# -- words


Read = tuple[str, frozenset[str], str]
_ASKING = frozenset(stem(w) for w in QUESTION_WORDS)


@lru_cache(maxsize=16)
def _split(text: str) -> tuple[Read, ...]:
    # Remembered, since every probe of a point reads the same memory.
    return tuple(_read(s) for s in sentences(text))


@lru_cache(maxsize=16)
def _statements(text: str) -> tuple[list[Read], Counter[str]]:
    known = [s for s in _split(text) if s[1] and s[2] not in ASKS]
    return known, Counter(term for _, terms, _ in known for term in terms)


@lru_cache(maxsize=1 << 16)
def _read(sentence: str) -> Read:
    # A sentence, its meaning-carrying stems, its first word.
    plain = sentence.removeprefix("Assistant: ")
    told = words(plain)
    return plain, frozenset(stem(w) for w in told if w not in STOPWORDS), told[0] if told else ""


def _content(text: str) -> frozenset[str]:
    return _read(text)[1]
