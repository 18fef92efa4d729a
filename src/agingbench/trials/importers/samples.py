"""Rollout samples of verifiers and Prime, in all known shapes, as partial trial records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from agingbench.errors import InputError
from agingbench.traces.blobs import digest_of
from agingbench.traces.decoding.building import first, mapping, string
from agingbench.traces.decoding.conversation import parsed_arguments, tool_calls
from agingbench.traces.formats.verifiers import CONTAINERS, is_sample, sample_messages
from agingbench.trials.importers.admission import admit
from agingbench.trials.importers.report import ImportProgress, ImportReport
from agingbench.trials.importers.sample_fields import Origin, SampleFields, Submission
from agingbench.trials.ledger import Ledger
from agingbench.trials.record import AgentOutput, Environment, Outputs, TrialAgent, TrialRecord

# Reserved names: a path that a model chose is kept as text and never becomes a name.
CONVERSATION = "conversation.jsonl"
SUBMITTED = "submitted_output"
Naming = Callable[
    [dict[str, Any], str], str
]  # a sample and what its content alone would call it, to its trial's id
_SUFFIXES = {
    "md": "markdown",
    "json": "json",
    "jsonl": "jsonl",
    "txt": "text",
    "csv": "csv",
    "py": "python",
}


class RawSample(NamedTuple):
    """A sample as it stands in its file, with its line in a file of lines."""

    place: str
    file: str
    line: int | None
    raw: bytes


def read_samples(data: bytes, name: str) -> list[RawSample]:
    """The samples of a page, a list, a document with results, or of lines."""
    stripped = data.removeprefix(b"\xef\xbb\xbf").strip()
    whole = _whole(stripped) if stripped else []
    if whole is not None:
        return [
            RawSample(f"{name}: sample {number}", name, None, raw)
            for number, raw in enumerate(whole, 1)
        ]

    lines = ((number, line.strip()) for number, line in enumerate(data.split(b"\n"), 1))
    return [
        RawSample(f"{name}: line {number}", name, number, line) for number, line in lines if line
    ]


def import_samples(
    ledger: Ledger,
    samples: Iterable[RawSample],
    origin: Origin,
    name: Naming,
    report: ImportReport,
    progress: ImportProgress,
) -> None:
    """Add samples as trials; unreadable ones are reported, equal ones are numbered."""
    copies: Counter[str] = Counter()
    for sample in samples:
        progress.step()
        digest = digest_of(origin.salt + sample.raw)
        copies[digest] += 1
        own = digest[:16] + (f"-{copies[digest]}" if copies[digest] > 1 else "")
        content = lenient(sample.raw)

        try:
            if not isinstance(content, dict) or not is_sample(content):
                raise InputError("not a sample: prompt and completion are missing")
            record, evidence = sample_record(content, sample.raw, origin, name(content, own))
        except (InputError, ValueError) as error:
            report.add_problem(sample.place, error, sample.file, sample.line)
            continue

        admit(ledger, record, evidence, report)


class _Page(msgspec.Struct):
    samples: list[msgspec.Raw] | None = None
    results: list[msgspec.Raw] | None = None
    data: list[msgspec.Raw] | None = None


def _whole(data: bytes) -> list[bytes] | None:
    """The raw bytes of the samples in one document; None when the file holds lines."""
    try:
        if data[:1] == b"[":
            return [bytes(raw) for raw in msgspec.json.decode(data, type=list[msgspec.Raw])]

        page = msgspec.json.decode(data, type=_Page)
        samples = next(
            (part for part in (page.samples, page.results, page.data) if part is not None), None
        )
        return (
            [data] if samples is None else [bytes(raw) for raw in samples]
        )  # one document, perhaps over many lines
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _whole_again(data)


def _whole_again(data: bytes) -> list[bytes] | None:
    # What Python writes and JSON does not know (NaN): read as Python does, and written again sample
    # by sample.
    value = lenient(data)
    samples = value if isinstance(value, list) else None
    if isinstance(value, dict):
        inner = () if is_sample(value) else CONTAINERS
        samples = next((value[name] for name in inner if isinstance(value.get(name), list)), None)
        if samples is None:
            return [data]

    if samples is None:
        return None
    return [json.dumps(item, ensure_ascii=False).encode() for item in samples]


def lenient(data: bytes) -> Any:
    """The JSON value in some bytes, with NaN and its like as None; None when there is no JSON."""
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=lambda _: None)
        return _mended(value) if b"\\u" in data else value
    except (ValueError, RecursionError):
        return None


def _mended(value: Any) -> Any:
    # A lone surrogate is no text and has no canonical form; the raw bytes keep it as it was.
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_mended(key): _mended(inner) for key, inner in value.items()}
    return [_mended(inner) for inner in value] if isinstance(value, list) else value


def sample_record(
    sample: dict[str, Any],
    raw: bytes,
    origin: Origin,
    trial_id: str,
) -> tuple[TrialRecord, dict[str, bytes]]:
    """The record of a sample and its evidence; raises ValueError when a field does not fit."""
    fields = SampleFields(sample)
    messages = sample_messages(sample)
    submissions = _submissions(messages)
    evidence = {CONVERSATION: _lines(messages), origin.raw_name: raw}
    output = CONVERSATION

    if submissions:
        final = submissions[-1]
        output = f"{SUBMITTED}.{final.suffix}"
        evidence[output] = final.content.encode("utf-8", "replace")

    record = TrialRecord(
        trial_id=trial_id,
        experiment_id=origin.experiment,
        dataset_id=fields.dataset(),
        timestamp=fields.time(origin.when),
        task=fields.task(origin),
        agent=TrialAgent(
            adapter=origin.adapter,
            model=origin.model,
            configuration=origin.configuration,
        ),
        environment=Environment(
            runtime_image=origin.environment, compute_backend=origin.environment
        ),
        inputs=fields.inputs(messages),
        outputs=Outputs(
            agent_output=AgentOutput(
                status=fields.status(messages),
                output_path=output,
                error_message=fields.error(),
                output_format=_SUFFIXES.get(output.rpartition(".")[2], "text"),
            ),
            raw_output_path=output if submissions else None,
            conversation_path=CONVERSATION,
            agent_result=fields.result(origin, messages, submissions),
        ),
        evaluation=fields.evaluation(),
        timing=fields.timing(),
        cost=fields.cost(),
        completeness="partial",
    )

    return _flagged(record, fields.flags), evidence


def _flagged(record: TrialRecord, flags: list[str]) -> TrialRecord:
    plain = record.model_dump()
    plain["outputs"]["agent_result"]["flags"] = sorted(set(flags))
    return TrialRecord.model_validate(plain)


def _lines(messages: list[dict[str, Any]]) -> bytes:
    rows = [
        json.dumps(m, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
        for m in messages
    ]

    return b"".join(row + b"\n" for row in rows)


def _submissions(messages: list[dict[str, Any]]) -> list[Submission]:
    """Every submit_answer call with a content, in order; the last one is the output."""
    submissions = []
    for message in messages:
        for _, name, arguments in tool_calls(message.get("tool_calls")):
            fields = mapping(parsed_arguments(arguments))
            content = first(fields, "content", "answer", "text")
            if name == "submit_answer" and isinstance(content, str) and content:
                path = string(fields.get("path"))
                suffix = (path or "").rpartition(".")[2].lower()
                suffix = suffix if suffix in _SUFFIXES else "txt"
                submissions.append(Submission(path, content, suffix))

    return submissions
