"""What a record says of a life that its columns are made of."""

from __future__ import annotations

import msgspec


class LifeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Which life a trial is: `agent_result.life` of its record."""

    scenario: str
    system_id: str
    memory: str
    condition: str  # pressure, dials, length, events and probes, with a hash over them
    seed: int
    sessions: int
    pressure: str
    events: list[str]
    study: str | None
