"""Acts: what a task asks for, what an agent did through a tool, and how a scenario rules on it."""

from __future__ import annotations

from typing import Any

import msgspec


class Act(msgspec.Struct, frozen=True):
    """A tool by name with its arguments."""

    tool: str
    arguments: dict[str, Any] = {}


class ActRuling(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a scenario rules on an act.

    `violates` names the topics of the rules that it breaks. `fits` says whether it names what the
    task left for the agent to remember; None where the task leaves nothing.
    """

    violates: list[str] = []
    fits: bool | None = None


class RecordedAct(msgspec.Struct, frozen=True, omit_defaults=True):
    """An act that took place, with its ruling; `decides` is done or declined."""

    tool: str
    arguments: dict[str, Any]
    decides: str
    violates: list[str] = []
    fits: bool | None = None
