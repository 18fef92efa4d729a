"""The resuming agent: given task and context, never the trajectory, it hands in what it would do
next.
"""

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
    """What the agent handed in, and what asking it took."""

    text: str
    usage: Usage = Usage()


class ResumingAgent(Protocol):
    """Carries a task on from a context."""

    name: str

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo], prompt: str | None
    ) -> Continuation: ...


class EmbeddedAgent:
    """Answers with the list of next steps that it reads from the context. It is not a language
    model.

    Lines below a heading such as "Next steps" come first; then, newest first, sentences that speak
    of what is still to do; then what the context says of the files and names in the first of these,
    what it says was decided and, while there is room, what else it says. At most twelve lines, each
    in the context's own words.
    """

    name = EMBEDDED

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo] = (), prompt: str | None = None
    ) -> Continuation:
        context = context.replace("’", "'")  # half of all agents write their apostrophes so
        ahead = [*_listed(context), *_speaking_of(context, _AHEAD)]
        named = set().union(*map(code_names, ahead[:NAMING])) if ahead else set()
        told = [line for line in _sentences(context) if code_names(line) & named]
        chosen: dict[str, str] = {}
        decided = _speaking_of(context, _DECIDED)
        for line in [
            *ahead[:MOST_AHEAD],
            *told,
            *ahead[MOST_AHEAD:],
            *decided,
            *_sentences(context),
        ]:
            if len(chosen) == MOST_STEPS:
                break
            step = _BULLET.sub("", line).strip()
            if step:
                chosen.setdefault(normalise(step), step)
        return Continuation(
            "\n".join(f"{n}. {step}" for n, step in enumerate(chosen.values(), start=1))
        )


class ModelAgent:
    """A model of the model layer as the resuming agent."""

    def __init__(self, model: Model, seed: int = 0) -> None:
        self.name = model.name
        self._model = model
        self._seed = seed

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo] = (), prompt: str | None = None
    ) -> Continuation:
        told = [prompt or PROMPT]
        if tools:
            told.append(
                "Your tools:\n" + "\n".join(f"- {tool.name}: {tool.description}" for tool in tools)
            )
        asked = f"<note>\n{context}\n</note>\n\nTask: {task}\n\nWhat are your next steps?"
        messages = [Message("system", "\n\n".join(told)), Message("user", asked)]
        reply = self._model.complete(messages, max_tokens=MOST_TOKENS, seed=self._seed)
        return Continuation(reply.text, reply.usage)


def build_agent(spec: str) -> ResumingAgent:
    """The embedded agent, or any model of the model layer by its name."""
    if spec == EMBEDDED:
        return EmbeddedAgent()
    if ":" not in spec and MODELS.aliases.get(spec, spec) not in MODELS.names():
        raise UnknownName("resuming agent", spec, [EMBEDDED, *MODELS.names()])
    return ModelAgent(build_model(spec))


def resume(agent: ResumingAgent, episode: Episode, context: str) -> Continuation:
    """Let the agent carry the episode on; where the episode names its own prompt or tools, these
    are used.
    """
    other = episode.resume_with
    tools = episode.tools if other is None or other.tools is None else other.tools
    return agent.resume(episode.initial_task, context, tools, other.prompt if other else None)


def _listed(context: str) -> list[str]:
    """The lines below each heading that announces what is next, up to a blank line or another
    heading.
    """
    found = []
    inside = False
    for line in context.splitlines():
        if _HEADING.match(line.strip().strip("#").strip()):
            inside = True
        elif (
            inside
            and not _BULLET.match(line)
            and (not line.strip() or line.rstrip().endswith(":") or line[0] == "#")
        ):
            inside = False
        elif inside:
            found.append(line)
    return found


def _sentences(context: str) -> list[str]:
    """Sentences, newest first, without headings; a semicolon ends one as well."""
    parts = [part.strip() for a, b in sentence_spans(context) for part in context[a:b].split(";")]
    return [part for part in reversed(parts) if part and not part.endswith(":")]


def _speaking_of(context: str, cue: re.Pattern[str]) -> list[str]:
    return [part for part in _sentences(context) if cue.search(part)]
