"""A trial of another harness, as its trace describes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agingbench.records import Event, Usage
from agingbench.traces.blobs import digest_of
from agingbench.traces.trajectory import encode_event, header_line

TRAJECTORY = "trajectory.jsonl"
LONGEST_ID = 120
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass
class ForeignTrial:
    """What is known of a foreign trial; None where its source says nothing."""

    trial_id: str
    task_id: str
    adapter: str
    model: str | None
    events: list[Event]
    evidence: dict[str, bytes]
    environment: str
    about: dict[str, Any]
    adapter_revision: str | None = None
    status: str | None = None
    error: str | None = None
    reward: float | None = None
    breakdown: dict[str, Any] | None = None
    seconds: float | None = None
    agent_seconds: float | None = None
    time: datetime | None = None
    usage: Usage | None = None
    configuration: dict[str, Any] = field(default_factory=dict)
    conversation: str | None = None
    trajectory: str | None = TRAJECTORY
    flags: list[str] = field(default_factory=list)


def trace_bytes(events: Sequence[Event]) -> bytes:
    """Events as a trace file of ours."""
    lines = [header_line(), *(encode_event(event) for event in events)]
    return b"".join(line + b"\n" for line in lines)


def slug(text: str, longest: int = LONGEST_ID) -> str:
    """A text as a part of an id; one that has to be shortened keeps a hash of the whole."""
    name = _NOT_IN_IDS.sub("-", text).strip("-._")
    if len(name) <= longest:
        return name
    return f"{name[: longest - 13]}-{digest_of(text.encode())[:12]}"


def reward_or_flag(reward: float | None, flags: list[str]) -> float | None:
    """The reward if a record can hold it (0 to 1); any other gives None and is flagged."""
    if reward is None or 0 <= reward <= 1:
        return reward

    flags.append("reward_out_of_range")
    return None
