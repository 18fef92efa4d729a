"""What happened in a trial, at a glance: turns, calls, tokens, durations, errors with pointers, and
the source.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agingbench.records import Event, Usage
from agingbench.traces.decoding.pairing import pair_calls
from agingbench.trials.inspect.behaviour import classify_turns, sequence_of
from agingbench.trials.inspect.tool_errors import KINDS, ToolError, tool_errors
from agingbench.trials.inspect.transcripts import Transcript
from agingbench.trials.inspect.turns import WARMUP, assistant_turns

MOST_POINTERS = 1000
_TOGETHER_S = (
    0.05  # times this close were stamped when the file was written, not when things happened
)
_OUTPUTS = ("output.md", "output.jsonl")


def summarize(reading: Transcript) -> dict[str, Any]:
    """The summary as `trials summary --json` prints it, before scrubbing; null is not measured,
    never 0.
    """
    events = [e for e in reading.events if e.call_type != WARMUP]
    roles = Counter(e.role for e in events)
    turns = assistant_turns(events)
    errors = tool_errors(events)
    pairing = pair_calls(events)
    calls = [e for e in events if e.role == "tool_call"]
    labels = classify_turns(turns)
    kinds = Counter(error.kind for error in errors)
    told_by_messages = (
        reading.source == "conversation"
    )  # one message may hold a text and several calls
    return {
        "source": reading.source,
        "source_file": reading.file,
        "source_reason": reading.reason,
        "source_lacks": reading.lacks,
        "has_transcript": bool(events),
        "sessions": len({e.session for e in events if e.session is not None}) or None,
        "total_messages": _messages(events) if told_by_messages else len(events),
        "messages_by_role": dict(sorted(roles.items())),
        "warmup_entries": len(reading.events) - len(events),
        "assistant_turns": len(turns),
        "assistant_messages": len(turns) if told_by_messages else roles["assistant"],
        "turns_reported": _count(reading.agent_result.get("turns_used")),
        "turns_agree": _agree(len(turns), reading),
        "tool_calls": len(calls),
        "tool_calls_by_name": dict(
            sorted(Counter(c.tool_name or "unnamed" for c in calls).items())
        ),
        "bash_tool_calls": sum(c.tool_name == "bash" for c in calls),
        "tool_results": roles["tool_result"],
        "unmatched_calls": len(pairing.unmatched_calls),
        "unmatched_results": len(pairing.unmatched_results),
        "used_calc_tool": any("calc" in (c.tool_name or "").lower() for c in calls),
        "wrote_output": any(_writes_output(c) for c in calls),
        "tool_errors": {kind: kinds[kind] for kind in KINDS},
        "tool_errors_total": len(errors),
        "error_entries": [_pointer(e) for e in errors[:MOST_POINTERS]],
        "first_error": _pointer(errors[0]) if errors else None,
        "tokens": _tokens(events, reading),
        "durations": _durations(events),
        "times": _times(events),
        "behaviour": {"sequence": sequence_of(labels), "counts": dict(Counter(labels))},
        "problems": [
            {"file": p.file, "line": p.line, "reason": p.reason} for p in reading.problems
        ],
    }


def _messages(events: Sequence[Event]) -> int:
    return len({e.source.line for e in events if e.source is not None})


def _pointer(error: ToolError) -> dict[str, Any]:
    return error._asdict()


def _writes_output(call: Event) -> bool:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    said = [
        call.command,
        *(arguments.get(name) for name in ("command", "path", "file_path", "filename")),
    ]
    return any(isinstance(text, str) and name in text for text in said for name in _OUTPUTS)


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _agree(turns: int, reading: Transcript) -> bool | None:
    told = _count(reading.agent_result.get("turns_used"))
    return None if told is None or reading.source == "none" else told == turns


def _tokens(events: Sequence[Event], reading: Transcript) -> dict[str, Any] | None:
    """From the trace where it has them, else as the agent reported them, else as the record says."""
    total = sum((e.usage for e in events if e.usage is not None), Usage())
    if total.input_tokens is not None or total.output_tokens is not None:
        return {
            "input": total.input_tokens,
            "output": total.output_tokens,
            "cost_usd": total.cost_usd,
            "from": "trace",
        }
    told = reading.agent_result
    if (
        _count(told.get("input_tokens")) is not None
        or _count(told.get("output_tokens")) is not None
    ):
        return {
            "input": _count(told.get("input_tokens")),
            "output": _count(told.get("output_tokens")),
            "cost_usd": None,
            "from": "agent_result",
        }
    cost = reading.record.cost if reading.record else None
    if cost and (cost.tokens_in is not None or cost.tokens_out is not None):
        return {
            "input": cost.tokens_in,
            "output": cost.tokens_out,
            "cost_usd": cost.estimated_cost_usd,
            "from": "record",
        }
    return None


def _durations(events: Sequence[Event]) -> dict[str, Any] | None:
    """Only what was measured: entries that carry a duration of their own."""
    told = [e.duration_ms for e in events if e.duration_ms is not None and e.duration_ms >= 0]
    if not told:
        return None
    return {
        "measured": len(told),
        "of": len(events),
        "total_ms": round(sum(told), 3),
        "median_ms": round(statistics.median(told), 3),
        "longest_ms": round(max(told), 3),
    }


def _times(events: Sequence[Event]) -> dict[str, Any] | None:
    """First and last time; `written_afterwards` when all of them were stamped at once."""
    stamps = [s for s in (_stamp(e.timestamp) for e in events) if s is not None]
    if not stamps:
        return None
    span = max(stamps) - min(stamps)
    return {
        "entries": len(stamps),
        "seconds": round(span, 3),
        "written_afterwards": len(stamps) > 2 and span <= _TOGETHER_S,
    }


def _stamp(given: Any) -> float | None:
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given)
    try:
        return datetime.fromisoformat(given).timestamp() if isinstance(given, str) else None
    except (ValueError, OverflowError):
        return None
