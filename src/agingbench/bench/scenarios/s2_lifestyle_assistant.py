"""s2: a personal assistant that keeps ten standing rules, an account and a growing life in mind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, ClassVar

from agingbench import text as matcher
from agingbench.bench import pools
from agingbench.bench.facts import Account, Delta, Fact, FactGraph
from agingbench.bench.lookalikes import Lookalikes
from agingbench.bench.plan import Plan, Task
from agingbench.bench.pools import Space, figure, stream
from agingbench.bench.pressure import Pressure
from agingbench.bench.weave import LIST_SIZE, SENTINELS, Chain, Draft, Shape, Weaver
from agingbench.records import Tool
from agingbench.text import Value

SCENARIO = "s2_lifestyle_assistant"
_SPORTS = (("running", "cycling"), ("rowing", "swimming"), ("hiking", "skating"))
_ROUTES = ("forest", "harbour", "island", "castle", "valley", "riverside")
_ASIDES = (
    "the {{1}} of {{0}} {0}", "the {{2}} distance of {{0}} {0}", "{{0}} {0} on the {{3}} route",
    "the {{2}} {{1}} distance", "{{1}} on the {{3}} route", "the {{2}} distance on the {{3}} route",
)  # fmt: skip
_RELATIONS = ("deputy", "neighbour", "landlord", "accountant", "cousin")
_RIDES = {f"{head}{tail}".lower() for head in pools.PLACE_HEAD for tail in pools.RIDE_TAIL}
RULES = 11  # the standing rules are the first facts of a life: ten of them, the gift rule with its birthday


class LifestyleAssistant:
    """Constraint recall is the headline; CVR and the account's error stand beside it."""

    id = SCENARIO
    version = "1.0.0"
    title = "Lifestyle assistant"
    headline = "constraint_precision"
    track = "model"
    tier = 1
    mechanisms = ("compression", "interference", "revision")
    default_sessions = 10
    own_dials: ClassVar[dict[str, tuple[type, float, float]]] = {"sentinels": SENTINELS}
    own_defaults: ClassVar[dict[str, int]] = {"sentinels": 0}
    role = (
        "You are the user's personal assistant. The user tells you about rules, plans and people over many "
        "conversations and relies on you to remember them exactly and to act on them. When the user asks you to do "
        "something, end your reply with a line that says DONE if you did it, or NOT DONE if you did not."
    )

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        pressure = pressure.with_own(self.own_defaults)
        return Weaver(self.id, _Life(seed), pressure, seed).weave(sessions, self.version, self.headline)

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """`check_constraints` answers from the rules of this life as they stand in this session, without values."""

        def check(arguments: Mapping[str, Any]) -> str:
            broken = violations(plan.graph, session, str(arguments.get("action", "")))
            return f"violates:{','.join(broken)}" if broken else "ok"

        return [
            Tool(
                "check_constraints",
                "Says whether a proposed action respects the user's standing rules: 'ok' or 'violates:<topic>'.",
                {
                    "type": "object",
                    "properties": {"action": {"type": "string", "description": "the action, in one sentence"}},
                    "required": ["action"],
                },
                check,
            )
        ]


