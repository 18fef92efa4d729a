"""Records behind a fired signal, repeats at one distance, and a terminal card that stays readable
at 80 columns.
"""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console

from agingbench.cards.audit import AuditCard
from agingbench.report.audit import print_audit
from agingbench.telemetry import trace_to_card_v11
from agingbench.telemetry.prepare_trace import prepare, prepare_trace


def growing(path: Path, sessions: int) -> Path:
    """An agent whose context grows faster from session to session; one request that returns after
    eight sessions.
    """
    rows: list[dict[str, Any]] = []
    for s in range(sessions):
        start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=s)
        load = 1000
        rows.append(
            {
                "session_id": f"s{s}",
                "role": "user",
                "timestamp": start.isoformat(),
                "content": " ".join("abcdefgh"[s % 8] * n for n in (4, 5, 6)),
            }
        )
        for i in range(20):
            load += int(50 * (1 + s / 4)) + i
            rows.append(
                {
                    "session_id": f"s{s}",
                    "role": "agent",
                    "timestamp": (start + timedelta(seconds=9 * i + 9)).isoformat(),
                    "model": "m",
                    "input_tokens": load,
                    "output_tokens": 5,
                    "content": "done",
                    "tool_calls": [
                        {
                            "name": ("read", "run", "edit")[i % 3],
                            # Fewer and fewer calls say which file they mean.
                            "args": {"path": f"src/{i}.py" if i >= s else "it"},
                        }
                    ],
                }
            )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_fired_signal_names_the_records_behind_it(tmp_path: Path) -> None:
    trace = growing(tmp_path / "trace.jsonl", 16)
    audit = trace_to_card_v11(trace, "generic").card["trace_audit"]
    assert audit["compression"]["fired"] is True
    assert audit["compression"]["interval"] == audit["compression"]["effect_ci"]
    records = audit["dominant_mechanism"]["evidence"]["compression"][0]["records"]
    lines = trace.read_text().splitlines()
    assert records
    for found in records:
        assert found["file"] == "trace.jsonl"
        assert json.loads(lines[found["line"] - 1])["session_id"] == f"s{found['session']}"
        assert found["session"] >= 10


def test_repeats_at_one_distance_are_told_and_lead_no_headline(tmp_path: Path) -> None:
    card = trace_to_card_v11(growing(tmp_path / "trace.jsonl", 16), "generic").card
    block = card["trace_audit"]["consistency"]
    assert block["n_pairs"] > 0
    assert block["behavior_drift_at_repeat"] is not None
    assert block["behavior_drift_basis"] == "first_to_last"
    trajectory = [value for value in block["consistency_drop_trajectory"] if value is not None]
    assert trajectory[-1] == block["behavior_drift_at_repeat"]
    assert card["headline"]["tiers"]["behavior_drift_at_repeat"]["value"] is None
    # A tier without a figure does not hide the trend of what fired.
    assert card["headline"]["source"] == "aging_trend"


def test_names_of_mechanisms_are_whole_at_80_columns(tmp_path: Path) -> None:
    card = trace_to_card_v11(growing(tmp_path / "trace.jsonl", 16), "generic").card
    screen = Console(file=io.StringIO(), width=80)
    card["trace_audit"]["interference"] |= {
        "leading_signal": "a_name_of_a_signal_that_is_long",
        "effect": -0.5,
        "effect_ci": [-10.25, -0.75],
        "p_adjusted": 0.5,
    }
    print_audit(AuditCard.read(card), [], screen)
    text = screen.file.getvalue()  # type: ignore[attr-defined]
    assert all(
        any(line.startswith(name) for line in text.splitlines())
        for name in ("compression", "interference")
    )
    assert "nothing to test in this trace" in text


def test_the_function_is_found_in_its_module_too() -> None:
    assert prepare_trace is prepare
