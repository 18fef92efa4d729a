"""The one grammar for seeds: of `--seeds`, of a SUT file and of a study file."""

from __future__ import annotations

import re

from agingbench.errors import InputError

MOST_SEEDS = 10_000


def read_seeds(value: object, name: str = "--seeds") -> list[int]:
    """Read a count (3 means 0, 1, 2), a range (0-99) or a list (1,5,9) that may hold ranges.

    A list of a YAML file holds seeds and ranges. Raises InputError, which calls the value `name`.
    """
    items = value if isinstance(value, list) else str(value).split(",")
    parts = [str(item) for item in items]
    text = ",".join(parts).strip()

    try:
        if isinstance(value, bool) or not isinstance(value, int | str | list):
            raise ValueError
        if not isinstance(value, list) and re.fullmatch(r"\d+", text):
            parts = [f"0-{int(text) - 1}"]
        spans = [_span(part) for part in parts]
    except ValueError as error:
        raise InputError(
            f"{name} {text}: give a count (3), a range (0-99) or a list (1,5,9)"
        ) from error

    # Counted before any list is made: a range may name billions.
    count = sum(max(0, high - low + 1) for low, high in spans)
    if not count:
        raise InputError(f"{name} {text}: names no seed")
    if count > MOST_SEEDS:
        raise InputError(f"{name} {text}: names {count} seeds; {MOST_SEEDS} is the most")

    seeds = [seed for low, high in spans for seed in range(low, high + 1)]
    return list(dict.fromkeys(seeds))


def _span(part: str) -> tuple[int, int]:
    low, dash, high = part.strip().partition("-")
    return int(low), int(high if dash else low)
