"""The naive summary: a model is shown the trajectory and asked to condense it, with no word on what
to leave out.
"""

from __future__ import annotations

from collections.abc import Iterable

from agingbench.interfaces import Model
from agingbench.memory.policy import cut_words
from agingbench.memory.prompts import compaction_prompt
from agingbench.records import Event, Message
from agingbench.resumption.episodes.trajectory import entry_text
from agingbench.text import count_tokens

MOST_ENTRY = 2000  # characters of one message
MOST_CALL = 200
CHARACTERS_A_WORD = 7  # with its space, technical English; only where the first word budget is set


class SummaryConsolidator:
    """The bench's own lossy compaction prompt, over everything that was said and done."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        text = "\n".join(part for event in events if (part := _told(event)))
        words = max(10, 4 * budget // CHARACTERS_A_WORD)
        request = compaction_prompt("lossy").format(words=words, text=text)
        reply = self._model.complete([Message("user", request)], max_tokens=budget)
        return cut_to_budget(reply.text, budget)


def _told(event: Event) -> str:
    # What was said, and what was called for in a line; whole files that a tool gave back are not
    # what happened.
    if event.role == "tool_result":
        return ""
    return entry_text(event)[: MOST_CALL if event.role == "tool_call" else MOST_ENTRY]


def cut_to_budget(text: str, budget: int) -> str:
    """The text cut by whole words until it fits: a consolidator keeps its own budget, the runner
    never cuts.
    """
    most = len(text.split())
    while count_tokens(text) > budget and most > 0:
        most = min(most - 1, most * budget // count_tokens(text))
        text = cut_words(text, most)
    return text if most > 0 else ""
