"""s2: a personal assistant that keeps ten standing rules, an account and a growing life in mind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random

from agingbench.bench.plan import pools
from agingbench.bench.plan.acts import Act, ActRuling
from agingbench.bench.plan.content import (
    LIST_SIZE,
    Chain,
    Content,
    Draft,
    Shape,
    draft_from,
)
from agingbench.bench.plan.corpus import load_corpus
from agingbench.bench.plan.facts import Fact, FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Plan, Task
from agingbench.bench.plan.pools import Draw, Space, drawn, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.weaving import WovenScenario
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
_RELATIONS = ("deputy", "neighbour", "landlord", "accountant", "cousin")


class LifestyleAssistant(WovenScenario):
    """Constraint recall is the headline; CVR and the account's error stand beside it."""

    id = SCENARIO
    version = "2.0.0"
    title = "Lifestyle assistant"
    headline = "constraint_precision"
    mechanisms = ("compression", "interference", "revision")
    role = (
        "You are the user's personal assistant. The user tells you about rules, plans and people"
        " over many conversations and relies on you to remember them exactly and to act on them."
        " When the user asks you to do something, do it with your tools. If one of the user's rules"
        " forbids it, decline it instead."
    )

    def content(self, pressure: Pressure, seed: int) -> Content:
        """Return the rules, people and places of one life."""
        return _AssistantContent(seed)

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """Return the tools that do or decline what is asked, and `check_constraints`."""
        check = partial(violations, plan.graph, session)
        return [*act_tools(), check_tool(check)]

    def rule_on(self, plan: Plan, session: int, task: Task, act: Act) -> ActRuling:
        """The standing rules that an act breaks, as they stand in this session."""
        return rule_on_act(plan.graph, session, task, act)


