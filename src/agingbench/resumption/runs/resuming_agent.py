"""The resuming agent: from task and context, never the trajectory, it says what it does next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import msgspec

from agingbench.errors import UnknownName
from agingbench.interfaces import Model
from agingbench.models import MODELS
from agingbench.models.build import build_model
from agingbench.records import Message, Usage
from agingbench.resumption.contexts.code_names import code_names
from agingbench.resumption.episodes.episode import Episode, ToolInfo
from agingbench.text.wording import normalise, sentence_spans

EMBEDDED = "embedded"
MOST_STEPS = 12
MOST_AHEAD = 8
NAMING = 3  # of the steps, how many say which names matter
MOST_TOKENS = 1024
PROMPT = (
    "You take over a task that was interrupted. All you have of the earlier work is the hand-over"
    " note below. Carry the task on: list the steps you take next, in order, each concrete enough"
    " to be carried out (files, commands, values), and nothing that is already done or was"
    " given up."
)

# How a sentence shows that it speaks of what is to be done; the first group is the stronger sign.
_HEADING = re.compile(
    r"\W*(?:next(?: steps?)?|to[ -]?do|remaining|still (?:open|to do)|pending|open items|left to"
    r" do)\W*$",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:next|todo|to-do|remaining|remains?|still (?:need|have|has|to|open|missing)|not yet|yet"
    r" to|needs? to|must"
    r"|should|will|going to|have to|has to|left to|pending|outstanding|in progress|plan(?:ned)?"
    r" (?:is|to)|then"
    r"|let me|i'll|let's|we'll|try|want(?:s)? (?:me )?to|asked|unfinished|missing)\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:fix(?:es)?|decision|decided|solution|chosen?|landed|settled|approach|use|root"
    r" cause|answer|design)\b",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)]|\[[ x~]\])\s+")


class Continuation(msgspec.Struct, frozen=True):
    """The agent's answer and what asking for it cost."""

    text: str
    usage: Usage = Usage()


class ResumingAgent(Protocol):
    """Carries a task on from a context."""

    name: str

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo], prompt: str | None
    ) -> Continuation: ...


class EmbeddedAgent:
    """Answers with the next steps that it reads from the context; it is not a language model.

    Lines below a heading such as "Next steps" come first; then, newest first, sentences that speak
    of what is still to do; then what the context says of the files and names in the first of these,
    what it says was decided and, while there is room, the rest. At most twelve lines, each in the
    context's own words.
    """

    name = EMBEDDED

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo] = (), prompt: str | None = None
    ) -> Continuation:
        """Return a numbered list of steps from the context."""
        context = context.replace("’", "'")  # half of all agents write their apostrophes so
        sentences = _sentences(context)
        ahead = _listed_steps(context) + [s for s in sentences if _AHEAD.search(s)]

        names: set[str] = set()
        for line in ahead[:NAMING]:
            names |= code_names(line)
        about_names = [s for s in sentences if code_names(s) & names]
        decisions = [s for s in sentences if _DECIDED.search(s)]

        candidates = [
            *ahead[:MOST_AHEAD],
            *about_names,
            *ahead[MOST_AHEAD:],
            *decisions,
            *sentences,
        ]
        steps: dict[str, str] = {}
        for line in candidates:
            if len(steps) == MOST_STEPS:
                break
            step = _BULLET.sub("", line).strip()
            if step:
                steps.setdefault(normalise(step), step)
        lines = [f"{number}. {step}" for number, step in enumerate(steps.values(), start=1)]
        return Continuation("\n".join(lines))


class ModelAgent:
    """A model of the model layer as the resuming agent."""

    def __init__(self, model: Model, seed: int = 0) -> None:
        self.name = model.name
        self._model = model
        self._seed = seed

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo] = (), prompt: str | None = None
    ) -> Continuation:
        """Ask the model for its next steps."""
        instructions = prompt or PROMPT
        if tools:
            listing = "\n".join(f"- {tool.name}: {tool.description}" for tool in tools)
            instructions += f"\n\nYour tools:\n{listing}"
        request = f"<note>\n{context}\n</note>\n\nTask: {task}\n\nWhat are your next steps?"
        messages = [Message("system", instructions), Message("user", request)]
        reply = self._model.complete(messages, max_tokens=MOST_TOKENS, seed=self._seed)
        return Continuation(reply.text, reply.usage)


def build_agent(spec: str) -> ResumingAgent:
    """Build the embedded agent, or one that asks the model of this name."""
    if spec == EMBEDDED:
        return EmbeddedAgent()
    if ":" not in spec and MODELS.aliases.get(spec, spec) not in MODELS.names():
        raise UnknownName("resuming agent", spec, [EMBEDDED, *MODELS.names()])
    return ModelAgent(build_model(spec))


def resume(agent: ResumingAgent, episode: Episode, context: str) -> Continuation:
    """Let the agent carry the episode on, with the prompt and tools that the episode names."""
    tools = episode.tools
    prompt = None
    handover = episode.resume_with
    if handover is not None:
        prompt = handover.prompt
        if handover.tools is not None:
            tools = handover.tools
    return agent.resume(episode.initial_task, context, tools, prompt)


def _listed_steps(context: str) -> list[str]:
    """Return the lines below each heading of next steps, up to a blank line or another heading."""
    lines = []
    inside = False
    for line in context.splitlines():
        is_bullet = bool(_BULLET.match(line))
        is_break = not line.strip() or line.rstrip().endswith(":") or line[0] == "#"
        if _HEADING.match(line.strip().strip("#").strip()):
            inside = True
        elif is_break and not is_bullet:
            inside = False
        elif inside:
            lines.append(line)
    return lines


def _sentences(context: str) -> list[str]:
    """Return the sentences, newest first, without headings; a semicolon ends one as well."""
    parts = []
    for start, end in sentence_spans(context):
        parts += [part.strip() for part in context[start:end].split(";")]
    return [part for part in reversed(parts) if part and not part.endswith(":")]
