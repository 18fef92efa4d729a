"""Small lives of s5 and s7 for agents that take seconds for a call."""

from __future__ import annotations

import msgspec

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.plan import Plan


def small_plan(
    sessions: int, tasks: int = 1, probes: int = 1, seed: int = 0, scenario: str = "s5"
) -> Plan:
    """A life with the first tasks of every session and the first probes of every point.

    What is asked for the program of s7 is kept, whatever its place.
    """
    plan = plan_for(scenario, "none", {}, sessions, seed)
    short = []
    for session in plan.sessions:
        kept = [
            task
            for number, task in enumerate(session.tasks)
            if number < tasks or task.domain == "program"
        ]
        short.append(msgspec.structs.replace(session, tasks=kept))
    asked = [probe for t in range(sessions + 1) for probe in plan.probes_at(t)[:probes]]
    return msgspec.structs.replace(plan, sessions=short, probes=asked)
