"""Fixtures of the bench's tests."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest


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
