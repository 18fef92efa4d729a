"""A trial at a glance: turns, calls, tokens, durations, and errors with pointers."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from agingbench.records import Event, Problem, Usage
from agingbench.traces.decoding.pairing import pair_calls
from agingbench.traces.scrub.scrubber import scrub_json
from agingbench.trials.inspect.behaviour_rules import classify_turns
from agingbench.trials.inspect.sequences import sequence_of
from agingbench.trials.inspect.targets import read_target
from agingbench.trials.inspect.tool_errors import KINDS, ToolError, tool_errors
from agingbench.trials.inspect.transcripts import AUTO, CONVERSATION, Transcript
from agingbench.trials.inspect.turns import WARMUP, assistant_turns
from agingbench.trials.ledger import Ledger

MOST_POINTERS = 1000
# Times this close were stamped when the file was written, not when things happened.
_TOGETHER_S = 0.05
_OUTPUTS = ("output.md", "output.jsonl")


class TokenCounts(msgspec.Struct, frozen=True, rename={"origin": "from"}):
    """Tokens and cost, and where the figures come from: trace, agent_result or record."""

    input: int | None
    output: int | None
    cost_usd: float | None
    origin: str


class Durations(msgspec.Struct, frozen=True):
    """The durations that entries carry: `measured` of `of` entries have one."""

    measured: int
    of: int
    total_ms: float
    median_ms: float
    longest_ms: float


class Times(msgspec.Struct, frozen=True):
    """The span of the times; `written_afterwards` when all were stamped at once."""

    entries: int
    seconds: float
    written_afterwards: bool


class LabelCounts(msgspec.Struct, frozen=True):
    """The label of each turn as one word, and how often each occurs."""

    sequence: str
    counts: dict[str, int]


class Summary(msgspec.Struct, frozen=True):
    """The summary as `trials summary --json` prints it; None is not measured, never 0."""

    source: str
    source_file: str | None
    source_reason: str
    source_lacks: list[str]
    has_transcript: bool
    sessions: int | None
    total_messages: int
    messages_by_role: dict[str, int]
    warmup_entries: int
    assistant_turns: int
    assistant_messages: int
    turns_reported: int | None
    turns_agree: bool | None
    tool_calls: int
    tool_calls_by_name: dict[str, int]
    bash_tool_calls: int
    tool_results: int
    unmatched_calls: int
    unmatched_results: int
    used_calc_tool: bool
    wrote_output: bool
    tool_errors: dict[str, int]
    tool_errors_total: int
    error_entries: list[ToolError]
    first_error: ToolError | None
    tokens: TokenCounts | None
    durations: Durations | None
    times: Times | None
    behaviour: LabelCounts
    problems: list[Problem]


class TargetSummary(msgspec.Struct, frozen=True):
    """The summary of what a user named, with the figures of its record where it has one."""

    trial_id: str | None
    record_hash: str | None
    reward: float | None
    completeness: str | None
    cost_usd: float | None
    summary: Summary

    def as_json(self) -> object:
        """The JSON that `trials summary` prints: one flat object."""
        document = msgspec.to_builtins(self)
        summary = document.pop("summary")
        return {**document, **summary}


AnyStruct = TypeVar("AnyStruct", bound=msgspec.Struct)


def scrub_struct(value: AnyStruct) -> AnyStruct:
    """The same struct with every text in it scrubbed of secrets and personal data."""
    return msgspec.convert(scrub_json(msgspec.to_builtins(value)), type(value))


def summarize_target(
    target: str, ledger: Callable[[], Ledger], format: str = AUTO
) -> TargetSummary:
    """The scrubbed summary of a trial, a run folder or a trace file."""
    transcript, stored = read_target(target, ledger, format)
    record = transcript.record
    about = TargetSummary(
        trial_id=record.trial_id if record else None,
        record_hash=stored.record_hash if stored else None,
        reward=record.evaluation.reward if record else None,
        completeness=record.completeness if record else None,
        cost_usd=record.cost.estimated_cost_usd if record and record.cost else None,
        summary=summarize(transcript),
    )
    return scrub_struct(about)


def summarize(transcript: Transcript) -> Summary:
    """Summarise a transcript, before scrubbing; warm-up entries count only as such."""
    events = [event for event in transcript.events if event.call_type != WARMUP]
    calls = [event for event in events if event.role == "tool_call"]
    roles = Counter(event.role for event in events)
    turns = assistant_turns(events)
    labels = classify_turns(turns)
    # Over all entries, so that steps have the numbers of the whole trace.
    errors = tool_errors(transcript.events)
    error_kinds = Counter(error.kind for error in errors)
    pairing = pair_calls(events)
    sessions = {event.session for event in events if event.session is not None}
    call_names = Counter(call.tool_name or "unnamed" for call in calls)

    # In a conversation one message may hold a text and several calls.
    is_conversation = transcript.source == CONVERSATION
    messages = len(events)
    if is_conversation:
        messages = len({event.source.line for event in events if event.source is not None})

    turns_reported = _count(transcript.agent_result.get("turns_used"))
    turns_agree = None
    if turns_reported is not None and transcript.source != "none":
        turns_agree = turns_reported == len(turns)

    return Summary(
        source=transcript.source,
        source_file=transcript.file,
        source_reason=transcript.reason,
        source_lacks=transcript.lacks,
        has_transcript=bool(events),
        sessions=len(sessions) or None,
        total_messages=messages,
        messages_by_role=dict(sorted(roles.items())),
        warmup_entries=len(transcript.events) - len(events),
        assistant_turns=len(turns),
        assistant_messages=len(turns) if is_conversation else roles["assistant"],
        turns_reported=turns_reported,
        turns_agree=turns_agree,
        tool_calls=len(calls),
        tool_calls_by_name=dict(sorted(call_names.items())),
        bash_tool_calls=sum(call.tool_name == "bash" for call in calls),
        tool_results=roles["tool_result"],
        unmatched_calls=len(pairing.unmatched_calls),
        unmatched_results=len(pairing.unmatched_results),
        used_calc_tool=any("calc" in (call.tool_name or "").lower() for call in calls),
        wrote_output=any(_writes_output(call) for call in calls),
        tool_errors={kind: error_kinds[kind] for kind in KINDS},
        tool_errors_total=len(errors),
        error_entries=errors[:MOST_POINTERS],
        first_error=errors[0] if errors else None,
        tokens=_tokens(events, transcript),
        durations=_durations(events),
        times=_times(events),
        behaviour=LabelCounts(sequence_of(labels), dict(Counter(labels))),
        problems=transcript.problems,
    )


def _writes_output(call: Event) -> bool:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    texts = [call.command]
    texts += [arguments.get(name) for name in ("command", "path", "file_path", "filename")]
    joined = "\n".join(text for text in texts if isinstance(text, str))
    return any(name in joined for name in _OUTPUTS)


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _tokens(events: Sequence[Event], transcript: Transcript) -> TokenCounts | None:
    """From the trace, else as the agent reported them, else from the record."""
    total = sum((event.usage for event in events if event.usage is not None), Usage())
    if total.input_tokens is not None or total.output_tokens is not None:
        return TokenCounts(total.input_tokens, total.output_tokens, total.cost_usd, "trace")

    tokens_in = _count(transcript.agent_result.get("input_tokens"))
    tokens_out = _count(transcript.agent_result.get("output_tokens"))
    if tokens_in is not None or tokens_out is not None:
        return TokenCounts(tokens_in, tokens_out, None, "agent_result")

    cost = transcript.record.cost if transcript.record else None
    if cost and (cost.tokens_in is not None or cost.tokens_out is not None):
        return TokenCounts(cost.tokens_in, cost.tokens_out, cost.estimated_cost_usd, "record")
    return None


def _durations(events: Sequence[Event]) -> Durations | None:
    durations = []
    for event in events:
        if event.duration_ms is not None and event.duration_ms >= 0:
            durations.append(event.duration_ms)
    if not durations:
        return None

    return Durations(
        measured=len(durations),
        of=len(events),
        total_ms=round(sum(durations), 3),
        median_ms=round(statistics.median(durations), 3),
        longest_ms=round(max(durations), 3),
    )


def _times(events: Sequence[Event]) -> Times | None:
    stamps = []
    for event in events:
        stamp = _seconds(event.timestamp)
        if stamp is not None:
            stamps.append(stamp)
    if not stamps:
        return None

    span = max(stamps) - min(stamps)
    return Times(
        entries=len(stamps),
        seconds=round(span, 3),
        written_afterwards=len(stamps) > 2 and span <= _TOGETHER_S,
    )


def _seconds(timestamp: Any) -> float | None:
    if isinstance(timestamp, int | float) and not isinstance(timestamp, bool):
        return float(timestamp)
    try:
        return datetime.fromisoformat(timestamp).timestamp() if isinstance(timestamp, str) else None
    except (ValueError, OverflowError):
        return None
