"""Checks of what an agent did about a ticket: whether it is resolved, and by the team's rules."""

from __future__ import annotations

from typing import Literal

import msgspec

TicketAspect = Literal["resolved", "marked", "filed", "says"]


class TicketCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that holds after the session of a ticket, by what was told until then.

    `resolved`: its tests pass and nothing else breaks, with a Python and the wheels before (0) or
    after (1) a bump. `marked`: a line of the source that is new carries the text as a comment.
    `filed`: the change note lies at the path. `says`: the change note has the text as a line.
    `fact` is what it depends on.
    """

    id: str
    t: int
    fact: str
    ticket: int
    aspect: TicketAspect
    text: str = ""
    python: str = ""
    wheels: int = 0
