"""What was not read is told: damaged files, and records that a window left out."""

from __future__ import annotations

import json
from pathlib import Path

from agingbench.telemetry.audit import audit_path


def test_a_file_that_cannot_be_read_is_not_an_empty_trace(tmp_path: Path) -> None:
    """A damaged archive is no proof that an agent did nothing."""
    (tmp_path / "log.eval").write_bytes(b"PK\x03\x04 _journal/start.json and then noise")
    [audit] = audit_path(tmp_path)
    codes = [warning.split(":")[0] for warning in audit.card["warnings"]]
    assert "telemetry_unreadable_trace" in codes
    assert "telemetry_empty_trace" not in codes


def test_the_log_counts_records_that_the_window_excluded(tmp_path: Path) -> None:
    """Used and ignored records add up with and without a window."""
    trace = tmp_path / "trace.jsonl"
    with trace.open("w") as stream:
        for day in range(10):
            for role in ("user", "assistant"):
                time = 1_767_000_000 + day * 86_400
                row = {"session_id": f"s{day}", "role": role, "content": "hi", "timestamp": time}
                stream.write(json.dumps(row) + "\n")

    [whole] = audit_path(trace)
    [late] = audit_path(trace, since=1_767_000_000 + 5 * 86_400)
    assert whole.log.used == 20
    assert late.log.used == 10
    assert late.log.ignored["older_than_since"] == 10
    assert late.n_records == 10
