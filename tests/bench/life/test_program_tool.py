"""The tool that starts a program of the agent's own files, confined."""

from __future__ import annotations

import pytest

from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.program_tool import NAME, ProgramStarter, program_tools
from agingbench.memory.workspace import Workspace, WorkspaceError
from agingbench.models.scripted import Scripted
from agingbench.sandbox.confinement import available
from agingbench.sandbox.workshop import Workshop

confined = pytest.mark.skipif(not available()[0], reason=available()[1])
PROGRAM = """
import pathlib, sys
pathlib.Path("data").mkdir(exist_ok=True)
pathlib.Path("data/1.json").write_text(" ".join(sys.argv[1:]))
print(len(sys.argv), sorted(str(p) for p in pathlib.Path(".").rglob("*.md")))
if "fail" in sys.argv:
    sys.exit("on purpose")
"""


def agent_with(files: dict[str, str]) -> WorkspaceAgent:
    memory = Workspace()
    memory.files |= files
    return WorkspaceAgent(Scripted(lambda messages, tools: "Done."), memory)


@confined
def test_a_program_runs_on_the_files_and_what_it_leaves_stays() -> None:
    agent = agent_with({"p.py": PROGRAM, "notes/a.md": "x"})
    memory = agent.memory
    assert isinstance(memory, Workspace)
    with program_tools(plan_for("s7", "none", None, 1, 0), agent) as tools:
        (tool,) = tools
        assert tool.name == NAME
        assert tool.run({"path": "p.py", "words": ["a", "b"]}) == "3 ['notes/a.md']"
        assert memory.files["data/1.json"] == "a b"
        memory.files["notes/b.md"] = "y"  # what was written in between is there, too
        with pytest.raises(WorkspaceError, match=r"exit code 1\n.*notes/b\.md.*\non purpose"):
            tool.run({"path": "p.py", "words": ["fail"]})
        assert memory.files["data/1.json"] == "fail"
    assert list(memory.files)[:3] == ["AGENT.md", "p.py", "notes/a.md"]


def test_it_is_offered_only_where_a_program_is_wanted() -> None:
    agent = agent_with({})
    with program_tools(plan_for("s5", "none", None, 1, 0), agent) as tools:
        assert tools == []
    agent.owns_loop = True
    with program_tools(plan_for("s7", "none", None, 1, 0), agent) as tools:
        assert tools == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"path": "../p.py"}, "not a path inside"),
        ({"path": "/etc/p.py"}, "not a path inside"),
        ({"path": "p.py"}, "no program p.py"),
        ({}, "say which file"),
        ({"path": "q.py", "words": "list"}, "list of texts"),
        ({"path": "q.py", "words": [1]}, "list of texts"),
    ],
)
def test_what_cannot_be_started_is_refused(arguments: dict[str, object], problem: str) -> None:
    memory = Workspace()
    memory.files["q.py"] = ""
    with ProgramStarter(memory) as starter, pytest.raises(WorkspaceError, match=problem):
        starter.start(arguments)


@confined
def test_a_program_finds_no_network_and_nothing_of_this_machine() -> None:
    memory = Workspace()
    memory.files["out.py"] = (
        "import socket, os\n"
        "try:\n    socket.create_connection(('192.0.2.1', 80), 0.2)\n"
        "except OSError as error:\n    print('no network')\n"
        f"print(os.path.exists({__file__!r}))\n"
    )
    with ProgramStarter(memory) as starter:
        assert starter.start({"path": "out.py"}) == "no network\nFalse"


@confined
def test_a_program_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = (0.3, 500_000, 500)
    monkeypatch.setattr(Workshop.__init__, "__defaults__", limits)
    memory = Workspace()
    memory.files["hang.py"] = "import time\ntime.sleep(60)\n"
    with (
        ProgramStarter(memory) as starter,
        pytest.raises(WorkspaceError, match=r"ended after 0\.3 seconds"),
    ):
        starter.start({"path": "hang.py"})
