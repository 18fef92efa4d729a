"""Metrics that read the memory's text and not the answers: what it still states of the facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agingbench.bench.plan.facts import Reading, states_fact
from agingbench.bench.plan.plan import Plan
from agingbench.metrics.intervals import Estimate, clustered_mean

MEMORY_METRICS = ("keyword_m", "summarization_fidelity")
STALE = "stale_in_workspace"


def memory_shares(
    plan: Plan,
    texts: Iterable[tuple[int, str]],
    workspace: bool = False,
) -> dict[str, dict[int, list[int]]]:
    """Which of the inspected facts the memory's text states (1) or not (0), by metric and point.

    `keyword_m` asks for the value anywhere in the text, `summarization_fidelity` for one sentence
    that names the subject and states the value. At point 0 the text is session 0 as the agent saw
    it. For a workspace the latter is also `workspace_fidelity`, of files alone and so from point 1
    on, and `stale_in_workspace` counts for each fact the values of the past that some sentence
    still states of it.
    """
    by_value: dict[int, list[int]] = {}
    by_fact: dict[int, list[int]] = {}
    files: dict[int, list[int]] = {}
    stale: dict[int, list[int]] = {}
    reading = Reading()

    for t, text in texts:
        visible = plan.sessions[0].text if t == 0 else text
        reading.follow(visible)
        facts = [plan.graph.by_id[name] for name in plan.inspected[t]]
        if not facts:
            continue

        versions = [fact.at(t) for fact in facts]
        values = [version.value for version in versions if version is not None]
        by_value[t] = [int(reading.states(value)) for value in values]
        by_fact[t] = [int(states_fact(reading, fact, t)) for fact in facts]
        if not workspace or t == 0:
            continue

        files[t] = by_fact[t]
        stale[t] = []
        for fact in facts:
            count = 0
            for value in fact.stale_at(t):
                count += reading.states_fact(fact.subject, value)
            stale[t].append(count)

    shares = {
        "keyword_m": by_value,
        "summarization_fidelity": by_fact,
    }
    if workspace:
        shares["workspace_fidelity"] = files
        shares[STALE] = stale
    return shares


def memory_metrics(
    plan: Plan,
    shares: Mapping[str, Mapping[int, Sequence[int]]],
) -> dict[str, dict[int, Estimate]]:
    """The shares of `memory_shares` with their intervals, by metric and point."""
    metrics: dict[str, dict[int, Estimate]] = {}
    for name, series in shares.items():
        metrics[name] = {}
        for t, hits in series.items():
            values = [float(hit) for hit in hits]
            weights = [1.0] * len(hits)
            metrics[name][t] = clustered_mean(values, weights, plan.inspected[t])
    return metrics
