"""OpenHands: the environment it is found in, and what it printed (SDK 1.58.0) read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.agents.autonomous import openhands
from agingbench.agents.autonomous.openhands import DRIVER, OpenHandsAdapter
from agingbench.errors import InputError
from agingbench.memory.workspace import Workspace
from agingbench.models.extractive import Extractive
from agingbench.records import Event
from agingbench.sandbox.interpreters import Interpreter

RECORDED = Path(__file__).with_name("recorded")
SCRIPT = """#!/bin/sh
if [ "$1" = -I ]; then printf '{version}\\n/usr\\n'; exit {code}; fi
n=$(($(cat {notes}/n 2>/dev/null || echo 0) + 1)); echo $n > {notes}/n
printf '%s\\n' "$@" > {notes}/argv$n; cat > {notes}/stdin$n
echo "a banner"; cat {recorded}/openhands_$n.jsonl
"""


def environment(folder: Path, version: str = OpenHandsAdapter.pinned, code: int = 0) -> Path:
    """A folder that looks like an environment with OpenHands."""
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(SCRIPT.format(version=version, code=code, notes=folder, recorded=RECORDED))
    python.chmod(0o755)
    openhands._installed.cache_clear()
    return python


def openhands_agent(python: str = "") -> OpenHandsAdapter:
    return OpenHandsAdapter(Extractive(), Workspace(), "Help.", python, confine="off")


def test_what_it_printed_becomes_events(tmp_path: Path) -> None:
    agent = openhands_agent(str(environment(tmp_path)))
    events: list[Event] = []
    assert agent.act("One.", (), events.append) == "Done."
    assert [event.tool_name for event in events if event.role == "tool_call"] == ["terminal"] * 2
    assert [event.exit_code for event in events if event.role == "tool_result"] == [0, 0]
    assert "No such file" in agent.act("Two.", (), events.append)
    failure = [event for event in events if event.role == "tool_result"][-1]
    assert (failure.exit_code, failure.tool_call_id is not None) == (1, True)

    first, second = ((tmp_path / f"argv{n}").read_text().splitlines() for n in (1, 2))
    assert first == second  # one conversation, by an id that is ours
    assert first[0] == str(DRIVER)
    assert (tmp_path / "stdin2").read_text() == "Two."


@pytest.mark.parametrize("variable", ["AGINGBENCH_OPENHANDS", "AGINGBENCH_AGENTS"])
def test_its_environment_is_found(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AGINGBENCH_OPENHANDS", "AGINGBENCH_AGENTS"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "openhands"
    environment(folder)
    place = folder if variable == "AGINGBENCH_OPENHANDS" else tmp_path
    monkeypatch.setenv(variable, str(place))
    assert openhands_agent().identity().version == OpenHandsAdapter.pinned


def test_without_an_environment_it_names_a_python_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AGINGBENCH_OPENHANDS", "AGINGBENCH_AGENTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(openhands, "first_found", lambda versions: Interpreter("/opt/py", "3.13.2"))
    with pytest.raises(InputError, match=r"of its own: /opt/py/bin/python3\.13 -m venv DIR, then"):
        openhands_agent().identity()
    monkeypatch.setattr(openhands, "first_found", lambda versions: None)
    with pytest.raises(InputError, match=r"needs Python 3\.12 or newer .* has none"):
        openhands_agent().identity()


def test_a_python_without_it_is_told(tmp_path: Path) -> None:
    python = environment(tmp_path, code=1)
    with pytest.raises(InputError, match=r"is no Python 3\.12 or newer with openhands-sdk"):
        openhands_agent(str(python)).identity()


def test_its_version_is_pinned(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is version 1\.0\.0, not"):
        openhands_agent(str(environment(tmp_path, "1.0.0"))).identity()
