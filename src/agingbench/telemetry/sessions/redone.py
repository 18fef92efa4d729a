"""Which turns of the user sent the agent back to what it had just done.

What a user says when something is wrong has no fixed words. What follows has a shape: the agent
changes once more what it changed for the request before, and goes nowhere new; or it says that it
was wrong.
"""

from __future__ import annotations

import re

import msgspec

MOST_TARGETS = 50  # of a request, that are compared
LONGEST_TURN = 240  # characters: a longer one asks for something of its own
LOOKED_AT = 80  # characters of the agent's first words
_OWNS_UP = re.compile(
    r"you(?:['’]re| are) (?:absolutely |quite |completely )?right"
    r"|my (?:mistake|bad|fault|error)|sorry|apologi[sz]e|apologies"
    r"|i (?:see|misread|misunderstood|missed|mixed|overlooked|should have)\b"
    r"|(?:it(?:'s| is) |now )?(?:corrected|undone|reverted|put back|changed back)\b"
    r"|(?:ist |wieder |jetzt )?(?:korrigiert|rückgängig|zurückgesetzt|berichtigt)\b"
    r"|good (?:catch|point)|fair point|oops|right[,.] (?:i|that|fix)|understood[,.]|fixing that"
    r"|entschuldig|tut mir leid|(?:du hast|sie haben) recht|mein fehler|stimmt[,.]|verstanden[,.]"
    r"|perdón|disculpa|lo siento|tienes razón|mi error"
    r"|désolé|pardon|(?:tu as|vous avez) raison|mon erreur|scusa|hai ragione|mi dispiace"
    r"|desculp|tens razão|você tem razão|het spijt me|je hebt gelijk"
    r"|申し訳|すみません|抱歉|对不起|你说得对",
    re.IGNORECASE,
)


class RedoneWork(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What the agent changed for the request before and for this one, while a session is read."""

    before: set[str] = set()
    now: set[str] = set()
    has_new: bool = False  # something was visited for the first time
    has_spoken: bool = False
    owns_up: bool = False
    was_stopped: bool = False  # the user rejected a call: that is counted as such
    excused: bool = False  # the turn goes on after a rejection

    def end_turn(self, length: int) -> bool:
        """End a turn of so many characters; return whether it was spent on redoing."""
        redoes = bool(self.now) and self.now <= self.before and not self.has_new
        is_short = length <= LONGEST_TURN and bool(self.before)
        redone = is_short and not self.excused and (redoes or self.owns_up)
        self.excused = self.was_stopped
        self.was_stopped = False
        if self.now:
            self.before = self.now
        self.now = set()
        self.has_new = False
        self.has_spoken = False
        self.owns_up = False

        return redone

    def add_change(self, target: str) -> None:
        """Note what is changed."""
        if len(self.now) < MOST_TARGETS:
            self.now.add(target)

    def add_text(self, text: str) -> None:
        """Note what the agent says: its first words of a turn count, and any short answer."""
        if not self.has_spoken or len(text) <= LOOKED_AT:
            self.has_spoken = True
            self.owns_up |= _OWNS_UP.match(text[:LOOKED_AT].lstrip(" *_#>-")) is not None