class _AssistantContent(Content):
    """The content of one life: everything it can tell, drawn from spaces of its own."""

    shape = Shape()

    def __init__(self, seed: int) -> None:
        self.corpus = load_corpus(Path(__file__).parent)
        self.split = Split(seed)
        rng = stream(SCENARIO, seed, "spaces")
        self.people = Space(rng, self.split.first, self.split.last)
        self.clubs = pools.places(rng, pools.CLUB_KIND)
        self.practices = pools.places(rng, pools.PRACTICE_KIND)
        self.small_shops = pools.places(rng, pools.SHOP_KIND)
        self.stores = pools.places(rng, pools.STORE_KIND)
        self.stages = pools.places(rng, pools.STAGE_KIND)
        self.inns = pools.places(rng, pools.INN_KIND)
        self.towns = Space(
            rng, pools.PLACE_HEAD, pools.PLACE_TAIL, ["", "-on-Sea", "-in-the-Hills"], glue=""
        )
        self.packed = Space(rng, pools.ADJECTIVES, pools.PACKED)
        self.given = Space(rng, pools.ADJECTIVES, pools.GIVEN)
        self.bought = Space(rng, pools.ADJECTIVES, pools.BOUGHT)
        self.shops = Space(rng, pools.PLACE_HEAD, pools.SHOP_TAIL, glue="")
        self.rides = Space(rng, pools.PLACE_HEAD, pools.RIDE_TAIL, glue="")
        self.services = Space(
            rng, pools.SERVICE_HEAD, pools.SERVICE_TAIL, ("", " Plus", " Gold", " Max"), glue=""
        )
        self.subjects = (
            self.people,
            self.clubs,
            self.practices,
            self.small_shops,
            self.stages,
        )
        restaurants = Space(rng, pools.RESTAURANT_HEAD, pools.RESTAURANT_TAIL)
        allergens = Space(rng, pools.ALLERGENS)
        forms = Space(rng, pools.TITLES, self.split.last)
        teas = Space(
            rng, pools.PLACE_HEAD, ("Dew", "Blossom", "Smoke", "Petal", "Mist", "Frost", "Leaf")
        )
        # Of the two friends whose first names are nearly the same.
        surname = rng.choice(self.split.last)
        friends = [f"{first} {surname}" for first in rng.choice(pools.NEAR_FIRST)]
        axes = friends, rng.choice(_SPORTS), ("target", "achieved"), _ROUTES
        self.family = Lookalikes(rng, axes)
        self._rules: dict[str, Fact] = {}

        self.of_rules: dict[str, Draw] = {
            "dining_budget": drawn(pools.money, 120, 640),
            "boycott": member(self.shops),
            "subscriptions": drawn(pools.count, 12, 31),
            "card": drawn(pools.code, 4),
            "allergy": member(allergens),
            "restaurant": member(restaurants),
            "meetings": drawn(pools.agreed_time, 9, 14),
            "transport": member(self.rides),
            "address": member(forms),
            "gift_range": pools.price_range,
            "birthday": partial(pools.date, years=(1948, 2006)),
        }
        self.of_people: dict[str, Draw] = {
            "extension": drawn(pools.code, 4),
            "door": drawn(pools.code, 5),
            "loan": drawn(pools.money, 16, 390),
            "moving": self.soon,
            "train": drawn(pools.clock, 6, 23),
            "tea": member(teas),
        }
        # By what a place offers.
        self.of_places: dict[str, tuple[Space, Draw]] = {
            "fee": (self.clubs, drawn(pools.money, 18, 190)),
            "appointment": (self.practices, self.soon),
            "opening": (self.small_shops, drawn(pools.agreed_time, 6, 12)),
            "booking": (self.stages, drawn(pools.code, 6)),
            "discount": (self.small_shops, pools.percent),
            "app": (self.clubs, pools.version),
        }

    def opening(self, rng: Random) -> list[Draft]:
        """The ten standing rules; the gift rule comes with a birthday."""
        words = {
            "p": self.people.take(),
            "day": rng.choice(pools.WEEKDAYS),
            "over": f"${50 * rng.randint(2, 9)}",
        }
        return [
            draft_from(self.corpus, rng, kind, draw, words, family="constraint", retractable=False)
            for kind, draw in self.of_rules.items()
        ]

    def note(self, rng: Random) -> Draft:
        if rng.random() < 0.5:
            kind = rng.choice(list(self.of_people))
            words = {"p": self.people.take()}
            return draft_from(self.corpus, rng, kind, self.of_people[kind], words)

        kind = rng.choice(list(self.of_places))
        places, draw = self.of_places[kind]
        return draft_from(self.corpus, rng, kind, draw, {"at": places.take()})

    def listing(self, rng: Random, number: int) -> list[Draft]:
        kinds: tuple[tuple[str, Space, Space], ...] = (
            ("packing", self.towns, self.packed),
            ("gift_list", self.people, self.given),
            ("shopping", self.stores, self.bought),
            ("guests", self.inns, self.people),
        )
        kind, owners, members = kinds[number % len(kinds)]
        words = {}
        if number == 0:
            kind = "subscription_list"
            members = self.services
        else:
            words["x"] = owners.take()
        return [self.list_member(rng, number, kind, members, words)] * LIST_SIZE

    def look_alike(self, rng: Random, traits: Sequence[str]) -> Draft:
        words = dict(zip(("p", "sport", "kind", "route"), traits, strict=True))
        return self.fixed(rng, "distance", _metres, words, family="pair")

    def chain(self, rng: Random, hops: int) -> Chain:
        place = self.clubs.take()
        people = [self.people.take() for _ in range(hops - 1)]
        return self.chain_over(
            rng,
            people,
            self.people,
            _RELATIONS,
            slot="p",
            holds=("parking", drawn(pools.code, 3)),
            stands="relation",
            named=("caretaker", {"at": place}),
        )

    # -- the rest of a session

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


def _metres(rng: Random, avoid: Sequence[Value]) -> Value:
    # No full hundred: small talk says kilometres with one decimal.
    draw = figure("number", "{} metres", 1101, 9899)
    value = draw(rng, avoid)
    while value.text.endswith("00 metres"):
        value = draw(rng, avoid)
    return value
