"""Records which values a trace shows and uses: (entity, attribute, value)."""

from __future__ import annotations

import math
from collections.abc import Iterable

from agingbench.records import Event
from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.sessions.entities import is_identifier, result_triples
from agingbench.telemetry.sessions.observations import Observations


class ValueRecorder:
    """Writes observations; attributes and tools are numbered."""

    def __init__(
        self,
        values: Observations,
        attributes: list[str],
    ) -> None:
        self.values = values
        self.attributes = attributes
        self.attribute_numbers: dict[str, int] = {}
        self.tool_numbers: dict[str, int] = {}

    def add_uses(
        self,
        uses: Iterable[tuple[str, str]],
        entity: str | None,
        tool: str,
        event: Event,
        session: TraceSession,
        time: float | None,
    ) -> None:
        """Record the (attribute, value) pairs that a call gives."""
        for attribute, value in uses:
            if not is_identifier(value):
                self._add(entity or "", attribute, value, 1, tool, event, session, time)

    def add_shows(
        self,
        text: str,
        entity: str | None,
        tool: str,
        event: Event,
        session: TraceSession,
        time: float | None,
    ) -> None:
        """Record the values that a result shows."""
        for owner, attribute, value in result_triples(text, entity):
            self._add(owner, attribute, value, 0, tool, event, session, time)

    def _add(
        self,
        entity: str,
        attribute: str,
        value: str,
        use: int,
        tool: str,
        event: Event,
        session: TraceSession,
        time: float | None,
    ) -> None:
        number = self.attribute_numbers.get(attribute)
        if number is None:
            number = len(self.attribute_numbers)
            self.attribute_numbers[attribute] = number
            self.attributes.append(attribute)

        tool_number = self.tool_numbers.setdefault(tool, len(self.tool_numbers))
        values = self.values

        file = -1
        line = -1
        source = event.source
        if source is not None:
            file = values.files.setdefault(source.file, len(values.files))
            line = -1 if source.line is None else source.line

        values.key.append(hash((entity, attribute)) if entity else 0)
        values.value.append(hash(value))
        values.use.append(use)
        values.tool.append(tool_number)
        values.attribute.append(number)
        values.session.append(session.arrival)
        values.time.append(math.nan if time is None else time)
        values.line.append(line)
        values.file.append(file)
