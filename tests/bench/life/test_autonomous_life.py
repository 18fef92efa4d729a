"""Lives of a program that owns its loop: what a folder holds of them, and how one is continued."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import shared_scenario
from agingbench.bench.life.system import Sut
from agingbench.bench.plan.plan import Plan
from agingbench.cards.check import load_card
from agingbench.errors import UntrustedFile
from agingbench.records import Event
from agingbench.report.terminal import print_card
from agingbench.trials.run_folder import life_start
from tests.agents.autonomous.lives import small_plan

STAND_IN = Path(__file__).parents[2] / "agents" / "autonomous" / "stand_in.py"


def system(words: str = "", model: str = "extractive") -> Sut:
    command = f"{sys.executable} -I -S {STAND_IN} {words}".strip()
    options = {"command": command, "confine": "off"}
    return Sut(model=model, memory="workspace", agent="command", agent_options=options)


def life_in(folder: Path, plan: Plan) -> Life:
    return Life(plan, shared_scenario("s5"), system(), RunDirectory(folder))


class Killed(BaseException):
    """Ends a process at any point, as far as the life can see."""


def test_a_life_killed_in_a_block_goes_on_with_the_workspace_of_the_last_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = small_plan(2)
    whole = life_in(tmp_path / "whole", plan)
    whole.live()

    stopped = life_in(tmp_path / "stopped", plan)
    real = type(stopped.system.agent).act
    calls = 0

    def act(agent: object, *args: object) -> str:
        nonlocal calls
        calls += 1
        reply: str = real(agent, *args)  # type: ignore[arg-type]
        if calls == 2:  # inside the second block, which has written by now
            raise Killed
        return reply

    monkeypatch.setattr(type(stopped.system.agent), "act", act)
    with pytest.raises(Killed):
        stopped.live()
    monkeypatch.undo()
    assert {file.name[:4] for file in stopped.folder.sessions.iterdir()} == {"000_"}

    again = life_in(tmp_path / "stopped", plan)
    again.live()
    for t in range(3):
        states = [life.folder.snapshot(t).state for life in (whole, again)]
        assert states[0] == states[1]
    texts = [[row.text for row in life.folder.answer_rows()] for life in (whole, again)]
    assert texts[0] == texts[1]


def test_what_the_folder_and_the_card_hold(tmp_path: Path) -> None:
    life = life_in(tmp_path, small_plan(1))
    life.live()
    files = sorted(file.name for file in life.folder.sessions.iterdir())
    assert files[0].startswith("000_session-")
    assert files[1] == "000_workspace.diff"
    events = list(life.folder.events())
    assert [event.content for event in events if event.role == "user"]
    assert _tool_calls(events) > 0
    identity = life_start(events).agent
    assert identity
    assert identity.product == "command"

    card = life.score()
    assert card.track == "agent"
    assert card.provenance.agent_cli_version == identity.version
    assert any(warning.startswith("unconfined_agent") for warning in card.warnings)
    told = Console(record=True, file=StringIO(), width=100)
    print_card(load_card(life.folder.card), told)
    assert f"command {identity.version}" in told.export_text()
    (row, *_) = life.folder.answer_rows()
    assert row.turns is not None
    with pytest.raises(UntrustedFile, match=r"agent_options\.command"):
        Life.open(tmp_path)


def _tool_calls(events: list[Event]) -> int:
    return sum(event.role == "tool_call" for event in events)
