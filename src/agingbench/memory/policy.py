"""What the policies of this package share: options, lifecycle events, compaction and how a session
reads as text.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from agingbench.errors import BrokenReply, InputError, UnknownName
from agingbench.interfaces import Memory, Model
from agingbench.memory.prompts import compaction_prompt, filled, prompt_hash, read_prompt
from agingbench.records import Event, Message, Reply, Tool
from agingbench.text.wording import sentence_spans

COMPACTION_TRIES = 3
RATIO = 0.5  # what a partial reset takes when nothing else is said


class Policy(Memory):
    """Base of the built-in policies: a lifecycle event is the method of that name."""

    def check(self, event: str, **args: Any) -> None:
        """Raise InputError if the event is not supported or its arguments are wrong."""
        super().check(event, **args)
        parameters = list(inspect.signature(getattr(self, event)).parameters)
        for name in args:
            if not parameters:
                raise InputError(f"{event} takes no arguments")
            if name not in parameters:
                raise UnknownName(f"argument of {event} on {type(self).__name__}", name, parameters)
        if event == "partial_reset":
            _check_ratio(args.get("ratio", RATIO))
        elif event == "reduce_budget":
            self._check_budgets(parameters, args)
        elif event == "prompt_update":
            if "prompt" not in args:
                raise InputError("prompt_update: say which, as prompt=careful")
            compaction_prompt(read_prompt(args["prompt"]))

    def _check_budgets(self, parameters: Sequence[str], args: dict[str, Any]) -> None:
        if not args:
            examples = " or ".join(f"{name}=NUMBER" for name in parameters)
            raise InputError(f"reduce_budget: say to what, as {examples}")
        for name, value in args.items():
            current = getattr(self, name)
            try:
                whole(name, value)
            except ValueError as error:
                raise InputError(f"reduce_budget: {error}") from error
            if value >= current:
                raise InputError(
                    f"reduce_budget: {name}={value} is no reduction, it is {current} already"
                )


def _of_inner(name: str) -> Any:
    """A property that reads this attribute of the inner policy."""
    return property(attrgetter(f"inner.{name}"))


class Overlay(Memory):
    """A policy around another one, its constructor's `inner`, which supplies what it does not
    define.
    """

    inner: Memory
    supports = _of_inner("supports")
    options = _of_inner("options")
    prompt_hashes = _of_inner("prompt_hashes")
    versions = _of_inner("versions")
    model = _of_inner("model")
    words = _of_inner("words")
    k = _of_inner("k")
    prompt = _of_inner("prompt")
    keeps_log = _of_inner("keeps_log")

    def check(self, event: str, **args: Any) -> None:
        """Ask the inner policy."""
        self.inner.check(event, **args)

    def tools(self) -> list[Tool]:
        """The tools that the inner policy offers."""
        return self.inner.tools()

    def close(self) -> None:
        """Release what the inner policy holds."""
        self.inner.close()


class Compacting(Policy):
    """A policy whose model condenses text under a word budget, by a prompt that has a name."""

    model: Model
    prompt: str
    words: int

    def __init__(self, model: Model, prompt: str, words: int) -> None:
        self.prompt = read_prompt(prompt)
        compaction_prompt(self.prompt)
        self.model = model
        self.words = whole("words", words)
        self.overlong = 0  # summaries that the model made too long, and that were cut

    @property
    def prompt_hashes(self) -> dict[str, str]:  # type: ignore[override]
        return {"compaction": prompt_hash(compaction_prompt(self.prompt))}

    def prompt_update(self, prompt: str) -> None:
        """Another compaction prompt from here on; what was compacted stays as it is."""
        self.prompt = read_prompt(prompt)

    def compact(self, text: str) -> str:
        """The text as the model condenses it, cut to the budget whatever the model says."""
        reply = self._ask(filled(self.prompt, self.words, text))
        summary = reply.text.strip()
        if len(summary.split()) <= self.words:
            return summary
        self.overlong += 1
        return cut_to_budget(summary, self.words)

    def settings(self) -> dict[str, Any]:
        """Prompt and budget as a snapshot holds them, with how many summaries had to be cut."""
        cuts = {"overlong": self.overlong} if self.overlong else {}
        return {"prompt": self.prompt, "words": self.words, **cuts}

    def load_settings(self, state: dict[str, Any]) -> None:
        """Take over what `settings` gave."""
        self.prompt = state["prompt"]
        self.words = state["words"]
        self.overlong = state.get("overlong", 0)

    def _ask(self, request: str) -> Reply:
        # A write that fails stops the life, so a reply that cannot be used is asked for again.
        tries = COMPACTION_TRIES
        while True:
            tries -= 1
            try:
                return self.model.complete(
                    [Message("user", request)], max_tokens=max(256, 3 * self.words)
                )
            except BrokenReply:
                if not tries:
                    raise


def whole(name: str, value: int) -> int:
    """An option that counts something, checked before anything runs."""
    if type(value) is not int or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
    return value


def _check_ratio(ratio: float) -> None:
    if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 < ratio <= 1:
        raise InputError(f"partial_reset: ratio={ratio} must lie above 0 and not above 1")


def n_oldest(total: int, ratio: float) -> int:
    """How many of `total` things the oldest share is, rounded; a half is rounded up."""
    return int(total * ratio + 0.5)


def without_oldest(texts: Sequence[str], ratio: float) -> list[str]:
    """The texts, oldest first, without the oldest share of their sentences.

    A text that loses all of its sentences is left out.
    """
    sentence_starts = []
    for text in texts:
        spans = sentence_spans(text)
        sentence_starts.append([start for start, end in spans if text[start:end].strip()])

    to_drop = n_oldest(sum(map(len, sentence_starts)), ratio)
    remainders = []
    for text, starts in zip(texts, sentence_starts, strict=True):
        if to_drop < len(starts):
            remainder = text[starts[to_drop] :].lstrip() if to_drop else text
            remainders.append(remainder)
        to_drop = max(0, to_drop - len(starts))
    return remainders


def session_text(events: Sequence[Event]) -> str:
    """A session as a policy reads it: what the user said, and what the assistant replied."""
    parts = []
    for event in events:
        if event.role == "user" and event.content:
            parts.append(event.content)
        elif event.role == "assistant" and event.content:
            parts.append(f"Assistant: {event.content}")
    return "\n\n".join(parts)


def cut_to_budget(text: str, most: int) -> str:
    """The first sentences of a text that come to at most `most` words, with its line breaks.

    Where not even the first sentence fits, it is cut to `most` words.
    """
    if len(text.split()) <= most:
        return text.strip()
    end = 0
    count = 0
    for start, stop in sentence_spans(text):
        count += len(text[start:stop].split())
        if count > most:
            break
        end = stop
    return text[:end].strip() or cut_words(text, most)


def cut_words(text: str, most: int) -> str:
    """The first `most` words of a text, with its line breaks."""
    lines = []
    budget = most
    for line in text.splitlines():
        words = line.split()
        if len(words) >= budget:
            lines.append(" ".join(words[:budget]))
            break
        lines.append(line)
        budget -= len(words)
    return "\n".join(lines).strip()
