"""Records and ledgers for the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agingbench.trials.ledger import Ledger, open_ledger
from agingbench.trials.record import TrialRecord, parse_trial
from tests.trials.test_record import minimal

DATA = Path(__file__).parents[3] / "shared" / "data" / "trials"
TRACES = DATA.parent / "traces"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real runs under ../shared/data are not here")
needs_traces = pytest.mark.skipif(not TRACES.is_dir(), reason="the public traces under ../shared/data are not here")


def record(trial_id: str = "trial-001", **parts: dict[str, Any] | str) -> TrialRecord:
    """A partial record; `parts` are merged into the parts of that name, or replace a field."""
    obj = minimal()
    obj["trial_id"] = trial_id
    for name, part in parts.items():
        obj[name] = {**obj[name], **part} if isinstance(part, dict) and isinstance(obj.get(name), dict) else part
    return parse_trial(json.dumps(obj).encode(), trial_id)


def filled(place: Path | str, n: int = 6) -> Ledger:
    """A ledger of n trials, each with a trace."""
    ledger = open_ledger(place)
    for i in range(1, n + 1):
        ledger.add(
            record(f"trial-{i:03}"), {"trace.jsonl": f'{{"step": 0, "role": "user", "content": "{i}"}}\n'.encode()}
        )
    return ledger
