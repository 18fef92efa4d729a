"""Notes which values a trace shows and uses: (entity, attribute, value), in results and in
arguments.
"""

from __future__ import annotations

import math

from agingbench.records import Event
from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.sessions.entities import (
    attribute_of,
    is_identifier,
    names_one,
    result_triples,
)
from agingbench.telemetry.sessions.observations import Observations

# Text that a call carries, and how much of something it asks for: neither is a value that could be
# outdated.
NO_VALUE = frozenset(
    {
        "command",
        "description",
        "content",
        "old_string",
        "new_string",
        "prompt",
        "pattern",
        "query",
        "text",
        "code",
        "old_str",
        "new_str",
        "file_text",
        "message",
        "thought",
        "input",
        "cmd",
        "body",
        "patch",
        "diff",
        "script",
        "limit",
        "offset",
        "timeout",
        "head_limit",
        "output_mode",
        "max_results",
        "page",
        "page_size",
        "per_page",
        "count",
        "top_k",
        "lines",
        "start_line",
        "end_line",
        "view_range",
        "multiline",
        "replace_all",
        "run_in_background",
        "sort",
        "yield_time_ms",
        "max_output_tokens",
        "timeout_ms",
        "workdir",
        "security_risk",
        "n",
        "a",
        "b",
        "c",
        "i",
    }
)


class ValueRecorder:
    """Writes observations; names of attributes and tools are numbered."""

    def __init__(
        self, values: Observations, attributes: list[str], linkage: frozenset[str]
    ) -> None:
        self.values = values
        self.attributes = attributes
        self.linkage = linkage
        self.attribute_no: dict[str, int] = {}
        self.tool_no: dict[str, int] = {}
        self.arguments: dict[str, tuple[bool, str | None]] = {}

    def argument(self, name: str) -> tuple[bool, str | None]:
        """Whether an argument says which thing is meant, and the attribute it gives a value for, if
        it may be one.
        """
        attribute = attribute_of(name)
        plain = None if attribute.strip("_") in NO_VALUE else attribute
        found = self.arguments[name] = (names_one(name) or name in self.linkage, plain)
        return found

    def uses(
        self,
        found: list[tuple[str, str]],
        entity: str | None,
        tool: str,
        event: Event,
        session: TraceSession,
        time: float | None,
    ) -> None:
        """Values that a call gives."""
        for attribute, value in found:
            if not is_identifier(value):
                self._note(entity or "", attribute, value, 1, tool, event, session, time)

    def shows(
        self,
        text: str,
        entity: str | None,
        tool: str,
        event: Event,
        session: TraceSession,
        time: float | None,
    ) -> None:
        """Values that a result tells."""
        for owner, attribute, value in result_triples(text, entity):
            self._note(owner, attribute, value, 0, tool, event, session, time)

    def _note(
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
        number = self.attribute_no.get(attribute)
        if number is None:
            number = self.attribute_no[attribute] = len(self.attribute_no)
            self.attributes.append(attribute)

        source = event.source
        values = self.values
        values.key.append(hash((entity, attribute)) if entity else 0)
        values.value.append(hash(value))
        values.use.append(use)
        values.tool.append(self.tool_no.setdefault(tool, len(self.tool_no)))
        values.attribute.append(number)
        values.session.append(session.arrival)
        values.time.append(math.nan if time is None else time)
        values.line.append(source.line if source is not None and source.line is not None else -1)
        values.file.append(
            -1 if source is None else values.files.setdefault(source.file, len(values.files))
        )
