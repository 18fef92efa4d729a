"""Fixtures of the bench's tests."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agingbench.bench.repository.chain import CHAIN_FILE, ChainFile, load_chain
from agingbench.bench.repository.downloads import INDEX
from tests.bench.repository.standin import build


@pytest.fixture
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "prices.json"
    file.write_text(
        json.dumps(
            {
                "as_of": "2026-01-01",
                "usd_per_million_tokens": {"stub": {"input": 1.0, "output": 10.0}},
            }
        )
    )
    for name in list(os.environ):
        if name.upper().startswith(("OPENAI", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AGINGBENCH_PRICES", str(file))


@pytest.fixture(scope="session")
def standin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stand-in's index, chain file and cache."""
    folder = tmp_path_factory.mktemp("standin")
    build(folder)
    return folder


@pytest.fixture
def standin(standin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> ChainFile:
    """The stand-in's chain, set up as the one that s8 lives on."""
    monkeypatch.setenv(INDEX, (standin_folder / "simple").as_uri())
    monkeypatch.setenv("XDG_CACHE_HOME", str(standin_folder / "cache"))
    monkeypatch.setenv(CHAIN_FILE, str(standin_folder / "chain.yaml"))
    return load_chain()
