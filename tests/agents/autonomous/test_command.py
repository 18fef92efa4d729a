"""A program that owns its loop, through the stand-in: blocks, probes, limits, confinement."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agingbench.agents.autonomous import agent as autonomous
from agingbench.agents.autonomous.command import CommandAgent
from agingbench.agents.autonomous.conversation import Conversation, Outcome
from agingbench.agents.build import build_agent
from agingbench.errors import InputError, TransportError
from agingbench.memory.append_only import AppendOnly
from agingbench.memory.workspace import INSTRUCTION_FILE, Workspace
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Event
from agingbench.sandbox import bubble

STAND_IN = Path(__file__).with_name("stand_in.py")
TOLD = "The budget of Project Teal Harp is $52,000.\n\nBook a table."
ASK = "What is the budget of Project Teal Harp?"
CONFINE = [
    pytest.param(
        "require", marks=pytest.mark.skipif(bool(bubble.available()), reason=bubble.available())
    ),
    "off",
]


def command_agent(words: str = "", **options: Any) -> CommandAgent:
    command = f"{sys.executable} -I -S {STAND_IN} {words}"
    options = {"confine": "off", **options}
    return CommandAgent(Extractive(), Workspace(), command, "You help.", **options)


def heard(_: Event) -> None:
    return None


@pytest.mark.parametrize("confine", CONFINE)
def test_a_block_and_a_probe(confine: str) -> None:
    agent = command_agent(confine=confine)
    events: list[Event] = []
    agent.act(TOLD, (), events.append)
    agent.act("Book a room.", (), events.append)
    agent.end_session()
    calls = [event.tool_name for event in events if event.role == "tool_call"]
    assert calls == ["Bash", "Write"]
    path = "notes/project-teal-harp.md"
    assert agent.memory.files[path] == "The budget of Project Teal Harp is $52,000.\n"
    assert list(agent.memory.files) == [INSTRUCTION_FILE, path]

    before = agent.dump()
    answer = agent.fork().ask(ASK)
    assert (answer.text, answer.status) == (
        "The budget of Project Teal Harp is $52,000.",
        "answered",
    )
    assert (answer.turns, answer.tool_calls) == (3, 2)
    assert "$52,000" in answer.context
    assert agent.dump() == before

    evidence = agent.evidence()
    (session,) = [name for name in evidence if name.startswith("session")]
    assert b"Book a room." in evidence[session]  # one conversation for the whole block
    assert f"+++ b/{path}" in evidence["workspace.diff"].decode()


def test_the_next_block_is_a_new_conversation_in_the_same_workspace() -> None:
    agent = command_agent()
    agent.act(TOLD, (), heard)
    agent.end_session()
    first = set(agent.evidence())
    agent.act("Book a room.", (), heard)
    agent.end_session()
    assert "workspace.diff" not in agent.evidence()
    assert first.isdisjoint(agent.evidence())
    assert agent.ask(ASK).text.endswith("$52,000.")


def test_a_context_stands_in_place_of_the_workspace() -> None:
    agent = command_agent()
    agent.act(TOLD, (), heard)
    text = "The budget of Project Teal Harp is $9,000."
    assert agent.ask(ASK, text).text == text


@pytest.mark.parametrize("confine", CONFINE)
def test_a_hang_is_killed_with_its_children(confine: str) -> None:
    for seconds in (1, 5, 25):  # on a busy machine the program may not have begun when it is killed
        agent = command_agent("hang", seconds=float(seconds), confine=confine)
        begin = time.monotonic()
        with pytest.raises(TransportError, match=f"command: killed after {seconds} seconds"):
            agent.act(TOLD, (), heard)
        assert time.monotonic() - begin < 50  # the child sleeps for 60
        if confine != "off" or "left.txt" in agent.memory.files:
            break
    if confine == "off":
        pid = int(agent.memory.files["left.txt"])
        # It is a child of the program, not of ours: nobody can wait for its end but by looking.
        end = time.monotonic() + 60
        while _is_alive(pid) and time.monotonic() < end:
            time.sleep(0.01)
        assert not _is_alive(pid)
    answer = agent.ask(ASK)
    assert (answer.status, answer.text) == ("failed", "")
    assert "killed" in str(answer.reason)


def _is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it may go while it is looked at
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_a_failure_tells_the_last_words() -> None:
    with pytest.raises(TransportError, match=r"exit code 1: broken by intent"):
        command_agent("fail").act(TOLD, (), heard)


def test_turns_are_limited() -> None:
    agent = command_agent(max_turns=1)
    events: list[Event] = []
    assert agent.act(TOLD, (), events.append) == ""
    assert events[-1].metadata == {"unanswered": "tool_loop_exhausted"}
    assert agent.ask(ASK).reason == "tool_loop_exhausted"


@pytest.mark.skipif(bool(bubble.available()), reason=bubble.available())
def test_confined_it_writes_nowhere_else_and_has_no_network(tmp_path: Path) -> None:
    agent = command_agent(confine="require")
    target = tmp_path / "out.txt"
    line = f"echo x > {target}; echo y > /usr/y; ls /root /home; cat /proc/net/dev; echo z > ok.txt"
    reply = agent.act(f"Please run `{line}`", (), heard)
    assert not target.exists()
    assert agent.memory.files["ok.txt"] == "z\n"
    interfaces = [row.split(":")[0].strip() for row in reply.splitlines() if ":" in row]
    assert "lo" in interfaces
    assert "eth0" not in interfaces
    assert agent.identity().confinement == "bubblewrap"
    assert agent.identity().network == "loopback"


def test_nothing_of_the_environment_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-user")
    monkeypatch.setenv("SENTINEL", "of-the-user")
    reply = command_agent().act("Please run `env`", (), heard)
    assert "PATH=" in reply
    assert "of-the-user" not in reply
    assert f"HOME={os.environ.get('HOME')}\n" not in reply


def test_the_instruction_file_is_ours() -> None:
    agent = command_agent()
    agent.act("Please run `echo gone > AGENTS.md`", (), heard)
    reply = agent.act("Please run `cat AGENTS.md`", (), heard)
    assert "You help." in reply
    assert "This text is `AGENTS.md`" in reply
    agent.act("Please run `echo gone > AGENTS.md`", (), heard)
    agent.end_session()
    assert agent.evidence()["instructions_as_left.md"] == b"gone\n"
    assert "AGENTS.md" not in agent.memory.files


def test_a_probe_brings_its_own_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    real = Conversation.call

    def call(talk: Conversation, prompt: str) -> Outcome:
        seen.append((talk.work / "AGENTS.md").read_bytes())
        return real(talk, prompt)

    monkeypatch.setattr(Conversation, "call", call)
    command_agent().ask(ASK)
    assert b"Answer the user's question from what you know" in seen[0]


def test_links_and_binary_files(tmp_path: Path) -> None:
    agent = command_agent()
    line = (
        r"ln -s /etc e; ln -s /etc/passwd p; printf '\0\1' > b.bin; mkdir -p a/.h; echo t > a/.h/t"
    )
    agent.act(f"Please run `{line}`", (), heard)
    assert sorted(agent.memory.files) == ["AGENT.md", "a/.h/t"]
    assert agent.memory.contents()["b.bin"] == b"\0\1"
    twin = command_agent()
    twin.load(agent.dump())
    assert "1+1" not in twin.act("Please run `wc -c b.bin`", (), heard)
    assert twin.memory.contents() == agent.memory.contents()


def test_a_state_with_a_path_that_leaves_the_workspace_is_refused(tmp_path: Path) -> None:
    agent = command_agent()
    agent.memory.files["../escape.txt"] = "x"
    with pytest.raises(InputError, match="leaves it"):
        agent.ask(ASK)


def test_what_cannot_be_built_is_told() -> None:
    options = {"command": "python3"}
    with pytest.raises(InputError, match="memory workspace"):
        build_agent("command", Extractive(), AppendOnly(), "r", **options)
    with pytest.raises(InputError, match="calls its model by itself"):
        build_agent("command", Scripted(["x"]), Workspace(), "r", **options)
    with pytest.raises(InputError, match="confine must be one of"):
        build_agent("command", Extractive(), Workspace(), "r", **options, confine="maybe")
    with pytest.raises(InputError, match="needs the option command"):
        build_agent("command", Extractive(), Workspace(), "r")
    missing = build_agent("command", Extractive(), Workspace(), "r", command="no-such-program")
    with pytest.raises(InputError, match="no program no-such-program"):
        missing.identity()


@pytest.mark.parametrize("word", ["off", False])
def test_off_is_read_as_yaml_reads_it(word: str | bool) -> None:
    assert command_agent(confine=word).identity().confinement == "none: switched off"
    with pytest.raises(ValueError, match="confine must be one of"):
        command_agent(confine=True)


def test_the_version_is_recorded_and_pinned() -> None:
    version = command_agent().identity().version
    assert version.startswith("sha256:")
    assert command_agent(version="1.2").identity().version == "1.2"


def test_confinement_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autonomous, "available", lambda: "bwrap is not installed")
    assert command_agent(confine="auto").identity().confinement == "none: bwrap is not installed"
    with pytest.raises(InputError, match="cannot be confined: bwrap is not installed"):
        command_agent(confine="require").ask(ASK)
