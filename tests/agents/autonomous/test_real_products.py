"""Lives of the real command-line agents against the puppet, offline.

They are installed with npm, in the versions that the adapters pin, into a folder of this test run;
AGINGBENCH_AGENTS may name one that is there already. OpenHands is run where AGINGBENCH_OPENHANDS
names its environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agingbench.agents import AGENTS
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import shared_scenario
from agingbench.bench.life.system import Sut
from agingbench.bench.plan.plan import Plan
from agingbench.models.notekeeper import FAULTS
from agingbench.records import Event, ReadLog
from agingbench.sandbox import confinement
from agingbench.sandbox.bubble import available
from agingbench.traces.reading import read_events
from tests.agents.autonomous.lives import small_plan

pytestmark = pytest.mark.slow

PACKAGES = {
    "claude_code": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "opencode": "opencode-ai",
}
BLOCKS = 6


@pytest.fixture(scope="module")
def products(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the products are installed in."""
    given = os.environ.get("AGINGBENCH_AGENTS")
    if given:
        return Path(given)
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, so the real agents cannot be")
    folder = tmp_path_factory.mktemp("agents")
    wanted = [f"{package}@{AGENTS.load(name).pinned}" for name, package in PACKAGES.items()]
    words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *wanted]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        pytest.skip(f"npm could not install the real agents: {done.stderr[-300:]}")
    return folder


