"""The naive summary: the work retold, with no thought of what to leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agingbench.interfaces import Consolidator, Model
from agingbench.memory.policy import cut_words
from agingbench.records import Event, Message
from agingbench.resumption.contexts.abandoned import LONGEST, session_sentences
from agingbench.resumption.contexts.code_names import reads_as_code
from agingbench.resumption.episodes.trajectory import entry_text
from agingbench.text.wording import count_tokens, normalise

EMBEDDED_MODEL = "extractive"

MOST_ENTRY = 2000  # characters of one message
MOST_CALL = 200
HEAD_SHARE = 4  # one part in so many of the budget goes to how the work began
FEWEST_WORDS = 3
CHARACTERS_A_WORD = 7  # technical English, with the space; sets the first word budget

PROMPT = (
    "An agent was interrupted in the middle of a task. Summarise what it did so far in at most"
    " {words} words.\n\nTask: {task}\n\n<text>\n{text}\n</text>"
)
_MARKUP = re.compile(r"^\s*(?:[-*•]|\d+[.)]|#+)\s+|\*\*|^>+\s*")


class SummaryConsolidator(Consolidator):
    """Retells the work: by a model that is asked plainly, else by its first and last sentences."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        """Return the summary within the budget."""
        trajectory = [event for event in events if event.role != "system"]
        if self._model.name == EMBEDDED_MODEL:
            return head_and_tail(task, trajectory, budget)

        entries = [_summary_entry(event) for event in trajectory]
        text = "\n".join(entry for entry in entries if entry)
        words = max(10, 4 * budget // CHARACTERS_A_WORD)
        request = PROMPT.format(words=words, task=task, text=text)
        reply = self._model.complete([Message("user", request)], max_tokens=budget)
        return cut_to_budget(reply.text, budget)


def head_and_tail(task: str, events: Iterable[Event], budget: int) -> str:
    """Return the first and last sentences of user and agent that fit, in their order.

    A quarter of the budget goes to the beginning; of the task itself nothing is repeated.
    """
    lines = _plain_sentences(task, events)
    if count_tokens(" ".join(lines)) <= budget:
        return " ".join(lines)

    head = _fitting(lines, budget // HEAD_SHARE)
    rest = lines[len(head) :]
    room = budget - count_tokens(" ".join(head)) - 1
    tail = _fitting(rest[::-1], room)
    return " ".join([*head, *tail[::-1]])


def _plain_sentences(task: str, events: Iterable[Event]) -> list[str]:
    """Return what was said, without the task, lines of code and headings, each sentence once."""
    lines: dict[str, str] = {}
    for sentence in session_sentences(events):
        text = _MARKUP.sub("", sentence.text).strip()
        is_sentence = len(text) <= LONGEST and len(text.split()) >= FEWEST_WORDS
        if not is_sentence or text in task or text.endswith(":") or reads_as_code(text):
            continue
        key = normalise(text)
        lines.pop(key, None)
        lines[key] = text
    return list(lines.values())


def _fitting(lines: Sequence[str], budget: int) -> list[str]:
    """Return the first of the lines, as many as fit."""
    result: list[str] = []
    size = 0
    for line in lines:
        # One token more than the line itself: pieces are rounded up when they are joined.
        size += count_tokens(line) + 1
        if size > budget:
            break
        result.append(line)
    return result


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
