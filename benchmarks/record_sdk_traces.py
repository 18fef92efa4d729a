"""Traces written by other software of today, against a model server of our own that counts.

`python benchmarks/record_sdk_traces.py NAME... --out FOLDER` in an environment that holds the
package (`pip install inspect_ai openai-agents langfuse langsmith traceloop-sdk
openinference-instrumentation-openai`). Each recorder writes a trace and beside it `NAME.json`, the
counts of the server: sessions, model calls, tool calls, tool errors and tokens. With a folder that
was recorded before, `tests/traces/formats/test_recorded_sdks.py` holds our readers against them.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stub_model import MODEL, Given, stub_server

SESSIONS = 3
SYSTEM = "You look up values for people and divide numbers when they ask."
REQUESTS = ("What are alpha and beta?", "Thanks. Say it again, please.")
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "lookup",
            "description": "Look up a value",
            "parameters": {"type": "object", "properties": {"key": {"type": "string"}}},
        },
    },
    {
        "type": "function",
        "function": {
            "name": "divide",
            "description": "Divide a by b",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            },
        },
    },
]


def lookup(key: str) -> str:
    """Look up a value."""
    return {"alpha": "one", "beta": "two"}[key]


def divide(a: float, b: float) -> float:
    """Divide a by b."""
    return a / b


FUNCTIONS: dict[str, Callable[..., Any]] = {"lookup": lookup, "divide": divide}


def chat_agent(
    client: Any,
    run_tool: Callable[[str, dict[str, Any], str], str],
    around: Callable[[int, Callable[[], None]], None],
) -> None:
    """An agent in a loop over the chat API, as people write it: sessions of two requests each."""
    for session in range(SESSIONS):
        around(session, lambda: _talk(client, run_tool))


def _talk(client: Any, run_tool: Callable[[str, dict[str, Any], str], str]) -> None:
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    for request in REQUESTS:
        messages.append({"role": "user", "content": request})
        while True:
            reply = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
            message = reply.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                break

            for call in message.tool_calls:
                arguments = json.loads(call.function.arguments)
                text = run_tool(call.function.name, arguments, call.id)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


def record_inspect(out: Path, url: str, given: Given) -> Path:
    """A task of three samples with two tools, its log in the package's own format."""
    inspect_ai = importlib.import_module("inspect_ai")
    dataset = importlib.import_module("inspect_ai.dataset")
    solver = importlib.import_module("inspect_ai.solver")
    tools = importlib.import_module("inspect_ai.tool")

    @tools.tool(name="lookup")  # type: ignore[untyped-decorator]
    def lookup_tool() -> Any:
        async def execute(key: str) -> str:
            """Look up a value.

            Args:
                key: its name
            """
            return lookup(key)

        return execute

    @tools.tool(name="divide")  # type: ignore[untyped-decorator]
    def divide_tool() -> Any:
        async def execute(a: float, b: float) -> str:
            """Divide a by b.

            Args:
                a: the dividend
                b: the divisor
            """
            if not b:
                raise tools.ToolError("division by zero")
            return str(a / b)

        return execute

    samples = [dataset.Sample(input=REQUESTS[0], id=f"s{i}") for i in range(SESSIONS)]
    task = inspect_ai.Task(
        dataset=samples,
        solver=[
            solver.system_message(SYSTEM),
            solver.use_tools([lookup_tool(), divide_tool()]),
            solver.generate(),
        ],
    )
    logs = inspect_ai.eval(
        task,
        model=f"openai/{MODEL}",
        model_base_url=f"{url}/v1",
        model_args={"responses_api": False},
        log_dir=str(out / "logs"),
        log_format="eval",
        display="none",
    )
    path = out / "inspect.eval"
    Path(logs[0].location.removeprefix("file://")).replace(path)
    return path


def record_openai_agents(out: Path, url: str, given: Given) -> Path:
    """Three conversations of the Agents SDK over the chat API, as its exporter uploads them."""
    return _agents(out, url, given, "openai_agents.jsonl", "OpenAIChatCompletionsModel")


def record_openai_agents_responses(out: Path, url: str, given: Given) -> Path:
    """The same over the responses API, whose spans hold the usage but no messages."""
    return _agents(out, url, given, "openai_agents_responses.jsonl", "OpenAIResponsesModel")


