"""The policy that keeps nothing: the floor of every scenario."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.memory.policy import RATIO, Policy
from agingbench.records import Event, Unit


class NoMemory(Policy):
    """Forgets every session at its end; losing what it holds changes nothing."""

    supports = frozenset({"flush_history", "partial_reset"})

    def read(self, query: str) -> str:
        return ""

    def write(self, events: Sequence[Event]) -> None:
        return None

    def units(self) -> list[Unit] | None:
        return []

    def dump(self) -> dict[str, Any]:
        return {}

    def load(self, state: dict[str, Any]) -> None:
        return None

    def copy(self) -> NoMemory:
        return self

    def flush_history(self) -> None:
        return None

    def partial_reset(self, ratio: float = RATIO) -> None:
        return None
