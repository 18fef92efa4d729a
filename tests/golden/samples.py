"""The sample cards that the embedded reader makes, and the lives that they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SAMPLES = sorted(
    (Path(__file__).resolve().parents[2] / "examples" / "sample_cards").glob("*_extractive_*.json")
)


def sample_words(card: dict[str, Any]) -> list[str]:
    """The command that lives the life of a sample card."""
    words = ["run", "--scenario", card["scenario"], "--sessions", str(card["n_sessions"])]
    return [*words, "--seed", str(card["seed"]), "--no-plots", "--ledger", "none", "--json"]
