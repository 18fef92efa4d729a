"""Audits as trials: with their scrubbed card as evidence, and no transcript."""

from __future__ import annotations

import json
from pathlib import Path

from agingbench.cards.check import validate_card
from agingbench.telemetry.audit import audit_path
from agingbench.telemetry.trials import keep_audits
from agingbench.trials.ledger import open_ledger
from tests.trials.making import kept

ENTRIES = [
    {"step": 0, "role": "user", "content": "mail bob@example.org the list", "session": 0},
    {"step": 1, "role": "assistant", "content": "done", "session": 0},
]


def test_an_audit_is_a_trial_with_its_card_and_no_transcript(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    trace.write_text("".join(json.dumps(entry) + "\n" for entry in ENTRIES))
    place = str(tmp_path / "ledger.sqlite")
    first = keep_audits(place, audit_path(trace))
    again = keep_audits(place, audit_path(trace))
    card = first[0].card
    assert validate_card(card) == []
    assert card["content_hash"] == again[0].card["content_hash"]
    with open_ledger(place, create=False) as ledger:
        rows = ledger.list()
        assert [row.trial_id for row in rows] == [
            card["provenance"]["trial_id"],
            again[0].card["provenance"]["trial_id"],
        ]
        assert rows[0].trial_id != rows[1].trial_id
        assert (rows[0].kind, rows[0].reward, rows[0].completeness) == ("audit", None, "partial")
        assert set(ledger.get(rows[0].trial_id).entry.blobs()) == {"aging_card.json"}
        evidence = kept(ledger, rows[0].trial_id, "aging_card.json")
        assert b"bob@example.org" not in evidence
        assert json.loads(evidence)["card_kind"] == "trace"
        assert ledger.verify().ok
