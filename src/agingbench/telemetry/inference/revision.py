"""`infer_revision` under the name that the public documentation gives it."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def infer_revision(trace_jsonl: Path | str, **options: Any) -> dict[str, Any]:
    """The revision block of a trace's card; `options` are those of `trace_to_card_v11`.

    Revision is judged beside the other mechanisms and corrected for them, so the whole trace is
    audited.
    """
    # An audit infers: at the top of this file the two would import each other.
    from agingbench.telemetry.audit import trace_to_card_v11

    card = trace_to_card_v11(trace_jsonl, **options).card
    block: dict[str, Any] = card["mechanism_metrics"]["revision"]
    return block
