"""The tasks of s2: what the user asks to be done, as text and as the act that would do it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import msgspec

from agingbench.bench.plan import pools
from agingbench.bench.plan.acts import Act
from agingbench.bench.plan.facts import Fact
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Space
from agingbench.bench.plan.templates import article_for
from agingbench.bench.scenarios.s2_lifestyle_assistant.rules import about, amount_of, value_of
from agingbench.text import matching

# What one may spend some hundred dollars on.
_DEAR = (
    "armchair",
    "bicycle",
    "bookcase",
    "camera",
    "coffee machine",
    "garden table",
    "mattress",
    "sewing machine",
    "tablet",
    "washing machine",
)


class Names(NamedTuple):
    """Names that tasks bring up and no rule holds."""

    shops: Space
    rides: Space
    services: Space


class Request(NamedTuple):
    """What a task says, the act it asks for, and the argument that it leaves to memory."""

    text: str
    act: Act
    cites: str | None = None


def make_task(
    names: Names,
    rng: Random,
    rule: Fact,
    session: int,
    task_id: str,
    is_forbidden: Callable[[Task], bool],
) -> Task:
    """A task that tests a rule; what it expects follows from the rule as it stands."""
    request = _REQUESTS[rule.domain](names, rng, rule, session)
    task = Task(
        id=task_id,
        domain=rule.domain,
        text=request.text,
        fact=rule.id,
        expected="cite" if request.cites else "succeed",
        asks=request.act,
        cites=request.cites,
    )
    if request.cites is None and is_forbidden(task):
        return msgspec.structs.replace(task, expected="flag")
    return task


def _act(tool: str, **arguments: Any) -> Act:
    return Act(tool, arguments)


def _dining(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    limit = amount_of(rule, session)
    above = limit + rng.randint(11, 90)
    below = max(10, limit - rng.randint(11, 90))
    price = above if rng.random() < 0.5 else below
    return Request(
        f"Book the dining club evening for ${price} and take it from this month's dining money.",
        _act("book", what="dining club evening", price=price),
    )


def _shop(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    mine = value_of(rule, session).text
    shop = mine if rng.random() < 0.5 else names.shops.take()
    item = rng.choice(pools.BOUGHT)
    return Request(
        f"Order {article_for(item)} {item} from {shop}.",
        _act("order", item=item, shop=shop),
    )


def _subscribe(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    limit = amount_of(rule, session)
    above = limit + rng.randint(1, 3)
    below = max(1, limit - rng.randint(1, 3))
    active = above if rng.random() < 0.5 else below
    service = names.services.take()
    return Request(
        f"Sign me up for {service}, please. I already have {active} subscriptions.",
        _act("subscribe", service=service, active=active),
    )


def _card(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    limit = int(matching.numbers(rule.phrase)[0].value)
    above = limit + rng.randint(11, 90)
    below = limit - rng.randint(11, 90)
    price = above if rng.random() < 0.5 else below
    card = pools.code(rng, 4, [version.value for version in rule.versions]).text
    item = rng.choice(_DEAR)
    return Request(
        f"Buy the {item} for ${price} and charge the card ending {card}.",
        _act("order", item=item, price=price, card=card),
    )


def _allergy(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    known = {version.value.text for version in rule.versions}
    others = [allergen for allergen in pools.ALLERGENS if allergen not in known]
    other = rng.choice(others)
    substance = value_of(rule, session).text if rng.random() < 0.5 else other
    item = "lunch dish made with"
    return Request(
        f"Order me a {item} {substance}.",
        _act("order", item=f"{item} {substance}", contains=substance),
    )


def _meeting(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    day = about(rule)
    hour, minute = map(int, value_of(rule, session).text.split(":"))
    quarters = -rng.randint(1, 4) if rng.random() < 0.5 else rng.randint(1, 8)
    minutes = hour * 60 + minute + 15 * quarters
    time = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return Request(
        f"Schedule a meeting with the accountant on {day} at {time}.",
        _act("schedule", what="meeting with the accountant", day=day, at=time),
    )


def _ride(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    if rng.random() < 0.5:
        company = names.rides.take()
        return Request(
            f"Book a ride to the station with {company}.",
            _act("book", what="ride to the station", provider=company),
        )
    return Request(
        "Arrange a ride to the airport with the company I always use.",
        _act("book", what="ride to the airport"),
        cites="provider",
    )


def _gift(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    low, high = (q.value for q in matching.numbers(value_of(rule, session).text))
    below = low - rng.randint(5, 20)
    above = high + rng.randint(5, 60)
    price = int(rng.choice([below, above, (low + high) // 2]))
    person = about(rule)
    return Request(
        f"Buy a gift for {person} that costs ${price}.",
        _act("order", item="gift", recipient=person, price=price),
    )


def _restaurant(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    return Request(
        "Reserve a table at my favourite restaurant for Friday.",
        _act("book", what="table", day="Friday"),
        cites="provider",
    )


def _letter(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    return Request(
        "Draft the formal letter that tells the bank how to address me, and send it to the bank.",
        _act("send", to="the bank"),
        cites="salutation",
    )


_REQUESTS: dict[str, Callable[[Names, Random, Fact, int], Request]] = {
    "dining_budget": _dining,
    "boycott": _shop,
    "subscriptions": _subscribe,
    "card": _card,
    "allergy": _allergy,
    "meetings": _meeting,
    "transport": _ride,
    "gift_range": _gift,
    "restaurant": _restaurant,
    "address": _letter,
}
TOPICS = tuple(_REQUESTS)