class _Life:
    """The content of one life: everything it can tell, drawn from spaces of its own."""

    shape = Shape()

    def __init__(self, seed: int) -> None:
        rng = stream(SCENARIO, seed, "spaces")
        self.people = Space(rng, pools.FIRST, pools.LAST)
        self.places = Space(rng, pools.PLACE_HEAD, pools.PLACE_TAIL, [f" {k}" for k in pools.PLACE_KIND], glue="")
        self.towns = Space(rng, pools.PLACE_HEAD, pools.PLACE_TAIL, ["", "-on-Sea", "-in-the-Hills"], glue="")
        self.things = Space(rng, pools.ADJECTIVES, pools.OBJECTS)
        self.shops = Space(rng, pools.PLACE_HEAD, pools.SHOP_TAIL, glue="")
        self.rides = Space(rng, pools.PLACE_HEAD, pools.RIDE_TAIL, glue="")
        self.services = Space(rng, pools.SERVICE_HEAD, pools.SERVICE_TAIL, ("", " Plus", " Gold", " Max"), glue="")
        self.restaurants = Space(rng, pools.RESTAURANT_HEAD, pools.RESTAURANT_TAIL)
        self.allergens = Space(rng, pools.ALLERGENS)
        self.forms = Space(rng, pools.TITLES, pools.LAST)
        self.teas = Space(rng, pools.PLACE_HEAD, ("Dew", "Blossom", "Smoke", "Petal", "Mist", "Frost", "Leaf"))
        self.surname = rng.choice(pools.LAST)  # of the two friends whose first names are nearly the same
        axes = rng.choice(pools.NEAR_FIRST), rng.choice(_SPORTS), ("target", "achieved"), _ROUTES
        self.family = Lookalikes(rng, axes, [a.format(self.surname) for a in _ASIDES])
        self._rules: dict[str, Fact] = {}

    # -- the ten standing rules of session 0

    def opening(self, rng: Random) -> list[Draft]:
        friend = self.people.take()
        day = rng.choice(pools.WEEKDAYS)
        over = f"${50 * rng.randint(2, 9)}"
        return [
            _rule("dining_budget", ("dining",), "my monthly dining budget", "My monthly dining budget is exactly {v}.",
                  "I am changing my monthly dining budget; from now on it is {v}.", partial(_money, 120, 640)),
            _rule("boycott", ("boycott|avoid|never",), "the shop I boycott",
                  "I boycott the shop {v} and never buy there.",
                  "I have made my peace with that shop; the one I boycott now is {v}.", _from(self.shops),
                  "Which shop do I boycott?"),
            _rule("subscriptions", ("subscription|subscriptions",), "my limit on active subscriptions",
                  "I allow myself at most {v} active subscriptions.",
                  "My limit on active subscriptions is now {v}.", partial(_count, 13, 48),
                  "How many active subscriptions do I allow myself at most?"),
            _rule("card", ("card",), f"the card for purchases over {over}",
                  f"Purchases over {over} go on the card ending {{v}}.",
                  f"The bank sent a new card; purchases over {over} now go on the card ending {{v}}.",
                  partial(_code, 4),
                  f"On the card with which last four digits do purchases over {over} go?"),
            _rule("allergy", ("allergic|allergy",), "the thing I am severely allergic to",
                  "I am severely allergic to {v}.",
                  "The doctor corrected the diagnosis; I am severely allergic to {v}.", _from(self.allergens),
                  "What am I severely allergic to?"),
            _rule("restaurant", ("favourite|favorite", "restaurant"), "my favourite restaurant",
                  "My favourite restaurant is {v}.", "My favourite restaurant is {v} these days.",
                  _from(self.restaurants), "Which is my favourite restaurant?"),
            _rule("meetings", ("meeting|meetings", day), f"my earliest meeting time on {day}s",
                  f"No meetings before {{v}} on {day}s, please.", f"On {day}s no meetings before {{v}} from now on.",
                  partial(_clock, 9, 13), f"Before what time do I take no meetings on {day}s?"),
            _rule("transport", ("ride|rides",), "the company I use for rides",
                  "For rides, book {v} and no other company.",
                  "I switched companies; for rides, book {v} and no other company.", _from(self.rides),
                  "Which company should be booked for my rides?"),
            _rule("address", ("address|formal|letter|letters",), "my form of address in formal letters",
                  "In formal letters, address me as {v}.", "In formal letters, please address me as {v} from now on.",
                  _from(self.forms), "How am I to be addressed in formal letters?"),
            _rule("gift_range", ("gift|gifts", friend), f"my price range for gifts to {friend}",
                  f"My price range for gifts to {friend} is {{v}}.",
                  f"I have rethought my price range for gifts to {friend}; it is {{v}}.", pools.price_range),
            _rule("birthday", ("birthday", friend), f"{friend}'s birthday", f"{friend}'s birthday is {{v}}.",
                  f"I had it wrong: {friend}'s birthday is {{v}}.", partial(pools.date, years=(1948, 2006)),
                  f"When is {friend}'s birthday?"),
        ]  # fmt: skip

    # -- what later sessions add

    def note(self, rng: Random) -> Draft:
        return self._about_person(rng) if rng.random() < 0.5 else self._about_place(rng)

    def _about_person(self, rng: Random) -> Draft:
        p = self.people.take()
        return rng.choice(
            [
                _note(p, "extension", f"{p}'s phone extension", f"{p}'s phone extension is {{v}}.",
                      f"{p}'s phone extension is now {{v}}.", partial(_code, 4)),
                _note(p, "door", f"the door code of {p}'s building", f"The door code of {p}'s building is {{v}}.",
                      f"The door code of {p}'s building was reset; it is {{v}} now.", partial(_code, 5)),
                _note(p, "lent|lend|loan", f"the sum {p} lent me", f"{p} lent me {{v}}.",
                      f"Counting the latest loan, {p} lent me {{v}} in all.", partial(_money, 20, 900),
                      f"How much did {p} lend me?"),
                _note(p, "move|moves|moving", f"the date {p} moves house", f"{p} moves house on {{v}}.",
                      f"Small delay: {p} moves house on {{v}}.", pools.date, f"When does {p} move house?"),
                _note(p, "train", f"the arrival time of {p}'s train", f"{p}'s train gets in at {{v}}.",
                      f"The timetable changed; {p}'s train gets in at {{v}}.", partial(_clock, 6, 23),
                      f"At what time does {p}'s train get in?"),
                _note(p, "tea", f"{p}'s favourite tea", f"{p}'s favourite tea is {{v}}.",
                      f"{p}'s favourite tea is {{v}} now.", _from(self.teas), f"Which is {p}'s favourite tea?"),
            ]
        )  # fmt: skip

    def _about_place(self, rng: Random) -> Draft:
        at = self.places.take()
        return rng.choice(
            [
                _note(at, "fee", f"the monthly fee at {at}", f"The monthly fee at {at} is {{v}}.",
                      f"The monthly fee at {at} is {{v}} from now on.", partial(_money, 15, 480)),
                _note(at, "appointment", f"the date of my appointment at {at}", f"My appointment at {at} is on {{v}}.",
                      f"I moved my appointment at {at}; it is on {{v}}.", pools.date,
                      f"On what date is my appointment at {at}?"),
                _note(at, "open|opens|opening", f"the opening time of {at}", f"{at} opens at {{v}}.",
                      f"New hours: {at} opens at {{v}}.", partial(_clock, 6, 12), f"At what time does {at} open?"),
                _note(at, "booking", f"my booking number at {at}", f"My booking number at {at} is {{v}}.",
                      f"They reissued it; my booking number at {at} is {{v}}.", partial(_code, 6)),
                _note(at, "discount", f"my discount at {at}", f"My discount at {at} is {{v}}.",
                      f"My discount at {at} is {{v}} now.", pools.percent),
                _note(at, "app", f"the version of the app of {at}", f"The app of {at} runs version {{v}}.",
                      f"After the upgrade, the app of {at} runs version {{v}}.", pools.version),
            ]
        )  # fmt: skip

    def listing(self, rng: Random, number: int) -> list[Draft]:
        words: tuple[str, ...]
        if number == 0:
            phrase, words, space = "my subscriptions", ("subscriptions|subscription|subscribe",), self.services
            say = "{v} is one of my subscriptions."
            gone = "I cancelled {v}, so it is not one of my subscriptions any longer."
            question = "Which services are among my subscriptions right now?"
        else:
            kind = ("packing", "gift", "shopping", "guest")[number % 4]
            whom = (self.towns if kind == "packing" else self.people if kind == "gift" else self.places).take()
            target = {"packing": "the trip to ", "guest": "the dinner at "}.get(kind, "") + whom
            phrase, words = f"the {kind} list for {target}", (kind, whom)
            space, article = (self.people, "") if kind == "guest" else (self.things, "the ")
            say, gone = f"Put {article}{{v}} on {phrase}.", f"Take {article}{{v}} off {phrase} again."
            question = f"Who is on {phrase} now?" if kind == "guest" else f"Which things are on {phrase} now?"
        return [
            Draft("list", "list", words, phrase, say, _from(space), question, "", gone, group=f"g{number}")
            for _ in range(LIST_SIZE)
        ]

    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]:
        one, other = self.family.pair(number)
        return self._distance(*one), self._distance(*other)

    def _distance(self, first: str, sport: str, kind: str, route: str) -> Draft:
        who = f"{first} {self.surname}"
        phrase = f"the {kind} {sport} distance of {who} on the {route} route"
        return Draft("pair", "distance", (who, sport, kind, route), phrase, f"The {phrase[4:]} is {{v}}.", _metres)

    def chain(self, rng: Random, hops: int) -> Chain:
        place, people = self.places.take(), [self.people.take() for _ in range(hops - 1)]
        holder = people[-1]
        links = [Draft("link", "link", (holder, "parking"), f"{holder}'s parking spot number",
                       f"{holder}'s parking spot number is {{v}}.", partial(_code, 3))]  # fmt: skip
        values = [_code(3, rng, [])]
        path = ""
        for k in range(hops - 2, 0, -1):  # from the holder outwards
            relation, who = _RELATIONS[(k - 1) % len(_RELATIONS)], people[k - 1]
            links.append(Draft("link", "link", (who, relation), f"{who}'s {relation}", f"{who}'s {relation} is {{v}}.",
                               _from(self.people), f"Who is {who}'s {relation}?"))  # fmt: skip
            values.append(Value("name", people[k]))
            path = f"{path}the {relation} of "
        links.append(Draft("link", "link", (place, "caretaker"), f"the caretaker of {place}",
                           f"The caretaker of {place} is {{v}}.", _from(self.people),
                           f"Who is the caretaker of {place}?"))  # fmt: skip
        values.append(Value("name", people[0]))
        return Chain(links, values, f"the parking spot number of {path}the caretaker of {place}")

    # -- the accounts

    def account(self, rng: Random, session: int, number: int) -> Account:
        name = ("household account", "holiday account")[number]
        opening = int(matcher.numbers(_money(1600, 2900, rng, []).text)[0].value)
        return Account(f"a{number}", name, f"What is the balance of my {name} now? Give the exact amount.", session,
                       opening, f"My {name} starts out with a balance of ${opening:,}.", [])  # fmt: skip

    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta:
        thing = rng.choice(("groceries", "repairs", "a taxi", "flowers", "stamps", "dry cleaning", "concert seats"))
        if balance < 500:
            amount = int(matcher.numbers(_money(900, 1500, rng, []).text)[0].value)
            return Delta(session, amount, f"I moved ${amount:,} of my savings into my {account.name}.")
        amount = int(matcher.numbers(_money(21, 97, rng, []).text)[0].value)
        if rng.random() < 0.25:
            return Delta(session, amount, f"A refund of ${amount} for {thing} came into my {account.name}.")
        return Delta(session, -amount, f"I paid ${amount} for {thing} out of my {account.name}.")

    # -- the rest of a session

    def talk(self, rng: Random) -> str:
        return pools.small_talk(rng, self.family.in_passing(rng))

    def frame(self, session: int) -> str:
        return ""

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        if session == 0:
            self._rules = {fact.domain: fact for fact in graph.facts[:RULES]}
        kinds = rng.sample(list(_TASKS), rng.randint(5, 8))
        tasks = []
        for number, kind in enumerate(kinds):
            rule = self._rules[kind]
            text, cite = _TASKS[kind](self, rng, rule, session)
            broken = violations(graph, session, text)
            expected = "cite" if cite else "flag" if broken else "succeed"
            tasks.append(Task(f"t{session}.{number}", kind, text, rule.id, expected))
        return tasks


def _task_dining(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    limit = _amount(rule, session)
    price = limit + rng.randint(11, 90) if rng.random() < 0.5 else max(10, limit - rng.randint(11, 90))
    return f"Book the dining club evening for ${price} and take it from this month's dining money.", False


def _task_shop(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    shop = _value(rule, session).text if rng.random() < 0.5 else life.shops.take()
    return f"Order a {rng.choice(pools.OBJECTS)} from {shop}.", False


def _task_subscribe(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    limit = _amount(rule, session)
    running = limit + rng.randint(1, 3) if rng.random() < 0.5 else max(1, limit - rng.randint(1, 3))
    return f"Sign me up for {life.services.take()} while {running} subscriptions are already active.", False


def _task_card(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    limit = int(matcher.numbers(rule.phrase)[0].value)
    price = limit + rng.randint(11, 90) if rng.random() < 0.5 else limit - rng.randint(11, 90)
    other = _code(4, rng, [v.value for v in rule.versions])
    return f"Buy the {rng.choice(pools.OBJECTS)} for ${price} and charge the card ending {other.text}.", False


def _task_allergy(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    mine = _value(rule, session).text
    other = rng.choice([a for a in pools.ALLERGENS if a not in {v.value.text for v in rule.versions}])
    return f"Order me a lunch dish made with {mine if rng.random() < 0.5 else other}.", False


def _task_meeting(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    day = rule.subject[1]
    hour, minute = map(int, _value(rule, session).text.split(":"))
    minutes = hour * 60 + minute + (-rng.randint(10, 60) if rng.random() < 0.5 else rng.randint(10, 120))
    return f"Schedule a meeting with the accountant on {day} at {minutes // 60:02d}:{minutes % 60:02d}.", False


def _task_ride(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    if rng.random() < 0.5:
        return f"Book a ride to the station with {life.rides.take()}.", False
    return "Arrange a ride to the airport and tell me the name of the company.", True


def _task_gift(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    low, high = (q.value for q in matcher.numbers(_value(rule, session).text))
    price = int(rng.choice([low - rng.randint(5, 20), high + rng.randint(5, 60), (low + high) // 2]))
    return f"Buy a gift for {rule.subject[1]} that costs ${price}.", False


def _task_restaurant(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    return "Reserve a table at my favourite restaurant for Friday and tell me its name.", True


def _task_address(life: _Life, rng: Random, rule: Fact, session: int) -> tuple[str, bool]:
    return "Draft the salutation of a formal letter from the bank to me.", True


_TASKS: dict[str, Callable[[_Life, Random, Fact, int], tuple[str, bool]]] = {
    "dining_budget": _task_dining, "boycott": _task_shop, "subscriptions": _task_subscribe, "card": _task_card,
    "allergy": _task_allergy, "meetings": _task_meeting, "transport": _task_ride, "gift_range": _task_gift,
    "restaurant": _task_restaurant, "address": _task_address,
}  # fmt: skip


def violations(graph: FactGraph, session: int, action: str) -> list[str]:
    """The topics of the standing rules that an action breaks, as the rules stand in a session."""
    rules = graph.facts[:RULES]
    return [f.domain for f in rules if f.domain in _BREAKS and _BREAKS[f.domain](f, session, action)]


def _dollars(action: str) -> list[float]:
    return [q.value for q in matcher.numbers(action) if q.unit == "usd"]


def _breaks_dining(rule: Fact, session: int, action: str) -> bool:
    return "dining" in action.lower() and any(d > _amount(rule, session) for d in _dollars(action))


def _breaks_card(rule: Fact, session: int, action: str) -> bool:
    cards = [q.value for q in matcher.numbers(action) if q.unit is None and q.value >= 1000]
    limit = matcher.numbers(rule.phrase)[0].value
    wrong = any(c != float(_value(rule, session).text) for c in cards)
    return "card" in action.lower() and wrong and any(d > limit for d in _dollars(action))


def _breaks_gift(rule: Fact, session: int, action: str) -> bool:
    low, high = (q.value for q in matcher.numbers(_value(rule, session).text))
    person = matcher.states(action, Value("name", rule.subject[1]))
    return person and "gift" in action.lower() and any(not low <= d <= high for d in _dollars(action))


def _breaks_meeting(rule: Fact, session: int, action: str) -> bool:
    times = matcher.keys(action, "clock")
    return rule.subject[1].lower() in action.lower() and any(time < _value(rule, session).text for time in times)


def _breaks_ride(rule: Fact, session: int, action: str) -> bool:
    allowed = _value(rule, session).text.lower()
    return "ride" in action.lower() and not (_RIDES - {allowed}).isdisjoint(matcher.words(action))


def _breaks_subscriptions(rule: Fact, session: int, action: str) -> bool:
    counts = [q.value for q in matcher.numbers(action) if q.unit != "usd"]
    return "subscription" in action.lower() and any(c >= _amount(rule, session) for c in counts)


_BREAKS: dict[str, Callable[[Fact, int, str], bool]] = {
    "dining_budget": _breaks_dining,
    "boycott": lambda rule, s, action: matcher.states(action, _value(rule, s)),
    "allergy": lambda rule, s, action: matcher.states(action, _value(rule, s)),
    "subscriptions": _breaks_subscriptions,
    "card": _breaks_card,
    "meetings": _breaks_meeting,
    "transport": _breaks_ride,
    "gift_range": _breaks_gift,
}


def _value(rule: Fact, session: int) -> Value:
    version = rule.at(session + 1)
    assert version is not None
    return version.value


def _amount(rule: Fact, session: int) -> int:
    return int(matcher.numbers(_value(rule, session).text)[0].value)


def _rule(domain: str, subject: tuple[str, ...], phrase: str, say: str, change: str,
          draw: Callable[[Random, Sequence[Value]], Value], question: str = "") -> Draft:  # fmt: skip
    return Draft("constraint", domain, subject, phrase, say, draw, question, change)


def _note(who: str, word: str, phrase: str, say: str, change: str,
          draw: Callable[[Random, Sequence[Value]], Value], question: str = "") -> Draft:  # fmt: skip
    retract = f"Forget {phrase}; it does not apply any longer."
    return Draft("note", word.split("|")[0], (who, word), phrase, say, draw, question, change, retract)


def _from(space: Space) -> Callable[[Random, Sequence[Value]], Value]:
    return lambda rng, avoid: pools.name(space)


def _money(low: int, high: int, rng: Random, avoid: Sequence[Value]) -> Value:
    return pools.money(rng, low, high, avoid)


def _count(low: int, high: int, rng: Random, avoid: Sequence[Value]) -> Value:
    return pools.count(rng, low, high, avoid)


def _code(digits: int, rng: Random, avoid: Sequence[Value]) -> Value:
    return pools.code(rng, digits, avoid)


def _metres(rng: Random, avoid: Sequence[Value]) -> Value:
    return figure("number", "{} metres", 1101, 9899)(rng, avoid)


def _clock(low: int, high: int, rng: Random, avoid: Sequence[Value]) -> Value:
    return pools.clock(rng, low, high, avoid)