def _agents(out: Path, url: str, given: Given, name: str, model_class: str) -> Path:
    agents = importlib.import_module("agents")
    tracing = importlib.import_module("agents.tracing")
    processors = importlib.import_module("agents.tracing.processors")
    openai = importlib.import_module("openai")

    exporter = processors.BackendSpanExporter(api_key="stub", endpoint=f"{url}/v1/traces/ingest")
    processor = processors.BatchTraceProcessor(exporter)
    tracing.set_trace_processors([processor])
    client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="stub")
    model = getattr(agents, model_class)(model=MODEL, openai_client=client)
    agent = agents.Agent(
        name="Values",
        instructions=SYSTEM,
        model=model,
        tools=[agents.function_tool(lookup), agents.function_tool(divide)],
    )
    for session in range(SESSIONS):
        history: list[Any] = []
        for request in REQUESTS:
            config = agents.RunConfig(group_id=f"conversation-{session}")
            given_input = [*history, {"role": "user", "content": request}]
            result = agents.Runner.run_sync(agent, given_input, run_config=config)
            history = result.to_input_list()

    processor.force_flush()
    return _uploads(given, out / name)


def _uploads(given: Given, path: Path) -> Path:
    """What was uploaded, one request per line."""
    with path.open("wb") as stream:
        for _, body in given.uploads:
            stream.write(body.strip() + b"\n")
    return path


def record_langsmith(out: Path, url: str, given: Given) -> Path:
    """Runs of a wrapped OpenAI client and of traced tools, as the client uploads them."""
    os.environ |= {"LANGSMITH_TRACING": "true", "LANGSMITH_DISABLE_RUN_COMPRESSION": "true"}
    os.environ |= {"LANGSMITH_ENDPOINT": url, "LANGSMITH_API_KEY": "stub"}
    langsmith = importlib.import_module("langsmith")
    wrappers = importlib.import_module("langsmith.wrappers")
    openai = importlib.import_module("openai")

    uploader = langsmith.Client(api_url=url, api_key="stub")
    client = wrappers.wrap_openai(
        openai.OpenAI(base_url=f"{url}/v1", api_key="stub"),
        tracing_extra={"client": uploader},
    )
    traced = {
        name: langsmith.traceable(run_type="tool", name=name, client=uploader)(function)
        for name, function in FUNCTIONS.items()
    }

    def run_tool(name: str, arguments: dict[str, Any], call_id: str) -> str:
        try:
            return str(traced[name](**arguments))
        except ZeroDivisionError as error:
            return f"Error: {error}"

    def around(session: int, talk: Callable[[], None]) -> None:
        metadata = {"session_id": f"conversation-{session}"}
        langsmith.traceable(name="agent", metadata=metadata, client=uploader)(talk)()

    chat_agent(client, run_tool, around)
    uploader.flush()
    return _uploads(given, out / "langsmith.jsonl")


