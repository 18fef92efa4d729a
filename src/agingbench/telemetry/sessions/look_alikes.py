"""Files that are left for another of nearly the same name: visited by mistake, it seems.

A file that the request names is none, nor is one whose name is part of the other's (a module and
its test) or differs in a number alone (one of a series).
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from agingbench.telemetry.sessions.aggregates import TraceSession

ALIKE = 0.7  # of the letters that two names have in common, in order
MOST_VISITS = 40  # of a turn, that are compared
SHORTEST = 4  # letters of a name
_DIGITS = re.compile(r"\d+")


def add_visit(session: TraceSession, path: str) -> None:
    """Count a file that a request led to; an earlier look-alike of it was a mistake."""
    reading = session.reading
    turn = reading.turn
    visits = reading.visits
    if turn is None or path in visits or len(visits) >= MOST_VISITS:
        return

    stem, ending = _name(path)
    if not ending or len(stem) < SHORTEST:
        return

    session.file_visits += 1
    turn.file_visits += 1
    text = turn.text.casefold()

    for other, counted in visits.items():
        other_stem, other_ending = _name(other)
        if counted or other_ending != ending or other_stem in text:
            continue
        if _alike(other_stem, stem):
            visits[other] = True
            session.look_alikes += 1
            turn.look_alikes += 1
            break

    visits[path] = False


def _name(path: str) -> tuple[str, str]:
    """Return stem and ending of a file name."""
    name = path.replace("\\", "/").rpartition("/")[2].casefold()
    stem, _, ending = name.rpartition(".")
    return stem, ending


@lru_cache(maxsize=20_000)
def _alike(first: str, second: str) -> bool:
    if first in second or second in first:
        return False
    if _DIGITS.sub("", first) == _DIGITS.sub("", second):
        return False

    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE
