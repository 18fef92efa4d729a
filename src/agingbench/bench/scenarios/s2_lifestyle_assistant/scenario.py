"""s2: a personal assistant that keeps ten standing rules, an account and a growing life in mind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import ClassVar

from agingbench.bench.plan import pools
from agingbench.bench.plan.acts import Act, ActRuling
from agingbench.bench.plan.content import Chain, Draft, Purse, Shape, WithAccounts, link, outwards
from agingbench.bench.plan.facts import Fact, FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Plan, Scenario, Task
from agingbench.bench.plan.pools import Draw, Space, drawn, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.weaving import LIST_SIZE, SENTINELS, Weaver
from agingbench.bench.scenarios.s2_lifestyle_assistant.rules import (
    RULES,
    rule_on_act,
    violations,
)
from agingbench.bench.scenarios.s2_lifestyle_assistant.tasks import TOPICS, Names, make_task
from agingbench.bench.scenarios.s2_lifestyle_assistant.tools import act_tools, check_tool
from agingbench.records import Tool
from agingbench.text.values import Value

SCENARIO = "s2_lifestyle_assistant"
_SPORTS = (("running", "cycling"), ("rowing", "swimming"), ("hiking", "skating"))
_ROUTES = ("forest", "harbour", "island", "castle", "valley", "riverside")
_ASIDES = (
    "the {{1}} of {{0}} {0}",
    "the {{2}} distance of {{0}} {0}",
    "{{0}} {0} on the {{3}} route",
    "the {{2}} {{1}} distance",
    "{{1}} on the {{3}} route",
    "the {{2}} distance on the {{3}} route",
)
_RELATIONS = ("deputy", "neighbour", "landlord", "accountant", "cousin")


class LifestyleAssistant(Scenario):
    """Constraint recall is the headline; CVR and the account's error stand beside it."""

    id = SCENARIO
    version = "2.0.0"
    title = "Lifestyle assistant"
    headline = "constraint_precision"
    track = "model"
    tier = 1
    mechanisms = ("compression", "interference", "revision")
    default_sessions = 10
    own_dials: ClassVar[dict[str, tuple[type, float, float]]] = {"sentinels": SENTINELS}
    own_defaults: ClassVar[dict[str, int]] = {"sentinels": 0}
    role = (
        "You are the user's personal assistant. The user tells you about rules, plans and people"
        " over many conversations and relies on you to remember them exactly and to act on them."
        " When the user asks you to do something, do it with your tools. If one of the user's rules"
        " forbids it, decline it instead."
    )

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials."""
        pressure = pressure.with_own(self.own_defaults)
        return Weaver(self.id, _AssistantContent(seed), pressure, seed).weave(
            sessions, self.version, self.headline
        )

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """Return the tools that do or decline what is asked, and `check_constraints`."""
        check = partial(violations, plan.graph, session)
        return [*act_tools(), check_tool(check)]

    def rule_on(self, plan: Plan, session: int, task: Task, act: Act) -> ActRuling:
        """The standing rules that an act breaks, as they stand in this session."""
        return rule_on_act(plan.graph, session, task, act)


class _AssistantContent(WithAccounts):
    """The content of one life: everything it can tell, drawn from spaces of its own."""

    shape = Shape()

    purse = Purse(
        ("household account", "holiday account"),
        ("groceries", "repairs", "a taxi", "flowers", "stamps", "dry cleaning", "concert seats"),
    )

    def __init__(self, seed: int) -> None:
        rng = stream(SCENARIO, seed, "spaces")
        self.people = Space(rng, pools.FIRST, pools.LAST)
        self.places = Space(
            rng, pools.PLACE_HEAD, pools.PLACE_TAIL, [f" {k}" for k in pools.PLACE_KIND], glue=""
        )
        self.towns = Space(
            rng, pools.PLACE_HEAD, pools.PLACE_TAIL, ["", "-on-Sea", "-in-the-Hills"], glue=""
        )
        self.things = Space(rng, pools.ADJECTIVES, pools.OBJECTS)
        self.shops = Space(rng, pools.PLACE_HEAD, pools.SHOP_TAIL, glue="")
        self.rides = Space(rng, pools.PLACE_HEAD, pools.RIDE_TAIL, glue="")
        self.services = Space(
            rng, pools.SERVICE_HEAD, pools.SERVICE_TAIL, ("", " Plus", " Gold", " Max"), glue=""
        )
        self.restaurants = Space(rng, pools.RESTAURANT_HEAD, pools.RESTAURANT_TAIL)
        self.allergens = Space(rng, pools.ALLERGENS)
        self.forms = Space(rng, pools.TITLES, pools.LAST)
        self.teas = Space(
            rng, pools.PLACE_HEAD, ("Dew", "Blossom", "Smoke", "Petal", "Mist", "Frost", "Leaf")
        )
        # Of the two friends whose first names are nearly the same.
        self.surname = rng.choice(pools.LAST)
        axes = rng.choice(pools.NEAR_FIRST), rng.choice(_SPORTS), ("target", "achieved"), _ROUTES
        self.family = Lookalikes(rng, axes, [a.format(self.surname) for a in _ASIDES])
        self._rules: dict[str, Fact] = {}

    # -- the ten standing rules of session 0

    def opening(self, rng: Random) -> list[Draft]:
        friend = self.people.take()
        day = rng.choice(pools.WEEKDAYS)
        over = f"${50 * rng.randint(2, 9)}"
        return [
            _rule(
                "dining_budget",
                ("dining",),
                "my monthly dining budget",
                "My monthly dining budget is exactly {v}.",
                "I am changing my monthly dining budget; from now on it is {v}.",
                drawn(pools.money, 120, 640),
            ),
            _rule(
                "boycott",
                ("boycott|avoid|never",),
                "the shop I boycott",
                "I boycott the shop {v} and never buy there.",
                "I have made my peace with that shop; the one I boycott now is {v}.",
                member(self.shops),
                "Which shop do I boycott?",
            ),
            _rule(
                "subscriptions",
                ("subscription|subscriptions",),
                "my limit on active subscriptions",
                "I allow myself at most {v} active subscriptions.",
                "My limit on active subscriptions is now {v}.",
                drawn(pools.count, 13, 48),
                "How many active subscriptions do I allow myself at most?",
            ),
            _rule(
                "card",
                ("card",),
                f"the card for purchases over {over}",
                f"Purchases over {over} go on the card ending {{v}}.",
                f"The bank sent a new card; purchases over {over} now go on the card ending {{v}}.",
                drawn(pools.code, 4),
                f"On the card with which last four digits do purchases over {over} go?",
            ),
            _rule(
                "allergy",
                ("allergic|allergy",),
                "the thing I am severely allergic to",
                "I am severely allergic to {v}.",
                "The doctor corrected the diagnosis; I am severely allergic to {v}.",
                member(self.allergens),
                "What am I severely allergic to?",
            ),
            _rule(
                "restaurant",
                ("favourite|favorite", "restaurant"),
                "my favourite restaurant",
                "My favourite restaurant is {v}.",
                "My favourite restaurant is {v} these days.",
                member(self.restaurants),
                "Which is my favourite restaurant?",
            ),
            _rule(
                "meetings",
                ("meeting|meetings", day),
                f"my earliest meeting time on {day}s",
                f"No meetings before {{v}} on {day}s, please.",
                f"On {day}s no meetings before {{v}} from now on.",
                drawn(pools.clock, 9, 13),
                f"Before what time do I take no meetings on {day}s?",
            ),
            _rule(
                "transport",
                ("ride|rides",),
                "the company I use for rides",
                "For rides, book {v} and no other company.",
                "I switched companies; for rides, book {v} and no other company.",
                member(self.rides),
                "Which company should be booked for my rides?",
            ),
            _rule(
                "address",
                ("address|formal|letter|letters",),
                "my form of address in formal letters",
                "In formal letters, address me as {v}.",
                "In formal letters, please address me as {v} from now on.",
                member(self.forms),
                "How am I to be addressed in formal letters?",
            ),
            _rule(
                "gift_range",
                ("gift|gifts", friend),
                f"my price range for gifts to {friend}",
                f"My price range for gifts to {friend} is {{v}}.",
                f"I have rethought my price range for gifts to {friend}; it is {{v}}.",
                pools.price_range,
            ),
            _rule(
                "birthday",
                ("birthday", friend),
                f"{friend}'s birthday",
                f"{friend}'s birthday is {{v}}.",
                f"I had it wrong: {friend}'s birthday is {{v}}.",
                partial(pools.date, years=(1948, 2006)),
                f"When is {friend}'s birthday?",
            ),
        ]

    # -- what later sessions add

    def note(self, rng: Random) -> Draft:
        return self._about_person(rng) if rng.random() < 0.5 else self._about_place(rng)

    def _about_person(self, rng: Random) -> Draft:
        p = self.people.take()
        return rng.choice(
            [
                _note(
                    p,
                    "extension",
                    f"{p}'s phone extension",
                    f"{p}'s phone extension is {{v}}.",
                    f"{p}'s phone extension is now {{v}}.",
                    drawn(pools.code, 4),
                ),
                _note(
                    p,
                    "door",
                    f"the door code of {p}'s building",
                    f"The door code of {p}'s building is {{v}}.",
                    f"The door code of {p}'s building was reset; it is {{v}} now.",
                    drawn(pools.code, 5),
                ),
                _note(
                    p,
                    "lent|lend|loan",
                    f"the sum {p} lent me",
                    f"{p} lent me {{v}}.",
                    f"Counting the latest loan, {p} lent me {{v}} in all.",
                    drawn(pools.money, 20, 900),
                    f"How much did {p} lend me?",
                ),
                _note(
                    p,
                    "move|moves|moving",
                    f"the date {p} moves house",
                    f"{p} moves house on {{v}}.",
                    f"Small delay: {p} moves house on {{v}}.",
                    pools.date,
                    f"When does {p} move house?",
                ),
                _note(
                    p,
                    "train",
                    f"the arrival time of {p}'s train",
                    f"{p}'s train gets in at {{v}}.",
                    f"The timetable changed; {p}'s train gets in at {{v}}.",
                    drawn(pools.clock, 6, 23),
                    f"At what time does {p}'s train get in?",
                ),
                _note(
                    p,
                    "tea",
                    f"{p}'s favourite tea",
                    f"{p}'s favourite tea is {{v}}.",
                    f"{p}'s favourite tea is {{v}} now.",
                    member(self.teas),
                    f"Which is {p}'s favourite tea?",
                ),
            ]
        )

    def _about_place(self, rng: Random) -> Draft:
        at = self.places.take()
        return rng.choice(
            [
                _note(
                    at,
                    "fee",
                    f"the monthly fee at {at}",
                    f"The monthly fee at {at} is {{v}}.",
                    f"The monthly fee at {at} is {{v}} from now on.",
                    drawn(pools.money, 15, 480),
                ),
                _note(
                    at,
                    "appointment",
                    f"the date of my appointment at {at}",
                    f"My appointment at {at} is on {{v}}.",
                    f"I moved my appointment at {at}; it is on {{v}}.",
                    pools.date,
                    f"On what date is my appointment at {at}?",
                ),
                _note(
                    at,
                    "open|opens|opening",
                    f"the opening time of {at}",
                    f"{at} opens at {{v}}.",
                    f"New hours: {at} opens at {{v}}.",
                    drawn(pools.clock, 6, 12),
                    f"At what time does {at} open?",
                ),
                _note(
                    at,
                    "booking",
                    f"my booking number at {at}",
                    f"My booking number at {at} is {{v}}.",
                    f"They reissued it; my booking number at {at} is {{v}}.",
                    drawn(pools.code, 6),
                ),
                _note(
                    at,
                    "discount",
                    f"my discount at {at}",
                    f"My discount at {at} is {{v}}.",
                    f"My discount at {at} is {{v}} now.",
                    pools.percent,
                ),
                _note(
                    at,
                    "app",
                    f"the version of the app of {at}",
                    f"The app of {at} runs version {{v}}.",
                    f"After the upgrade, the app of {at} runs version {{v}}.",
                    pools.version,
                ),
            ]
        )

    def listing(self, rng: Random, number: int) -> list[Draft]:
        words: tuple[str, ...]
        if number == 0:
            phrase = "my subscriptions"
            words = ("subscriptions|subscription|subscribe",)
            space = self.services
            say = "{v} is one of my subscriptions."
            retraction = "I cancelled {v}, so it is not one of my subscriptions any longer."
            question = "Which services are among my subscriptions right now?"
        else:
            kind = ("packing", "gift", "shopping", "guest")[number % 4]
            whom = (
                self.towns if kind == "packing" else self.people if kind == "gift" else self.places
            ).take()
            target = {"packing": "the trip to ", "guest": "the dinner at "}.get(kind, "") + whom
            phrase = f"the {kind} list for {target}"
            words = (kind, whom)
            space, article = (self.people, "") if kind == "guest" else (self.things, "the ")
            say = f"Put {article}{{v}} on {phrase}."
            retraction = f"Take {article}{{v}} off {phrase} again."
            question = (
                f"Who is on {phrase} now?"
                if kind == "guest"
                else f"Which things are on {phrase} now?"
            )
        return [
            Draft(
                family="list",
                domain="list",
                subject=words,
                phrase=phrase,
                say=say,
                draw=member(space),
                question=question,
                change="",
                retract=retraction,
                group=f"g{number}",
            )
            for _ in range(LIST_SIZE)
        ]

    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]:
        one, other = self.family.pair(number)
        return self._distance(*one), self._distance(*other)

    def _distance(self, first: str, sport: str, kind: str, route: str) -> Draft:
        who = f"{first} {self.surname}"
        phrase = f"the {kind} {sport} distance of {who} on the {route} route"
        return Draft(
            family="pair",
            domain="distance",
            subject=(who, sport, kind, route),
            phrase=phrase,
            say=f"The {phrase[4:]} is {{v}}.",
            draw=_metres,
        )

    def chain(self, rng: Random, hops: int) -> Chain:
        place = self.places.take()
        people = [self.people.take() for _ in range(hops - 1)]
        spot = link(
            (people[-1], "parking"),
            f"{people[-1]}'s parking spot number",
            drawn(pools.code, 3),
            "What",
        )
        return outwards(
            spot,
            pools.code(rng, 3),
            people,
            _RELATIONS,
            lambda who, relation: link((who, relation), f"{who}'s {relation}", member(self.people)),
            lambda: link((place, "caretaker"), f"the caretaker of {place}", member(self.people)),
        )

    # -- the rest of a session

    def talk(self, rng: Random) -> str:
        return pools.small_talk(rng, self.family.in_passing(rng))

    def frame(self, session: int) -> str:
        return ""

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        if session == 0:
            self._rules = {fact.domain: fact for fact in graph.facts[:RULES]}
        names = Names(self.shops, self.rides, self.services)

        def is_forbidden(task: Task) -> bool:
            assert task.asks is not None
            return bool(rule_on_act(graph, session, task, task.asks).violates)

        tasks = []
        topics = rng.sample(TOPICS, rng.randint(5, 8))
        for number, topic in enumerate(topics):
            task_id = f"t{session}.{number}"
            rule = self._rules[topic]
            tasks.append(make_task(names, rng, rule, session, task_id, is_forbidden))
        return tasks


def _rule(
    domain: str,
    subject: tuple[str, ...],
    phrase: str,
    say: str,
    change: str,
    draw: Draw,
    question: str = "",
) -> Draft:
    return Draft(
        family="constraint",
        domain=domain,
        subject=subject,
        phrase=phrase,
        say=say,
        draw=draw,
        question=question,
        change=change,
    )


def _note(
    who: str, word: str, phrase: str, say: str, change: str, draw: Draw, question: str = ""
) -> Draft:
    retract = f"Forget {phrase}; it does not apply any longer."
    return Draft(
        family="note",
        domain=word.split("|")[0],
        subject=(who, word),
        phrase=phrase,
        say=say,
        draw=draw,
        question=question,
        change=change,
        retract=retract,
    )


def _metres(rng: Random, avoid: Sequence[Value]) -> Value:
    return figure("number", "{} metres", 1101, 9899)(rng, avoid)
