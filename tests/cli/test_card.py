"""`agingbench card show` prints a card of each kind with its own figures."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli


def test_the_card_of_an_audit_is_shown_as_the_audit_shows_it(tmp_path: Path, cli: Cli) -> None:
    trace = tmp_path / "a.jsonl"
    lines = [{"session_id": f"s{n}", "role": "user", "content": "hi"} for n in range(3)]
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli("audit", trace, "--out", tmp_path / "out").code == 0
    (card,) = (tmp_path / "out").rglob("aging_card.json")
    shown = cli("card", "show", card)
    assert shown.code == 0
    assert "Agent Lifespan Report" in shown.out
    assert "half-life" not in shown.out
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps({**json.loads(card.read_text()), "trace_audit": {}}))
    assert cli("card", "show", odd).code == 2
