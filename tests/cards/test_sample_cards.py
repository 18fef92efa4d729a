"""The cards that ship as samples are valid, whole, and made by the tool for scenarios that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.bench.life.planning import load_scenario
from agingbench.cards.check import load_card, validate_card
from tests.places import EXAMPLES

CARDS = sorted((EXAMPLES / "sample_cards").glob("*.json"))


@pytest.mark.parametrize("path", CARDS, ids=lambda p: p.stem)
def test_a_sample_card_is_valid(path: Path) -> None:
    card = load_card(path)
    assert validate_card(card) == []
    assert path.stem.startswith(card["scenario"])
    scenario = load_scenario(card["scenario"])
    assert card["headline"]["metric_name"] == scenario.headline
    if "extractive" in path.stem:  # a language model's card takes hours to make again
        assert card["scenario_version"] == scenario.version


def test_every_scenario_has_a_card_of_the_embedded_reader() -> None:
    shown = {load_card(path)["scenario"] for path in CARDS if "extractive" in path.stem}
    assert {load_scenario(f"s{n}").id for n in range(1, 8)} <= shown
