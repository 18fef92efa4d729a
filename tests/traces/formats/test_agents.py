"""Sessions of other agents: Gemini CLI, OpenCode, OpenHands, OpenAI Assistants, SWE-agent, pi."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agingbench.records import Event, ReadLog
from agingbench.traces.reading import read_events
from tests.traces.formats.reader import read, total


def roles(events: list[Event]) -> list[str]:
    return [event.role for event in events]


def errors(events: list[Event]) -> list[str | None]:
    return [event.error_kind for event in events if event.role == "tool_result"]


def test_gemini_sessions(tmp_path: Path) -> None:
    def call(n: int, status: str, output: str) -> dict[str, Any]:
        response = {"functionResponse": {"response": {"output": output}}}
        return {
            "id": f"k{n}",
            "name": "run",
            "args": {"command": "ls"},
            "status": status,
            "result": [response],
        }

    calls = [
        call(1, "success", "Exit Code: 2"),
        call(2, "error", "boom"),
        call(3, "cancelled", "[Operation Cancelled]"),
    ]
    tokens = {"input": 100, "output": 5, "cached": 60, "thoughts": 3}
    messages: list[Any] = [
        {"id": "1", "type": "user", "content": "hi", "timestamp": "2026-01-02T03:04:05Z"},
        {
            "id": "2",
            "type": "gemini",
            "content": "ok",
            "tokens": tokens,
            "model": "flash",
            "toolCalls": calls,
        },
        {"id": "3", "type": "gemini", "content": "", "model": "pro"},
        {"id": "4", "type": "info", "content": "Chat history compressed"},
        {"id": "1", "type": "user", "content": "hi"},
        {"id": "5", "type": "quit"},
        3,
    ]
    session = {"sessionId": "g", "projectHash": "p", "messages": messages}
    events, log = read(tmp_path / "x.jsonl", "gemini_cli", session, whole=True)
    assert errors(events) == ["process", "process", "cancelled"]
    assert [e.lifecycle for e in events if e.lifecycle] == ["model_change", "compaction"]
    assert events[1].usage is not None
    assert (events[1].usage.input_tokens, events[1].usage.output_tokens) == (40, 8)
    assert total(log) == len(messages)


def test_opencode_exports_and_storage(tmp_path: Path) -> None:
    times = {"start": 1_767_323_045_000, "end": 1_767_323_046_000}
    state = {
        "status": "error",
        "input": {"command": "ls"},
        "error": "The user rejected permission",
        "time": times,
    }
    done = {
        "status": "completed",
        "input": {},
        "output": "x",
        "metadata": {"exit": 1},
        "time": times,
    }
    parts = [
        {"id": "p1", "type": "step-start"},
        {"id": "p2", "type": "text", "text": "ok"},
        {"id": "p3", "type": "tool", "tool": "bash", "callID": "k", "state": state},
        {"id": "p4", "type": "tool", "tool": "bash", "callID": "l", "state": done},
        {"id": "p5", "type": "compaction", "auto": True},
    ]
    tokens = {"input": 3, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 7}}
    reply = {
        "id": "m2",
        "sessionID": "o",
        "role": "assistant",
        "modelID": "m",
        "tokens": tokens,
        "cost": 0.25,
    }
    ask = {"id": "m1", "sessionID": "o", "role": "user", "time": {"created": times["start"]}}
    said: dict[str, Any] = {"info": ask, "parts": [{"id": "p0", "type": "text", "text": "hi"}]}
    export = {
        "info": {"id": "o", "version": "1.16"},
        "messages": [said, {"info": reply, "parts": parts}],
    }
    events, log = read(tmp_path / "s.jsonl", "opencode", export, whole=True)
    assert roles(events) == [
        "user",
        "assistant",
        "tool_call",
        "tool_result",
        "tool_call",
        "tool_result",
        "meta",
    ]
    assert errors(events) == ["rejected", "process"]
    assert events[1].usage is not None
    assert (
        events[1].usage.output_tokens,
        events[1].usage.cache_write_tokens,
        events[1].usage.cost_usd,
    ) == (7, 7, 0.25)
    assert (events[3].duration_ms, events[0].client, events[6].lifecycle) == (
        1000.0,
        "1.16",
        "compaction",
    )
    assert total(log) == 2
    store = tmp_path / "storage"
    read(store / "message" / "o" / "m1.json", "opencode", ask, whole=True)
    read(
        store / "part" / "m1" / "p0.json",
        "opencode",
        {**said["parts"][0], "sessionID": "o", "messageID": "m1"},
        whole=True,
    )
    kept = list(read_events(store))
    assert [(e.role, e.content) for e in kept] == [("meta", None), ("user", "hi")]


def test_openhands_v1(tmp_path: Path) -> None:
    def event(kind: str, n: int, **more: Any) -> dict[str, Any]:
        return {
            "id": f"e{n}",
            "kind": kind,
            "source": "agent",
            "timestamp": f"2026-06-16T05:39:{n:02d}.809928",
            **more,
        }

    seen = {
        "kind": "TerminalObservation",
        "content": [{"type": "text", "text": "no"}],
        "is_error": True,
        "exit_code": 1,
    }
    rows = [
        event("SystemPromptEvent", 1, system_prompt={"type": "text", "text": "be good"}),
        {
            **event("MessageEvent", 2, llm_message={"role": "user", "content": [{"text": "hi"}]}),
            "source": "user",
        },
        event(
            "ActionEvent",
            3,
            thought=[{"text": "so"}],
            action={"kind": "T", "command": "ls"},
            tool_name="sh",
            tool_call_id="k",
        ),
        event("ObservationEvent", 4, observation=seen, tool_name="sh", tool_call_id="k"),
        event("UserRejectObservation", 5, rejection_reason="no", tool_call_id="l"),
        event("AgentErrorEvent", 6, error="unknown tool", tool_call_id="m"),
        event("Condensation", 7, forgotten_event_ids=["e1"], summary="short"),
        event("ConversationStateUpdateEvent", 8, key="x", value=1),
        event("Condensation", 7, forgotten_event_ids=["e1"]),
    ]
    events, log = read(tmp_path / "conv" / "events" / "e.jsonl", "openhands", *rows)
    assert errors(events) == ["process", "rejected", "refused"]
    assert events[-1].lifecycle == "compaction"
    assert {e.session_id for e in events} == {"conv"}
    assert log.flags == {"time_without_zone": 8}
    assert (log.used, log.duplicate, log.ignored) == (
        7,
        1,
        {"event:ConversationStateUpdateEvent": 1},
    )


def test_openhands_v0(tmp_path: Path) -> None:
    def metrics(taken: int, made: int) -> dict[str, Any]:
        return {
            "accumulated_token_usage": {
                "prompt_tokens": taken,
                "completion_tokens": made,
                "model": "m",
            }
        }

    about = {"function_name": "execute_bash", "tool_call_id": "k"}
    rows: list[dict[str, Any]] = [
        {
            "id": 0,
            "source": "user",
            "action": "message",
            "args": {"content": "fix it"},
            "message": "fix it",
        },
        {
            "id": 1,
            "source": "agent",
            "action": "run",
            "args": {"command": "ls", "thought": "look"},
            "tool_call_metadata": about,
        },
        {
            "id": 2,
            "source": "agent",
            "observation": "run",
            "content": "x",
            "extras": {"metadata": {"exit_code": 2}},
            "tool_call_metadata": about,
        },
        {
            "id": 3,
            "source": "agent",
            "observation": "error",
            "content": "bad arguments",
            "cause": 9,
        },
        {"id": 4, "source": "agent", "action": "finish", "args": {"final_thought": "done"}},
        {"id": 5, "source": "environment", "observation": "agent_state_changed", "content": ""},
    ]
    rows[1]["llm_metrics"], rows[4]["llm_metrics"] = metrics(100, 5), metrics(250, 9)
    for n, row in enumerate(rows):
        row["timestamp"] = f"2026-01-02T03:04:{n:02d}"
    events, log = read(tmp_path / "t.json", "openhands", rows, whole=True)
    assert roles(events) == [
        "user",
        "assistant",
        "tool_call",
        "tool_result",
        "tool_result",
        "assistant",
    ]
    assert [(e.usage.input_tokens, e.usage.output_tokens) for e in events if e.usage] == [
        (100, 5),
        (150, 4),
    ]
    assert errors(events) == ["process", "refused"]
    assert events[0].timestamp == pytest.approx(1767323040.0)
    assert total(log) == 6


def test_openai_assistants_count_a_run_once(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    function = {"name": "get", "arguments": '{"id": 7}', "output": "3"}
    details = {
        "type": "tool_calls",
        "tool_calls": [{"id": "k", "type": "function", "function": function}],
    }
    base = {"thread_id": "t", "created_at": 1767323045}
    rows = [
        {
            **base,
            "object": "thread.message",
            "id": "m",
            "role": "user",
            "content": [{"type": "text", "text": {"value": "hi"}}],
        },
        {
            **base,
            "object": "thread.run",
            "id": "r",
            "model": "gpt",
            "usage": usage,
            "started_at": 5,
            "completed_at": 7,
        },
        {
            **base,
            "object": "thread.run.step",
            "id": "s",
            "run_id": "r",
            "usage": usage,
            "step_details": details,
        },
        {
            **base,
            "object": "thread.message",
            "id": "n",
            "role": "assistant",
            "assistant_id": "asst_1",
            "content": [],
        },
        {**base, "object": "thread.deleted", "id": "x"},
    ]
    events, log = read(tmp_path / "a.jsonl", "openai_assistants", *rows)
    assert sum(e.usage.input_tokens or 0 for e in events if e.usage) == 10
    assert [e.content for e in events if e.role == "user"] == ["hi"]
    assert (events[2].arguments, events[3].stdout) == ({"id": 7}, "3")
    assert {e.model for e in events} <= {"gpt", None}
    assert not any(e.lifecycle for e in events)
    assert total(log) == 5


def test_swe_agent_says_its_totals_once(tmp_path: Path) -> None:
    steps = [
        {
            "action": "ls -F\n",
            "observation": "a",
            "thought": "look",
            "response": "look\n```ls```",
            "execution_time": 0.5,
        }
    ]
    history = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": "x"},
    ]
    stats = {
        "total_cost": 9.0,
        "instance_cost": 1.5,
        "tokens_sent": 100,
        "tokens_received": 5,
        "api_calls": 3,
    }
    value = {
        "environment": "e",
        "trajectory": steps,
        "history": history,
        "info": {"model_stats": stats},
    }
    events, log = read(tmp_path / "run" / "x.traj", "swe_agent", value, whole=True)
    assert roles(events) == ["system", "user", "assistant", "tool_call", "tool_result", "meta"]
    assert (events[3].tool_name, events[3].command, events[4].duration_ms) == (
        "ls",
        "ls -F\n",
        500.0,
    )
    assert events[5].usage is not None
    assert (events[5].usage.cost_usd, events[5].usage.calls) == (1.5, 3)
    assert events[0].session_id == "run/x"
    assert (log.used, log.duplicate) == (3, 1)


def test_mini_swe_agent_is_a_list_of_messages(tmp_path: Path) -> None:
    rows = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": "look\n```bash\nls\n```"},
        {"role": "user", "content": "<returncode>1</returncode>\nno"},
    ]
    events, _ = read(tmp_path / "x.traj.json", "swe_agent", rows, whole=True)
    assert roles(events) == ["system", "user", "assistant", "tool_call", "tool_result"]
    assert (events[4].error_kind, events[4].exit_code) == ("process", 1)


def test_pi_sessions(tmp_path: Path) -> None:
    usage = {"input": 3, "output": 5, "cacheRead": 100, "cacheWrite": 7, "cost": {"total": 0.5}}
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "toolCall", "id": "k", "name": "read", "arguments": {"path": "a"}},
    ]
    at = "2026-01-02T03:04:05Z"
    rows = [
        {"type": "session", "id": "p", "timestamp": at, "cwd": "/w", "modelId": "m"},
        {
            "type": "message",
            "timestamp": at,
            "message": {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        },
        {
            "type": "message",
            "timestamp": at,
            "message": {
                "role": "assistant",
                "content": blocks,
                "usage": usage,
                "model": "m",
                "timestamp": 1,
            },
        },
        {
            "type": "message",
            "timestamp": at,
            "message": {
                "role": "toolResult",
                "toolCallId": "k",
                "toolName": "read",
                "content": [],
                "isError": True,
            },
        },
        {
            "type": "message",
            "timestamp": at,
            "message": {
                "role": "assistant",
                "content": [],
                "stopReason": "aborted",
                "timestamp": 2,
            },
        },
        {"type": "model_change", "timestamp": at, "modelId": "n"},
        {"type": "compaction", "timestamp": at, "summary": "s", "tokensBefore": 900},
        {"type": "thinking_level_change", "timestamp": at},
    ]
    events, log = read(tmp_path / "a.jsonl", "pi", *rows)
    assert roles(events) == [
        "user",
        "assistant",
        "tool_call",
        "tool_result",
        "meta",
        "meta",
        "meta",
    ]
    assert errors(events) == ["process"]
    assert [e.lifecycle for e in events if e.lifecycle] == ["model_change", "compaction"]
    assert sum(1 for e in events if e.usage) == 1
    assert total(log) == 8
    again = ReadLog()
    (tmp_path / "b.jsonl").write_bytes((tmp_path / "a.jsonl").read_bytes())
    list(read_events(tmp_path, log=again))
    assert again.duplicate == 7  # a branch starts with copies


def test_cached_tokens_of_our_own_trace_are_counted_once(tmp_path: Path) -> None:
    """Our models count cached tokens within the input, as most providers do."""
    whole = {"input_tokens": 100, "output_tokens": 5, "cache_read_tokens": 60, "calls": 1}
    apart = {"input_tokens": 40, "output_tokens": 5, "cache_read_tokens": 60, "calls": 1}
    plain = {"input_tokens": 100, "output_tokens": 5, "calls": 1}
    header = {"version": 1, "format": "aec-bench-trajectory"}
    rows = [
        {"step": step, "role": "assistant", "content": "ok", "usage": used}
        for step, used in enumerate((whole, apart, plain))
    ]
    events, _ = read(tmp_path / "trace.jsonl", "trajectory", header, *rows)
    taken = [(e.usage.input_tokens, e.usage.cache_read_tokens) for e in events if e.usage]
    assert taken == [(40, 60), (40, 60), (100, None)]
