"""Exports are accepted by the real SDKs' own types, and the adapters send them with real clients."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from pydantic import TypeAdapter

from agingbench.platforms.export import DOCUMENTS, export
from agingbench.platforms.items import ExportItem
from agingbench.platforms.otlp import trace_document
from agingbench.platforms.spans import life_spans
from tests.places import EXAMPLES

pytestmark = pytest.mark.slow
EXTRA = "pip install '.[platforms]'"


def needs(module: str) -> Any:
    return pytest.importorskip(module, reason=f"{module} is not installed: {EXTRA}")


# -- types


def test_otlp_is_what_the_protocol_buffers_say(item: ExportItem) -> None:
    needs("opentelemetry.proto")
    from google.protobuf.json_format import ParseDict
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    spans = life_spans(item)
    parsed = ParseDict(trace_document(spans), TracesData())  # refuses any unknown field
    (group,) = parsed.resource_spans
    assert [span.name for span in group.scope_spans[0].spans] == [span.name for span in spans]


def test_langfuse_takes_the_spans_and_the_scores(item: ExportItem) -> None:
    needs("langfuse")
    from langfuse.api import CreateScoreRequest, OtelResourceSpan
    from langfuse.api.core import parse_obj_as

    document = DOCUMENTS["langfuse"]([item])
    (group,) = parse_obj_as(list[OtelResourceSpan], document["resourceSpans"])
    spans = group.scope_spans[0].spans
    assert [span.name for span in spans] == [span.name for span in life_spans(item)]
    assert all(span.start_time_unix_nano and span.attributes for span in spans)
    counts = [a.value.int_value for a in spans[0].attributes if a.key == "agingbench.n_sessions"]
    assert counts == [2]
    scores = parse_obj_as(list[CreateScoreRequest], document["scores"])
    assert {score.name: score.value for score in scores} == item.measured
    assert {score.trace_id for score in scores} == {spans[0].trace_id}
    assert not any(score.model_extra for score in scores)  # no key that the type does not know


def test_langsmith_takes_the_runs_and_the_feedback(item: ExportItem) -> None:
    needs("langsmith")
    from langsmith.schemas import FeedbackCreate, RunBase, RunLikeDict

    document = DOCUMENTS["langsmith"]([item])
    runs = [RunBase.model_validate(run) for run in document["runs"]]
    for run, raw in zip(runs, document["runs"], strict=True):
        assert raw.keys() <= RunLikeDict.__annotations__.keys()
        assert run.id.version == 7
    ids = {run.id for run in runs}
    assert len(ids) == len(runs)
    assert {run.parent_run_id for run in runs} <= {*ids, None}
    orders = [raw["dotted_order"] for raw in document["runs"]]
    assert all(order.startswith(orders[0]) for order in orders)
    feedback = [FeedbackCreate.model_validate(raw) for raw in document["feedback"]]
    assert {one.key: one.score for one in feedback} == item.measured
    assert not any(one.extend_trace_retention for one in feedback)


def test_phoenix_takes_the_spans_and_the_annotations(item: ExportItem) -> None:
    needs("phoenix.client")
    from phoenix.client.__generated__ import v1

    document = DOCUMENTS["phoenix"]([item])
    spans = msgspec.convert(document["spans"], list[v1.Span])
    assert spans == document["spans"]  # no key that the type does not know
    notes = msgspec.convert(document["annotations"], list[v1.SpanAnnotationData])
    assert notes == document["annotations"]
    assert {note["span_id"] for note in notes} == {spans[0]["context"]["span_id"]}


def test_phoenix_client_sends_them(item: ExportItem) -> None:
    client_module = needs("phoenix.client")
    document = DOCUMENTS["phoenix"]([item])
    with recorder() as (address, requests):
        client = client_module.Client(base_url=address, api_key="k")
        # The recorder's answer counts no spans, which the client tells after it has sent them.
        with contextlib.suppress(Exception):
            client.spans.log_spans(project_identifier="lives", spans=document["spans"])
        client.spans.log_span_annotations(span_annotations=document["annotations"], sync=False)
    bodies = {path.split("?")[0]: json.loads(body) for path, body in requests}
    assert len(bodies["/v1/projects/lives/spans"]["data"]) == len(document["spans"])
    assert len(bodies["/v1/span_annotations"]["data"]) == len(document["annotations"])


def test_openai_takes_the_eval_and_its_runs(item: ExportItem) -> None:
    needs("openai")
    from openai.types import EvalCreateParams
    from openai.types.evals import RunCreateParams

    document = DOCUMENTS["openai_evals"]([item])
    made = TypeAdapter(EvalCreateParams).validate_python(document["eval"])
    assert made["data_source_config"]["type"] == "custom"
    runs = TypeAdapter(list[RunCreateParams]).validate_python(document["runs"])
    assert [run["name"] for run in runs] == [item.arm]
    grading: dict[str, Any] = {}
    exec(document["eval"]["testing_criteria"][0]["source"], grading)
    (run,) = document["runs"]
    rows = [row["item"] for row in run["data_source"]["source"]["content"]]
    grades = {row["figure"]: grading["grade"]({}, row) for row in rows}
    assert grades == item.measured


# -- the adapters, with real clients


class Recorder(BaseHTTPRequestHandler):
    """Takes every request and answers with something that any client can read."""

    requests: ClassVar[list[tuple[str, bytes]]] = []

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        self.requests.append((self.path, self.rfile.read(length)))
        body = json.dumps({"id": "made", "accepted": 1, "rejected": 0, "errors": []}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PATCH(self) -> None:
        self.do_POST()

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def recorder() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    requests: list[tuple[str, bytes]] = []
    handler = type("Own", (Recorder,), {"requests": requests})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("target", "module", "paths"),
    [
        ("langfuse", "langfuse", {"/api/public/otel/v1/traces", "/api/public/scores"}),
        ("langsmith", "langsmith", {"/runs", "/feedback"}),
        ("openai_evals", "openai", {"/evals", "/evals/made/runs"}),
    ],
)
def test_an_adapter_sends_an_export_with_the_real_client(
    target: str, module: str, paths: set[str], folder: Path, tmp_path: Path
) -> None:
    needs(module)
    file = tmp_path / "export.json"
    export([str(folder)], target, file)
    with recorder() as (address, requests):
        variables = {
            "LANGFUSE_BASE_URL": address,
            "LANGFUSE_PUBLIC_KEY": "pk",
            "LANGFUSE_SECRET_KEY": "sk",
            "LANGSMITH_ENDPOINT": address,
            "LANGSMITH_API_KEY": "k",
            "OPENAI_BASE_URL": address,
            "OPENAI_API_KEY": "k",
            "PATH": "/usr/bin",
        }
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / f"{target}_adapter.py"), str(file), "project"],
            env=variables,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    asked = {path.split("?")[0] for path, _ in requests}
    assert all(any(one.startswith(path) for one in asked) for path in paths), asked
    assert "sent" in done.stdout or "created" in done.stdout
