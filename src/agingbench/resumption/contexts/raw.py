"""The naive baseline: the trajectory itself, as much of its end as fits the budget."""

from __future__ import annotations

from collections.abc import Iterable

from agingbench.interfaces import Consolidator
from agingbench.records import Event
from agingbench.resumption.episodes.trajectory import entry_text
from agingbench.text.wording import count_tokens


class RawConsolidator(Consolidator):
    """Keeps the newest entries that fit, and the end of the first one that does not."""

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        """Return the end of the trajectory."""
        entries = [entry_text(event) for event in events]
        newest: list[str] = []
        for entry in reversed([entry for entry in entries if entry]):
            if count_tokens("\n".join([entry, *newest])) > budget:
                newest.insert(0, _fitting_end(entry, newest, budget))
                break
            newest.insert(0, entry)
        return "\n".join(entry for entry in newest if entry)


def _fitting_end(entry: str, newest: list[str], budget: int) -> str:
    room = budget - count_tokens("\n".join(["", *newest]))
    if room <= 0:
        return ""
    end = entry[-4 * room :]
    while end and count_tokens("\n".join([end, *newest])) > budget:
        end = end[1:]
    return end
