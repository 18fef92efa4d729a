"""Resuming agents that are not embedded: a model, or any agent of the registry over a model."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.agents import AGENTS
from agingbench.errors import AgingBenchError, InputError, UnknownName
from agingbench.interfaces import Agent, Model
from agingbench.memory.build import build_memory
from agingbench.models import MODELS
from agingbench.models.build import build_model, is_code
from agingbench.records import Event, Message, Tool, Usage
from agingbench.resumption.episodes.episode import ToolInfo
from agingbench.resumption.runs.resuming_agent import (
    EMBEDDED,
    Continuation,
    EmbeddedAgent,
    ResumingAgent,
)
from agingbench.resumption.runs.workbench import Workbench

MOST_TOKENS = 1024
TAKE_OVER = (
    "You take over a task that was interrupted. All you have of the earlier work is the hand-over"
    " note below. Carry the task on: "
)
PROMPT = (
    f"{TAKE_OVER}list the steps you take next, in order, each concrete enough"
    " to be carried out (files, commands, values), and nothing that is already done or was"
    " given up."
)
WORK_PROMPT = (
    f"{TAKE_OVER}work on the files with your tools until the task is done, and do nothing that is"
    " already done or was given up. Then say in a few sentences what you did and what came out."
)


class ModelAgent:
    """A model of the model layer as the resuming agent; in a workspace, in the reference loop."""

    def __init__(self, model: Model, seed: int = 0) -> None:
        self.name = model.name
        self._model = model
        self._seed = seed

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo] = (), prompt: str | None = None
    ) -> Continuation:
        """Ask the model for its next steps."""
        instructions = _with_tools(prompt or PROMPT, tools)
        messages = [Message("system", instructions), Message("user", _next_steps(task, context))]
        reply = self._model.complete(messages, max_tokens=MOST_TOKENS, seed=self._seed)
        return Continuation(reply.text, reply.usage)

    def work(
        self, task: str, context: str, bench: Workbench, prompt: str | None = None
    ) -> Continuation:
        """Let the model call tools until it is done."""
        return RegistryAgent("react", self._model).work(task, context, bench, prompt)


class RegistryAgent:
    """An agent of the registry, or of one's own, that is built anew for every episode."""

    def __init__(self, name: str, model: Model) -> None:
        self.name = name
        self.source = AGENTS.load(name)
        self._model = model

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo] = (), prompt: str | None = None
    ) -> Continuation:
        """Ask the agent for its next steps."""
        instructions = _with_tools(prompt or PROMPT, tools)
        return self._act(f"{instructions}\n\n{_next_steps(task, context)}", [], 1)

    def work(
        self, task: str, context: str, bench: Workbench, prompt: str | None = None
    ) -> Continuation:
        """Let the agent act with the tools of the bench."""
        request = f"{prompt or WORK_PROMPT}\n\n<note>\n{context}\n</note>\n\nTask: {task}"
        return self._act(request, bench.tools, bench.most_steps)

    def _act(self, request: str, tools: Sequence[Tool], steps: int) -> Continuation:
        kind = self.source
        owns_files = isinstance(kind, type) and issubclass(kind, Agent) and kind.owns_workspace
        memory = build_memory("workspace" if owns_files else "no_memory", self._model)
        offered = {
            "model": self._model,
            "memory": memory,
            "role": "You are a careful agent.",
            "max_turns": steps + 2,  # a turn that meets the limit, and the final output
        }
        agent = AGENTS.build(self.name, Agent, offered)
        events: list[Event] = []
        try:
            text = agent.act(request, tools, events.append)
        except AgingBenchError:
            raise
        except Exception as error:  # the user's own code may raise anything
            raise InputError(f"agent '{self.name}' failed: {error!r}") from error
        if not isinstance(text, str):
            raise InputError(f"agent '{self.name}' returned {type(text).__name__}, not text")
        usages = [event.usage for event in events if event.usage is not None]
        return Continuation(text, sum(usages, Usage()))


def build_agent(spec: str, model: str = "extractive") -> ResumingAgent:
    """Build the embedded agent, one that asks the model of this name, or one of the registry.

    An agent of the registry is given the model that `model` names.
    """
    if spec == EMBEDDED:
        return EmbeddedAgent()
    if spec in AGENTS.names():
        return RegistryAgent(spec, build_model(model))
    if is_code(spec) and hasattr(AGENTS.load(spec), "act"):
        return RegistryAgent(spec, build_model(model))
    if ":" not in spec and MODELS.aliases.get(spec, spec) not in MODELS.names():
        known = [EMBEDDED, *AGENTS.names(), *MODELS.names()]
        raise UnknownName("resuming agent", spec, known)
    return ModelAgent(build_model(spec))


def _with_tools(instructions: str, tools: Sequence[ToolInfo]) -> str:
    if not tools:
        return instructions
    listing = "\n".join(f"- {tool.name}: {tool.description}" for tool in tools)
    return f"{instructions}\n\nYour tools:\n{listing}"


def _next_steps(task: str, context: str) -> str:
    return f"<note>\n{context}\n</note>\n\nTask: {task}\n\nWhat are your next steps?"
