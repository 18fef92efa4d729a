"""Tools, tasks and tool calls of simulated agents: what is called, with which arguments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEW_TOOLS = (
    "Read",
    "Edit",
    "Bash",
    "Grep",
    "order_get",
    "order_update",
)
MANY_TOOLS = (
    *FEW_TOOLS,
    "Write",
    "Glob",
    "WebFetch",
    "WebSearch",
    "Task",
    "LSP",
    "NotebookEdit",
    "mcp__db__query",
)

# How often a tool is called, relative to the others.
USUAL_WEIGHT = {
    "Read": 0.28,
    "Edit": 0.24,
    "Bash": 0.20,
    "Grep": 0.10,
    "order_get": 0.10,
    "order_update": 0.16,
}
OTHER_WEIGHT = 0.03

# Log of the tokens that a call adds to the context.
USUAL_GROWTH = {
    "Read": 7.3,
    "Edit": 6.2,
    "Bash": 6.3,
    "Grep": 6.0,
    "order_get": 5.2,
    "order_update": 5.2,
}
OTHER_GROWTH = 6.4

# Share of calls that name a path, id or symbol.
LOCATOR_SHARE = {
    "Read": 0.995,
    "Edit": 0.995,
    "Bash": 0.55,
    "Grep": 0.75,
    "order_get": 0.999,
    "order_update": 0.999,
}
OTHER_LOCATOR_SHARE = 0.7

TASKS = (
    "fix the failing test in the parser module",
    "add a command line option for verbose output",
    "explain how the cache invalidation works here",
    "refactor the storage layer into smaller functions",
    "update the order status for the waiting customers",
    "write documentation for the public interface",
    "investigate why the nightly build became slow",
    "remove the deprecated configuration format",
)

COMMAND_TOOLS = ("Bash", "Task", "WebSearch", "mcp__db__query")
SEARCH_TOOLS = ("Grep", "Search", "Glob")
ORDERS = 8
ORDER_STATES = (
    "open",
    "paid",
    "packed",
    "shipped",
    "returned",
    "closed",
    "refunded",
    "held",
)


@dataclass(frozen=True)
class CallContent:
    """The arguments of a call, and the result that it would have."""

    arguments: dict[str, object]
    result: str


class CallWriter:
    """Writes the calls of one agent and remembers which states each order was seen in."""

    def __init__(self, rng: np.random.Generator, absolute: bool) -> None:
        self.rng = rng
        self.absolute = absolute
        self.states_by_order: dict[str, list[str]] = {}

    def call(
        self, tool: str, phase: int, has_locator: bool, failed: bool, stale_rate: float
    ) -> CallContent:
        """Return one call; `phase` is -1 for an agent without stretches of different tasks."""
        if tool.startswith("order_"):
            return self._order(tool, has_locator, failed, stale_rate)

        path = self._path(phase)

        if tool in COMMAND_TOOLS:
            command = f"make check {path}" if has_locator else "make check all"
            return CallContent({"command": command}, "ok")

        if tool in SEARCH_TOOLS:
            pattern = path if has_locator else "todo"
            limit = 50 * int(self.rng.integers(1, 5))
            return CallContent({"pattern": pattern, "limit": limit}, "3 hits")

        return CallContent({"file_path": path if has_locator else "it"}, "1 line")

    def _path(self, phase: int) -> str:
        first = 10 * max(phase, 0)
        choices = 60 if phase < 0 else 14
        part = first + int(self.rng.integers(choices))
        unit = int(self.rng.integers(8))
        path = f"src/part{part}/unit{unit}.py"

        return f"/repo/{path}" if self.absolute else path

    def _order(self, tool: str, has_locator: bool, failed: bool, stale_rate: float) -> CallContent:
        """Return a call that reads or updates an order, sometimes with an outdated status."""
        rng = self.rng
        order = f"A-{100 + int(rng.integers(ORDERS))}"
        states = self.states_by_order.setdefault(order, ["open"])
        order_id = order if has_locator else "latest"

        if tool == "order_get":
            changes = rng.random() < 0.6
            # What a failed call would have shown is not known to the agent.
            if changes and not failed:
                states.append(ORDER_STATES[int(rng.integers(len(ORDER_STATES)))])

            result = f'{{"order_id": "{order}", "status": "{states[-1]}"}}'
            return CallContent({"order_id": order_id}, result)

        status = states[-1]
        outdated = [state for state in dict.fromkeys(states) if state != status]
        if outdated and rng.random() < stale_rate:
            status = outdated[int(rng.integers(len(outdated)))]

        arguments: dict[str, object] = {
            "order_id": order_id,
            "status": status,
            "note": "as agreed",
        }
        return CallContent(arguments, "saved")
