"""Small lives of s5 for agents that take seconds for a call."""

from __future__ import annotations

import msgspec

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.plan import Plan


def small_plan(sessions: int, tasks: int = 1, probes: int = 1, seed: int = 0) -> Plan:
    """A life with the first tasks of every session and the first probes of every point."""
    plan = plan_for("s5", "none", {}, sessions, seed)
    short = [
        msgspec.structs.replace(session, tasks=session.tasks[:tasks]) for session in plan.sessions
    ]
    asked = [probe for t in range(sessions + 1) for probe in plan.probes_at(t)[:probes]]
    return msgspec.structs.replace(plan, sessions=short, probes=asked)
