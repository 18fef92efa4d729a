"""The environment of a task: it records what an agent does through tools, whatever the agent says.

An agent's own events may be incomplete or untrue. So tools that decide a task are wrapped: a call
that succeeds is ruled on by the scenario and written to the trace as a meta event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from agingbench.bench.plan.acts import Act, RecordedAct
from agingbench.bench.plan.plan import Plan, Scenario, Task
from agingbench.interfaces import Emit
from agingbench.records import Event, Tool

ACT = "act"  # key in the metadata of the meta event that holds a recorded act

DECISION_REQUEST = 'Finish with one line "Decision: done" or "Decision: declined".'


def recorded_tools(
    scenario: Scenario, plan: Plan, session: int, task: Task, tools: Sequence[Tool], emit: Emit
) -> list[Tool]:
    """The tools of a task; each call that decides it is written to the trace."""

    def wrap(tool: Tool) -> Tool:
        def run(arguments: Mapping[str, Any]) -> str:
            result = tool.run(arguments)
            act = Act(tool.name, dict(arguments))
            ruling = scenario.rule_on(plan, session, task, act)
            record = RecordedAct(
                tool=act.tool,
                arguments=act.arguments,
                decides=tool.decides,
                violates=ruling.violates,
                fits=ruling.fits,
            )
            metadata = {ACT: msgspec.to_builtins(record)}
            emit(Event(step=0, role="meta", metadata=metadata))
            return result

        return replace(tool, run=run)

    return [wrap(tool) if tool.decides else tool for tool in tools]


def request_text(task: Task, uses_tools: bool) -> str:
    """What the agent is asked; one that uses no tools is asked for a decision in words."""
    if uses_tools or task.asks is None:
        return task.text
    return f"{task.text}\n{DECISION_REQUEST}"
