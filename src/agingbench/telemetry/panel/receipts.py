"""The receipts of an audit: what the agent took, what it did, and when that changed."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.models.prices import PriceList
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.panel.changes import TraceChanges, find_changes
from agingbench.telemetry.panel.panel import Panel, behaviour_panel
from agingbench.telemetry.panel.recorded import recorded_changes
from agingbench.telemetry.panel.spending import TraceSpending, trace_spending
from agingbench.telemetry.sessions.aggregates import TraceSessions


class Receipts(msgspec.Struct, frozen=True):
    """What stands on the card beside the mechanisms."""

    spending: TraceSpending
    panel: Panel
    changes: TraceChanges


def make_receipts(
    trace: TraceSessions, prices: PriceList, null: NullModel, phases: Sequence[int]
) -> Receipts:
    """Return the receipts of a trace; `phases` numbers its stretches of like tasks."""
    panel = behaviour_panel(trace, prices)
    recorded = recorded_changes(trace, phases)
    return Receipts(trace_spending(trace, prices), panel, find_changes(panel, recorded, null))
