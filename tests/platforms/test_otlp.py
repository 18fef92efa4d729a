"""A life as spans: a proper tree, read back by an audit with the same sessions, calls and tokens."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agingbench.platforms.export import export
from agingbench.platforms.items import ExportItem
from agingbench.platforms.otlp import trace_document
from agingbench.platforms.spans import EVALUATION, life_spans
from agingbench.records import Event
from agingbench.telemetry import audit_path
from agingbench.traces.reading import read_events
from agingbench.trials.run_folder import WRITE, LifeFiles
from tests.platforms.lives import SESSIONS

TOKENS = (
    "total_calls",
    "total_input_tokens",
    "total_output_tokens",
    "tokens_per_session_mean",
    "total_cost_usd",
)

NANOSECONDS = 1e-5  # in milliseconds


def written(folder: Path, out: Path) -> Path:
    receipt = export([str(folder)], "otlp", out / "life.otlp.jsonl")
    assert receipt.items == 1
    return Path(receipt.files[0])


def test_what_is_exported_is_audited_as_the_life_itself(folder: Path, tmp_path: Path) -> None:
    (life,) = audit_path(str(LifeFiles(folder).trace))
    (spans,) = audit_path(str(written(folder, tmp_path)))
    assert life.n_sessions == spans.n_sessions == SESSIONS
    own = life.card["cost_and_efficiency"]
    exported = spans.card["cost_and_efficiency"]
    assert own["total_calls"] > SESSIONS
    assert {name: exported[name] for name in TOKENS} == {name: own[name] for name in TOKENS}
    for name in ("latency_ms_p50", "latency_ms_p95"):
        assert own[name] > 0
        assert exported[name] == pytest.approx(own[name], abs=NANOSECONDS)
    regimes = [audit.card["trace_audit"]["trace_regime"] for audit in (life, spans)]
    assert regimes[0]["n_tool_calls"] == regimes[1]["n_tool_calls"] > 0


def test_a_write_of_several_calls_counts_them_all(folder: Path, tmp_path: Path) -> None:
    several = tmp_path / "several"
    shutil.copytree(folder, several)
    trace = LifeFiles(several).trace
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    writes = [line for line in lines if line.get("lifecycle") == WRITE and line.get("usage")]
    assert writes
    for line in writes:
        line["usage"]["calls"] = 3
    trace.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (plain,) = audit_path(str(LifeFiles(folder).trace))
    (life,) = audit_path(str(trace))
    (spans,) = audit_path(str(written(several, tmp_path)))
    calls = [one.card["cost_and_efficiency"]["total_calls"] for one in (plain, life, spans)]
    assert calls[1] == calls[0] + 2 * len(writes)
    assert calls[2] == calls[1]


def test_every_event_comes_back(folder: Path, tmp_path: Path) -> None:
    def told(event: Event) -> Any:
        text = event.content or event.stdout or ""
        return event.role, event.tool_name, event.lifecycle, text

    own = [event for event in LifeFiles(folder).events() if event.session is not None]
    expected = [told(event) for event in own if event.role != "meta" or event.lifecycle]
    back = [told(event) for event in read_events(written(folder, tmp_path))]
    # A reply that only calls a tool has no text, and comes back as the call.
    empty = ("assistant", None, None, "")
    expected = [row for row in expected if row != empty]
    assert len(back) == len(expected)
    for role in ("assistant", "tool_call", "tool_result", "meta"):
        assert [r for r in back if r[0] == role] == [r for r in expected if r[0] == role]


def test_the_spans_are_a_tree_in_time(item: ExportItem) -> None:
    spans = life_spans(item)
    ids = [span.span_id for span in spans]
    assert len(ids) == len(set(ids))
    by_id = {span.span_id: span for span in spans}
    root = spans[0]
    assert root.parent_id is None
    assert {span.trace_id for span in spans} == {root.trace_id}
    for span in spans[1:]:
        parent = by_id[span.parent_id or ""]
        assert parent.start <= span.start <= span.end <= parent.end, span.name
    kinds = {span.kind for span in spans}
    assert kinds == {"life", "session", "model", "tool", "memory"}


def test_every_answer_is_an_evaluation_with_its_verdict(item: ExportItem, folder: Path) -> None:
    rows = LifeFiles(folder).scores().answers
    verdicts = {row.probe: row.verdict for row in rows if row.condition == "as_lived"}
    notes = [note for span in life_spans(item) for note in span.notes]
    assert {note.name for note in notes} == {EVALUATION}
    labels = {
        note.attributes["gen_ai.evaluation.name"]: note.attributes["gen_ai.evaluation.score.label"]
        for note in notes
    }
    assert labels == verdicts


def test_the_same_life_has_the_same_ids_and_times(item: ExportItem) -> None:
    assert trace_document(life_spans(item)) == trace_document(life_spans(item))


def test_times_and_counts_are_strings_as_otlp_writes_them(item: ExportItem) -> None:
    text = json.dumps(trace_document(life_spans(item)))
    (group,) = json.loads(text)["resourceSpans"]
    for span in group["scopeSpans"][0]["spans"]:
        assert int(span["endTimeUnixNano"]) >= int(span["startTimeUnixNano"]) > 10**18
        for attribute in span["attributes"]:
            (kind,) = attribute["value"]
            assert isinstance(attribute["value"][kind], str) or kind in ("doubleValue", "boolValue")
