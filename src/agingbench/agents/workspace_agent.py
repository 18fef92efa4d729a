"""The agent that owns a workspace: the reference agent's loop with file tools, in tasks and at
held-out questions.
"""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.agents.react import PROBE, ReactAgent
from agingbench.errors import ContextOverflow, TransportError
from agingbench.interfaces import Emit, Memory, Model
from agingbench.records import Answer, AnswerStatus, Event, Message, Tool, Usage
from agingbench.text.forms import bare_question


class WorkspaceAgent(ReactAgent):
    """Reads and writes its own files; nothing of them is put into its prompt but what the memory
    reads.
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
        _file_tools(memory)

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        return super().act(text, [*_file_tools(self.memory), *tools], emit)

    def ask(self, question: str, context: str | None = None) -> Answer:
        """Answer a held-out question from the files, or from `context` alone and without tools."""
        if context is not None:
            return super().ask(question, context)
        return self.fork()._look_up(question)

    def _look_up(self, question: str) -> Answer:
        """Answer a question with the file tools."""
        system = self._system(self.memory.read(bare_question(question)), f"{self.role}\n\n{PROBE}")
        turn = [Message("user", question)]
        events: list[Event] = []

        def answer(
            text: str, status: AnswerStatus = "answered", reason: str | None = None
        ) -> Answer:
            return Answer(text, status, reason, _files_read(events), _usage(events))

        try:
            reply = self._loop([system], turn, _file_tools(self.memory), events.append)
        except ContextOverflow:
            return answer("", "unanswered", "context_overflow")
        except TransportError as error:
            return answer("", "failed", str(error))
        if reply is None:
            return answer("", "unanswered", "tool_loop_exhausted")
        if reply.refused:
            return answer(reply.text, "unanswered", "refusal")
        return answer(reply.text)


def _file_tools(memory: Memory) -> list[Tool]:
    """The file tools of a memory; raises ValueError when it has none."""
    tools = memory.tools()
    if not tools:
        raise ValueError(
            "works on files of its own; give it a memory with file tools, such as workspace"
        )
    return tools


def _files_read(events: Sequence[Event]) -> str:
    """What the answer could rest on: the texts of the files that were opened, in that order."""
    texts = []
    for event in events:
        is_read = event.role == "tool_result" and event.tool_name == "read_file"
        if is_read and event.exit_code == 0 and event.stdout:
            texts.append(event.stdout)
    return "\n\n".join(texts)


def _usage(events: Sequence[Event]) -> Usage:
    usages = [event.usage for event in events if event.usage is not None]
    return sum(usages, Usage())
