"""A life that is killed in the middle of a block goes on from the last whole one."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import shared_scenario
from agingbench.bench.life.system import Sut
from tests.agents.autonomous.lives import small_plan
from tests.agents.autonomous.test_command import STAND_IN

SESSIONS = 2
PLAN = small_plan(SESSIONS, tasks=2)
BLOCK = 1  # in which the life is killed, at the second task


def life_in(folder: Path, killing: Path) -> Life:
    words = [sys.executable, "-I", "-S", str(STAND_IN), "kill", str(killing)]
    options = {"command": shlex.join(words), "confine": "off"}
    sut = Sut(memory="workspace", agent="command", agent_options=options)
    return Life(PLAN, shared_scenario(PLAN.scenario), sut, RunDirectory(folder))


def is_killed(folder: Path, killing: Path) -> bool:
    """Whether the life, lived in a process of its own, ended by a kill."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            life_in(folder, killing).live()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with fork")
def test_a_life_killed_in_a_block_is_continued(tmp_path: Path) -> None:
    killing = tmp_path / "killing.txt"
    killing.write_text(PLAN.sessions[BLOCK].tasks[1].text)
    assert is_killed(tmp_path / "stopped", killing)
    life = life_in(tmp_path / "stopped", killing)
    stopped = life.folder
    assert stopped.points() == BLOCK + 1
    assert not stopped.ended()
    kept = stopped.snapshot(BLOCK).state

    life.live()
    assert stopped.ended()
    assert stopped.snapshot(BLOCK).state == kept
    whole = life_in(tmp_path / "whole", killing)
    whole.live()
    for t in range(SESSIONS + 1):
        state = stopped.snapshot(t).state
        assert state == whole.folder.snapshot(t).state
        assert "half.txt" not in state["memory"]["files"]
    texts = [[row.text for row in run.answer_rows()] for run in (stopped, whole.folder)]
    assert texts[0] == texts[1]
    roles = [[event.role for event in run.events()] for run in (stopped, whole.folder)]
    assert roles[0] == roles[1]
    diffs = [
        sorted(file.name for file in run.sessions.glob("*.diff")) for run in (stopped, whole.folder)
    ]
    assert diffs[0] == diffs[1]
