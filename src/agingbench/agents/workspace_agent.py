"""The agent that keeps its memory itself: the reference agent's loop with the memory's tools, in
tasks and at held-out questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from agingbench.agents.react import PROBE, ReactAgent
from agingbench.errors import ContextOverflow, TransportError
from agingbench.interfaces import Emit, Memory, Model
from agingbench.records import Answer, AnswerStatus, Event, Message, Tool, Usage
from agingbench.text.forms import bare_question


class WorkspaceAgent(ReactAgent):
    """Reads and writes its memory with tools; nothing of it is put into its prompt but what the
    memory reads.
    """

    owns_workspace = True  # day one is asked from the files, since nobody else saw session 0

    def __init__(
        self,
        model: Model,
        memory: Memory,
        role: str = "You are a helpful assistant.",
        max_turns: int = 16,
        protocol: str = "auto",
    ) -> None:
        super().__init__(model, memory, role, max_turns, protocol)
        _memory_tools(memory)

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        return super().act(text, [*_memory_tools(self.memory), *tools], emit)

    def ask(self, question: str, context: str | None = None) -> Answer:
        """Answer a held-out question from the memory, or from `context` alone and without tools."""
        if context is not None:
            return super().ask(question, context)
        with closing(self.fork()) as fork:
            return fork._look_up(question)

    def _look_up(self, question: str) -> Answer:
        """Answer a question with the memory's tools."""
        system = self._system(self.memory.read(bare_question(question)), f"{self.role}\n\n{PROBE}")
        turn = [Message("user", question)]
        tools = _memory_tools(self.memory)
        events: list[Event] = []

        def answer(
            text: str, status: AnswerStatus = "answered", reason: str | None = None
        ) -> Answer:
            return Answer(
                text,
                status,
                reason,
                _looked_up(events, tools),
                _usage(events),
                turns=sum(event.role == "assistant" for event in events),
                tool_calls=sum(event.role == "tool_call" for event in events),
            )

        try:
            reply = self._loop([system], turn, tools, events.append)
        except ContextOverflow:
            return answer("", "unanswered", "context_overflow")
        except TransportError as error:
            return answer("", "failed", str(error))
        if reply is None:
            return answer("", "unanswered", "tool_loop_exhausted")
        if reply.refused:
            return answer(reply.text, "unanswered", "refusal")
        return answer(reply.text)


def _memory_tools(memory: Memory) -> list[Tool]:
    """The tools of a memory; raises ValueError when it has none."""
    tools = memory.tools()
    if not tools:
        raise ValueError(
            "keeps its notes with tools; give it a memory that has some, such as workspace"
        )
    return tools


def _looked_up(events: Sequence[Event], tools: Sequence[Tool]) -> str:
    """What the answer could rest on: what the memory's tools showed of it, in that order."""
    looks_up = {tool.name: tool.looks_up for tool in tools if tool.looks_up is not None}
    shows = False
    texts = []
    for event in events:
        if event.role == "tool_call":  # its result is the next event
            test = looks_up.get(event.tool_name or "")
            shows = test is not None and test(event.arguments)
        elif event.role == "tool_result" and shows and event.exit_code == 0 and event.stdout:
            texts.append(event.stdout)
    return "\n\n".join(texts)


def _usage(events: Sequence[Event]) -> Usage:
    usages = [event.usage for event in events if event.usage is not None]
    return sum(usages, Usage())
