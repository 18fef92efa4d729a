"""The naive summary: a model condenses the trajectory, with no word on what to leave out."""

from __future__ import annotations

from collections.abc import Iterable

from agingbench.interfaces import Consolidator, Model
from agingbench.memory.policy import cut_words
from agingbench.memory.prompts import compaction_prompt
from agingbench.records import Event, Message
from agingbench.resumption.episodes.trajectory import entry_text
from agingbench.text.wording import count_tokens

MOST_ENTRY = 2000  # characters of one message
MOST_CALL = 200
CHARACTERS_A_WORD = 7  # technical English, with the space; sets the first word budget


class SummaryConsolidator(Consolidator):
    """Asks for the bench's own lossy compaction of everything that was said and done."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        """Return the model's summary, cut to the budget."""
        entries = [_summary_entry(event) for event in events]
        text = "\n".join(entry for entry in entries if entry)
        words = max(10, 4 * budget // CHARACTERS_A_WORD)
        request = compaction_prompt("lossy").format(words=words, text=text)
        reply = self._model.complete([Message("user", request)], max_tokens=budget)
        return cut_to_budget(reply.text, budget)


def _summary_entry(event: Event) -> str:
    # Messages and the first line of calls; whole files that a tool gave back are left out.
    if event.role == "tool_result":
        return ""
    most = MOST_CALL if event.role == "tool_call" else MOST_ENTRY
    return entry_text(event)[:most]


def cut_to_budget(text: str, budget: int) -> str:
    """Cut the text by whole words until it fits; the runner itself never cuts."""
    most = len(text.split())
    while count_tokens(text) > budget and most > 0:
        most = min(most - 1, most * budget // count_tokens(text))
        text = cut_words(text, most)
    return text if most > 0 else ""
