"""What a tool call names, asks and repeats: locators, what it is about, values in its arguments,
re-reads.
"""

from __future__ import annotations

import zlib

from agingbench.records import Event
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import (
    MANY_READS,
    RECENT_CALLS,
    ToolSums,
    TraceSession,
    TraceSessions,
)
from agingbench.telemetry.sessions.entities import EDIT, READ, has_locator, scalar
from agingbench.telemetry.sessions.values import ValueRecorder

MOST_PLACES = 100  # folders kept per session
LONGEST_NAME = 300  # characters of an argument that may name something
CACHED = 50_000  # values whose class is remembered
MARKED = 3  # records of a kind whose place is kept per session

NOWHERE = (0, 0)  # the value has no locator
UNKEPT = (0, 1)  # it has one, but is too long to be kept


class CallReader:
    """Reads the arguments of tool calls into a session's sums."""

    def __init__(self, out: TraceSessions, profile: Profile) -> None:
        self.out = out
        self.profile = profile
        self.notes = ValueRecorder(out.values, out.attributes, profile.subject_linkage)
        self._known = self.notes.arguments
        self._kinds: dict[str, tuple[str, bool, bool, bool]] = {}
        self._locators: dict[str, tuple[int, int]] = {}  # value -> its hash and that of its folder

    def first(self, tool: str, event: Event, session: TraceSession) -> ToolSums:
        """The sums of a tool that the session uses for the first time."""
        sums = ToolSums(*(self._kinds.get(tool) or self._kind(tool)))
        session.by_tool[sums.name] = sums
        self.out.evidence_index.note(session.arrival, f"tool:{tool}", event.source)
        return sums

    def _kind(self, tool: str) -> tuple[str, bool, bool, bool]:
        low = tool.casefold() if "_" in tool or tool.islower() else _snake(tool)
        edits = EDIT.search(low) is not None
        reads = READ.search(low) is not None and not edits
        kind = self._kinds[tool] = (tool, reads, edits, tool.casefold() in self.profile.bookkeeping)
        return kind

    def arguments(
        self, event: Event, session: TraceSession, tool: str, sums: ToolSums, time: float | None
    ) -> str | None:
        """What the call is about. Whether it names a locator is counted, its other values are noted
        as uses.
        """
        given = event.arguments
        if given is None:
            given = event.command

        found = False
        entity = None
        if given.__class__ is dict:
            uses: list[tuple[str, str]] | None = None
            known = self._known
            for name, value in given.items():
                names, attribute = known.get(name) or self.notes.argument(name)
                if value.__class__ is str:
                    if not found or entity is None:
                        found = self._locator(value, session) or found
                    if names and entity is None and len(value) <= LONGEST_NAME:
                        entity = value.casefold()
                        continue
                elif names and entity is None and value.__class__ is int:
                    entity = str(value)
                    found = True
                    continue

                if attribute is not None and (text := scalar(value)) is not None:
                    if uses is None:
                        uses = []
                    uses.append((attribute, text))

            if uses is not None and not sums.books:
                self.notes.uses(uses, entity, tool, event, session, time)
        elif given.__class__ is str:
            found = self._locator(given, session)

        if found:
            sums.hits += 1
        else:
            session.unnamed += 1
            if session.unnamed <= MARKED:
                self.out.evidence_index.note(
                    session.arrival, "tool_argument_specificity", event.source
                )

        return entity

    def _locator(self, value: str, session: TraceSession) -> bool:
        found = self._locators.get(value) or self._look(value)
        if found is NOWHERE:
            return False

        name, place = found
        if name not in session.locators and found is not UNKEPT:
            session.locators[name] = None
            places = session.places
            if place in places:
                places[place] += 1
            elif len(places) < MOST_PLACES:
                places[place] = 1

        return True

    def _look(self, value: str) -> tuple[int, int]:
        named = has_locator(value)
        if len(value) > LONGEST_NAME:
            return UNKEPT if named else NOWHERE

        cache = self._locators
        if len(cache) >= CACHED:
            cache.clear()

        found = cache[value] = (hash(value), _place(value)) if named else NOWHERE
        return found

    def read(
        self, event: Event, session: TraceSession, tool: str, entity: str | None, sums: ToolSums
    ) -> None:
        """A call that reads: a repeat, if it was made within the last calls and nothing was edited
        between.
        """
        given = event.arguments
        here = session.reading
        number = session.tool_calls

        try:
            key = (
                hash((event.thread, tool, *given.values()))
                if given.__class__ is dict
                else hash((tool, given))
            )
        except TypeError:
            key = hash(repr(given))

        seen = here.seen
        sums.viewed += 1
        before = seen.get(key)
        seen[key] = number

        if (
            before is not None
            and number - before <= RECENT_CALLS
            and here.edits.get(hash(entity), -1) < before
        ):
            sums.repeated += 1
            session.rereads += 1
            if session.rereads <= MARKED:
                self.out.evidence_index.note(session.arrival, "reread_rate", event.source)

        if len(seen) > MANY_READS:
            here.forget(number)


def _place(value: str) -> int:
    """The folder that a locator lies in, by a hash that is the same in every process."""
    words = value.split(maxsplit=8)
    path = next((w for w in words if "/" in w or "\\" in w), words[0] if words else "")
    return zlib.crc32(path.replace("\\", "/").rpartition("/")[0].encode("utf-8", "replace"))


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
