"""A memory policy of the bench as a consolidator: it writes the sessions, then it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from agingbench.interfaces import Consolidator, Model
from agingbench.memory.build import build_memory
from agingbench.records import Event
from agingbench.resumption.contexts.summary import CHARACTERS_A_WORD, MOST_ENTRY
from agingbench.resumption.episodes.trajectory import entry_text
from agingbench.text.wording import count_tokens

TRIES = 4
SESSION = 20  # entries of a session where the trace does not say where a session ends


class PolicyConsolidator(Consolidator):
    """Lets a memory policy write the trajectory and returns what it reads for the task.

    A policy that condenses gets the budget in words. How many tokens a word takes is known only
    afterwards, so a note that is too long is written again, shorter.
    """

    def __init__(self, policy: str, model: Model) -> None:
        self._policy = policy
        self._model = model

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        """Return the policy's memory; it may exceed the budget if the policy does not condense."""
        sessions = list(_sessions(events))
        words = max(1, 4 * budget // CHARACTERS_A_WORD)
        for _ in range(TRIES):
            memory = build_memory(self._policy, self._model)
            condenses = "words" in memory.options
            if condenses:
                memory.configure(words=words)
            for session in sessions:
                memory.write(session)
            context = memory.read(task)
            tokens = count_tokens(context)
            if tokens <= budget or not condenses:
                break
            words = max(1, words * budget * 9 // (tokens * 10))
        return context


def _sessions(events: Iterable[Event]) -> Iterator[list[Event]]:
    part: list[Event] = []
    place = None
    for event in events:
        where = (event.session, event.session_id)
        if part and (len(part) >= SESSION or where != place):
            yield part
            part = []
        place = where
        message = _as_message(event)
        if message is not None:
            part.append(message)
    if part:
        yield part


def _as_message(event: Event) -> Event | None:
    # Policies of the bench read messages; tool calls and results become the assistant's.
    text = entry_text(event)
    if not text or event.role == "system":
        return None
    if event.role in ("user", "assistant"):
        return event
    return msgspec.structs.replace(event, role="assistant", content=text[:MOST_ENTRY])
