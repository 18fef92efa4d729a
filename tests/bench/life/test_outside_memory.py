"""Memories with something outside: closed when asked and when the life ends, named on the card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import plan_for, shared_scenario
from agingbench.bench.life.system import Sut
from agingbench.cards.check import load_card
from agingbench.memory.shared_store import Outside
from agingbench.records import Event, Unit

open_stores: set[int] = set()


class CountedStore:
    """A list of lines that is noted while it is open."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        open_stores.add(id(self))

    def close(self) -> None:
        open_stores.remove(id(self))


class CountedMemory(Outside[CountedStore]):
    """Keeps every line that the user says in a store outside."""

    versions = {"counted": "1.2.3"}  # noqa: RUF012

    def empty_state(self) -> dict[str, Any]:
        return {"lines": []}

    def open_store(self, state: dict[str, Any]) -> CountedStore:
        return CountedStore(state["lines"])

    def state_of(self, store: CountedStore) -> dict[str, Any]:
        return {"lines": list(store.lines)}

    def twin(self) -> CountedMemory:
        return CountedMemory()

    def read(self, query: str) -> str:
        with self.reading() as store:
            return "\n".join(store.lines[-5:])

    def write(self, events: Sequence[Event]) -> None:
        with self.writing() as store:
            store.lines += [event.content or "" for event in events if event.role == "user"]
        assert len(open_stores) <= 2  # this one, and the one that probes may still be asked of

    def units(self) -> list[Unit] | None:
        return [Unit(str(n), line) for n, line in enumerate(self.state["lines"])]


SYSTEM = Sut(memory=f"{__name__}:CountedMemory")


def a_life(out: Path | None = None) -> Life:
    scenario = shared_scenario("s2")
    plan = plan_for(scenario, "light", None, 2, 0, ())
    if out is None:
        return Life(plan, scenario, SYSTEM)
    return Life(plan, scenario, SYSTEM).again(out)


def test_a_life_leaves_nothing_open_and_its_card_names_the_product(tmp_path: Path) -> None:
    life = a_life(tmp_path)
    life.live()
    assert not open_stores
    life.score()
    card = load_card(life.folder.card)
    assert card["provenance"]["memory_versions"] == {"counted": "1.2.3"}


def test_a_diagnosis_leaves_nothing_open() -> None:
    life = a_life()
    life.live()
    life.diagnose()
    assert not open_stores


def test_a_life_that_breaks_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    life = a_life()
    calls = 0
    real = CountedMemory.write

    def write(memory: CountedMemory, events: Sequence[Event]) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("broken")
        real(memory, events)

    monkeypatch.setattr(CountedMemory, "write", write)
    with pytest.raises(RuntimeError, match="broken"):
        life.live()
    assert calls == 2
    assert not open_stores
