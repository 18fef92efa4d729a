"""Model calls as spans, observations and runs: OTLP, Langfuse, LangSmith; the history is told once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agingbench.records import Event
from tests.traces.formats.reader import read, total

T0 = 1_767_323_045


def roles(events: list[Event]) -> list[str]:
    return [event.role for event in events]


def attribute(key: str, value: Any) -> dict[str, Any]:
    kind = "intValue" if isinstance(value, int) else "stringValue"
    return {"key": key, "value": {kind: str(value)}}


def span(n: int, name: str = "chat", parent: str = "", **attributes: Any) -> dict[str, Any]:
    start = T0 + n
    return {
        "traceId": "t1",
        "spanId": f"s{n}",
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": f"{start}000000000",
        "endTimeUnixNano": f"{start}500000000",
        "attributes": [
            attribute(key.replace("__", "."), value) for key, value in attributes.items()
        ],
    }


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": [attribute("service.version", "3.1")]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}]}


CHAT = {
    "gen_ai__operation__name": "chat",
    "gen_ai__request__model": "m",
    "gen_ai__conversation__id": "conv",
}
ASK = [{"role": "user", "parts": [{"type": "text", "content": "price of 7?"}]}]
CALL = [
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "k", "name": "get", "arguments": {"id": 7}}],
    }
]
DONE = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "k", "response": "3"}]}]


def test_otlp_tells_the_history_once(tmp_path: Path) -> None:
    tokens: dict[str, Any] = {"gen_ai__usage__input_tokens": 10, "gen_ai__usage__output_tokens": 2}
    first = span(
        1,
        **CHAT,
        **tokens,
        gen_ai__input__messages=json.dumps(ASK),
        gen_ai__output__messages=json.dumps(CALL),
    )
    tool = span(
        2,
        "execute_tool get",
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="get",
        gen_ai__tool__call__id="k",
        gen_ai__tool__call__arguments='{"id": 7}',
        gen_ai__tool__call__result="3",
    )
    last = span(
        3,
        **CHAT,
        gen_ai__usage__input_tokens=20,
        gen_ai__usage__cache_read__input_tokens=8,
        gen_ai__input__messages=json.dumps(ASK + CALL + DONE),
        gen_ai__output__messages=json.dumps(
            [{"role": "assistant", "parts": [{"type": "text", "content": "3"}]}]
        ),
    )
    agent = span(
        0, "invoke_agent", gen_ai__operation__name="invoke_agent", gen_ai__usage__input_tokens=30
    )
    events, log = read(tmp_path / "a.json", "otlp", otlp(last, tool, first, agent), whole=True)
    assert roles(events) == ["user", "tool_call", "tool_result", "assistant"]
    assert {e.session_id for e in events} == {"conv"}
    assert [(e.usage.input_tokens, e.usage.cache_read_tokens) for e in events if e.usage] == [
        (10, None),
        (12, 8),
    ]
    assert events[0].timestamp == T0 + 1
    assert events[2].duration_ms == 500.0
    assert events[3].client == "3.1"
    assert (log.used, log.ignored) == (3, {"span:agent": 1})


def test_otlp_lines_flattened_spans_and_openinference(tmp_path: Path) -> None:
    flat = {
        "spanName": "llm",
        "attributes": {"gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 4},
    }
    message = "llm.input_messages.0.message"
    call = "llm.output_messages.0.message.tool_calls.0.tool_call"
    inference = {
        "span_id": "a",
        "trace_id": "t",
        "timestamp": "2026-01-02T03:04:05Z",
        "duration": "PT1M2.5S",
        "span_attributes": {
            "openinference.span.kind": "LLM",
            f"{message}.role": "user",
            f"{message}.content": "hi",
            f"{call}.function.name": "get",
            f"{call}.function.arguments": '{"id": 7}',
            f"{call}.id": "k",
            "llm.token_count.prompt": "12",
            "llm.model_name": "gpt",
        },
    }
    failed = {
        "span_id": "b",
        "trace_id": "t",
        "status_code": "Error",
        "status_message": "boom",
        "span_attributes": {
            "openinference.span.kind": "TOOL",
            "tool.name": "put",
            "input.value": '{"x": 1}',
        },
    }
    events, log = read(tmp_path / "a.jsonl", "otlp", flat, inference, failed)
    assert roles(events) == ["assistant", "user", "tool_call", "tool_call", "tool_result"]
    assert events[2].arguments == {"id": 7}
    assert events[2].duration_ms == 62_500.0
    assert (events[4].tool_name, events[4].error_kind, events[4].stdout) == (
        "put",
        "process",
        "boom",
    )
    assert total(log) == 3


def test_otlp_memory_operations_compaction_wrappers_and_copies(tmp_path: Path) -> None:
    memory = span(
        1,
        gen_ai__operation__name="search_memory",
        gen_ai__memory__query__text="budget",
        gen_ai__memory__records="[]",
    )
    inner = span(
        3,
        parent="s2",
        **CHAT,
        gen_ai__usage__input_tokens=5,
        gen_ai__conversation__compacted="true",
    )
    outer = span(2, **CHAT, gen_ai__usage__input_tokens=5)
    events, log = read(tmp_path / "a.jsonl", "otlp", otlp(memory, outer, inner), otlp(inner))
    assert [e.tool_name for e in events if e.role == "tool_call"] == ["search_memory"]
    assert [e.lifecycle for e in events if e.lifecycle] == ["compaction"]
    assert sum(1 for e in events if e.usage) == 1
    assert log.ignored == {"span:wrapper": 1}
    assert log.duplicate == 1


def test_otlp_absurd_times_and_deep_nesting(tmp_path: Path) -> None:
    late = span(1, **CHAT, gen_ai__usage__input_tokens=1)
    late["startTimeUnixNano"] = "1767323045" + "0" * 20
    deep: dict[str, Any] = {
        "span_id": "x",
        "trace_id": "t",
        "span_attributes": {"llm.token_count.prompt": 1},
    }
    for n in range(100):
        deep = {"span_id": f"d{n}", "trace_id": "t", "span_attributes": {}, "child_spans": [deep]}
    events, log = read(tmp_path / "a.jsonl", "otlp", otlp(late), deep)
    assert [e.timestamp for e in events] == [None, None]
    assert log.flags["time_absurd"] == 1
    assert total(log) == 102


def observation(n: int, kind: str, **more: Any) -> dict[str, Any]:
    moment = f"2026-01-02T03:04:{n:02d}.000Z"
    return {
        "id": f"o{n}",
        "traceId": "t",
        "type": kind,
        "startTime": moment,
        "endTime": moment,
        **more,
    }


def test_langfuse_traces(tmp_path: Path) -> None:
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "k", "function": {"name": "get", "arguments": "{}"}}],
    }
    ask = {"role": "user", "content": "hi"}
    details = {"input": 50, "output": 5, "input_cache_read": 40}
    first = observation(
        1,
        "GENERATION",
        input=[ask],
        output=call,
        usageDetails=details,
        model="m",
        costDetails={"total": 0.5},
    )
    tool = observation(2, "TOOL", name="get", input={}, output="3")
    result = {"role": "tool", "tool_call_id": "k", "content": "3"}
    last = observation(
        3, "GENERATION", input=[ask, call, result], output={"role": "assistant", "content": "3"}
    )
    wrapper = observation(0, "GENERATION", usageDetails=details)
    first["parentObservationId"] = "o0"
    bad = observation(4, "TOOL", name="put", input={}, output="no", level="ERROR")
    trace = {"id": "t", "sessionId": "conv", "release": "1.2", "projectId": "p"}
    document = {
        "trace": trace,
        "observations": [last, tool, first, wrapper, bad, observation(5, "SPAN", name="x")],
    }
    events, log = read(tmp_path / "a.json", "langfuse", document, whole=True)
    assert roles(events) == [
        "user",
        "tool_call",
        "tool_result",
        "assistant",
        "tool_call",
        "tool_result",
    ]
    assert events[1].usage is not None
    assert (
        events[1].usage.input_tokens,
        events[1].usage.cache_read_tokens,
        events[1].usage.cost_usd,
    ) == (50, 40, 0.5)
    assert events[5].error_kind == "process"
    assert {e.session_id for e in events} == {"conv"}
    assert log.ignored == {"trace": 1, "observation:wrapper": 1, "observation:span": 1}
    assert total(log) == 7


def test_langfuse_lines_and_pages(tmp_path: Path) -> None:
    one = observation(
        1, "GENERATION", input="hi", output="yo", usage={"promptTokens": 3, "completionTokens": 1}
    )
    events, log = read(tmp_path / "a.jsonl", "langfuse", one, one, observation(2, "EVENT"))
    assert roles(events) == ["user", "assistant"]
    assert log.duplicate == 1
    events, _ = read(
        tmp_path / "b.json", "langfuse", {"data": [one], "meta": {"page": 1}}, whole=True
    )
    assert len(events) == 2


def test_langsmith_uploads_and_runs(tmp_path: Path) -> None:
    extra = {"metadata": {"ls_model_name": "gpt", "thread_id": "conv"}}
    ask = {"role": "user", "content": "hi"}
    post = {
        "id": "r1",
        "run_type": "llm",
        "start_time": "2026-01-02T03:04:05",
        "inputs": {"messages": [ask]},
        "extra": extra,
    }
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    answer = {"choices": [{"message": {"role": "assistant", "content": "yo"}}], "usage": usage}
    patch = {"id": "r1", "end_time": "2026-01-02T03:04:06", "outputs": answer}
    events, log = read(
        tmp_path / "a.json", "langsmith", {"post": [post], "patch": [patch]}, whole=True
    )
    assert roles(events) == ["user", "assistant"]
    assert events[1].usage is not None
    assert (events[1].usage.input_tokens, events[1].usage.cache_read_tokens) == (5, 4)
    assert (events[1].duration_ms, events[1].model, events[1].session_id) == (1000.0, "gpt", "conv")
    assert log.flags == {"time_without_zone": 2}
    tool = {
        "id": "r2",
        "run_type": "tool",
        "name": "get",
        "inputs": {"id": 7},
        "error": "boom",
        "start_time": T0,
    }
    chain = {"id": "r3", "run_type": "chain", "inputs": {}, "start_time": T0}
    events, log = read(tmp_path / "b.jsonl", "langsmith", tool, chain)
    assert [e.error_kind for e in events] == [None, "process"]
    assert log.ignored == {"run:chain": 1}
