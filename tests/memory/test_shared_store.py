"""Stores outside our objects: built late, shared until somebody writes, closed by the last one."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import pytest

from agingbench.memory.shared_store import Outside
from agingbench.records import Event, Unit


class FakeStore:
    """A list of lines that notes when it is opened and closed."""

    opened = 0
    closed = 0

    def __init__(self, lines: list[str]) -> None:
        FakeStore.opened += 1
        self.lines = list(lines)

    def close(self) -> None:
        FakeStore.closed += 1


class FakeOutside(Outside[FakeStore]):
    """Keeps the user's words in a store outside; "boom" breaks in the middle of a write."""

    def empty_state(self) -> dict[str, Any]:
        return {"lines": []}

    def open_store(self, state: dict[str, Any]) -> FakeStore:
        return FakeStore(state["lines"])

    def state_of(self, store: FakeStore) -> dict[str, Any]:
        return {"lines": list(store.lines)}

    def twin(self) -> FakeOutside:
        return FakeOutside()

    def read(self, query: str) -> str:
        with self.reading() as store:
            return "\n".join(store.lines)

    def write(self, events: Sequence[Event]) -> None:
        with self.writing() as store:
            for event in events:
                store.lines.append(event.content or "")
                if event.content == "boom":
                    raise RuntimeError("boom")

    def units(self) -> list[Unit] | None:
        return [Unit(str(n), line) for n, line in enumerate(self.state["lines"])]


@pytest.fixture(autouse=True)
def _counts() -> None:
    FakeStore.opened = 0
    FakeStore.closed = 0


def said(text: str) -> list[Event]:
    return [Event(step=0, role="user", content=text)]


def test_nothing_is_opened_before_it_is_needed() -> None:
    memory = FakeOutside()
    memory.load({"lines": ["a"]})
    copies = [memory.copy() for _ in range(12)]
    assert [twin.dump() for twin in copies] == [{"lines": ["a"]}] * 12
    assert FakeStore.opened == 0


def test_copies_that_only_look_on_share_one_store() -> None:
    memory = FakeOutside()
    memory.write(said("a"))
    copies = [memory.copy() for _ in range(12)]
    assert {twin.read("") for twin in copies} == {"a"}
    assert FakeStore.opened == 1


def test_copies_of_a_memory_that_was_never_opened_share_one_store_too() -> None:
    memory = FakeOutside()
    memory.load({"lines": ["a"]})
    copies = [memory.copy() for _ in range(12)]
    assert {twin.read("") for twin in copies} == {"a"}
    assert FakeStore.opened == 1


def test_who_writes_while_others_look_on_does_not_reach_them() -> None:
    memory = FakeOutside()
    memory.write(said("a"))
    before = memory.copy()
    memory.write(said("b"))
    assert before.read("") == "a"
    assert memory.read("") == "a\nb"
    twin = memory.copy()
    twin.write(said("c"))
    assert memory.read("") == "a\nb"
    assert memory.dump() == {"lines": ["a", "b"]}


def test_a_write_that_breaks_leaves_the_state_as_it_was() -> None:
    memory = FakeOutside()
    memory.write(said("a"))
    with pytest.raises(RuntimeError):
        memory.write([*said("b"), *said("boom")])
    assert memory.dump() == {"lines": ["a"]}
    assert memory.read("") == "a"


def test_the_last_one_closes_the_store_and_closing_twice_does_no_harm() -> None:
    memory = FakeOutside()
    memory.write(said("a"))
    twin = memory.copy()
    memory.close()
    memory.close()
    assert FakeStore.closed == 0
    twin.close()
    assert FakeStore.closed == 1
    assert memory.read("") == "a"
    memory.close()
    assert FakeStore.closed == FakeStore.opened == 2


def test_a_store_that_nobody_closes_goes_with_its_policy() -> None:
    memory = FakeOutside()
    memory.write(said("a"))
    twin = memory.copy()
    twin.read("")
    del memory, twin
    gc.collect()
    assert FakeStore.closed == FakeStore.opened == 1


def test_a_state_that_was_dumped_does_not_change_later() -> None:
    memory = FakeOutside()
    memory.write(said("a"))
    state = memory.dump()
    memory.write(said("b"))
    memory.flush_history()
    assert state == {"lines": ["a"]}
    assert memory.read("") == ""
