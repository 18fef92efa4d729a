"""A scenario of your own: a greenhouse where every plant needs an exact dose, and doses change.

Run it from this folder, and see that its score can be trusted:
    agingbench run --scenario own_scenario.py:Greenhouse --memory careful_compress
    agingbench validate bounds --scenario own_scenario.py:Greenhouse
"""

from msgspec.structs import replace

from agingbench.bench.plan import pools
from agingbench.bench.plan.facts import Fact, FactGraph, Version
from agingbench.bench.plan.plan import Plan, Probe, Session, Task
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.probing import Prober
from agingbench.records import Tool

NEW_PLANTS, TALK = 6, 20  # plants a session brings; tokens that a sentence of small talk takes
FIRST = "The {} needs {} millilitres of water a day."
LATER = "From today the {} needs {} millilitres of water."


class Greenhouse:
    """How well doses are remembered; of the dials, those for text and for revisions work here."""

    id = "greenhouse"
    version = "1.0.0"
    title = "Greenhouse"
    track = "model"
    tier = 1
    headline = "recall_rate"
    mechanisms = ("compression", "revision")
    default_sessions = 8
    role = "You look after a greenhouse. People rely on you for the dose that each plant needs now."
    own_dials: dict[str, tuple[type, float, float]] = {}  # noqa: RUF012

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Everything the agent will be told and asked, drawn from the seed: the text and its gold
        are one object.
        """
        rng = pools.stream(self.id, seed)
        graph = FactGraph([], [])
        plants = pools.Space(rng, pools.ADJECTIVES, pools.PLACE_HEAD, ("palm", "fern", "orchid"))
        prober = Prober(graph, seed)  # chooses what is asked at each point
        script = list[Session]()
        probes = list[Probe]()
        inspected = list[list[str]]()
        for t in range(sessions):
            lines = [pools.small_talk(rng) for _ in range(pressure.tokens_per_session // TALK)]
            for fact in rng.sample(graph.facts, int(pressure.update_rate * len(graph.facts))):
                dose = pools.code(rng, 3, [v.value for v in fact.versions])
                fact.versions.append(Version(t, dose, LATER.format(fact.subject[0], dose.text)))
                prober.revise(fact)
            for _ in range(NEW_PLANTS):
                plant = plants.take()
                dose = pools.code(rng, 3)
                first = Version(t, dose, FIRST.format(plant, dose.text))
                name = f"f{len(graph.facts)}"
                ask = f"How many millilitres does the {plant} need?"
                fact = Fact(
                    name, "note", "dose", (plant,), f"the dose of the {plant}", ask, [first]
                )
                graph.facts.append(fact)
                prober.tell(fact)
            lines += [v.sentence for fact in graph.facts for v in fact.versions if v.session == t]
            rng.shuffle(lines)
            script.append(
                Session(
                    t,
                    " ".join(lines),
                    [Task(f"t{t}.0", "log", "Draft today's heading.", "", "none")],
                )
            )
            probes += prober.point(t + 1, dependency=False)
            inspected.append(
                prober.inspect(t + 1)
            )  # the facts that metrics of the memory's text look for
        # Point 0 asks inside the first session what point 1 asks after it.
        probes = [replace(p, id=f"p0.{n}", t=0) for n, p in enumerate(probes) if p.t == 1] + probes
        inspected = inspected[:1] + inspected
        return Plan(
            self.id,
            self.version,
            self.headline,
            seed,
            sessions,
            "",
            pressure,
            [],
            script,
            probes,
            inspected,
            graph,
        )

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        return []
