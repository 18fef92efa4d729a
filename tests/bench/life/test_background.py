"""What goes on beside a life: probes that nobody waits for, units kept in order, and what is left
when one breaks.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar, copy_context
from typing import Any

import pytest

from agingbench.bench.life.background import Background
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.transitions import Transition
from agingbench.errors import InputError, StorageError
from agingbench.models.metered import Metered
from agingbench.records import Message, Usage
from tests.bench.lives import SCENARIO, Kept, Speak, agent_of, lived, plainly, playing, small_plan


def ahead(speak: Speak, kept: Kept, ahead: int = 1, **more: Any) -> None:
    """A life of three sessions that may go ahead of its record, with four who ask."""
    agent, meter = agent_of(playing(speak))
    live_plan(small_plan(), SCENARIO, agent, kept, meter=meter, workers=4, ahead=ahead, **more)


def session_of(messages: Sequence[Message]) -> int:
    """The session that a task belongs to, by the material of the plan."""
    said = " ".join(message.content for message in messages)
    return next((s.index for s in small_plan().sessions if s.material in said), -1)


class Waiting:
    """Does not answer the first probe of point 1 before the tasks of a later session are being
    done.
    """

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.asked = threading.Lock()
        self.waited = False

    def __call__(self, kind: str, messages: Sequence[Message]) -> str:
        if kind == "task" and session_of(messages) == 2:
            self.begun.set()
        later = (
            kind == "probe" and session_of(messages) == -1
        )  # on day one the session itself is in front of it
        if later and self.asked.acquire(blocking=False):
            self.waited = self.begun.wait(timeout=60)
        return plainly(kind, messages)


def test_a_probe_is_asked_in_the_context_of_the_session_that_asks_it() -> None:
    point: ContextVar[int] = ContextVar("point", default=-1)
    seen: list[tuple[str, int]] = []

    def speak(kind: str, messages: Sequence[Message]) -> str:
        seen.append((kind, point.get()))
        return plainly(kind, messages)

    def enter(t: int) -> None:
        point.set(t)

    plan = small_plan()
    copy_context().run(ahead, speak, Kept(), enter=enter)
    asked = Counter(t for kind, t in seen if kind == "probe")
    assert asked == Counter(probe.t for probe in plan.probes)


def test_a_life_goes_on_before_its_answers_are_in() -> None:
    kept = Kept()
    model = Waiting()
    ahead(model, kept)
    assert model.waited, "the probe was answered because a later session had begun"
    one = lived(small_plan(), playing(plainly))
    assert [transition.t for transition in kept.transitions] == [0, 1, 2, 3]
    assert kept.snapshots == one.snapshots
    assert [(row.probe, row.text) for row in kept.answers] == [
        (row.probe, row.text) for row in one.answers
    ]
    assert [(e.role, e.content, e.usage) for e in kept.events] == [
        (e.role, e.content, e.usage) for e in one.events
    ]


def test_an_event_waits_for_the_answers_of_before() -> None:
    order: list[str] = []

    class Told(Kept):
        def commit(self, transition: Transition) -> None:
            order.append(f"kept {transition.t}")
            super().commit(transition)

    agent, meter = agent_of(playing(plainly))
    live_plan(
        small_plan(("model_swap@2:model=other",)),
        SCENARIO,
        agent,
        Told(),
        meter=meter,
        workers=4,
        ahead=3,
        swap=lambda name: order.append(f"swap to {name}"),
    )
    assert order == ["kept 0", "kept 1", "swap to other", "kept 2", "kept 3"]


def test_a_unit_that_cannot_be_kept_ends_the_life_and_nothing_is_kept_after_it() -> None:
    class Full(Kept):
        def commit(self, transition: Transition) -> None:
            if transition.t == 1:
                raise StorageError("no space")
            super().commit(transition)

    kept = Full()
    with pytest.raises(StorageError, match="no space"):
        ahead(plainly, kept, 3)
    assert [transition.t for transition in kept.transitions] == [0]


def test_what_was_lived_whole_is_kept_when_the_next_session_breaks() -> None:
    def breaks(kind: str, messages: Sequence[Message]) -> str | Exception:
        if kind == "task" and session_of(messages) == 2:
            return InputError("no such model")
        return plainly(kind, messages)

    kept = Kept()
    with pytest.raises(InputError, match="no such model"):
        ahead(breaks, kept, 3)
    assert [transition.t for transition in kept.transitions] == [0, 1]
    assert [row.probe for row in kept.answers] == [
        p.id for t in (0, 1) for p in small_plan().probes_at(t)
    ]


def test_a_probe_that_breaks_ends_the_life_before_its_unit() -> None:
    last = {probe.prompt for probe in small_plan().probes_at(2)} - {
        probe.prompt for t in (0, 1) for probe in small_plan().probes_at(t)
    }

    def breaks(kind: str, messages: Sequence[Message]) -> str | Exception:
        return (
            InputError("refused")
            if kind == "probe" and messages[-1].content in last
            else plainly(kind, messages)
        )

    kept = Kept()
    with pytest.raises(InputError, match="refused"):
        ahead(breaks, kept)
    assert [transition.t for transition in kept.transitions] == [0, 1]


def test_entering_is_asked_before_every_unit_and_may_end_the_life() -> None:
    entered: list[int] = []

    def enter(t: int) -> None:
        entered.append(t)
        if t == 2:
            raise InputError("that is enough")

    kept = Kept()
    with pytest.raises(InputError, match="enough"):
        ahead(plainly, kept, 3, enter=enter)
    assert entered == [0, 1, 2]
    assert [transition.t for transition in kept.transitions] == [0, 1], (
        "what was lived before is kept all the same"
    )


def test_a_memory_that_hands_out_its_own_lists_does_not_reach_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent, meter = agent_of(playing(plainly), "append_only")
    own: list[int] = []
    monkeypatch.setattr(agent, "dump", lambda: {"own": own})
    kept = Kept()
    live_plan(
        small_plan(), SCENARIO, agent, kept, meter=meter, workers=4, ahead=3, enter=own.append
    )
    assert [kept.snapshots[f"{t}.json"].state["own"] for t in range(4)] == [
        [0],
        [0],
        [0, 1],
        [0, 1, 2],
    ]


def test_a_meter_does_not_count_what_is_asked_aside() -> None:
    meter = Metered(playing(lambda kind, messages: "Yes."))
    meter.complete([Message("user", "one")])
    with meter.aside():
        meter.complete([Message("user", "two")])
        other = threading.Thread(target=lambda: meter.complete([Message("user", "three")]))
        other.start()
        other.join()
    assert meter.take()[0].calls == 2, "another thread's calls count as ever"
    assert meter.take()[0] == Usage()


def test_a_unit_without_probes_is_kept() -> None:
    kept = Kept()
    with Background(kept, workers=4, ahead=1) as background:
        background.keep(Transition(0, [], [], {}))
    assert [transition.t for transition in kept.transitions] == [0]
