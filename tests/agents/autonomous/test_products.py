"""The adapters of products, on what the real ones printed: how each is started and read.

The recorded output is of Claude Code 2.1.197, Codex 0.166.0 and OpenCode 1.18.33 against the
puppet. Here a script of the product's name prints it, and notes how it was started.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agingbench.agents import AGENTS
from agingbench.agents.autonomous.agent import AutonomousAgent
from agingbench.agents.autonomous.output import json_lines, told_version
from agingbench.agents.build import build_agent
from agingbench.errors import InputError, TransportError
from agingbench.interfaces import Model
from agingbench.memory.workspace import Workspace
from agingbench.models.extractive import Extractive
from agingbench.models.openai_chat import OpenAIChat
from agingbench.records import Event

RECORDED = Path(__file__).with_name("recorded")
PRODUCTS = {"claude_code": "claude", "codex": "codex", "opencode": "opencode"}
SCRIPT = """#!/bin/sh
if [ "$1" = --version ]; then echo "tool {version}"; exit; fi
n=$(($(cat {notes}/n 2>/dev/null || echo 0) + 1)); echo $n > {notes}/n
printf '%s\\n' "$@" > {notes}/argv$n; env > {notes}/env$n; cat > {notes}/stdin$n
find "$HOME" -type f ! -name stdin > {notes}/home$n; cp -r "$HOME" {notes}/copy$n
cat {recorded}/{product}_$n.jsonl
"""


class Fake:
    """A script in a product's place, and what it noted."""

    def __init__(self, product: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.product = product
        self.notes = folder / "notes"
        self.notes.mkdir(parents=True)
        kind = AGENTS.load(product)
        self.program = folder / "node_modules" / ".bin" / PRODUCTS[product]
        self.program.parent.mkdir(parents=True)
        script = SCRIPT.format(
            version=kind.pinned, notes=self.notes, recorded=RECORDED, product=product
        )
        self.program.write_text(script)
        self.program.chmod(0o755)
        monkeypatch.setenv("AGINGBENCH_AGENTS", str(folder))
        told_version.cache_clear()

    def agent(self, model: Model | None = None, **options: Any) -> AutonomousAgent:
        options = {"confine": "off", **options}
        agent = build_agent(self.product, model or Extractive(), Workspace(), "Help.", **options)
        assert isinstance(agent, AutonomousAgent)
        return agent

    def note(self, name: str) -> str:
        return (self.notes / name).read_text()


@pytest.fixture(params=PRODUCTS)
def fake(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    return Fake(request.param, tmp_path, monkeypatch)


def test_what_it_printed_becomes_events(fake: Fake) -> None:
    agent = fake.agent()
    events: list[Event] = []
    assert agent.act("Hello.", (), events.append) == "Done."
    calls = [event for event in events if event.role == "tool_call"]
    results = [event for event in events if event.role == "tool_result"]
    assert [event.exit_code for event in results] == [0, 0]
    assert "wc -m" in str(calls[0].arguments)
    assert "$52,000" in str(calls[1].arguments)
    assert [call.tool_call_id for call in calls] == [result.tool_call_id for result in results]

    events.clear()
    assert "No such file" in agent.act("And now?", (), events.append)
    failure = [event for event in events if event.role == "tool_result"][-1]
    assert failure.exit_code == 1
    assert "No such file" in str(failure.stdout)
    usages = [event.usage for event in events if event.usage is not None]
    # The conversation grows from call to call; nothing of the first task is counted twice.
    assert sum(usage.input_tokens or 0 for usage in usages) in (162, 186, 289)
    assert sum(usage.cost_usd or 0 for usage in usages) == 0


def test_a_block_is_one_conversation_and_the_prompt_comes_on_standard_input(fake: Fake) -> None:
    agent = fake.agent()
    for text in ("One.", "Two."):
        agent.act(text, (), lambda event: None)
    assert (fake.note("stdin1"), fake.note("stdin2")) == ("One.", "Two.")
    first = fake.note("argv1").split()
    second = fake.note("argv2").split()
    session = next(word for word in second if word not in first and len(word) > 20)
    assert session in (RECORDED / f"{fake.product}_1.jsonl").read_text()


def test_nothing_of_the_user_is_passed_on(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "SENTINEL"):
        monkeypatch.setenv(name, "of-the-user")
    fake.agent().act("One.", (), lambda event: None)
    assert "of-the-user" not in fake.note("env1")
    homes = [line for line in fake.note("env1").splitlines() if "HOME=" in line]
    assert len(homes) >= 5
    assert all("/agingbench-agent-" in line for line in homes)


def test_updates_memory_hooks_and_plug_ins_are_off(fake: Fake) -> None:
    fake.agent().act("One.", (), lambda event: None)
    words = fake.note("argv1").split()
    variables = dict(line.split("=", 1) for line in fake.note("env1").splitlines() if "=" in line)
    copy = fake.notes / "copy1"
    if fake.product == "claude_code":
        settings = json.loads((copy / "settings.json").read_text())
        assert settings["disableAllHooks"] is True
        assert settings["autoMemoryEnabled"] is False
        assert "Write(./**)" in settings["permissions"]["allow"]
        assert variables["DISABLE_AUTOUPDATER"] == "1"
        assert variables["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] == "1"
        assert {"--strict-mcp-config", "--disable-slash-commands", "--max-turns"} <= set(words)
    elif fake.product == "codex":
        config = tomllib.loads((copy / ".codex" / "config.toml").read_text())
        assert config["sandbox_mode"] == "workspace-write"
        assert config["check_for_update_on_startup"] is False
        assert not any(config["features"].values())
        assert config["history"]["persistence"] == "none"
    else:
        config = json.loads((copy / "opencode.json").read_text())
        assert config["permission"]["external_directory"] == "deny"
        assert config["autoupdate"] is False
        assert variables["OPENCODE_DISABLE_AUTOUPDATE"] == "1"
        assert "--pure" in words


def test_the_version_is_pinned(fake: Fake) -> None:
    identity = fake.agent().identity()
    assert identity is not None
    assert (identity.product, identity.version) == (fake.product, fake.agent().pinned)
    assert {"updates", "auto_memory", "hooks", "plug_ins", "credentials"} <= set(identity.controls)
    with pytest.raises(InputError, match=r"not 9\.9\.9; install that, or pin the other"):
        fake.agent(version="9.9.9").identity()


def test_an_output_without_a_result_is_a_failure(fake: Fake) -> None:
    script = fake.program.read_text().rpartition("cat ")[0]
    fake.program.write_text(f"{script}echo 'a warning'; echo '{{\"type\": \"x\"}}'\n")
    agent = fake.agent()
    with pytest.raises(TransportError, match=f"{fake.product}: it ended without a result"):
        agent.act("One.", (), lambda event: None)
    assert agent.ask("What?").status == "failed"


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_that_is_not_installed_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("AGINGBENCH_AGENTS", raising=False)
    agent = build_agent(name, Extractive(), Workspace(), "Help.")
    with pytest.raises(InputError, match=f"needs the program {PRODUCTS[name]}"):
        agent.identity()


def test_a_hosted_model_is_called_by_the_product_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    fake = Fake("codex", tmp_path, monkeypatch)
    model = OpenAIChat("gpt-x", base_url="https://models.example/v1", api_key="sk-mine")
    agent = fake.agent(model)
    agent.act("One.", (), lambda event: None)
    config = tomllib.loads((fake.notes / "copy1" / ".codex" / "config.toml").read_text())
    assert config["model"] == "gpt-x"
    assert config["model_providers"]["agingbench"]["base_url"] == "https://models.example/v1"
    assert "AGINGBENCH_MODEL_KEY=sk-mine" in fake.note("env1")
    (agent.memory.files).clear()
    with pytest.raises(InputError, match="calls its model by itself"):
        Fake("claude_code", tmp_path / "other", monkeypatch).agent(model)


def test_lines_that_are_no_objects_are_passed_over() -> None:
    text = 'WARNING: x\n{"a": 1}\n{broken\n[1]\n' + "{" * 50_000 + '\n{"b": 2}\n'
    assert list(json_lines(text)) == [{"a": 1}, {"b": 2}]
