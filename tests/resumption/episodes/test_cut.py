"""Drafts from real traces: the cut, and candidates for what to keep and what to forget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.resumption.episodes.cut import (
    draft_episode,
    dropped_plans,
    failed_commands,
    forget_candidates,
)
from agingbench.resumption.episodes.episode import load_episode
from agingbench.resumption.episodes.trajectory import count_steps, trajectory_events
from tests.cli.conftest import Cli, cli
from tests.resumption.making import DATA, example

__all__ = ["cli"]


def call(number: int, command: str, code: int = 0) -> list[Event]:
    """A command and its result."""
    return [
        Event(
            step=number,
            role="tool_call",
            tool_name="bash",
            command=command,
            tool_call_id=str(number),
        ),
        Event(step=number, role="tool_result", exit_code=code, tool_call_id=str(number)),
    ]


def test_commands_that_failed_for_good() -> None:
    events = [*call(1, "make a", 2), *call(2, "cargo test --lib x", 1), *call(3, "make a", 0)]
    assert failed_commands(events) == ["cargo test --lib x"]


def test_plans_that_were_dropped() -> None:
    def listed(*items: tuple[str, str]) -> Event:
        todos = [{"content": c, "status": s} for c, s in items]
        return Event(step=1, role="tool_call", tool_name="TodoWrite", arguments={"todos": todos})

    events = [
        listed(("add a pool", "pending"), ("write tests", "completed"), ("docs", "pending")),
        listed(("docs", "pending")),
    ]
    assert dropped_plans(events) == ["add a pool"]


def test_turns_and_undone_edits_are_candidates() -> None:
    found = forget_candidates(trajectory_events(example(), None))
    assert any("give them up" in line for line in found)
    assert any(line.startswith("edit undone: git checkout") for line in found)


def small_trace(folder: Path) -> Path:
    path = folder / "t.jsonl"
    lines: list[dict[str, Any]] = [{"version": 1, "format": "aec-bench-trajectory"}]
    lines += [json.loads(json.dumps(entry)) for entry in _entries()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _entries() -> list[dict[str, Any]]:
    given = example().partial_trajectory
    assert isinstance(given, list)
    return [{"step": n, **entry} for n, entry in enumerate(given)]


@pytest.mark.parametrize("inline", [True, False])
def test_a_draft_is_an_episode_that_loads(
    tmp_path: Path, inline: bool, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small_trace(tmp_path)
    told = cli(
        "resumption",
        "cut",
        "t.jsonl",
        "--at",
        "9",
        "--out",
        "new.yaml",
        *(["--inline"] if inline else []),
    )
    assert told.code == 0
    episode = load_episode(tmp_path / "new.yaml")
    assert count_steps(trajectory_events(episode, tmp_path)) == 9
    assert episode.turns_in_session == 15
    assert cli("resumption", "cut", "t.jsonl", "--at", "9", "--out", "new.yaml").code == 2
    assert cli("resumption", "cut", "t.jsonl", "--at", "99").code == 2
    (tmp_path / "empty.jsonl").write_text("")
    assert cli("resumption", "cut", "empty.jsonl", "--at", "1").code == 2


def test_what_yaml_cannot_hold_raw_is_cut_inline(tmp_path: Path) -> None:
    said = "bell \x7f and \x9b31m, 1e5 😀"
    line = {"session_id": "s", "role": "user", "content": said}
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(line) + "\n")
    (tmp_path / "e.yaml").write_text(draft_episode(path, 1, inline=True))
    assert [e.content for e in trajectory_events(load_episode(tmp_path / "e.yaml"), None)] == [said]


def test_the_task_is_what_was_asked_and_not_what_the_client_put_before_it(tmp_path: Path) -> None:
    said = [
        "<environment_context>cwd</environment_context>",
        "# AGENTS.md instructions for x",
        "mend the build",
    ]
    path = tmp_path / "t.jsonl"
    path.write_text(
        "".join(json.dumps({"session_id": "s", "role": "user", "content": s}) + "\n" for s in said)
    )
    assert yaml.safe_load(draft_episode(path, 3, inline=True))["initial_task"] == "mend the build"
    assert yaml.safe_load(draft_episode(path, 1, inline=True))["initial_task"] == said[0]


def test_the_trace_of_a_subagent_alone_can_be_cut(tmp_path: Path) -> None:
    record = {
        "type": "user",
        "isSidechain": True,
        "agentId": "a1",
        "sessionId": "s",
        "uuid": "u1",
        "parentUuid": None,
        "timestamp": "2026-01-01T00:00:00Z",
        "message": {"role": "user", "content": "look for the port"},
    }
    path = tmp_path / "agent-a1.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert (
        yaml.safe_load(draft_episode(path, 1, inline=True))["initial_task"] == "look for the port"
    )


def test_a_trace_outside_of_the_data_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with pytest.raises(InputError, match="--data"):
        draft_episode(small_trace(tmp_path), 3, data=tmp_path / "data")


@pytest.mark.skipif(not DATA.is_dir(), reason="the public traces are not at ../shared/data")
@pytest.mark.parametrize(
    "name",
    [
        "traces/claude_code/entireio_cli/paul/75c838dd-10e3-40cf-8df3-17f9955149f8.jsonl",
        "traces/codex/jdx_mise/019f1fdd-25d6-7772-a211-4d2490625736.jsonl",
    ],
)
def test_real_traces_can_be_cut(name: str) -> None:
    loaded = yaml.safe_load(draft_episode(DATA / name, 60, data=DATA))
    assert loaded["partial_trajectory"]["path"] == name
    assert loaded["turns_in_session"] >= 100
    assert len(loaded["gold_facts_to_preserve"]) > 2
