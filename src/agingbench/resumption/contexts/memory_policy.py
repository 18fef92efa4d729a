"""Any memory policy of the bench as a consolidator: it is told the trajectory session by session,
then read.
"""

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
SESSION = 20  # entries told at once where the trace does not say where a session ends


class PolicyConsolidator(Consolidator):
    """A policy that condenses gets the budget in words; one that keeps more than fits is refused by
    the runner.

    How many tokens a word takes is known only afterwards, so a note that came out too long is asked
    for again, shorter.
    """

    def __init__(self, policy: str, model: Model) -> None:
        self._policy = policy
        self._model = model

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
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
        told = _as_told(event)
        if told is not None:
            part.append(told)
    if part:
        yield part


def _as_told(event: Event) -> Event | None:
    # Policies of the bench read what was said; what a tool was asked and answered is told as the
    # assistant's.
    text = entry_text(event)
    if not text or event.role == "system":
        return None
    if event.role in ("user", "assistant"):
        return event
    return msgspec.structs.replace(event, role="assistant", content=text[:MOST_ENTRY])
