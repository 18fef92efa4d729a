"""Values that were known in a session and were asked or looked up again."""

from __future__ import annotations

from collections.abc import Iterator

from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.entities import is_identifier
from agingbench.telemetry.sessions.facts import Display, FactLog, GivenCall, Telling

SHORTEST = 4  # letters of a value without a digit
MOST_SHOWN = 8  # values of a result: a longer one is read for something else


def lookups(trace: TraceSessions) -> list[tuple[int, int]]:
    """Return per session the results that show values, and those that show only known ones.

    A value counts where calls give it. It is known once the user said it, a result showed it, or
    the agent gave it.
    """
    facts = trace.facts
    place = {session.arrival: i for i, session in enumerate(trace.sessions)}
    used = _used(facts)
    known: dict[int, set[int]] = {}
    shows = [0] * len(trace.sessions)
    repeats = [0] * len(trace.sessions)

    alone = _alone(facts)
    for row in _in_order(facts):
        at = place.get(row.session)
        if at is None:
            continue

        own = known.setdefault(row.session, set())
        if isinstance(row, Display):
            shown = _shown(row, used)
            if shown and row.order in alone:
                shows[at] += 1
                repeats[at] += shown <= own
            own |= shown
        elif isinstance(row, Telling):
            own.update(word for word in row.words if word in used)
        else:
            own.update(value for _, value in row.pairs if value in used)

    return list(zip(shows, repeats, strict=True))


def _alone(facts: FactLog) -> set[int]:
    """Return the results that show one object: a list of them is what a search finds."""
    rows = facts.displays
    last = len(rows) - 1
    found = set()
    for i, row in enumerate(rows):
        after = i < last and rows[i + 1].order == row.order + 1 and rows[i + 1].asked == row.asked
        before = i > 0 and rows[i - 1].order == row.order - 1 and rows[i - 1].asked == row.asked
        if not after and not before:
            found.add(row.order)

    return found


def _shown(row: Display, used: set[int]) -> set[int]:
    """Return the values that a result shows beyond what it was asked about."""
    if len(row.pairs) > MOST_SHOWN:
        return set()
    return {value for _, value in row.pairs if value in used and value not in row.asked}


def _used(facts: FactLog) -> set[int]:
    """Return the values that calls give and that say something."""
    used = {value for call in facts.calls for _, value in call.pairs}
    return {value for value in used if _tells(facts.texts[value])}


def _tells(text: str) -> bool:
    if is_identifier(text) or "." in text[-5:-1]:
        return False  # a path or a file: to come to it again is a re-read
    has_digit = any(map(str.isdigit, text))
    return len(text) >= 2 if has_digit else len(text) >= SHORTEST


def _in_order(facts: FactLog) -> Iterator[GivenCall | Display | Telling]:
    rows: list[GivenCall | Display | Telling] = [*facts.calls, *facts.displays, *facts.tellings]
    rows.sort(key=lambda row: row.order)
    return iter(rows)
