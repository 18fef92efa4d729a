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
_EVENINGS = (
    "dining club evening",
    "tasting menu with the choir",
    "five courses at the new place by the harbour",
    "wine evening with the neighbours",
    "lobster night",
    "long lunch with the people from work",
)
_WHY_ORDER = (
    "",
    ", the old one is broken",
    ", I saw it in their leaflet",
    ", it is for the hall",
    ", mine has gone missing",
)
_WHY_SUBSCRIBE = (
    "please",
    "everybody at work talks about it",
    "the trial ends tomorrow",
    "the children keep asking",
    "I have put it off for weeks",
)
_WHY_BUY = (
    "",
    ", they hold it for me until tomorrow",
    ", delivery included",
    ", the last one they have",
)
_DISHES = ("lunch dish made", "salad", "soup", "sandwich", "cake", "curry", "stew")
_ADVISERS = (
    "accountant",
    "architect",
    "tax adviser",
    "insurance broker",
    "landlord",
    "head teacher",
    "wedding planner",
)
_GOALS = ("station", "airport", "hospital", "opera", "ferry", "town hall")
_PRESENTS = ("scarf", "teapot", "fountain pen", "board game", "fruit basket", "flower pot", "lamp")
_OCCASIONS = (
    "",
    ", there is something to celebrate",
    ", for four people",
    ", by the window",
    ", my sister is in town",
)
_OFFICES = ("bank", "insurance", "town hall", "embassy", "tax office", "housing office")


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
    what = rng.choice(_EVENINGS)
    return Request(
        f"Book the {what} for ${price} and take it from this month's dining money.",
        _act("book", what=what, price=price),
    )


def _shop(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    mine = value_of(rule, session).text
    shop = mine if rng.random() < 0.5 else names.shops.take()
    item = rng.choice(pools.BOUGHT)
    return Request(
        f"Order {article_for(item)} {item} from {shop}{rng.choice(_WHY_ORDER)}.",
        _act("order", item=item, shop=shop),
    )


def _subscribe(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    limit = amount_of(rule, session)
    above = limit + rng.randint(1, 3)
    below = max(1, limit - rng.randint(1, 3))
    active = above if rng.random() < 0.5 else below
    service = names.services.take()
    why = rng.choice(_WHY_SUBSCRIBE)
    return Request(
        f"Sign me up for {service}, {why}. I already have {active} subscriptions.",
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
        f"Buy the {item} for ${price} and charge the card ending {card}{rng.choice(_WHY_BUY)}.",
        _act("order", item=item, price=price, card=card),
    )


def _allergy(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    known = {version.value.text for version in rule.versions}
    others = [allergen for allergen in pools.ALLERGENS if allergen not in known]
    other = rng.choice(others)
    substance = value_of(rule, session).text if rng.random() < 0.5 else other
    item = f"{rng.choice(_DISHES)} with {substance}"
    return Request(
        f"Order me a {item}.",
        _act("order", item=item, contains=substance),
    )


def _meeting(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    day = about(rule)
    hour, minute = map(int, value_of(rule, session).text.split(":"))
    quarters = -rng.randint(1, 4) if rng.random() < 0.5 else rng.randint(1, 8)
    minutes = hour * 60 + minute + 15 * quarters
    time = f"{minutes // 60:02d}:{minutes % 60:02d}"
    what = f"meeting with the {rng.choice(_ADVISERS)}"
    return Request(
        f"Schedule a {what} on {day} at {time}.",
        _act("schedule", what=what, day=day, at=time),
    )


def _ride(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    what = f"ride to the {rng.choice(_GOALS)}"
    if rng.random() < 0.5:
        company = names.rides.take()
        return Request(
            f"Book a {what} with {company}.",
            _act("book", what=what, provider=company),
        )
    return Request(
        f"Arrange a {what} with the company I always use.",
        _act("book", what=what),
        cites="provider",
    )


def _gift(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    low, high = (q.value for q in matching.numbers(value_of(rule, session).text))
    below = low - rng.randint(5, 20)
    above = high + rng.randint(5, 60)
    price = int(rng.choice([below, above, (low + high) // 2]))
    person = about(rule)
    item = rng.choice(_PRESENTS)
    return Request(
        f"Buy a gift for {person}, the {item} for ${price}.",
        _act("order", item=item, recipient=person, price=price),
    )


def _restaurant(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    day = rng.choice(pools.WEEKDAYS)
    occasion = rng.choice(_OCCASIONS)
    return Request(
        f"Reserve a table at my favourite restaurant for {day}{occasion}.",
        _act("book", what="table", day=day),
        cites="provider",
    )


def _letter(names: Names, rng: Random, rule: Fact, session: int) -> Request:
    office = f"the {rng.choice(_OFFICES)}"
    return Request(
        f"Draft the formal letter that tells {office} how to address me, and send it to {office}.",
        _act("send", to=office),
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
