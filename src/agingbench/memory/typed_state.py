"""The overlay that keeps running totals as typed values beside any other policy, from sentinels in
the user's text.

`[ACCUM_INIT:name:value]` opens a quantity and `[ACCUM:name:±delta]` moves it. Both are parsed and
taken out before the wrapped policy sees the session; what they come to is put in front of whatever
that policy reads, as one JSON object. No model is asked, and nothing is known that the text did not
say:

- only what the user said moves a value; a sentinel in a reply or a tool's output is taken out and
  counts for nothing;
- a delta needs its sign, a number is plain decimal (15 digits, 6 behind the point), a name starts
  with a letter and has at most 64 characters; anything else in the shape of a sentinel is
  `malformed`, stays in the text and moves nothing;
- a second INIT of a name sets the value anew: the latest statement holds;
- a delta of a name that was never opened (or was lost in a flush) moves nothing: a total without
  a start is unknown;
- at most 100 names are kept, so that a hostile text cannot fill the prompt.

A session without sentinels passes through as it is, and a life without them reads as the wrapped
policy alone does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import msgspec

from agingbench.interfaces import Memory
from agingbench.memory.policy import Overlay
from agingbench.records import Event, Unit

SIDECAR = "typed_state"  # the id of the sidecar among the units
SESSIONS_USED = "sessions_used"
MOST_NAMES = 100
ODDITIES = ("malformed", "orphaned", "reopened", "refused")

_LOOKS_LIKE = re.compile(r"\[ACCUM(?:_INIT)?\b[^\[\]\n]{0,200}\]")
_SENTINEL = re.compile(
    r"\[ACCUM(?P<init>_INIT)?:(?P<name>[A-Za-z][A-Za-z0-9_."
    r" -]{0,63}):(?P<value>[+-]?[0-9]{1,15}(?:\.[0-9]{1,6})?)\]"
)


@dataclass(frozen=True)
class Sentinel:
    """One sentinel as the text states it."""

    name: str
    value: Decimal
    opens: bool


def sentinels(text: str) -> Iterator[Sentinel | None]:
    """Every sentinel of a text in its order; None stands for one that is malformed."""
    for found in _LOOKS_LIKE.finditer(text):
        match = _valid(found.group())
        yield match and Sentinel(match["name"], Decimal(match["value"]), bool(match["init"]))


def carries_sentinels(text: str) -> bool:
    """Whether any valid sentinel stands in a text."""
    return any(found is not None for found in sentinels(text))


def stripped(text: str) -> str:
    """The text without its sentinels; the space that set one apart goes with it. What is malformed
    stays.
    """
    out = []
    at = 0
    for found in _LOOKS_LIKE.finditer(text):
        if not _valid(found.group()):
            continue
        before = text[at : found.start()]
        end = found.end()
        alone = found.start() == 0 or text[found.start() - 1].isspace()
        if alone and text[end : end + 1] == " ":
            end += 1
        elif text[end : end + 1] in ("", "\n", *".,;:!?"):
            before = before.rstrip(" ")
        out.append(before)
        at = end
    return "".join([*out, text[at:]])


def _valid(token: str) -> re.Match[str] | None:
    match = _SENTINEL.fullmatch(token)
    if match is None or match["name"] == SESSIONS_USED:
        return None
    return match if match["init"] or match["value"][0] in "+-" else None


@dataclass
class Sidecar:
    """The values as they stand, and what could not be used."""

    values: dict[str, Decimal] = field(default_factory=dict)
    sessions: int = 0
    odd: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ODDITIES, 0))

    def take(self, found: Sentinel | None) -> None:
        """Apply one sentinel."""
        if found is None:
            self.odd["malformed"] += 1
        elif found.name in self.values:
            self.odd["reopened"] += found.opens
            self.values[found.name] = (
                found.value if found.opens else self.values[found.name] + found.value
            )
        elif not found.opens:
            self.odd["orphaned"] += 1
        elif len(self.values) >= MOST_NAMES:
            self.odd["refused"] += 1
        else:
            self.values[found.name] = found.value

    def text(self) -> str:
        """One JSON object; empty when nothing was ever opened."""
        if not self.values:
            return ""
        shown = {name: _number(value) for name, value in self.values.items()}
        return json.dumps({**shown, SESSIONS_USED: self.sessions}, ensure_ascii=False)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


class TypedState(Overlay):
    """Keeps accumulators in a sidecar in front of another policy (option `inner`), whose options
    pass through.

    While it is not `enabled` it only listens: the wrapped policy sees and reads everything as if it
    stood alone.
    """

    def __init__(self, inner: Memory) -> None:
        self.inner = inner
        self.sidecar = Sidecar()
        self.enabled = True

    def read(self, query: str) -> str:
        return "\n\n".join(filter(None, [self._shown(), self.inner.read(query)]))

    def write(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.role == "user":
                for found in sentinels(event.content or ""):
                    self.sidecar.take(found)
        self.sidecar.sessions += 1
        self.inner.write([_clean(event) for event in events] if self.enabled else events)

    def units(self) -> list[Unit] | None:
        """The inner units with the sidecar in front; None for a blob, which the sidecar does not
        make retrievable.
        """
        inner = self.inner.units()
        shown = self._shown()
        return inner if inner is None or not shown else [Unit(SIDECAR, shown), *inner]

    def dump(self) -> dict[str, Any]:
        state = {
            "values": {name: str(value) for name, value in self.sidecar.values.items()},
            "order": list(self.sidecar.values),
            "sessions": self.sidecar.sessions,
            "odd": dict(self.sidecar.odd),
        }
        return {"enabled": self.enabled, "sidecar": state, "inner": self.inner.dump()}

    def load(self, state: dict[str, Any]) -> None:
        kept = state["sidecar"]
        values = {name: Decimal(kept["values"][name]) for name in kept["order"]}
        self.sidecar = Sidecar(values, kept["sessions"], dict(kept["odd"]))
        self.enabled = state["enabled"]
        self.inner.load(state["inner"])

    def copy(self) -> TypedState:
        twin = TypedState(self.inner.copy())
        twin.sidecar = Sidecar(
            dict(self.sidecar.values), self.sidecar.sessions, dict(self.sidecar.odd)
        )
        twin.enabled = self.enabled
        return twin

    def configure(self, **options: Any) -> None:
        if "enabled" in options:
            self.enabled = bool(options.pop("enabled"))
        if options:
            self.inner.configure(**options)

    def apply(self, event: str, **args: Any) -> None:
        """The inner policy undergoes it. A flush empties the sidecar too; no other event reaches
        typed values.
        """
        self.inner.apply(event, **args)
        if event == "flush_history":
            self.sidecar = Sidecar()

    def _shown(self) -> str:
        return self.sidecar.text() if self.enabled else ""


def _clean(event: Event) -> Event:
    if not event.content or "[ACCUM" not in event.content:
        return event
    return msgspec.structs.replace(event, content=stripped(event.content))
