"""The consolidator that takes a production harness's own compaction as it stands in the trace."""

from __future__ import annotations

from collections.abc import Iterable

from agingbench.errors import InputError
from agingbench.interfaces import Consolidator
from agingbench.records import Event


class NotApplicable(InputError):
    """A consolidator that has nothing to work on in this episode; the episode is skipped with this
    as the reason.
    """


class CompactionConsolidator(Consolidator):
    """The last summary that the harness wrote for itself. A trace without one is skipped, with a
    reason.
    """

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        found = ""
        for event in events:
            # Some harnesses write the summary with the event, others as a message of its own behind
            # it.
            compacted = event.lifecycle == "compaction" or event.call_type == "compact_summary"
            if compacted and event.content and event.content.strip():
                found = event.content.strip()
        if not found:
            raise NotApplicable("the trajectory holds no compaction of its harness")
        return found
