"""The consolidator that takes a production harness's own compaction from the trace."""

from __future__ import annotations

from collections.abc import Iterable

from agingbench.errors import InputError
from agingbench.interfaces import Consolidator
from agingbench.records import Event


class NotApplicable(InputError):
    """A consolidator has nothing to work on in an episode, which is skipped for this reason."""


class CompactionConsolidator(Consolidator):
    """Takes the last summary that the harness wrote for itself; NotApplicable without one."""

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        """Return the harness's last compaction summary."""
        summary = ""
        for event in events:
            # Some harnesses write the summary with the event, others as a message behind it.
            is_compaction = event.lifecycle == "compaction"
            is_summary = event.call_type == "compact_summary"
            content = (event.content or "").strip()
            if content and (is_compaction or is_summary):
                summary = content
        if not summary:
            raise NotApplicable("the trajectory holds no compaction of its harness")
        return summary
