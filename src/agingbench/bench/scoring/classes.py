"""The class of what is asked: an agent may be good at one class and bad at another without aging.

The mix of classes changes over a life (there is more to revise the longer it lasts), so the slope
of the headline is taken within them.
"""

from __future__ import annotations

from agingbench.bench.plan.facts import Fact, FactGraph
from agingbench.bench.plan.plan import Probe

DEPENDENCY_TYPES = ("compare", "synthesize", "trend", "multi_hop")  # probes of several facts


def fact_class(fact: Fact, graph: FactGraph, point: int) -> str:
    """Name what a fact is at a point: its family, whether it was revised, and has a look-alike."""
    name = fact.family
    if fact.depth_at(point) > 1:
        name += ", revised"

    partner = graph.by_id.get(fact.partner or "")
    if partner is not None and partner.depth_at(point) > 0:
        name += ", paired"
    return name


def probe_class(probe: Probe, graph: FactGraph) -> str:
    """Name what a probe asks for: its type and the class of its one fact.

    Of several facts it counts whether one was revised; finer classes would be too thin to see a
    slope in.
    """
    facts = [graph.by_id[name] for name in probe.facts]
    if len(facts) == 1:
        return f"{probe.type}: {fact_class(facts[0], graph, probe.t)}"

    is_revised = any(fact.depth_at(probe.t) > 1 for fact in facts)
    return f"{probe.type}, revised" if is_revised else probe.type
