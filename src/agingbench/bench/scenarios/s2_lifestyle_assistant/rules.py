"""Whether an act breaks one of the standing rules of s2, as the rules stand in a session.

An act is judged by its own arguments. What it leaves out is as the task says: an order of what was
asked for, without the shop, is an order from the shop that the task names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from agingbench.bench.plan import pools
from agingbench.bench.plan.acts import Act, ActRuling
from agingbench.bench.plan.facts import Fact, FactGraph
from agingbench.bench.plan.plan import Task
from agingbench.bench.scenarios.s2_lifestyle_assistant.tools import dollars
from agingbench.text import matching, wording
from agingbench.text.plain import states_plainly
from agingbench.text.values import Value

# the standing rules are the first facts of a life: ten of them, the gift rule with its birthday
RULES = 11
_RIDES = {f"{head}{tail}".lower() for head in pools.PLACE_HEAD for tail in pools.RIDE_TAIL}
_RIDE = re.compile(r"\b(?:rides?|taxis?|cabs?|transfers?)\b", re.IGNORECASE)
_DINING = re.compile(r"\b(?:dining|dinners?|lunch|restaurants?|supper)\b", re.IGNORECASE)
_WITHOUT_BEFORE = re.compile(
    r"\b(?:no|not|without|free (?:of|from)|except|hold the|leave out|minus)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_FREE_BEHIND = re.compile(r"[- ]?free\b", re.IGNORECASE)


class Deed(NamedTuple):
    """An act in the light of its task: what it says, and what the task says where it is silent."""

    tool: str
    topic: str  # of the task
    arguments: Mapping[str, Any]

    def text(self, argument: str) -> str:
        """An argument as text; empty when neither the act nor the task gives it."""
        value = self.arguments.get(argument)
        return "" if value is None else str(value)

    @property
    def price(self) -> float | None:
        """The price in dollars."""
        return dollars(self.arguments.get("price"))


def about(rule: Fact) -> str:
    """The day or the person that a rule is about."""
    return rule.subject[0].partition("|")[0]


def rule_on_act(graph: FactGraph, session: int, task: Task, act: Act) -> ActRuling:
    """The rules that an act breaks, and whether it names what the task left to memory."""
    arguments = {name: value for name, value in act.arguments.items() if value not in (None, "")}
    asked = task.asks
    if asked is not None and asked.tool == act.tool:
        arguments = {**asked.arguments, **arguments}
    deed = Deed(act.tool, task.domain, arguments)

    broken = []
    for rule in graph.facts[:RULES]:
        breaks = _DEED_BREAKS.get(rule.domain)
        if breaks is not None and breaks(rule, session, deed):
            broken.append(rule.domain)

    fits = None
    if task.cites is not None and asked is not None:
        value = value_of(graph.by_id[task.fact], session)
        fits = act.tool == asked.tool and states_plainly(deed.text(task.cites), value)
    return ActRuling(broken, fits)


def _deed_dining(rule: Fact, session: int, deed: Deed) -> bool:
    is_dining = deed.topic == rule.domain or _DINING.search(deed.text("what")) is not None
    price = deed.price
    if deed.tool != "book" or not is_dining or price is None:
        return False
    return price > amount_of(rule, session)


def _deed_boycott(rule: Fact, session: int, deed: Deed) -> bool:
    shop = deed.text("shop") or deed.text("item")
    return deed.tool == "order" and states_plainly(shop, value_of(rule, session))


def _deed_allergy(rule: Fact, session: int, deed: Deed) -> bool:
    if deed.tool != "order":
        return False
    item = deed.text("item")
    # An item that names no substance at all is the one that the task asks for.
    if not any(matching.states(item, Value("name", allergen)) for allergen in pools.ALLERGENS):
        item = deed.text("contains")
    return _contains(item, value_of(rule, session))


def _contains(item: str, substance: Value) -> bool:
    """Whether an item is made with a substance; one without it is not."""
    for start, end in matching.find(item, substance):
        if not _WITHOUT_BEFORE.search(item[:start]) and not _FREE_BEHIND.match(item[end:]):
            return True
    return False


def _deed_subscriptions(rule: Fact, session: int, deed: Deed) -> bool:
    active = deed.arguments.get("active")  # only the task says how many there are
    return deed.tool == "subscribe" and active is not None and active >= amount_of(rule, session)


def _deed_card(rule: Fact, session: int, deed: Deed) -> bool:
    limit = matching.numbers(rule.phrase)[0].value
    digits = re.sub(r"\D", "", deed.text("card"))[-4:]
    price = deed.price
    if deed.tool != "order" or not digits or price is None:
        return False
    return price > limit and digits != value_of(rule, session).text


def _deed_meeting(rule: Fact, session: int, deed: Deed) -> bool:
    on_day = about(rule).lower() in deed.text("day").lower()
    times = matching.keys(deed.text("at"), "clock")
    earliest = value_of(rule, session).text
    return deed.tool == "schedule" and on_day and any(time < earliest for time in times)


def _deed_ride(rule: Fact, session: int, deed: Deed) -> bool:
    is_ride = deed.topic == rule.domain or _RIDE.search(deed.text("what")) is not None
    provider = deed.text("provider")
    if deed.tool != "book" or not is_ride or not provider:
        return False
    return not states_plainly(provider, value_of(rule, session))


def _deed_gift(rule: Fact, session: int, deed: Deed) -> bool:
    friend = Value("name", about(rule))
    person = deed.text("recipient") or deed.text("item")
    price = deed.price
    if deed.tool != "order" or price is None or not matching.states(person, friend):
        return False
    low, high = (q.value for q in matching.numbers(value_of(rule, session).text))
    return not low <= price <= high


_DEED_BREAKS: dict[str, Callable[[Fact, int, Deed], bool]] = {
    "dining_budget": _deed_dining,
    "boycott": _deed_boycott,
    "allergy": _deed_allergy,
    "subscriptions": _deed_subscriptions,
    "card": _deed_card,
    "meetings": _deed_meeting,
    "transport": _deed_ride,
    "gift_range": _deed_gift,
}


# -- an action in words, for the tool that checks one


def violations(graph: FactGraph, session: int, action: str) -> list[str]:
    """The topics of the standing rules that an action breaks, as the rules stand in a session."""
    rules = graph.facts[:RULES]
    return [
        f.domain for f in rules if f.domain in _BREAKS and _BREAKS[f.domain](f, session, action)
    ]


def _dollars(action: str) -> list[float]:
    return [q.value for q in matching.numbers(action) if q.unit == "usd"]


def _breaks_dining(rule: Fact, session: int, action: str) -> bool:
    return "dining" in action.lower() and any(
        d > amount_of(rule, session) for d in _dollars(action)
    )


def _breaks_card(rule: Fact, session: int, action: str) -> bool:
    cards = [q.value for q in matching.numbers(action) if q.unit is None and q.value >= 1000]
    limit = matching.numbers(rule.phrase)[0].value
    wrong = any(c != float(value_of(rule, session).text) for c in cards)
    return "card" in action.lower() and wrong and any(d > limit for d in _dollars(action))


def _breaks_gift(rule: Fact, session: int, action: str) -> bool:
    low, high = (q.value for q in matching.numbers(value_of(rule, session).text))
    person = matching.states(action, Value("name", about(rule)))
    return (
        person and "gift" in action.lower() and any(not low <= d <= high for d in _dollars(action))
    )


def _breaks_meeting(rule: Fact, session: int, action: str) -> bool:
    times = matching.keys(action, "clock")
    return about(rule).lower() in action.lower() and any(
        time < value_of(rule, session).text for time in times
    )


def _breaks_ride(rule: Fact, session: int, action: str) -> bool:
    allowed = value_of(rule, session).text.lower()
    return "ride" in action.lower() and not (_RIDES - {allowed}).isdisjoint(wording.words(action))


def _breaks_subscriptions(rule: Fact, session: int, action: str) -> bool:
    counts = [q.value for q in matching.numbers(action) if q.unit != "usd"]
    return "subscription" in action.lower() and any(c >= amount_of(rule, session) for c in counts)


_BREAKS: dict[str, Callable[[Fact, int, str], bool]] = {
    "dining_budget": _breaks_dining,
    "boycott": lambda rule, s, action: matching.states(action, value_of(rule, s)),
    "allergy": lambda rule, s, action: matching.states(action, value_of(rule, s)),
    "subscriptions": _breaks_subscriptions,
    "card": _breaks_card,
    "meetings": _breaks_meeting,
    "transport": _breaks_ride,
    "gift_range": _breaks_gift,
}


def value_of(rule: Fact, session: int) -> Value:
    """What a rule says in a session."""
    version = rule.at(session + 1)
    assert version is not None
    return version.value


def amount_of(rule: Fact, session: int) -> int:
    """The sum or the number that a rule states in a session."""
    return int(matching.numbers(value_of(rule, session).text)[0].value)
