"""The naive baseline: the trajectory itself, the newest entries kept when the budget bites."""

from __future__ import annotations

from collections.abc import Iterable

from agingbench.records import Event
from agingbench.resumption.episodes.trajectory import entry_text
from agingbench.text import count_tokens


class RawConsolidator:
    """Whole entries from the end as long as they fit; the oldest one that does not is kept by its
    end.
    """

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        entries = [text for event in events if (text := entry_text(event))]
        kept: list[str] = []
        for entry in reversed(entries):
            if count_tokens("\n".join([entry, *kept])) > budget:
                kept.insert(0, _end_of(entry, kept, budget))
                break
            kept.insert(0, entry)
        return "\n".join(filter(None, kept))


def _end_of(entry: str, kept: list[str], budget: int) -> str:
    room = budget - count_tokens("\n".join(["", *kept]))
    end = entry[-4 * room :] if room > 0 else ""
    while end and count_tokens("\n".join([end, *kept])) > budget:
        end = end[1:]
    return end
