"""The puppet with the recorded fixes: it keeps notes as ever, and applies the patch of a ticket that
it is asked to fix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agingbench.agents.autonomous.changes import workspace_diff
from agingbench.agents.autonomous.conversation import EMBEDDED
from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.interfaces import Model
from agingbench.models.hands import RUN
from agingbench.records import Message, Reply, Tool, ToolCall

_TICKET = re.compile(r"^Ticket (\d+):", re.MULTILINE)
_END = "END_OF_PATCH"


class PatchingModel(Model):
    """A note keeper that runs the command of a ticket once it has saved what it was told."""

    name = EMBEDDED

    def __init__(self, keeper: Model, commands: Mapping[int, str]) -> None:
        self.keeper = keeper
        self.commands = commands

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        """The keeper's calls, then the command, then the keeper's reply."""
        reply = self.keeper.complete(messages, tools, max_tokens, seed)
        command = self._command(messages)
        if reply.tool_calls or not command:
            return reply
        call = ToolCall("", RUN, {"command": command})
        return Reply("", (call,), reply.usage, self.name)

    def _command(self, messages: Sequence[Message]) -> str:
        """What is still to be run for the ticket of the last request; empty where nothing is."""
        start = max(place for place, message in enumerate(messages) if message.role == "user")
        # The team speaks of other tickets as well.
        named = [int(number) for number in _TICKET.findall(messages[start].content)]
        wanted = [self.commands[number] for number in named if number in self.commands]
        turn = messages[start + 1 :]
        has_run = any(call.name == RUN for message in turn for call in message.tool_calls)
        return "" if has_run or not wanted else wanted[-1]


def patch_commands(plan: Plan, scenario: Scenario) -> dict[int, str]:
    """For each ticket of a plan the command that does all that its checks ask for."""
    commands = {}
    for session in range(plan.n_sessions):
        checkout = scenario.checkout(plan, session)
        assert checkout is not None
        before = {f"{checkout.folder}/{path}": text for path, text in checkout.files.items()}
        after = scenario.solution(plan, session + 1)
        patch = workspace_diff(_encoded(before), _encoded(after))
        (number,) = {check.ticket for check in plan.tickets_at(session + 1)}
        commands[number] = f"patch -s -p1 <<'{_END}'\n{patch}{_END}"
    return commands


def _encoded(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}
