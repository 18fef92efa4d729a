"""Summaries: the real runs against the reference's figures, every conversation shape, errors by
kind, and sources.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.traces.trajectory import read_trace
from agingbench.trials.inspect.summary import Durations, Summary, summarize
from agingbench.trials.inspect.tool_errors import KINDS, error_kind, tool_errors
from agingbench.trials.inspect.transcripts import read_path
from agingbench.trials.inspect.turns import assistant_turns
from agingbench.trials.record import TrialRecord
from tests.trials.making import DATA, needs_data


def oracle() -> list[dict[str, Any]]:
    return list(json.loads((DATA / "oracles" / "aec_v1_trace_signals.json").read_bytes()))


@needs_data
def test_the_138_real_runs() -> None:
    """Counts equal the reference's. The design differs in three places, and only there:

    - tool errors are found by status fields too (the reference finds none in 601 results);
    - hence the first error is one;
    - a trajectory that holds only its header falls back to the conversation (the reference says "no transcript").
    """
    found: Counter[str] = Counter()
    differences: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    completed = agreeing = 0
    for row in oracle():
        summary = summarize(read_path(DATA / "real_runs" / row["path"]))
        found.update(summary.tool_errors)
        sources[summary.source] += 1
        differences.update(
            name for name, (ours, theirs) in _pairs(summary, row).items() if ours != theirs
        )
        if row["status"] == "completed":
            completed += 1
            agreeing += summary.assistant_turns == row["turns_used"] == summary.turns_reported
            assert summary.turns_agree is True
            assert summary.unmatched_calls == summary.unmatched_results == 0
            assert summary.durations is None
            assert summary.times is not None
            assert summary.times.written_afterwards
    assert (completed, agreeing) == (129, 129)
    assert {kind: n for kind, n in found.items() if n} == {"rejected": 72, "cancelled": 138}
    assert sources == {"trajectory": 129, "conversation": 9}
    assert differences == {
        "tool_errors": 94,
        "first_error": 94,
        "has_transcript": 9,
        "total_messages": 9,
    }


def _pairs(summary: Summary, row: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    theirs = row["trajectory_signals"]
    first = summary.first_error.text if summary.first_error else None
    ours = {
        "assistant_messages": summary.assistant_messages,
        "bash_tool_call_count": summary.bash_tool_calls,
        "has_transcript": int(summary.has_transcript),
        "tool_call_count": summary.tool_calls,
        "tool_errors": summary.tool_errors_total,
        "tool_result_messages": summary.tool_results,
        "total_messages": summary.total_messages,
        "used_calc_tool": summary.used_calc_tool,
        "wrote_output": summary.wrote_output,
        "first_error": first,
    }
    assert ours.keys() == theirs.keys()
    return {name: (ours[name], theirs[name]) for name in ours}


@needs_data
def test_the_conversations_of_the_real_runs_match_the_reference() -> None:
    for row in oracle():
        theirs = row["conversation_signals"]
        summary = summarize(read_path(DATA / "real_runs" / row["path"] / "conversation.jsonl"))
        assert summary.source == "conversation"
        assert (
            summary.total_messages,
            summary.assistant_messages,
            summary.tool_calls,
        ) == (
            theirs["total_messages"],
            theirs["assistant_messages"],
            theirs["tool_call_count"],
        )
        assert "tool calls and results" in summary.source_lacks


@needs_data
def test_every_tool_turn_of_the_real_runs_matches_the_reference() -> None:
    for row in oracle():
        turns = assistant_turns(read_path(DATA / "real_runs" / row["path"]).events)
        theirs = [
            (calls, results)
            for role, calls, results in row["trajectory_turns"]
            if role == "assistant"
        ]
        if theirs:
            assert [(len(t.calls), len(t.results)) for t in turns] == theirs


@needs_data
@pytest.mark.parametrize(
    ("name", "turns", "calls", "errors"),
    [
        ("anthropic_blocks", 2, {"bash": 1, "python": 1}, {"error": 1}),
        ("canonical_event", 2, {"bash": 1}, {}),
        ("openai_chat", 2, {"bash": 2}, {"process": 1}),
        ("verifiers_flat_tool_calls", 1, {"submit_answer": 1}, {}),
    ],
)
def test_conversation_shapes(
    name: str, turns: int, calls: dict[str, int], errors: dict[str, int]
) -> None:
    reading = read_path(DATA / "conversation_shapes" / f"{name}.jsonl")
    summary = summarize(reading)
    assert summary.assistant_turns == turns
    assert summary.tool_calls_by_name == calls
    assert {kind: n for kind, n in summary.tool_errors.items() if n} == errors
    assert all(event.tool_name for event in reading.events if event.role == "tool_result")


PAGE = """{"version": 1, "format": "aec-bench-trajectory"}
{"step": 0, "role": "system", "content": "You are a senior electrical engineer..."}
{"step": 0, "role": "user", "content": "Calculate voltage drop..."}
{"step": 1, "role": "assistant", "content": "I'll compute R and X contributions..."}
{"step": 1, "role": "tool_call", "tool_name": "python", "command": "python calc.py"}
{"step": 1, "role": "tool_result", "tool_name": "python", "stdout": "V_drop = 5.2V", "exit_code": 0, "duration_ms": 142}
{"step": 2, "role": "assistant", "content": "Writing result to output.jsonl..."}
"""


def test_the_pages_example_trace(tmp_path: Path) -> None:
    (tmp_path / "trajectory.jsonl").write_text(PAGE)
    reading = read_trace(tmp_path / "trajectory.jsonl", strict=True)
    assert reading.header == {"version": 1, "format": "aec-bench-trajectory"}
    assert reading.generation == 1
    assert [e.role for e in reading.events] == [
        "system",
        "user",
        "assistant",
        "tool_call",
        "tool_result",
        "assistant",
    ]
    summary = summarize(read_path(tmp_path))
    assert summary.assistant_turns == 2
    assert summary.tool_calls == 1
    assert set(summary.tool_errors.values()) == {0}
    assert summary.source == "trajectory"
    assert summary.first_error is None
    assert summary.durations == Durations(
        measured=1, of=6, total_ms=142, median_ms=142, longest_ms=142
    )
    if DATA.is_dir():
        assert (
            DATA / "page_example" / "trajectory_page_example.jsonl"
        ).read_text().strip() == PAGE.strip()


def test_the_pages_record_fields() -> None:
    """The fields that the page prints, in its order, and those of the cost record."""
    printed = (
        "trial_id experiment_id dataset_id timestamp task agent environment inputs outputs"
        " evaluation timing cost adaptation completeness"
    ).split()
    assert list(TrialRecord.model_fields) == printed
    cost = (
        "tokens_in tokens_out cache_read_tokens cache_write_tokens estimated_cost_usd advisor_calls"
        " advisor_input_tokens advisor_output_tokens"
    ).split()
    from agingbench.trials.record import Cost

    assert list(Cost.model_fields) == cost


def test_generation_2_has_no_header(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    file.write_text(PAGE.partition("\n")[2])
    reading = read_trace(file)
    assert (reading.generation, reading.header, len(reading.events), reading.diagnostics) == (
        2,
        None,
        6,
        [],
    )


@given(
    st.binary(max_size=400)
    | st.lists(st.sampled_from([*PAGE.encode().splitlines(), b"{", b"\xff", b"[]"])).map(b"\n".join)
)
def test_the_readers_survive_any_bytes(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.getbasetemp() / "bytes"
    folder.mkdir(exist_ok=True)
    (folder / "trajectory.jsonl").write_bytes(data)
    (folder / "conversation.jsonl").write_bytes(data)
    try:
        summary = summarize(read_path(folder))
    except InputError:
        return  # a header of a version that nobody reads
    assert json.dumps(msgspec.to_builtins(summary), allow_nan=False)
    lines = sum(1 for line in data.split(b"\n") if line.strip())
    assert len({p.line for p in summary.problems}) <= lines


# -- tool errors


def result(stdout: str | None = None, **fields: Any) -> Event:
    return Event(step=1, role="tool_result", stdout=stdout, **fields)


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (result("fine"), None),
        (result("fine", exit_code=0), None),
        (result("no", exit_code=2), "process"),
        (result("cat: x\n[exit code: 1]"), "process"),
        (result("ok\n[exit code: 0]"), None),
        (result("it prints [exit code: 1] in the middle\n[exit code: 0]"), None),
        (result("the docs say [exit code: 1] means failure, they do"), None),
        (result('{"status": "rejected", "error_code": "E1"}', exit_code=0), "rejected"),
        (result('{"status": "cancelled", "receipt": {}}', exit_code=0), "cancelled"),
        (result("{'status': 'failed', 'error': None}"), "failed"),
        (result('{"status": "ok", "error": null, "error_code": "", "errors": []}'), None),
        (result('{"error": "no such file"}'), "error"),
        (result('{"error_code": 17}'), "error"),
        (result('{"is_error": true}'), "error"),
        (result('{"is_error": false, "data": {"error": "nested is not the tool\'s"}}'), None),
        (result("{'exit_code': 1, 'stdout': '', 'stderr': 'x'}"), "process"),
        (result("{'exit_code': 0, 'stdout': '{\"answer\": 42}', 'stderr': ''}"), None),
        (result('[{"status": "rejected"}]'), "rejected"),
        (result("x", error_kind="refused"), "refused"),
        (result("x", error_kind="process"), "process"),
        (result("Traceback (most recent call last):\n  File"), "text"),
        (result("see Traceback (most recent call last)"), None),
        (result("{" * 5000), None),
        (result("{'a': " + "[" * 3000 + "}"), None),
        (result("{'\\d': 1}"), None),
        (result(None), None),
    ],
)
def test_error_kinds(event: Event, kind: str | None) -> None:
    assert error_kind(event) == kind
    assert kind is None or kind in KINDS


def test_errors_point_to_their_entries(tmp_path: Path) -> None:
    rows = PAGE.splitlines()
    rows[5] = rows[5].replace('"exit_code": 0', '"exit_code": 3')
    (tmp_path / "trace.jsonl").write_text("\n".join(rows) + "\n{torn")
    summary = summarize(read_path(tmp_path))
    assert summary.first_error is not None
    assert summary.first_error.line == 6
    assert summary.first_error.tool_name == "python"
    assert summary.error_entries == [summary.first_error]
    assert [p.line for p in summary.problems] == [8]
    assert len(tool_errors(read_path(tmp_path).events)) == 1


# -- sources


def test_an_empty_trajectory_gives_way_to_the_conversation(tmp_path: Path) -> None:
    (tmp_path / "trajectory.jsonl").write_text(PAGE.splitlines()[0] + "\n")
    (tmp_path / "conversation.jsonl").write_text('{"role": "assistant", "content": "hello"}\n')
    summary = summarize(read_path(tmp_path))
    assert (summary.source, summary.assistant_turns) == ("conversation", 1)
    assert "holds no event" in summary.source_reason


def test_what_is_no_trace_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no trace\.jsonl"):
        read_path(tmp_path)
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="format"):
        read_path(tmp_path / "x.json")


def test_warm_up_entries_are_no_turns(tmp_path: Path) -> None:
    warm = '{"step": 1, "role": "assistant", "content": "warm", "call_type": "warmup"}\n'
    (tmp_path / "trace.jsonl").write_text(
        warm + '{"step": 2, "role": "assistant", "content": "go"}\n'
    )
    summary = summarize(read_path(tmp_path))
    assert (summary.assistant_turns, summary.warmup_entries) == (1, 1)


def test_a_trace_that_numbers_every_entry(tmp_path: Path) -> None:
    rows = [
        ("assistant", 1),
        ("tool_call", 2),
        ("tool_result", 3),
        ("tool_call", 4),
        ("tool_result", 5),
        ("assistant", 6),
    ]
    text = "".join(json.dumps({"step": step, "role": role}) + "\n" for role, step in rows)
    (tmp_path / "trace.jsonl").write_text(text)
    turns = assistant_turns(read_path(tmp_path).events)
    assert [len(turn.calls) for turn in turns] == [2, 0]


def test_a_silent_turn_is_a_turn(tmp_path: Path) -> None:
    rows = [
        ("assistant", 1),
        ("tool_call", 1),
        ("tool_result", 1),
        ("tool_call", 2),
        ("tool_result", 2),
    ]
    text = "".join(json.dumps({"step": step, "role": role}) + "\n" for role, step in rows)
    (tmp_path / "trace.jsonl").write_text(text)
    assert len(assistant_turns(read_path(tmp_path).events)) == 2


def test_an_answer_to_the_user_is_handed_in(tmp_path: Path) -> None:
    rows = [("user", 0), ("assistant", 1), ("user", 2), ("assistant", 3), ("assistant", 4)]
    text = "".join(
        json.dumps({"step": step, "role": role, "content": "x"}) + "\n" for role, step in rows
    )
    (tmp_path / "trace.jsonl").write_text(text)
    reading = read_path(tmp_path)
    assert [turn.final for turn in assistant_turns(reading.events)] == [True, False, True]
    assert summarize(reading).behaviour.sequence == "EDE"
