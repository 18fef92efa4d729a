"""What a biography quotes of the memory: the sentence with the value, before and after a loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from agingbench.report.pages.life_facts import biographies
from agingbench.report.pages.memory_quotes import MemoryQuotes
from agingbench.trials.autopsy import read_autopsy
from agingbench.trials.run_folder import LifeFiles, Snapshot
from tests.report.test_autopsy import FACT, STORY, SUMMARY

TEXTS = {
    3: "It rains. My dining budget is $309 now. The travel budget is $450.",
    5: "My dining budget is $309.",
    6: "My dining budget is not known.",
}


class Memory(LifeFiles):
    """A memory that says these texts; point 6 has an event."""

    def __init__(self) -> None:
        super().__init__(Path("nowhere"))

    def snapshot(self, t: int) -> Snapshot:
        return Snapshot(t, {}, TEXTS[t])

    def before(self, t: int) -> Snapshot:
        return Snapshot(t, {}, TEXTS[t - 1])


def words_of(tmp_path: Path, **changed: Any) -> list[str]:
    fact = FACT | {"what": "my dining budget", "value": "$309", "first_stated": 3} | changed
    document = {
        "format": "agingbench-autopsy/1",
        "scenario": "s2_x",
        "scenario_version": "1",
        "seed": 0,
        "n_sessions": 8,
        "plan_hash": "0",
        "sut_id": "x",
        "summary": SUMMARY,
        "transport": [],
        "probes": [STORY | {"facts": [fact]}],
    }
    file = tmp_path / "autopsy.json"
    file.write_text(json.dumps(document))
    autopsy = read_autopsy(file)
    [biography] = biographies(autopsy, MemoryQuotes(Memory()))
    assert msgspec.json.encode(biography)
    return [step.words for step in biography.steps]


def test_the_memory_is_quoted_when_it_first_says_a_fact_and_around_its_loss(tmp_path: Path) -> None:
    lost_at = {"step": "event", "point": 6, "events": ["flush"]}
    words = words_of(tmp_path, lost_at=lost_at, last_stated=6)
    assert "The memory at session 3 says: “My dining budget is $309 now.”" in words
    [loss] = [one for one in words if "before it" in one]
    assert "before it the memory said: “My dining budget is $309.”" in loss
    assert loss.endswith("after that: “My dining budget is not known.”")


def test_nothing_is_quoted_that_does_not_have_the_value(tmp_path: Path) -> None:
    words = words_of(tmp_path, value="$777", lost_at=None, store="still_there")
    assert not any("memory" in one for one in words)
    taken_back = words_of(tmp_path, retraction=True, lost_at=None, store="still_there")
    assert not any("memory" in one for one in taken_back)
