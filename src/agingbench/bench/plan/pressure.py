"""The dials of a life: presets, overrides, their ranges, and what short lives make of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from agingbench.errors import InputError, UnknownName

# Lives shorter than this would not reach the later mechanisms with the presets' starting sessions.
SHORT_LIFE = 10


class Pressure(msgspec.Struct, frozen=True):
    """How hard a life presses on memory. `warmup_sessions` None: the whole life is warm-up."""

    tokens_per_session: int
    dependency_density: float
    update_rate: float
    max_chain_depth: int
    n_confusable_pairs: int
    confusable_start_session: int
    warmup_sessions: int | None
    forget_rate: float
    own: dict[str, int | float] = {}

    def effective(self, sessions: int) -> Pressure:
        """Returns the dials as a life of this length uses them: starts shrink below ten sessions.

        From ten sessions up nothing depends on the length, so a longer life begins like a shorter
        one.
        """
        warmup = sessions if self.warmup_sessions is None else self.warmup_sessions
        start = self.confusable_start_session
        if sessions < SHORT_LIFE:
            latest = max(1, sessions * 3 // 8)
            start = min(start, latest)
            warmup = min(warmup, latest)
            if self.warmup_sessions is None:
                warmup = sessions
        return msgspec.structs.replace(self, confusable_start_session=start, warmup_sessions=warmup)

    def with_own(self, defaults: Mapping[str, int | float]) -> Pressure:
        """Returns the pressure with every dial of the scenario, also those nobody turned."""
        return msgspec.structs.replace(self, own={**defaults, **self.own})

    def as_dials(self) -> dict[str, Any]:
        """Every dial by name, the scenario's own among them: what goes on the card."""
        dials: dict[str, Any] = msgspec.structs.asdict(self)
        own = dials.pop("own")
        return {**dials, **own}


PRESETS: dict[str, Pressure] = {
    "none": Pressure(1000, 0.0, 0.0, 1, 0, 5, None, 0.0),
    "light": Pressure(500, 0.3, 0.1, 2, 1, 5, 3, 0.05),
    "medium": Pressure(2000, 0.5, 0.2, 3, 3, 5, 3, 0.10),
    "heavy": Pressure(5000, 0.7, 0.3, 4, 12, 8, 5, 0.15),
}

# dial -> (type, lowest, highest)
RANGES: dict[str, tuple[type, float, float]] = {
    "tokens_per_session": (int, 500, 200_000),
    "dependency_density": (float, 0, 1),
    "update_rate": (float, 0, 1),
    "max_chain_depth": (int, 1, 6),
    "n_confusable_pairs": (int, 0, 24),
    "confusable_start_session": (int, 0, 10_000),
    "warmup_sessions": (int, 0, 10_000),
    "forget_rate": (float, 0, 1),
}


def pressure(
    preset: str = "medium",
    dials: Mapping[str, Any] | None = None,
    own_ranges: Mapping[str, tuple[type, float, float]] | None = None,
) -> Pressure:
    """A preset with single dials turned; `own_ranges` are the dials a scenario declares for itself."""
    if preset not in PRESETS:
        raise UnknownName("pressure preset", preset, PRESETS)
    own_ranges = own_ranges or {}
    changed: dict[str, Any] = {}
    own: dict[str, int | float] = {}
    for name, raw in (dials or {}).items():
        if name in RANGES:
            changed[name] = _in_range(name, raw, *RANGES[name])
        elif name in own_ranges:
            own[name] = _in_range(name, raw, *own_ranges[name])
        else:
            raise UnknownName("dial", name, [*RANGES, *own_ranges])
    return msgspec.structs.replace(PRESETS[preset], **changed, own=own)


def _in_range(name: str, raw: Any, kind: type, low: float, high: float) -> int | float:
    try:
        number = float(raw)
        value = int(number) if kind is int else number
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"dial {name}={raw}: not a number") from error
    if kind is int and value != number:
        raise InputError(f"dial {name}={raw}: must be a whole number")
    if not low <= value <= high:
        raise InputError(f"dial {name}={raw}: must lie between {low:g} and {high:g}")
    return value
