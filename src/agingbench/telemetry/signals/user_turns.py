"""What a turn of the user says about the agent, by its words and by what the agent does next."""

from __future__ import annotations

from agingbench.telemetry.sessions.aggregates import UserTurn


def corrects(turn: UserTurn) -> bool:
    """Return whether a turn corrects the agent: it complains, or the agent does its work again."""
    return turn.redone or turn.complains
