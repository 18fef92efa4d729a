"""Tokens of a session by model and day: what a bill is made of."""

from __future__ import annotations

import msgspec

from agingbench.records import Event, Usage

DAY = 86_400.0

# Model and day (days since 1970), either of them None where the record does not say it.
BillKey = tuple[str | None, int | None]


class TokenSums(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """Tokens and costs of the model calls of one model on one day."""

    calls: int = 0
    fresh: int = 0  # input tokens that no cache served
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    recorded: float = 0.0  # US dollars that the trace itself names
    unrecorded: int = 0  # calls whose cost the trace does not name

    def add(self, usage: Usage) -> None:
        """Add the usage of one model call, or of several that one record sums up."""
        calls = max(1, usage.calls)
        self.calls += calls
        self.fresh += usage.input_tokens or 0
        self.cache_read += usage.cache_read_tokens or 0
        self.cache_write += usage.cache_write_tokens or 0
        self.output += usage.output_tokens or 0
        if usage.cost_usd is None:
            self.unrecorded += calls
        else:
            self.recorded += usage.cost_usd

    def add_sums(self, other: TokenSums) -> None:
        """Add the sums of another session."""
        self.calls += other.calls
        self.fresh += other.fresh
        self.cache_read += other.cache_read
        self.cache_write += other.cache_write
        self.output += other.output
        self.recorded += other.recorded
        self.unrecorded += other.unrecorded

    @property
    def tokens(self) -> int:
        """All tokens, cached ones included."""
        return self.fresh + self.cache_read + self.cache_write + self.output


def bill_key(event: Event) -> BillKey:
    """Return the model and the day of a model call."""
    time = event.timestamp
    day = int(time // DAY) if time.__class__ is float else None
    return event.model, day
