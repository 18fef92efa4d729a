"""What a controller can do and see: actions of every memory, refusals that say what is possible."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.actions import Action, check_actions, perform, possible_actions
from agingbench.bench.life.control import Steering
from agingbench.bench.life.lifecycle import memory_of
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.signals import Signals
from agingbench.bench.life.system import Sut, build
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import parse_events
from agingbench.bench.studies.cells import with_sentinels
from agingbench.bench.studies.grid import load_study
from agingbench.errors import InputError
from agingbench.interfaces import Agent
from agingbench.records import Event
from tests.bench.lives import SCENARIO, run_life


def agent(memory: str, **options: Any) -> Agent:
    name = "workspace" if memory == "workspace" else "react"
    return build(Sut(memory=memory, agent=name, memory_options=options), "You help.").agent


def told(text: str) -> list[Event]:
    return [Event(step=0, role="user", content=text)]


@pytest.mark.parametrize(
    ("memory", "names"),
    [
        ("append_only", {"force_reread", "set_top_k", "append", "flush"}),
        (
            "lossy_compress",
            {"switch_prompt", "recompact", "force_reread", "set_budget", "append", "flush"},
        ),
        ("no_memory", {"force_reread", "append", "flush"}),
        ("workspace", {"force_reread", "flush"}),
    ],
)
def test_a_refusal_says_what_is_possible(memory: str, names: set[str]) -> None:
    system = agent(memory)
    assert set(possible_actions(system)) == names
    with pytest.raises(InputError, match="possible here: ") as caught:
        check_actions([Action("enable_typed_state")], system)
    offered = str(caught.value).partition("possible here: ")[2]
    assert set(offered.split(", ")) == names


def test_append_flush_and_budgets() -> None:
    log = agent("append_only")
    perform(Action("append", {"text": "The kettle is blue."}), log)
    assert "kettle" in memory_of(log).read("kettle")
    perform(Action("set_top_k", {"k": 9}), log)
    assert memory_of(log).k == 9
    perform(Action("flush"), log)
    assert memory_of(log).read("kettle") == ""
    summary = agent("lossy_compress")
    perform(Action("set_budget", {"words": 20}), summary)
    memory_of(summary).write(told("The kettle is blue. " * 30))
    assert 0 < len(memory_of(summary).read("").split()) <= 20
    for wrong in (Action("set_budget", {"words": 0}), Action("set_top_k", {"k": 3})):
        with pytest.raises(InputError):
            perform(wrong, summary)


class Watches:
    """Stores what it is shown and does nothing."""

    monitor = "scored"
    warmup = 1
    may: Sequence[Action] = ()

    def decide(self, past: Sequence[Signals]) -> list[Action]:
        return []


def signals(sut: Sut, scenario: str, events: Sequence[str] = ()) -> list[Signals]:
    kind = load_scenario(scenario)
    plan = plan_for(kind, "light", sessions=5, events=parse_events(events, 5))
    system = build(sut, kind.role)
    steering = Steering(Watches(), plan)  # type: ignore[arg-type]
    live_plan(plan, kind, system.agent, InMemory(), meter=system.meter, steering=steering)
    return steering.past


def test_controllers_see_lag_recall_latency_and_what_an_event_cost() -> None:
    past = signals(Sut(memory="append_only"), "s2", ["flush_history@3"])
    assert all(one.latency_ms is not None for one in past)
    scores = [one.scores or {} for one in past]
    assert any(name.startswith("lag_recall_") for name in scores[2])
    assert ["post_shock" in one for one in scores] == [False, False, False, True, True]
    assert scores[3]["post_shock"] == pytest.approx(scores[3]["m"] - scores[2]["m"])
    assert scores[3]["post_shock"] < 0


def test_controllers_see_the_fidelity_of_a_workspace() -> None:
    past = signals(Sut(memory="workspace", agent="workspace"), "s5")
    assert any("workspace_fidelity" in (one.scores or {}) for one in past)
    plain = signals(Sut(memory="append_only"), "s2")
    assert not any("workspace_fidelity" in (one.scores or {}) for one in plain)


# -- agents and memories that fit


def test_an_agent_without_file_tools_is_refused_a_workspace() -> None:
    for memory in ("workspace", "typed_state+workspace"):
        with pytest.raises(InputError, match="give it the agent workspace"):
            build(Sut(memory=memory), "You help.")


def test_typed_state_turns_its_sentinels_on(tmp_path: Path) -> None:
    typed = Sut(memory="typed_state+lossy_compress")
    assert with_sentinels({}, SCENARIO, [typed]) == {"sentinels": 1}
    assert with_sentinels({"sentinels": 0}, SCENARIO, [typed]) == {"sentinels": 0}
    assert with_sentinels({}, SCENARIO, [Sut()]) == {}
    file = tmp_path / "grid.yaml"
    file.write_text("memories: [lossy_compress, typed_state]\nsessions: 3\n")
    cells = load_study(str(file)).cells
    assert {cell.dials for cell in cells} == {(("sentinels", 1),)}


# -- another role from here on


def test_the_role_can_be_updated_and_survives_a_stop(tmp_path: Path) -> None:
    role = tmp_path / "role.md"
    role.write_text("You answer in verse.")
    plan = plan_for(
        "s2", "light", sessions=3, events=parse_events([f"prompt_update@2:role={role}"], 3)
    )
    system = build(Sut(memory="append_only"), SCENARIO.role)
    live_plan(plan, SCENARIO, system.agent, InMemory(), meter=system.meter)
    assert system.agent.role == "You answer in verse."
    path, _ = run_life(plan, Sut(memory="append_only"), tmp_path / "out")
    assert "prompt_update" in (path / "trace.jsonl").read_text()


def test_a_role_that_cannot_be_changed_is_refused(tmp_path: Path) -> None:
    missing = parse_events([f"prompt_update@1:role={tmp_path / 'none.md'}"], 3)
    system = build(Sut(), SCENARIO.role)
    plan = plan_for("s2", "light", sessions=3, events=missing)
    with pytest.raises(InputError, match="prompt file"):
        live_plan(plan, SCENARIO, system.agent, InMemory(), meter=system.meter)
