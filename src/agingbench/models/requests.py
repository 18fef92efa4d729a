"""How the embedded model treats requests: it declines what a sentence in sight forbids, and does
the rest with the tool that fits.

It knows no scenario. A sentence forbids a request with which it shares a word, if

- it rules out what it names (RULES_OUT) and the request names the same;
- it allows one name and no other (EXCLUSIVE) and the request brings another;
- it sets a limit (LIMIT), a range, or an earliest time, and the request lies beyond it;
- it ties sums beyond a limit to one number (such as a card's), and the request has another.

The tool is the one whose name or description has the request's first word. Its arguments are read
off the request by what the tool says they are; a name that the request leaves to memory is looked
up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agingbench.records import Tool, ToolCall
from agingbench.text.matching import keys, numbers
from agingbench.text.values import Quantity
from agingbench.text.wording import STOPWORDS, stem, words

DECLINE = "decline"
RULES_OUT = re.compile(
    r"\b(?:boycott\w*|never|allerg\w+|avoid\w*|not allowed|forbidden|off limits|banned)\b",
    re.IGNORECASE,
)
EXCLUSIVE = re.compile(
    r"\b(?:no other|nobody else|none other|only|exclusively|nothing but)\b", re.IGNORECASE
)
LIMIT = re.compile(
    r"\b(?:budget\w*|at most|limit\w*|maximum|no more than|not more than|up to|cap|capped"
    r"|ceiling)\b",
    re.IGNORECASE,
)
BEYOND = re.compile(r"\b(?:over|above|more than|beyond|exceeding)\b", re.IGNORECASE)
EARLIEST = re.compile(r"\b(?:before|earlier than|earliest|until)\b", re.IGNORECASE)
ALREADY = re.compile(r"\balready\b", re.IGNORECASE)
OWN = re.compile(r"\b(?:I|me|my)\b")
DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
FEWEST_DIGITS = 1000  # a bare number from here on identifies something and counts nothing

# What a tool says of an argument -> the words before such a name in a request.
PREPOSITIONS: tuple[tuple[str, str], ...] = (
    (r"\bperson\b", r"for|to"),
    (r"\bservice\b", r"for"),
    (r"\b(?:shop|company|restaurant)\b", r"from|with|at"),
)
_WEEKDAY = re.compile(rf"\s*\b(?:on |for )?(?:next )?(?:{'|'.join(sorted(DAYS))})\b", re.IGNORECASE)
_CAPITALS = re.compile(r"\b[A-Z][\w’'-]*")
_NAME = re.compile(r"\b(?:[A-Z][a-z]{1,3}\.\s+)?[A-Z][\w’'-]*(?:\s+[A-Z][\w’'-]*)*")

LookUp = Callable[[str], str]


# -- what a sentence forbids


def forbids(rule: str, request: str) -> bool:
    """Whether a sentence is a rule that forbids the request."""
    shared = _terms(rule) & _terms(request) - {stem(first_word(request))}
    if not shared:
        return False

    rule_names = _names(rule)
    request_names = _names(request[1:])
    if EXCLUSIVE.search(rule) and rule_names and request_names:
        return not rule_names & request_names
    if RULES_OUT.search(rule):
        return bool(rule_names & request_names) if _names(rule[1:]) else bool(shared)
    return _is_beyond(rule, request, shared)


def _is_beyond(rule: str, request: str, shared: frozenset[str]) -> bool:
    earliest = keys(rule, "clock")
    if earliest:
        times = keys(request, "clock")
        days = _days(rule)
        on_day = not days or bool(days & _days(request))
        is_about = bool(shared - {stem(day) for day in DAYS})
        is_earlier = min(times, default="99") < min(earliest)
        return EARLIEST.search(rule) is not None and on_day and is_about and is_earlier

    limits = _dollars(rule)
    amounts = [quantity.value for quantity in _dollars(request)]
    if len(limits) == 2 and all(limit.in_range for limit in limits):
        named = _names(rule[1:])
        is_about = not named or bool(named & _names(request[1:]))
        low, high = (limit.value for limit in limits)
        return is_about and any(not low <= amount <= high for amount in amounts)

    exceeds = any(amount > limit.value for amount in amounts for limit in limits)
    if limits and BEYOND.search(rule):
        required = _identifiers(rule)
        given = _identifiers(request)
        return exceeds and bool(required and given) and not required & given
    if not LIMIT.search(rule):
        return False
    if limits:
        return exceeds
    return _exceeds_count(rule, request)


def _exceeds_count(rule: str, request: str) -> bool:
    limits = _counts(rule)
    counts = _counts(request)
    if not limits or not counts:
        return False
    if ALREADY.search(request):  # one more is asked for
        return max(counts) >= min(limits)
    return max(counts) > min(limits)


def _dollars(text: str) -> list[Quantity]:
    return [quantity for quantity in numbers(text) if quantity.unit == "usd"]


def _counts(text: str) -> list[float]:
    plain = [quantity.value for quantity in numbers(text) if quantity.unit != "usd"]
    return [value for value in plain if value < FEWEST_DIGITS]


def _identifiers(text: str) -> set[float]:
    plain = [quantity.value for quantity in numbers(text) if quantity.unit is None]
    return {value for value in plain if value >= FEWEST_DIGITS}


def _days(text: str) -> set[str]:
    return {day for day in DAYS if day in text.lower()}


def _names(text: str) -> set[str]:
    """The capitalised words of a text that may be names."""
    names = {word.lower() for word in _CAPITALS.findall(text)}
    return {stem(name) for name in names - STOPWORDS - DAYS if len(name) > 1}


@lru_cache(maxsize=1 << 14)
def _terms(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)


def first_word(text: str) -> str:
    """The first word of a text in lower case; empty when it has none."""
    tokens = words(text)
    return tokens[0] if tokens else ""


# -- what is done


def offers_acts(tools: Sequence[Tool]) -> bool:
    """Whether requests are to be done or declined through tools."""
    return any(tool.name == DECLINE for tool in tools)


def act_on(
    request: str, forbidden_by: str | None, tools: Sequence[Tool], look_up: LookUp, call_id: str
) -> ToolCall | None:
    """The call that declines or does a request; None when no tool fits it."""
    if forbidden_by is not None:
        return ToolCall(call_id, DECLINE, {"reason": forbidden_by})
    tool = _tool_for(request, tools)
    if tool is None:
        return None
    return ToolCall(call_id, tool.name, _arguments(request, tool, look_up))


def _tool_for(request: str, tools: Sequence[Tool]) -> Tool | None:
    verb = stem(first_word(request))
    fitting = [
        tool
        for tool in tools
        if tool.name != DECLINE and verb in _terms(f"{tool.name} {tool.description}")
    ]
    shared = [len(_terms(tool.description) & _terms(request)) for tool in fitting]
    return fitting[shared.index(max(shared))] if fitting else None


def _arguments(request: str, tool: Tool, look_up: LookUp) -> dict[str, Any]:
    properties: Mapping[str, Mapping[str, str]] = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", ())
    rest = request.partition(" ")[2].rstrip(".!? ")

    arguments: dict[str, Any] = {}
    for name, schema in properties.items():
        meaning = schema.get("description", "")
        value = _argument(request, schema.get("type", ""), meaning, look_up)
        if value is None and name in required:
            value = rest
        if value is not None:
            arguments[name] = value
    return arguments


def _argument(request: str, kind: str, meaning: str, look_up: LookUp) -> Any:
    """The value that a request gives for an argument, or leaves to memory; None for neither."""
    if kind == "number":
        return next((quantity.value for quantity in _dollars(request)), None)
    if "digits" in meaning:
        return next((f"{value:.0f}" for value in _identifiers(request)), None)
    if "time of day" in meaning:
        return min(keys(request, "clock"), default=None)
    if "day of the week" in meaning:
        return next((day.capitalize() for day in sorted(_days(request))), None)
    if "name" not in words(meaning):
        return None

    for cue, prepositions in PREPOSITIONS:
        if re.search(cue, meaning):
            named = re.search(rf"\b(?:{prepositions})\s+({_NAME.pattern})", request)
            if named:
                return named.group(1)
    if OWN.search(request) and _terms(meaning) & _terms(request):
        # A weekday says when, not what is looked for.
        return _name_in(look_up(_WEEKDAY.sub("", request)), request)
    return None


def _name_in(sentence: str, request: str) -> str | None:
    """The first name in a sentence that the request does not have; its first word is none."""
    for match in _NAME.finditer(sentence):
        if match.start() > 0 and not _terms(match.group()) <= _terms(request):
            return match.group()
    return None
