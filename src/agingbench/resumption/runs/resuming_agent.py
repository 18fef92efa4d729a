"""The resuming agent: from task and context, never the trajectory, it carries the task on.

In a text-only episode it says what it does next; in an executable one it acts on the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import msgspec

from agingbench.records import Usage
from agingbench.resumption.contexts.code_names import code_names
from agingbench.resumption.episodes.episode import Episode, ToolInfo
from agingbench.resumption.runs.following import follow
from agingbench.resumption.runs.workbench import StepLimit, Workbench
from agingbench.text.wording import normalise, sentence_spans

EMBEDDED = "embedded"
MOST_STEPS = 12
MOST_AHEAD = 8
NAMING = 3  # of the steps, how many say which names matter
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

    def work(
        self, task: str, context: str, bench: Workbench, prompt: str | None
    ) -> Continuation: ...


class EmbeddedAgent:
    """Answers with the next steps that it reads from the context; it is not a language model.

    Lines below a heading such as "Next steps" come first; then, newest first, sentences that speak
    of what is still to do; then what the context says of the files and names in the first of these,
    what it says was decided and, while there is room, the rest. At most twelve lines, each in the
    context's own words.

    In a workspace it carries out the commands and edits that those steps name in backticks, in the
    order of the text: the lines below a heading, or else what the context speaks of as still to do.
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

    def work(
        self, task: str, context: str, bench: Workbench, prompt: str | None = None
    ) -> Continuation:
        """Carry out what the context names and return what the commands printed."""
        context = context.replace("’", "'")
        outputs = _follow_all(_listed_steps(context), bench)
        if not bench.steps:
            sentences = [context[start:end] for start, end in sentence_spans(context)]
            outputs = _follow_all([s for s in sentences if _AHEAD.search(s)], bench)
        return Continuation("\n".join(outputs))


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


def work(agent: ResumingAgent, episode: Episode, context: str, bench: Workbench) -> Continuation:
    """Let the agent carry an executable episode on at the bench."""
    prompt = episode.resume_with.prompt if episode.resume_with else None
    return agent.work(episode.initial_task, context, bench, prompt)


def _follow_all(lines: Sequence[str], bench: Workbench) -> list[str]:
    outputs: list[str] = []
    for line in lines:
        try:
            outputs += follow(line, bench)
        except StepLimit:
            break
    return outputs


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