@pytest.fixture
def home(tmp_path: Path, products: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home full of settings that would be seen, and a key that would be used."""
    home = tmp_path / "home"
    for name, text in {
        ".claude/CLAUDE.md": "Always say banana.",
        ".claude/settings.json": '{"autoMemoryEnabled": true}',
        ".claude.json": "{}",
        ".codex/AGENTS.md": "Always say banana.",
        ".codex/config.toml": 'model = "sentinel"\n',
        ".config/opencode/opencode.json": "{}",
        ".local/share/opencode/auth.json": "{}",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AGINGBENCH_AGENTS", str(products))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-sentinel")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-sentinel")
    return home


def fingerprint(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def life_of(agent: str, plan: Plan, folder: Path, fault: str = "") -> Life:
    scenario = shared_scenario(plan.scenario)
    options = {"fault": fault} if fault else {}
    sut = Sut(memory="workspace", agent=agent, model_options=options)
    return Life(plan, scenario, sut, RunDirectory(folder))


def _audited(life: Life) -> tuple[int, int]:
    """The sessions and tool calls that an audit of the product's own files counts."""
    words = [sys.executable, "-m", "agingbench", "audit", str(life.folder.sessions), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    card = json.loads(done.stdout)["data"]["card"]
    return card["n_sessions"], card["trace_audit"]["trace_regime"]["n_tool_calls"]


def _pass_rate(life: Life) -> float:
    """The share of checks of the program that passed."""
    rate: float = life.card().mechanism_metrics.compression.document()["code_pass_rate"]
    return rate


def tool_calls(events: list[Event]) -> list[str | None]:
    return [event.tool_name for event in events if event.role == "tool_call"]


@pytest.mark.parametrize("scenario", ["s5", "s7"])
@pytest.mark.parametrize("name", [*PACKAGES, "openhands"])
def test_a_life_of_the_real_product(name: str, scenario: str, tmp_path: Path, home: Path) -> None:
    if name == "openhands" and not os.environ.get("AGINGBENCH_OPENHANDS"):
        pytest.skip("AGINGBENCH_OPENHANDS names no environment with OpenHands")
    # OpenHands takes ten times as long for a call.
    plan = small_plan(BLOCKS, tasks=1 if name == "openhands" else 2, scenario=scenario)
    before = fingerprint(home)
    life = life_of(name, plan, tmp_path / "run")
    life.live()
    life.score()
    assert fingerprint(home) == before

    # The same model with file tools of ours says the same and leaves the same notes.
    own = life_of("workspace", plan, tmp_path / "own")
    own.live()
    texts = [[row.text for row in lived.folder.answer_rows()] for lived in (life, own)]
    assert texts[0] == texts[1]
    files = [
        lived.folder.snapshot(BLOCKS).state["memory"]["files"].items() for lived in (life, own)
    ]
    assert sorted(files[0]) == sorted(files[1])

    events = list(life.folder.events())
    assert not [event for event in events if "failed" in (event.metadata or {})]
    log = ReadLog()
    recorded = list(read_events(life.folder.sessions, log=log))
    assert log.n_malformed == 0
    assert len({event.session_id for event in recorded}) == BLOCKS
    assert len(tool_calls(recorded)) == len(tool_calls(events))
    assert _audited(life) == (BLOCKS, len(tool_calls(events)))
    diffs = sorted(file.name for file in life.folder.sessions.glob("*_workspace.diff"))
    assert diffs == [f"{t:03d}_workspace.diff" for t in range(BLOCKS)]
    card = life.card()
    assert card.track == "agent"
    assert card.provenance.agent_cli_version == AGENTS.load(name).pinned
    if scenario == "s7" and confinement.available()[0]:
        own.score()
        rates = [_pass_rate(lived) for lived in (life, own)]
        assert rates[0] == rates[1] > 0.5
    if not available():
        assert "unconfined_agent" not in " ".join(card.warnings)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_the_same_through_a_real_product(fault: str, tmp_path: Path, home: Path) -> None:
    plan = small_plan(3, tasks=2, probes=2)
    lives = [life_of(agent, plan, tmp_path / agent, fault) for agent in ("codex", "workspace")]
    for life in lives:
        life.live()
    texts = [[row.text for row in life.folder.answer_rows()] for life in lives]
    assert texts[0] == texts[1]
    stored = [life.folder.snapshot(3).state["memory"]["files"] for life in lives]
    assert stored[0] == stored[1]


# What each fault does to a life of s7, as the card has it: what falls to almost nothing, what stays.
LOST = {
    "never_writes": ("files", "recall", "program"),
    "never_rereads": ("recall", "program"),
    "overwrites": ("files", "program"),  # what was written last is still there to be recalled
    "reads_wrong_file": ("recall", "program"),
    "ignores_updates": ("program",),
}


@pytest.fixture(scope="module")
def figures() -> dict[str, dict[str, Any]]:
    """What lives through Codex measured so far, by their fault: the sound one is lived once."""
    return {}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_shows_in_its_own_metric(
    fault: str, tmp_path: Path, home: Path, figures: dict[str, dict[str, Any]]
) -> None:
    plan = small_plan(5, tasks=1, probes=4, scenario="s7")
    for name in {"", fault} - set(figures):
        life = life_of("codex", plan, tmp_path / (name or "sound"), name)
        life.live()
        life.score()
        card = life.card()
        compression = card.mechanism_metrics.compression.document()
        figures[name] = {
            "files": compression["workspace_fidelity_trajectory"][-1][1],
            "recall": card.headline.document()["m_final"],
            "program": compression["program_trajectory"][-1][1],
            "calls": card.cost_and_efficiency.probe_tool_calls_mean,
        }
    sound = figures[""]
    found = figures[fault]
    for name in ("files", "recall", "program"):
        if name in LOST[fault]:
            assert found[name] < 0.5 * sound[name], name
    if "files" not in LOST[fault] and fault != "ignores_updates":
        assert found["files"] == sound["files"]
    assert (found["calls"] < 1.5) == (fault in ("never_writes", "never_rereads"))


def test_a_life_killed_in_a_block_is_continued(tmp_path: Path, home: Path) -> None:
    words = [sys.executable, "-m", "agingbench", "run", "--scenario", "s5", "--sessions", "2"]
    words += ["--pressure", "none", "--dial", "block_length=8", "--probes", "1"]
    words += ["--agent", "codex", "--no-plots", "--ledger", "none", "--out"]
    whole = tmp_path / "whole"
    subprocess.run([*words, str(whole)], check=True, capture_output=True, timeout=600)

    out = tmp_path / "stopped"
    process = subprocess.Popen([*words, str(out)], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while not list(out.glob("*/*/*/*/memory/1.json")) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(3)  # into the second block
    process.send_signal(signal.SIGKILL)
    process.wait()
    (stopped,) = map(RunDirectory, out.glob("*/*/*/*"))
    assert not stopped.ended()
    subprocess.run([*words, str(out)], check=True, capture_output=True, timeout=600)

    (lived,) = map(RunDirectory, whole.glob("*/*/*/*"))
    for t in range(3):
        assert stopped.snapshot(t).state == lived.snapshot(t).state
    texts = [[row.text for row in run.answer_rows()] for run in (stopped, lived)]
    assert texts[0] == texts[1]
