"""What a controller can have done to an agent between two sessions: the actions, their check, and
the doing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from agingbench.bench.life.lifecycle import memory_of
from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import Agent, Memory
from agingbench.memory.typed_state import TypedState
from agingbench.records import Event

ENABLE_TYPED_STATE = "enable_typed_state"
SWITCH_PROMPT = "switch_prompt"
RECOMPACT = "recompact"
FORCE_REREAD = "force_reread"
SET_TOP_K = "set_top_k"
SET_BUDGET = "set_budget"
APPEND = "append"
FLUSH = "flush"
REREAD = (
    "Before you answer or act, go back to what you keep: read every part of your memory or every"
    " file that may bear on it again, at least two of them, and answer from what stands there now."
)


class Action(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing to do between two sessions, and why."""

    name: str
    args: dict[str, Any] = {}
    reason: str = ""

    @property
    def mark(self) -> tuple[str, str]:
        """What makes it the same action."""
        return self.name, repr(sorted(self.args.items()))


def listening(memory: Memory, may: Sequence[Action]) -> Memory:
    """The memory in an overlay that only listens, where typed state may be enabled later."""
    wanted = any(action.name == ENABLE_TYPED_STATE for action in may)
    if not wanted or isinstance(memory, TypedState):
        return memory
    overlay = TypedState(memory)
    overlay.enabled = False
    return overlay


def check_actions(may: Sequence[Action], agent: Agent) -> None:
    """Refuse actions that this agent or its memory cannot take, before anything runs."""
    for action in may:
        _check(action, agent)


def possible_actions(agent: Agent) -> list[str]:
    """The names of the actions that this agent and its memory can take."""
    return [name for name in ACTIONS if _missing(Action(name), agent) is None]


def _check(action: Action, agent: Agent) -> None:
    if action.name not in ACTIONS:
        raise UnknownName("action of a controller", action.name, ACTIONS)
    reason = _missing(action, agent)
    if reason is None:
        try:
            _check_args(action, memory_of(agent))
            return
        except InputError as error:
            reason = str(error)
    offer = ", ".join(possible_actions(agent)) or "nothing"
    raise InputError(
        f"the controller may {action.name}, which cannot be done here: {reason}; possible here:"
        f" {offer}"
    )


def _missing(action: Action, agent: Agent) -> str | None:
    """What the agent or its memory lacks for an action; None where it lacks nothing."""
    memory = memory_of(agent)
    name = action.name
    if name == ENABLE_TYPED_STATE and not isinstance(memory, TypedState):
        return "this memory is not in a typed_state overlay"
    event = {SWITCH_PROMPT: "prompt_update", RECOMPACT: "recompact", FLUSH: "flush_history"}
    if name in event and event[name] not in memory.supports:
        return f"this memory policy does not support {event[name]}"
    if name == FORCE_REREAD and agent.role is None:
        return "this agent has no role that an instruction could be added to"
    if name == SET_TOP_K and memory.k is None:
        return "this memory does not read the k best"
    if name == SET_BUDGET and memory.words is None:
        return "this memory has no word budget"
    if name == APPEND and agent.owns_workspace:
        return "only the agent itself writes to its workspace"
    return None


def _check_args(action: Action, memory: Memory) -> None:
    """Raise InputError for arguments that are missing or wrong."""
    args = action.args
    if action.name in (SWITCH_PROMPT, RECOMPACT):
        if "prompt" in args:
            memory.check("prompt_update", **args)
        elif action.name == SWITCH_PROMPT:
            raise InputError("say which prompt")
    if action.name == SET_TOP_K and not _is_count(args.get("k")):
        raise InputError("say how many, as k=NUMBER")
    if action.name == SET_BUDGET and not _is_count(args.get("words")):
        raise InputError("say how many, as words=NUMBER")
    if action.name == APPEND and not isinstance(args.get("text", ""), str):
        raise InputError("say what, as text=…")


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


def perform(action: Action, agent: Agent) -> None:
    """Do it, now and for good."""
    _check(action, agent)
    ACTIONS[action.name](agent, **action.args)


def _recompact(agent: Agent, prompt: str | None = None) -> None:
    # A prompt given here holds for this compaction alone; switching it for good is another action.
    memory = memory_of(agent)
    before = memory.prompt
    if prompt is not None:
        memory.apply("prompt_update", prompt=prompt)
    memory.apply("recompact")
    if prompt is not None and before is not None:
        memory.apply("prompt_update", prompt=before)


def _force_reread(agent: Agent) -> None:
    role = agent.role or ""
    if REREAD not in role:
        agent.role = f"{role}\n\n{REREAD}"


def _append(agent: Agent, text: str = "") -> None:
    # Through the policy's own write, so that it is kept as anything else the user said.
    if text.strip():
        memory_of(agent).write([Event(step=0, role="user", content=text)])


ACTIONS: dict[str, Callable[..., None]] = {
    ENABLE_TYPED_STATE: lambda agent: memory_of(agent).configure(enabled=True),
    SWITCH_PROMPT: lambda agent, prompt: memory_of(agent).apply("prompt_update", prompt=prompt),
    RECOMPACT: _recompact,
    FORCE_REREAD: _force_reread,
    SET_TOP_K: lambda agent, k: memory_of(agent).configure(k=k),
    SET_BUDGET: lambda agent, words: memory_of(agent).configure(words=words),
    APPEND: _append,
    FLUSH: lambda agent: memory_of(agent).apply("flush_history"),
}
OF_THE_AGENT = (FORCE_REREAD,)  # kept in no snapshot: done again when a life goes on
