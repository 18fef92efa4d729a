"""The receipts of an audit: what the agent took, and what it did."""

from __future__ import annotations

import msgspec

from agingbench.models.prices import PriceList
from agingbench.telemetry.panel.panel import Panel, behaviour_panel
from agingbench.telemetry.panel.spending import TraceSpending, trace_spending
from agingbench.telemetry.sessions.aggregates import TraceSessions


class Receipts(msgspec.Struct, frozen=True):
    """What stands on the card beside the mechanisms."""

    spending: TraceSpending
    panel: Panel


def make_receipts(trace: TraceSessions, prices: PriceList) -> Receipts:
    """Return the receipts of a trace by the prices given."""
    return Receipts(trace_spending(trace, prices), behaviour_panel(trace, prices))
