"""The closing lines of a Lifespan Card: which stage a mechanism points to, and what to repair."""

from __future__ import annotations

from agingbench.errors import UnknownName

MECHANISM_TO_STAGE = {"compression": "W", "interference": "R", "revision": "U", "maintenance": "S"}
STAGE_NAMES = {"W": "write", "R": "retrieval", "U": "utilization", "S": "store"}
MECHANISM_TO_REPAIR = {
    "compression": (
        "keep verbatim what later work will ask for: pin identifiers and figures outside the"
        " summary, and compact less often or with a larger budget"
    ),
    "interference": (
        "separate what looks alike: namespace entries by task and entity, and retrieve by key"
        " before retrieving by likeness"
    ),
    "revision": (
        "typed state for derived values: store each value under one key with its time, overwrite it"
        " on update, and read it again before use"
    ),
    "maintenance": (
        "make lifecycle events survivable: snapshot the store before each, check it after, and roll"
        " back when what was kept cannot be read"
    ),
}


def diagnostic_signature(mechanism: str | None) -> str | None:
    """Such as "utilization-dominant (U-stage)"; None where no mechanism leads."""
    if mechanism is None:
        return None

    stage = MECHANISM_TO_STAGE.get(mechanism)
    if stage is None:
        raise UnknownName("mechanism", mechanism, MECHANISM_TO_STAGE)

    return f"{STAGE_NAMES[stage]}-dominant ({stage}-stage)"


def recommended_repair(mechanism: str | None) -> str | None:
    """What to do about a mechanism; None where none leads."""
    if mechanism is None:
        return None
    if mechanism not in MECHANISM_TO_REPAIR:
        raise UnknownName("mechanism", mechanism, MECHANISM_TO_REPAIR)

    return MECHANISM_TO_REPAIR[mechanism]
