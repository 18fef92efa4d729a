"""The dials of a life: presets, overrides and ranges, and how short lives adapt them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from agingbench.errors import InputError, UnknownName

# Lives shorter than this would not reach the later mechanisms with the presets' starting sessions.
SHORT_LIFE = 10


class Pressure(msgspec.Struct, frozen=True):
    """How hard a life presses on memory; without `warmup_sessions` all of it is warm-up."""

    tokens_per_session: int
    dependency_density: float
    update_rate: float
    max_chain_depth: int
    n_confusable_pairs: int
    confusable_start_session: int
    warmup_sessions: int | None
    forget_rate: float
    decoys_per_session: int = 0
    own: dict[str, int | float] = {}

    def effective(self, sessions: int) -> Pressure:
        """Return the dials as a life of this length uses them: starts shrink below ten sessions.

        From ten sessions up nothing depends on the length, so a longer life begins like a shorter
        one.
        """
        start = self.confusable_start_session
        warmup = self.warmup_sessions
        if sessions < SHORT_LIFE:
            latest = max(1, sessions * 3 // 8)
            start = min(start, latest)
            if warmup is not None:
                warmup = min(warmup, latest)

        if warmup is None:
            warmup = sessions
        return msgspec.structs.replace(self, confusable_start_session=start, warmup_sessions=warmup)

    def with_own(self, defaults: Mapping[str, int | float]) -> Pressure:
        """Return the pressure with every dial of the scenario, defaults included."""
        own = {**defaults, **self.own}
        return msgspec.structs.replace(self, own=own)

    def as_dials(self) -> dict[str, int | float | None]:
        """Return every dial by name, the scenario's own among them, as the card shows them."""
        dials = msgspec.structs.asdict(self)
        own = dials.pop("own")
        return {**dials, **own}


PRESETS: dict[str, Pressure] = {
    "none": Pressure(
        tokens_per_session=500,
        dependency_density=0.0,
        update_rate=0.0,
        max_chain_depth=1,
        n_confusable_pairs=0,
        confusable_start_session=5,
        warmup_sessions=None,
        forget_rate=0.0,
        decoys_per_session=0,
    ),
    "light": Pressure(
        tokens_per_session=600,
        dependency_density=0.3,
        update_rate=0.1,
        max_chain_depth=2,
        n_confusable_pairs=1,
        confusable_start_session=5,
        warmup_sessions=3,
        forget_rate=0.05,
        decoys_per_session=1,
    ),
    "medium": Pressure(
        tokens_per_session=2000,
        dependency_density=0.5,
        update_rate=0.2,
        max_chain_depth=3,
        n_confusable_pairs=3,
        confusable_start_session=5,
        warmup_sessions=3,
        forget_rate=0.10,
        decoys_per_session=8,
    ),
    "heavy": Pressure(
        tokens_per_session=5000,
        dependency_density=0.7,
        update_rate=0.3,
        max_chain_depth=4,
        n_confusable_pairs=12,
        confusable_start_session=3,
        warmup_sessions=5,
        forget_rate=0.15,
        decoys_per_session=80,
    ),
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
    "decoys_per_session": (int, 0, 200),
}


def pressure(
    preset: str = "medium",
    dials: Mapping[str, Any] | None = None,
    own_ranges: Mapping[str, tuple[type, float, float]] | None = None,
) -> Pressure:
    """Return a preset with some dials changed; `own_ranges` are those of the scenario alone.

    Raises UnknownName for an unknown preset or dial, InputError for a value out of range.
    """
    if preset not in PRESETS:
        raise UnknownName("pressure preset", preset, PRESETS)

    own_ranges = own_ranges or {}
    common: dict[str, int | float] = {}
    own: dict[str, int | float] = {}
    for name, raw in (dials or {}).items():
        if name in RANGES:
            common[name] = _read_dial(name, raw, *RANGES[name])
        elif name in own_ranges:
            own[name] = _read_dial(name, raw, *own_ranges[name])
        else:
            raise UnknownName("dial", name, [*RANGES, *own_ranges])
    return msgspec.structs.replace(PRESETS[preset], **common, own=own)


def _read_dial(name: str, raw: Any, kind: type, low: float, high: float) -> int | float:
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