def record_langfuse(out: Path, url: str, given: Given) -> Path:
    """Generations and tools of the Langfuse SDK, as it exports them: one request per line."""
    os.environ |= {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk", "LANGFUSE_HOST": url}
    langfuse = importlib.import_module("langfuse")
    wrapped = importlib.import_module("langfuse.openai")
    lf = langfuse.Langfuse(public_key="pk", secret_key="sk", host=url)
    client = wrapped.OpenAI(base_url=f"{url}/v1", api_key="stub")

    def run_tool(name: str, arguments: dict[str, Any], call_id: str) -> str:
        with lf.start_as_current_observation(as_type="tool", name=name, input=arguments) as span:
            try:
                text = str(FUNCTIONS[name](**arguments))
            except ZeroDivisionError as error:
                text = f"Error: {error}"
                span.update(level="ERROR", status_message=str(error))
            span.update(output=text)
            return text

    def around(session: int, talk: Callable[[], None]) -> None:
        with (
            lf.start_as_current_observation(as_type="agent", name="agent"),
            langfuse.propagate_attributes(session_id=f"conversation-{session}"),
        ):
            talk()

    chat_agent(client, run_tool, around)
    lf.flush()
    return _protobuf(given, out / "langfuse.jsonl")


def _protobuf(given: Given, path: Path) -> Path:
    """Uploads of spans as the JSON lines that a collector's file exporter writes."""
    json_format = importlib.import_module("google.protobuf.json_format")
    service = importlib.import_module("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    base64 = importlib.import_module("base64")
    gzip = importlib.import_module("gzip")
    with path.open("w") as stream:
        for place, body in given.uploads:
            if not place.endswith("/traces"):
                continue
            plain = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
            document = json_format.MessageToDict(
                service.ExportTraceServiceRequest.FromString(plain)
            )
            for group in document["resourceSpans"]:
                for scope in group["scopeSpans"]:
                    for span in scope["spans"]:
                        for key in ("traceId", "spanId", "parentSpanId"):
                            if key in span:
                                span[key] = base64.b64decode(span[key]).hex()
            stream.write(json.dumps(document) + "\n")
    return path


def record_traceloop(out: Path, url: str, given: Given) -> Path:
    """Spans of the Traceloop SDK, exported one by one as they end."""
    traceloop = importlib.import_module("traceloop.sdk")
    decorators = importlib.import_module("traceloop.sdk.decorators")
    openai = importlib.import_module("openai")
    path = out / "traceloop.jsonl"
    traceloop.Traceloop.init(
        app_name="values",
        exporter=_file_exporter(path),
        disable_batch=True,
        telemetry_enabled=False,
    )
    traced = {name: decorators.tool(name=name)(function) for name, function in FUNCTIONS.items()}

    def run_tool(name: str, arguments: dict[str, Any], call_id: str) -> str:
        try:
            return str(traced[name](**arguments))
        except ZeroDivisionError as error:
            return f"Error: {error}"

    def around(session: int, talk: Callable[[], None]) -> None:
        properties = {"session_id": f"conversation-{session}"}
        traceloop.Traceloop.set_association_properties(properties)
        decorators.workflow(name="agent")(talk)()

    chat_agent(openai.OpenAI(base_url=f"{url}/v1", api_key="stub"), run_tool, around)
    return path


def record_openinference(out: Path, url: str, given: Given) -> Path:
    """Spans of OpenInference's OpenAI instrumentation, exported one by one as they end."""
    sdk = importlib.import_module("opentelemetry.sdk.trace")
    export = importlib.import_module("opentelemetry.sdk.trace.export")
    instrumentation = importlib.import_module("openinference.instrumentation")
    instrumented = importlib.import_module("openinference.instrumentation.openai")
    openai = importlib.import_module("openai")

    path = out / "openinference.jsonl"
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(_file_exporter(path)))
    instrumented.OpenAIInstrumentor().instrument(tracer_provider=provider)
    tracer = instrumentation.OITracer(
        provider.get_tracer("values"), config=instrumentation.TraceConfig()
    )

    def run_tool(name: str, arguments: dict[str, Any], call_id: str) -> str:
        try:
            with tracer.start_as_current_span(name, openinference_span_kind="tool") as span:
                span.set_tool(name=name, parameters=arguments)
                span.set_input(arguments)
                text = str(FUNCTIONS[name](**arguments))
                span.set_output(text)
                return text
        except ZeroDivisionError as error:
            return f"Error: {error}"

    def around(session: int, talk: Callable[[], None]) -> None:
        with tracer.start_as_current_span("agent", openinference_span_kind="agent") as span:
            span.set_attribute("session.id", f"conversation-{session}")
            talk()

    chat_agent(openai.OpenAI(base_url=f"{url}/v1", api_key="stub"), run_tool, around)
    return path


def _file_exporter(path: Path) -> Any:
    """The SDK's own exporter of spans as JSON, one span per line."""
    export = importlib.import_module("opentelemetry.sdk.trace.export")
    return export.ConsoleSpanExporter(
        out=path.open("w", buffering=1), formatter=lambda span: span.to_json(indent=None) + "\n"
    )


RECORDERS: dict[str, tuple[str, Callable[[Path, str, Given], Path]]] = {
    "inspect": ("inspect_ai", record_inspect),
    "openai_agents": ("openai-agents", record_openai_agents),
    "openai_agents_responses": ("openai-agents", record_openai_agents_responses),
    "langsmith": ("langsmith", record_langsmith),
    "langfuse": ("langfuse", record_langfuse),
    "traceloop": ("traceloop-sdk", record_traceloop),
    "openinference": ("openinference-instrumentation-openai", record_openinference),
}


def main() -> None:
    """Record the traces that were named; a package that is not there is said and skipped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=RECORDERS)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    os.environ["OPENAI_API_KEY"] = "stub"

    for name in arguments.names:
        package, recorder = RECORDERS[name]
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{name}: skipped, `pip install {package}` first", file=sys.stderr)
            continue

        with stub_server() as (url, given):
            path = recorder(arguments.out, url, given)
        given.sessions = SESSIONS
        truth = {"file": path.name, "made_by": f"{package} {version}", **given.counts()}
        beside = arguments.out / f"{name}.json"
        beside.write_text(json.dumps(truth, indent=1) + "\n")
        print(truth)


if __name__ == "__main__":
    main()
