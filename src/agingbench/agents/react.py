"""The reference agent: a model in a tool loop, with what its memory reads for the current text in
its prompt.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from agingbench.agents.text_protocol import (
    HINT,
    LONGEST_BROKEN,
    MOST_BROKEN,
    complete_in_text,
)
from agingbench.errors import ContextOverflow, ToolsUnsupported, TransportError
from agingbench.interfaces import Agent, Emit, Memory, Model
from agingbench.records import Answer, Event, Message, Reply, Tool, ToolCall, ToolRefusal
from agingbench.registry import conform
from agingbench.text.forms import bare_question

SYSTEM = """{role}

Your memory of earlier sessions stands between the markers; it may be empty.
<memory>
{memory}
</memory>"""

PROBE = (
    "Answer the user's question from what you know, in at most 60 words. State the exact value that"
    " holds now, and nothing that no longer holds unless the question asks for it. Finish in the"
    " form that the question asks for. If you do not know, say so."
)


PROTOCOLS = ("auto", "native", "text")
PROTOCOL = "protocol"  # key in the metadata of events of the text protocol


class AgentStep(NamedTuple):
    """One reply of the model; `problem` is what is wrong with a step of the text protocol."""

    reply: Reply
    duration_ms: float
    protocol: str = "native"
    problem: str | None = None


class ReactAgent(Agent):
    """Acts in a conversation that lasts one session; answers held-out questions in a new one.

    Tools are offered through the model's own protocol (`native`) or as text (`text`); `auto` turns
    to text when the model takes no tools, and notes it in the trace.
    """

    memory: Memory
    role: str

    def __init__(
        self,
        model: Model,
        memory: Memory,
        role: str = "You are a helpful assistant.",
        max_turns: int = 8,
        protocol: str = "auto",
    ) -> None:
        if protocol not in PROTOCOLS:
            known = ", ".join(PROTOCOLS)
            raise ValueError(f"protocol must be one of {known}, not {protocol!r}")
        if type(max_turns) is not int or max_turns < 1:
            raise ValueError(f"max_turns must be a whole number of at least 1, not {max_turns!r}")
        self.model = model
        self.memory = memory
        self.role = role
        self.max_turns = max_turns
        self.protocol = protocol
        self._toolless: str | None = None  # name of the model that takes no tools
        self._conversation: list[Message] = []
        self._history: list[Event] = []

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        """Do one task: call tools until a reply calls none; "" when that takes over `max_turns`."""
        self._record(emit, Event(step=0, role="user", content=text))
        after_request = len(self._history)

        turn = [Message("user", text)]
        system = self._system(self.memory.read(text), self.role)
        try:
            reply = self._loop([system, *self._conversation], turn, tools, emit)
        except ContextOverflow:
            return self._unanswered(turn[0], "context_overflow", emit)
        except TransportError:
            # No reply took place; what the user said did, and may carry the material of the whole
            # session.
            del self._history[after_request:]
            self._conversation.append(turn[0])
            raise

        if reply is None:
            return self._unanswered(turn[0], "tool_loop_exhausted", emit)
        self._conversation += turn
        return reply.text

    def ask(self, question: str, context: str | None = None) -> Answer:
        """Answer a held-out question; with a context, from that text in place of the memory's."""
        if context is None:
            context = self.memory.read(bare_question(question))
        system = self._system(context, f"{self.role}\n\n{PROBE}")
        messages = [system, Message("user", question)]

        try:
            reply, _ = self._complete(messages, ())
        except ContextOverflow:
            return Answer("", "unanswered", "context_overflow", context)
        except TransportError as error:
            return Answer("", "failed", str(error), context)

        if reply.refused:
            return Answer(reply.text, "unanswered", "refusal", context, reply.usage)
        return Answer(reply.text, context=context, usage=reply.usage)

    def end_session(self) -> None:
        """Write the session to memory and close the conversation."""
        self.memory.write(self._history)
        self._conversation = []
        self._history = []

    def fork(self) -> Self:
        """The same agent with a copy of the memory and no conversation."""
        twin = copy.copy(self)
        twin.memory = _copy_of(self.memory)
        twin._conversation = []
        twin._history = []
        return twin

    def dump(self) -> dict[str, Any]:
        return {"memory": self.memory.dump()}

    def load(self, state: dict[str, Any]) -> None:
        self.memory.load(state["memory"])
        self._conversation = []
        self._history = []

    def _system(self, memory: str, role: str) -> Message:
        return Message("system", SYSTEM.format(role=role, memory=memory))

    def _loop(
        self,
        before: list[Message],
        turn: list[Message],
        tools: Sequence[Tool],
        emit: Emit,
    ) -> Reply | None:
        """Call tools until a reply calls none and return that; None after `max_turns`.

        The messages of the loop are appended to `turn`.
        """
        # Broken steps and the hints they brought. The model sees them until a step is in form; a
        # small model that finds them in its conversation later writes more of the same.
        attempts: list[Message] = []
        for _ in range(self.max_turns):
            step = self._step([*before, *turn, *attempts], tools, emit)
            reply = step.reply
            self._record(emit, _assistant(step))
            has_acted = any(message.role == "tool" for message in turn)
            shown = Message("assistant", reply.text[:LONGEST_BROKEN])
            may_try_again = len(attempts) < 2 * MOST_BROKEN and shown not in attempts
            if step.problem is not None and may_try_again and not has_acted:
                self._record(emit, _broken_step(step.problem))
                attempts += [shown, Message("user", HINT.format(problem=step.problem))]
                continue

            attempts = []
            turn.append(Message("assistant", reply.text, reply.tool_calls))
            if not reply.tool_calls:
                return reply
            turn += [self._call(call, tools, emit) for call in reply.tool_calls]
        return None

    def _step(self, messages: Sequence[Message], tools: Sequence[Tool], emit: Emit) -> AgentStep:
        """One call of the model, with the tools in the protocol that it takes."""
        writes_tools = self.protocol == "text" or self._toolless == self.model.name
        if tools and not writes_tools:
            try:
                return AgentStep(*self._complete(messages, tools))
            except ToolsUnsupported as error:
                if self.protocol == "native":
                    raise
                self._toolless = self.model.name
                note = {PROTOCOL: "text", "reason": str(error)}
                emit(Event(step=0, role="meta", metadata=note))
        if not tools:
            return AgentStep(*self._complete(messages, ()))

        start = time.perf_counter()
        reply, problem = complete_in_text(self.model, messages, tools)
        duration_ms = (time.perf_counter() - start) * 1000
        return AgentStep(reply, duration_ms, "text", problem)

    def _complete(self, messages: Sequence[Message], tools: Sequence[Tool]) -> tuple[Reply, float]:
        start = time.perf_counter()
        reply = self.model.complete(messages, tools)
        duration_ms = (time.perf_counter() - start) * 1000
        return reply, duration_ms

    def _call(self, call: ToolCall, tools: Sequence[Tool], emit: Emit) -> Message:
        """Run the tool of a call and return its result as a message."""
        request = Event(
            step=0,
            role="tool_call",
            tool_name=call.name,
            arguments=call.arguments,
            tool_call_id=call.id,
        )
        self._record(emit, request)

        tool = next((tool for tool in tools if tool.name == call.name), None)
        start = time.perf_counter()
        if tool is None:
            names = ", ".join(tool.name for tool in tools)
            result = f"no tool named {call.name}; there are: {names}"
            code = 1
        else:
            try:
                result = tool.run(call.arguments)
                code = 0
            except TransportError:  # nothing was done: the task or the probe has failed
                raise
            except ToolRefusal as error:
                result = str(error)
                code = 1
            except Exception as error:  # the agent sees it, as it would see a real tool's error
                result = f"{type(error).__name__}: {error}"
                code = 1

        outcome = Event(
            step=0,
            role="tool_result",
            tool_name=call.name,
            stdout=result,
            exit_code=code,
            duration_ms=(time.perf_counter() - start) * 1000,
            tool_call_id=call.id,
        )
        self._record(emit, outcome)
        return Message("tool", result, tool_call_id=call.id)

    def _unanswered(self, request: Message, reason: str, emit: Emit) -> str:
        self._conversation.append(request)
        self._record(emit, Event(step=0, role="meta", metadata={"unanswered": reason}))
        return ""

    def _record(self, emit: Emit, event: Event) -> None:
        self._history.append(event)
        emit(event)


def _copy_of(memory: Memory) -> Memory:
    twin = memory.copy()
    return twin if isinstance(twin, Memory) else conform(twin, Memory, "the copy of a memory")


def _assistant(step: AgentStep) -> Event:
    reply = step.reply
    metadata: dict[str, Any] = {"unanswered": "refusal"} if reply.refused else {}
    if step.protocol != "native":
        metadata[PROTOCOL] = step.protocol
    return Event(
        step=0,
        role="assistant",
        content=reply.text,
        usage=reply.usage,
        model=reply.model,
        duration_ms=step.duration_ms,
        metadata=metadata or None,
    )


def _broken_step(problem: str) -> Event:
    return Event(step=0, role="meta", metadata={PROTOCOL: "text", "broken_step": problem})
