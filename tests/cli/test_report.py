"""`agingbench report` writes a page for what it is given, and says clearly what it cannot show."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli
from tests.report.lives import life


def test_a_card_becomes_a_page_and_json_says_what_was_written(tmp_path: Path, cli: Cli) -> None:
    card = tmp_path / "aging_card.json"
    card.write_text(json.dumps(life()))
    out = tmp_path / "page.html"
    told = cli("report", card, "--out", out)
    assert told.code == 0
    assert "life, 1 card" in told.out
    assert out.read_text().startswith("<!doctype html>")

    document = json.loads(cli("report", card, "--out", out, "--json").out)
    assert document["kind"] == "report"
    assert document["data"]["bytes"] == out.stat().st_size


def test_several_lives_become_a_study(tmp_path: Path, cli: Cli) -> None:
    for seed in (0, 1):
        (tmp_path / str(seed)).mkdir()
        (tmp_path / str(seed) / "aging_card.json").write_text(json.dumps(life("a", seed)))
    told = cli("report", tmp_path, "--out", tmp_path / "page.html")
    assert "study, 2 cards" in told.out


def test_what_holds_no_card_is_wrong_input(tmp_path: Path, cli: Cli) -> None:
    told = cli("report", tmp_path, "--out", tmp_path / "page.html")
    assert told.code == 2
    assert "no aging_card.json here" in told.err
    assert not (tmp_path / "page.html").exists()
