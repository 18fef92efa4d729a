"""How an agent ends its turn: with a question, or before the work is done."""

from __future__ import annotations

import re

SHORT = 60  # characters of a turn that only says to go on
TAIL = 300  # characters of an agent's last text in which it may ask to go on
_CLOSING = " \t\r\n*_`'\")]"  # what may stand behind the last sign of a question

_GO_ON = re.compile(
    r"\s*(?:ok(?:ay)?[,. ]+|yes[,. ]+|please[,. ]+|bitte[,. ]+)?"
    r"(?:continue|go on|keep going|keep working|carry on|resume"
    r"|finish (?:it|this|the rest|what you started)|you(?:'|’)?re not done|not done yet"
    r"|weiter|mach weiter|continuez|continúa)\b[\s\w,]{0,30}[.!]*\s*",
    re.IGNORECASE,
)
_ASKS_TO_GO_ON = re.compile(
    r"(?:should i|shall i|(?:would you like|do you want|want|like) me to)"
    r" (?:continue|go on|keep going|carry on)\b"
    r"|soll ich (?:weitermachen|fortfahren)",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Return whether an agent's text ends with a question."""
    return text.rstrip(_CLOSING).endswith(("?", "？"))


def says_go_on(text: str) -> bool:
    """Return whether a turn of the user only tells the agent to go on."""
    return len(text) <= SHORT and _GO_ON.fullmatch(text) is not None


def asks_to_go_on(text: str) -> bool:
    """Return whether the end of an agent's text asks whether it should do the rest."""
    return _ASKS_TO_GO_ON.search(text[-TAIL:]) is not None
