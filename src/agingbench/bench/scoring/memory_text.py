"""What a memory's text still states of the facts that hold: the metrics that read the store and not
the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agingbench.bench.plan.facts import Reading, states_fact
from agingbench.bench.plan.plan import Plan
from agingbench.metrics.intervals import Estimate, clustered_mean

MEMORY_METRICS = ("keyword_m", "summarization_fidelity")
STALE = "stale_in_workspace"


def memory_shares(
    plan: Plan, texts: Iterable[tuple[int, str]], workspace: bool = False
) -> dict[str, dict[int, list[int]]]:
    """At each point, which of the inspected facts that hold then the memory's text states (1) or
    not (0).

    `keyword_m` asks for the value anywhere in the text, `summarization_fidelity` for one sentence
    that names the subject and states the value. At point 0 the text is session 0 as the agent saw
    it. For a workspace the latter is also `workspace_fidelity`, of files alone and so from point 1
    on, and `stale_in_workspace` counts for each fact the values of the past that some sentence
    still states of it.
    """
    out: dict[str, dict[int, list[int]]] = {"keyword_m": {}, "summarization_fidelity": {}}
    if workspace:
        out |= {"workspace_fidelity": {}, STALE: {}}
    reading = Reading()
    for t, text in texts:
        reading.follow(plan.sessions[0].text if t == 0 else text)
        facts = [plan.graph.by_id[i] for i in plan.inspected[t]]
        if facts:
            values = [v.value for v in (fact.at(t) for fact in facts) if v is not None]
            out["keyword_m"][t] = [int(reading.states(value)) for value in values]
            out["summarization_fidelity"][t] = [
                int(states_fact(reading, fact, t)) for fact in facts
            ]
            if workspace and t > 0:
                out["workspace_fidelity"][t] = out["summarization_fidelity"][t]
                out[STALE][t] = [
                    sum(reading.states_fact(f.subject, v) for v in f.stale_at(t)) for f in facts
                ]
    return out


def memory_metrics(
    plan: Plan, shares: Mapping[str, Mapping[int, Sequence[int]]]
) -> dict[str, dict[int, Estimate]]:
    """The shares of `memory_shares` with their intervals."""
    return {
        name: {
            t: clustered_mean([float(h) for h in hits], [1.0] * len(hits), plan.inspected[t])
            for t, hits in series.items()
        }
        for name, series in shares.items()
    }
