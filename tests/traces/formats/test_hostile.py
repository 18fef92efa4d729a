"""Values that have the right names and the wrong types: every reader counts them, none breaks on
them.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agingbench.records import ReadLog
from agingbench.traces.reading import load_format
from tests.traces.formats.reader import total

KEYS = {
    "claude_code": (
        "type uuid sessionId parentUuid timestamp message content role id model usage "
        "input_tokens text name input tool_use_id is_error isSidechain agentId subtype data "
        "compactMetadata isCompactSummary version loglines"
    ),
    "codex": (
        "type payload timestamp id cwd role content text name arguments call_id output info "
        "total_token_usage input_tokens message source subagent thread_spawn forked_from_id model "
        "metadata exit_code summary"
    ),
    "gemini_cli": (
        "sessionId projectHash messages id type content tokens input output cached toolCalls name "
        "args result functionResponse response status model timestamp"
    ),
    "opencode": (
        "info messages id sessionID messageID role parts type text tool callID state status input "
        "output time start end tokens cache read metadata exit modelID"
    ),
    "generic": (
        "session_id role content timestamp prompt response tool_calls name args result usage "
        "input_tokens messages event function arguments error exit_code model lifecycle"
    ),
    "openai_assistants": (
        "object id thread_id created_at role content text value usage prompt_tokens step_details "
        "tool_calls type function name arguments output run_id status data model started_at "
        "completed_at"
    ),
    "openhands": (
        "id kind source action observation args content message llm_metrics "
        "accumulated_token_usage prompt_tokens tool_call_metadata extras metadata exit_code "
        "timestamp llm_message thought tool_call_id messages response choices usage"
    ),
    "langfuse": (
        "trace observations id type name input output usageDetails usage model startTime endTime "
        "metadata level parentObservationId sessionId data traceId choices content role"
    ),
    "langsmith": (
        "post patch id run_type inputs outputs messages extra metadata start_time end_time "
        "dotted_order choices generations usage name error runs trace_id"
    ),
    "otlp": (
        "resourceSpans resource scopeSpans spans attributes key value stringValue intValue "
        "arrayValue values traceId spanId parentSpanId startTimeUnixNano endTimeUnixNano name "
        "status code child_spans span_attributes gen_ai.operation.name gen_ai.usage.input_tokens "
        "gen_ai.input.messages llm.input_messages.0.message.role openinference.span.kind duration"
    ),
    "swe_agent": (
        "trajectory history action observation thought response role content messages info "
        "model_stats api_calls execution_time tool_calls function environment extra"
    ),
    "pi": (
        "type id timestamp message role content usage cost total model toolCallId toolName name "
        "arguments stopReason modelId summary tokensBefore"
    ),
}
WORDS = (
    "user assistant system tool tool_use tool_result text message progress agent_progress"
    " compact_boundary response_item event_msg session_meta token_count function_call"
    " function_call_output compacted gemini session compaction GENERATION TOOL SPAN llm chat"
    " execute_tool LLM ActionEvent ObservationEvent MessageEvent run error thread.run"
    " thread.run.step thread.message completed toolCall toolResult <synthetic> 2026-01-02T03:04:05Z"
    ' [{"role":1}] {"a": agent environment'
).split()
plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**20),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(max_size=5),
)


def values(keys: list[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        plain,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(keys), inner, max_size=7)
        ),
        max_leaves=25,
    )


@pytest.mark.parametrize("name", KEYS)
def test_wrong_types_cost_their_record_only(name: str) -> None:
    format = load_format(name)
    keys = KEYS[name].split()

    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.lists(
            st.dictionaries(st.sampled_from(keys), values(keys), max_size=8), min_size=1, max_size=4
        )
    )
    def check(rows: list[dict[str, Any]]) -> None:
        for text in ("\n".join(map(json.dumps, rows)), json.dumps(rows, indent=1)):
            data = text.encode()
            log = ReadLog()
            log.file = "folder/file.jsonl"
            assert 0.0 <= format.sniff(data) <= 1.0
            for event in format.events(io.BytesIO(data), log):
                assert event.source is not None
                assert event.timestamp is None or 0 <= event.timestamp < 7258118401
                if event.usage is not None:
                    assert (event.usage.input_tokens or 0) >= 0
            lists = any(isinstance(value, list) for row in rows for value in row.values())
            assert (
                total(log) >= 1 or lists or not any(rows)
            )  # an empty list of records is no record

    check()
