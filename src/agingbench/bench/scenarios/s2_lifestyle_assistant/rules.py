"""Whether an action breaks one of the standing rules of s2, as the rules stand in a session."""

from __future__ import annotations

from collections.abc import Callable

from agingbench.bench.plan import pools
from agingbench.bench.plan.facts import Fact, FactGraph
from agingbench.text import matching, wording
from agingbench.text.values import Value

# the standing rules are the first facts of a life: ten of them, the gift rule with its birthday
RULES = 11
_RIDES = {f"{head}{tail}".lower() for head in pools.PLACE_HEAD for tail in pools.RIDE_TAIL}


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
    person = matching.states(action, Value("name", rule.subject[1]))
    return (
        person and "gift" in action.lower() and any(not low <= d <= high for d in _dollars(action))
    )


def _breaks_meeting(rule: Fact, session: int, action: str) -> bool:
    times = matching.keys(action, "clock")
    return rule.subject[1].lower() in action.lower() and any(
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
