"""`agingbench view` says where it answers, and what it needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.conftest import Cli
from tests.report.lives import life
from tests.view.serving import Served


def test_the_command_answers_where_it_says(tmp_path: Path) -> None:
    (tmp_path / "aging_card.json").write_text(json.dumps(life("model+memory")))
    words = [sys.executable, "-m", "agingbench", "view", str(tmp_path), "--port", "0", "--json"]
    viewer = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert viewer.stdout is not None
        document = json.loads(viewer.stdout.readline())
        address = urlsplit(document["data"]["address"])
        assert document["kind"] == "view"
        assert address.hostname == "127.0.0.1"
        assert address.port is not None
        assert "model+memory" in Served(address.port).ask("/").text
    finally:
        viewer.kill()
        viewer.communicate()


def test_a_place_that_is_none_and_a_missing_extra_are_told(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = cli("view", tmp_path / "nowhere")
    assert (told.code, "there is no such folder" in told.err) == (2, True)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "agingbench.view.server", raising=False)
    told = cli("view", tmp_path)
    assert (told.code, "pip install 'agingbench[web]'" in told.err) == (2, True)


def test_a_password_in_an_address_is_not_printed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from agingbench.view import server

    monkeypatch.setattr(server, "viewer_of", lambda place: None)
    monkeypatch.setattr(server, "serve", lambda viewer, socket, started: started())
    told = cli("view", "postgresql://me:secret@host/ledger", "--port", "0", "--json")
    assert told.code == 0
    assert "secret" not in told.out + told.err
    told = cli("view", "postgresql://me:secret@host/ledger", "--port", "0")
    assert "postgresql://host/ledger at http://127.0.0.1:" in told.out
