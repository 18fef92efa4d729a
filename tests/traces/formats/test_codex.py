"""Codex rollouts: running totals, doubled texts, exit codes, forks and subagents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agingbench.records import ReadLog
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.traces.reading import read_events
from tests.traces.formats.reader import read, total


def record(kind: str, n: int = 0, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-02T03:04:{n:02d}.000Z", "type": kind, "payload": payload}


def meta(name: str = "c1", **more: Any) -> dict[str, Any]:
    return record("session_meta", id=name, cwd="/w", cli_version="0.144.0", **more)


def tokens(taken: int, cached: int, made: int, n: int = 9) -> dict[str, Any]:
    total_usage = {"input_tokens": taken, "cached_input_tokens": cached, "output_tokens": made}
    info = {
        "total_token_usage": total_usage,
        "last_token_usage": {},
        "model_context_window": 258400,
    }
    return record("event_msg", n, type="token_count", info=info)


def item(kind: str, n: int = 1, **more: Any) -> dict[str, Any]:
    return record("response_item", n, type=kind, **more)


def message(role: str, text: str, n: int = 1) -> dict[str, Any]:
    return item("message", n, role=role, content=[{"type": "output_text", "text": text}])


def test_totals_run_and_cached_tokens_are_apart(tmp_path: Path) -> None:
    rows = [
        meta(),
        message("assistant", "a"),
        tokens(100, 60, 5),
        message("assistant", "b"),
        tokens(250, 160, 9),
    ]
    events, log = read(tmp_path / "r.jsonl", "codex", *rows, tokens(250, 160, 9))
    spent = [
        (e.usage.input_tokens, e.usage.cache_read_tokens, e.usage.output_tokens)
        for e in events
        if e.usage
    ]
    assert spent == [(40, 60, 5), (50, 100, 4)]
    assert [e.content for e in events if e.usage] == ["a", "b"]
    assert events[1].metadata == {"context_window": 258400}
    assert (log.used, log.duplicate) == (5, 1)


def test_texts_that_are_written_twice_are_told_once(tmp_path: Path) -> None:
    rows = [
        meta(),
        message("user", "<environment_context>x</environment_context>"),
        message("user", "continue"),
        record("event_msg", type="user_message", message="continue"),
        record("event_msg", type="agent_message", message="yes"),
        message("assistant", "yes"),
        message("user", "continue"),
        record("event_msg", type="user_message", message="continue"),
        record("event_msg", type="agent_message", message="only here"),
    ]
    events, log = read(tmp_path / "r.jsonl", "codex", *rows)
    told = [(e.role, e.content) for e in events if e.role in ("user", "assistant")]
    assert told == [
        ("user", "continue"),
        ("assistant", "yes"),
        ("user", "continue"),
        ("assistant", "only here"),
    ]
    assert log.duplicate == 3
    assert total(log) == len(rows)


def test_calls_and_errors_by_kind(tmp_path: Path) -> None:
    outputs = [
        "Chunk ID: 1\nProcess exited with code 0\nOutput:\nfine",
        "Chunk ID: 1\nProcess exited with code 2\nOutput:\nbad",
        '{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}',
        "exec command rejected by user",
        "error: Failed to find expected lines in /w/a",
        "aborted by user after 2s",
        [{"type": "input_text", "text": "Script completed"}],
    ]
    rows = [meta()]
    for n, output in enumerate(outputs):
        rows.append(
            item("function_call", n, name="exec", arguments='{"cmd":"ls"}', call_id=f"k{n}")
        )
        rows.append(item("function_call_output", n, call_id=f"k{n}", output=output))
    events, _ = read(tmp_path / "r.jsonl", "codex", *rows)
    found = [e.error_kind for e in events if e.role == "tool_result"]
    assert found == [None, "process", "process", "rejected", "refused", "cancelled", None]
    assert events[1].arguments == {"cmd": "ls"}
    assert events[1].command == "ls"
    assert events[2].tool_name == "exec"
    assert events[2].exit_code == 0


def test_compaction_model_change_and_later_heads(tmp_path: Path) -> None:
    rows = [
        meta(),
        record("turn_context", model="gpt-5.5"),
        message("assistant", "a"),
        record("compacted", message="", replacement_history=[]),
        record("event_msg", type="context_compacted"),
        meta("other"),
        record("turn_context", model="gpt-5.6"),
        record("event_msg", type="turn_aborted", reason="interrupted"),
        record("world_state", full=True),
    ]
    events, log = read(tmp_path / "r.jsonl", "codex", *rows)
    assert [e.lifecycle for e in events if e.lifecycle] == ["compaction", "model_change"]
    assert {e.session_id for e in events} == {"c1"}
    assert events[-1].client == "0.144.0"
    assert log.duplicate == 2
    assert total(log) == len(rows)


def test_forks_are_joined_and_subagents_are_threads(tmp_path: Path) -> None:
    first = [meta("a"), item("function_call", name="x", arguments="{}", call_id="k")]
    read(tmp_path / "1.jsonl", "codex", *first)
    read(
        tmp_path / "2.jsonl",
        "codex",
        meta("b", forked_from_id="a"),
        first[1],
        message("user", "go on"),
    )
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "a"}}}
    read(tmp_path / "3.jsonl", "codex", meta("s", source=source), message("assistant", "sub"))
    log = ReadLog()
    events = list(read_events(tmp_path, log=log))
    assert {e.session_id for e in events} == {"a"}
    assert {e.thread for e in events} == {None, "s"}
    assert log.duplicate == 1


def test_old_rollouts_and_odd_records(tmp_path: Path) -> None:
    rows = [
        record("session_meta", id="o"),
        {"record_type": "state"},
        7,
        {"type": "x"},
        message("user", "hi"),
    ]
    events, log = read(tmp_path / "r.jsonl", "codex", *rows)
    assert [e.role for e in events] == ["system", "user"]
    assert log.n_malformed == 2
    assert total(log) == 5


def test_a_developer_message_is_no_prompt(tmp_path: Path) -> None:
    """What the client adds to the instructions (sandbox, modes) does not replace them."""
    rows = [
        meta(instructions="base " * 100),
        message("developer", "<permissions> " * 60),
        message("user", "go"),
        message("assistant", "yes"),
        message("developer", "<mode> " * 60),
    ]
    events, _ = read(tmp_path / "r.jsonl", "codex", *rows)
    assert [event.role for event in events].count("system") == 1
    notes = [event.call_type for event in events if event.role == "meta"]
    assert notes == ["client_note", "client_note"]


def _script_call(number: int, script: str, output: str) -> list[dict[str, Any]]:
    name = f"call_{number}"
    call = {"type": "custom_tool_call", "call_id": name, "name": "exec", "input": script}
    texts = [{"type": "input_text", "text": text} for text in ("Script completed\n", output)]
    result = {"type": "custom_tool_call_output", "call_id": name, "output": texts}
    return [{"type": "response_item", "payload": payload} for payload in (call, result)]


def test_a_script_that_calls_one_tool_is_that_call(tmp_path: Path) -> None:
    """Newer clients write scripts; how a command ended is printed or not, so it is unknown."""
    run = 'const r = await tools.exec_command({cmd:"sed -n \'1,9p\' a.rs","workdir":"/w"});'
    patch = '"*** Begin Patch\\n*** Update File: /w/a.rs\\n@@\\n-x\\n+y\\n*** End Patch"'
    rows = [
        *_script_call(1, f"{run}text(JSON.stringify(r))", '{"exit_code":1,"output":"no"}'),
        *_script_call(2, f"{run}text(r.output)", "fn main() {}"),
        *_script_call(3, f"const p = {patch}; text(await tools.apply_patch(p))", "{}"),
        *_script_call(4, f"{run}{run}", "two at once"),
    ]
    events, log = read(tmp_path / "rollout.jsonl", "codex", *rows)
    calls = [(e.tool_name, e.arguments) for e in events if e.role == "tool_call"]
    results = [(e.error_kind, e.metadata) for e in events if e.role == "tool_result"]
    assert calls[:2] == [("exec_command", {"cmd": "sed -n '1,9p' a.rs"})] * 2
    assert calls[2][0] == "apply_patch"
    assert calls[2][1]["input"].startswith("*** Begin Patch\n*** Update File: /w/a.rs\n")
    assert calls[3][0] == "exec"
    unknown = {"outcome": "unrecorded"}
    assert results == [(None, unknown), (None, unknown), (None, None), (None, None)]
    assert log.n_malformed == 0

    (session,) = collect(events, load_profile("code_assistant")).sessions
    assert (session.results, session.behaviour.results, session.behaviour.errors) == (2, 2, 0)
    assert (session.behaviour.reads, session.behaviour.changes) == (2, 1)
