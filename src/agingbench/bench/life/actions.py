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

ENABLE_TYPED_STATE = "enable_typed_state"
SWITCH_PROMPT = "switch_prompt"
RECOMPACT = "recompact"
FORCE_REREAD = "force_reread"
SET_TOP_K = "set_top_k"
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


def _check(action: Action, agent: Agent) -> None:
    memory = memory_of(agent)
    if action.name not in ACTIONS:
        raise UnknownName("action of a controller", action.name, ACTIONS)
    try:
        if action.name == ENABLE_TYPED_STATE and not isinstance(memory, TypedState):
            raise InputError("this memory is not in a typed_state overlay")
        if action.name in (SWITCH_PROMPT, RECOMPACT):
            _check_events(action, memory)
        if action.name == FORCE_REREAD and agent.role is None:
            raise InputError("this agent has no role that an instruction could be added to")
        if action.name == SET_TOP_K and (memory.k is None or not _is_count(action.args.get("k"))):
            raise InputError("needs a memory that reads the k best, and k=NUMBER")
    except InputError as error:
        raise InputError(
            f"the controller may {action.name}, which cannot be done here: {error}"
        ) from error


def _check_events(action: Action, memory: Memory) -> None:
    events = [] if "prompt" not in action.args else [("prompt_update", action.args)]
    if action.name == RECOMPACT:
        events.append((RECOMPACT, {}))
    elif not events:
        raise InputError("say which prompt")
    for event, args in events:
        if event not in memory.supports:
            raise InputError(f"this memory policy does not support {event}")
        memory.check(event, **args)


def _is_count(k: object) -> bool:
    return type(k) is int and k >= 1


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


ACTIONS: dict[str, Callable[..., None]] = {
    ENABLE_TYPED_STATE: lambda agent: memory_of(agent).configure(enabled=True),
    SWITCH_PROMPT: lambda agent, prompt: memory_of(agent).apply("prompt_update", prompt=prompt),
    RECOMPACT: _recompact,
    FORCE_REREAD: _force_reread,
    SET_TOP_K: lambda agent, k: memory_of(agent).configure(k=k),
}
OF_THE_AGENT = (FORCE_REREAD,)  # kept in no snapshot: done again when a life goes on
