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
    for candidate in _LOOKS_LIKE.finditer(text):
        match = _valid(candidate.group())
        if match is None:
            yield None
        else:
            yield Sentinel(match["name"], Decimal(match["value"]), bool(match["init"]))


def carries_sentinels(text: str) -> bool:
    """Whether any valid sentinel stands in a text."""
    return any(sentinel is not None for sentinel in sentinels(text))


def strip_sentinels(text: str) -> str:
    """The text without its valid sentinels and the space that set each apart."""
    parts = []
    at = 0
    for candidate in _LOOKS_LIKE.finditer(text):
        if not _valid(candidate.group()):
            continue
        start, end = candidate.span()
        before = text[at:start]
        follower = text[end : end + 1]
        after_space = start == 0 or text[start - 1].isspace()
        if after_space and follower == " ":
            end += 1
        elif follower in ("", "\n", *".,;:!?"):
            before = before.rstrip(" ")
        parts.append(before)
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _valid(token: str) -> re.Match[str] | None:
    match = _SENTINEL.fullmatch(token)
    if match is None or match["name"] == SESSIONS_USED:
        return None
    has_sign = match["value"][0] in "+-"
    return match if match["init"] or has_sign else None


@dataclass
class Sidecar:
    """The values as they stand, and what could not be used."""

    values: dict[str, Decimal] = field(default_factory=dict)
    sessions: int = 0
    odd: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ODDITIES, 0))

    def take(self, sentinel: Sentinel | None) -> None:
        """Apply one sentinel; None is a malformed one."""
        if sentinel is None:
            self.odd["malformed"] += 1
            return

        name = sentinel.name
        if name in self.values and sentinel.opens:
            self.odd["reopened"] += 1
            self.values[name] = sentinel.value
        elif name in self.values:
            self.values[name] += sentinel.value
        elif not sentinel.opens:
            self.odd["orphaned"] += 1
        elif len(self.values) >= MOST_NAMES:
            self.odd["refused"] += 1
        else:
            self.values[name] = sentinel.value

    def text(self) -> str:
        """One JSON object; empty when nothing was ever opened."""
        if not self.values:
            return ""
        numbers = {name: _number(value) for name, value in self.values.items()}
        return json.dumps({**numbers, SESSIONS_USED: self.sessions}, ensure_ascii=False)


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
        parts = [self._sidecar_text(), self.inner.read(query)]
        return "\n\n".join(part for part in parts if part)

    def write(self, events: Sequence[Event]) -> None:
        # The inner policy first: a write that fails is repeated, and must count a delta once.
        self.inner.write([_clean(event) for event in events] if self.enabled else events)

        for event in events:
            if event.role == "user":
                for sentinel in sentinels(event.content or ""):
                    self.sidecar.take(sentinel)
        self.sidecar.sessions += 1

    def units(self) -> list[Unit] | None:
        """The inner units with the sidecar in front; None when the inner policy keeps one blob."""
        units = self.inner.units()
        text = self._sidecar_text()
        if units is None or not text:
            return units
        return [Unit(SIDECAR, text), *units]

    def dump(self) -> dict[str, Any]:
        state = {
            "values": {name: str(value) for name, value in self.sidecar.values.items()},
            "order": list(self.sidecar.values),
            "sessions": self.sidecar.sessions,
            "odd": dict(self.sidecar.odd),
        }
        return {"enabled": self.enabled, "sidecar": state, "inner": self.inner.dump()}

    def load(self, state: dict[str, Any]) -> None:
        sidecar = state["sidecar"]
        values = {name: Decimal(sidecar["values"][name]) for name in sidecar["order"]}
        self.sidecar = Sidecar(values, sidecar["sessions"], dict(sidecar["odd"]))
        self.enabled = state["enabled"]
        self.inner.load(state["inner"])

    def copy(self) -> TypedState:
        sidecar = self.sidecar
        twin = TypedState(self.inner.copy())
        twin.sidecar = Sidecar(dict(sidecar.values), sidecar.sessions, dict(sidecar.odd))
        twin.enabled = self.enabled
        return twin

    def configure(self, **options: Any) -> None:
        if "enabled" in options:
            self.enabled = bool(options.pop("enabled"))
        if options:
            self.inner.configure(**options)

    def apply(self, event: str, **args: Any) -> None:
        """Apply the event to the inner policy; a flush empties the sidecar too."""
        self.inner.apply(event, **args)
        if event == "flush_history":
            self.sidecar = Sidecar()

    def _sidecar_text(self) -> str:
        return self.sidecar.text() if self.enabled else ""


def _clean(event: Event) -> Event:
    """The event without sentinels in its content."""
    if not event.content or "[ACCUM" not in event.content:
        return event
    return msgspec.structs.replace(event, content=strip_sentinels(event.content))
