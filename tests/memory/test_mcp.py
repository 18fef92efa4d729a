"""Memory servers of the Model Context Protocol: a small one in the quick tests, the real one in
the slow ones.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.bench.life.life import Life
from agingbench.bench.life.system import Sut, build
from agingbench.cards.check import load_card
from agingbench.errors import BrokenReply, InputError, TransportError, UntrustedFile
from agingbench.memory import mcp_client
from agingbench.memory.mcp import INSTRUCTIONS, Mcp, graph_units
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Event, Reply, ToolCall, Unit
from tests.memory.systems import (
    QUESTION,
    TOLD,
    check_calls_are_counted,
    check_probes_change_nothing,
    check_round_trip,
    check_served_calls_are_counted,
    lived,
)

SERVER = Path(__file__).with_name("fake_mcp_server.py")
FAKE = f"{sys.executable} -I -S {SERVER}"
SERVER_MEMORY = shutil.which("mcp-server-memory")
needs_server = pytest.mark.skipif(
    SERVER_MEMORY is None,
    reason="needs mcp-server-memory: npm install -g @modelcontextprotocol/server-memory",
)


def children() -> set[int]:
    """Our child processes that are still there."""
    found: set[int] = set()
    for file in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            found.update(map(int, file.read_text().split()))
    return found


@pytest.fixture(autouse=True)
def _no_server_is_left() -> Iterator[None]:
    before = children()
    yield
    assert children() <= before


def told_agent(command: str = FAKE) -> WorkspaceAgent:
    agent = WorkspaceAgent(Extractive(), Mcp(command))
    agent.act("\n\n".join([*TOLD, "Thank you."]), (), lambda event: None)
    agent.end_session()
    return agent


def test_the_note_keeper_saves_finds_and_adds() -> None:
    agent = told_agent()
    assert "4821" in agent.ask(QUESTION).text
    agent.act("The code of the blue door is 7777 from now on.\n\nThank you.", (), lambda e: None)
    answer = agent.ask(QUESTION)
    assert "7777" in answer.text
    assert "4821" in answer.context
    agent.close()


def test_dump_load_and_probes() -> None:
    agent = told_agent()
    check_round_trip(agent.memory, lambda: Mcp(FAKE))
    check_probes_change_nothing(agent)
    agent.close()


def test_probes_that_only_look_up_share_one_server(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = told_agent()
    started = 0
    real = mcp_client.McpServer._start

    def start(*args: object) -> subprocess.Popen[bytes]:
        nonlocal started
        started += 1
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(mcp_client.McpServer, "_start", start)
    forks = [agent.fork() for _ in range(5)]
    assert all("4821" in fork.ask(QUESTION).text for fork in forks)
    assert started == 0
    for fork in [*forks, agent]:
        fork.close()


def test_the_tools_and_the_version_are_the_server_s_own() -> None:
    memory = Mcp(FAKE)
    assert [tool.name for tool in memory.tools()][:2] == ["read_graph", "open_nodes"]
    assert memory.versions == {"fake-memory": "7.1"}
    assert memory.read(QUESTION) == INSTRUCTIONS
    memory.close()


def test_a_refusal_of_the_server_reaches_the_agent_in_its_words() -> None:
    arguments = {"observations": [{"entityName": "nobody", "contents": ["x"]}]}
    call = ToolCall("a", "add_observations", arguments)
    agent = WorkspaceAgent(Scripted([Reply("", (call,)), Reply("Well.")]), Mcp(FAKE))
    events: list[Event] = []
    agent.act("Hello.", (), events.append)
    (result,) = [event for event in events if event.role == "tool_result"]
    assert result.stdout == "Entity with name nobody not found"
    agent.close()


@pytest.mark.parametrize(
    ("fault", "reason"), [("garbage", "holds no content"), ("die", "is gone: out of memory")]
)
def test_a_broken_reply_is_failed(fault: str, reason: str) -> None:
    agent = WorkspaceAgent(Extractive(), Mcp(f"{FAKE} {fault}"))
    answer = agent.ask(QUESTION)
    assert answer.status == "failed"
    assert reason in (answer.reason or "")
    agent.close()


def test_a_server_that_does_not_go_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "GRACE", 0.1)
    before = children()
    memory = Mcp(f"{FAKE} stay")
    memory.tools()
    assert children() > before
    memory.close()
    assert children() <= before


def test_a_server_that_says_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "SECONDS", 0.2)
    monkeypatch.setattr(mcp_client, "GRACE", 0.1)
    with pytest.raises(TransportError, match="no reply to initialize"):
        Mcp("sleep 60").tools()


def test_a_server_that_drips_notices_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "SECONDS", 0.5)
    monkeypatch.setattr(mcp_client, "GRACE", 0.1)
    with pytest.raises(TransportError, match="no reply to initialize"):
        Mcp(f"{FAKE} drip").tools()


def test_a_list_of_tools_without_an_end_fails() -> None:
    memory = Mcp(f"{FAKE} endless")
    with pytest.raises(BrokenReply, match="has no end"):
        memory.tools()
    memory.close()


@pytest.mark.parametrize(
    "state",
    [
        {"files": {"../outside.txt": ""}},
        {"files": {"/tmp/outside.txt": ""}},
        {"files": {"a/../../outside.txt": ""}},
        {"files": {"a.txt": "not base64!"}},
        {"files": {"a.txt": 7}},
        {"files": []},
        {},
    ],
)
def test_a_state_of_others_leads_out_of_no_folder(state: dict[str, object]) -> None:
    memory = Mcp(FAKE)
    before = memory.dump()
    with pytest.raises(InputError):
        memory.load(state)
    assert memory.dump() == before


def test_no_secret_of_the_environment_reaches_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    memory = Mcp(FAKE)
    with memory.reading() as server:
        environ = Path(f"/proc/{server._process.pid}/environ")
        if not environ.exists():
            pytest.skip("no /proc here")
        assert b"sk-secret" not in environ.read_bytes()
        home = server.folder.parent / "home"
        assert f"HOME={home}".encode() in environ.read_bytes()
    memory.close()
    assert not home.exists()


def test_a_program_that_is_not_there_is_said_with_what_to_do() -> None:
    with pytest.raises(InputError, match="npm install -g @modelcontextprotocol/server-memory"):
        Mcp("no-such-program").tools()
    with pytest.raises(ValueError, match="names no program"):
        Mcp(" ")


def test_a_file_that_is_no_graph_is_one_unit() -> None:
    assert graph_units("# notes") is None
    entity = '{"type": "entity", "name": "door", "observations": ["4821", "blue"]}'
    assert graph_units(f'{entity}\n{{"type": "relation"}}') == [Unit("door", "4821\nblue")]


def test_a_life_counts_its_calls_names_the_server_and_asks_before_it_starts_again(
    tmp_path: Path,
) -> None:
    options = {"command": FAKE}
    check_calls_are_counted(tmp_path, "mcp", "workspace", memory_options=options)
    (card,) = tmp_path.rglob("aging_card.json")
    life = Life.open(card.parent, trust=True)
    assert '"fake-memory":"7.1"' in card.read_text().replace(" ", "")
    assert life.sut.memory_options == options
    with pytest.raises(UntrustedFile, match="memory_options"):
        Life.open(card.parent)


def test_a_system_that_is_only_built_leaves_no_server_running() -> None:
    before = children()
    sut = Sut(memory="mcp", agent="workspace", memory_options={"command": FAKE})
    system = build(sut, "You are a helpful assistant.")
    assert children() <= before
    assert system.agent.memory is not None
    assert system.agent.memory.versions == {"fake-memory": "7.1"}
    assert children() <= before


# -- the real server


@pytest.mark.slow
@needs_server
def test_a_life_with_the_real_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    life = lived(tmp_path / "a", "mcp", "workspace")
    card = load_card(life.folder.card)
    assert "memory-server" in card["provenance"]["memory_versions"]
    check_served_calls_are_counted(tmp_path / "b", "mcp", monkeypatch, "workspace")
    agent = told_agent("mcp-server-memory")
    check_round_trip(agent.memory, Mcp)
    check_probes_change_nothing(agent)
    assert "4821" in agent.ask(QUESTION).text
    agent.close()


@pytest.mark.slow
@needs_server
def test_the_real_server_goes_with_a_process_that_is_killed() -> None:
    script = (
        "import os, time\n"
        "from agingbench.memory.mcp import Mcp\n"
        "memory = Mcp()\n"
        "memory.tools()\n"
        "with memory.reading() as server:\n"
        "    print(server._process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state == "Z":
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{pid}").exists()
