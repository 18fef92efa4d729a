"""The agents that were written without sight of the inference are kept as they were."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "unseen"
# They were frozen before the inference first saw them.
FROZEN = {
    "README.md": "fb0a6d67e18e9d1e6239ab3ef68d8bf96f9577dcaeb4cfb085b5610c9bb4a92f",
    "agents.py": "6adf4c2a28f42a6eba50aff7cf24f9c8f467b7b77b15d5878f2b79393323c657",
    "check.py": "8fdf9a8ca6c420a2fd76cea45bb4ce68e24fb825187b7bf1f0a994fa2985c2fb",
}


@pytest.mark.parametrize("name", FROZEN)
def test_the_unseen_agents_are_unchanged(name: str) -> None:
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == FROZEN[name]
