"""What the policies of this package share: options, lifecycle dispatch and how a session reads as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.errors import InputError, UnknownName
from agingbench.records import Event


class Policy:
    """Base of the built-in policies. `options` names the attributes that `configure` may change."""

    supports: frozenset[str] = frozenset()
    options: tuple[str, ...] = ()

    def configure(self, **options: Any) -> None:
        for name, value in options.items():
            if name not in self.options:
                raise UnknownName(f"option of {type(self).__name__}", name, self.options)
            setattr(self, name, value)

    def apply(self, event: str, **args: Any) -> None:
        """Suffer a lifecycle event: the method of that name does it."""
        if event not in self.supports:
            raise InputError(f"{type(self).__name__} cannot suffer the lifecycle event '{event}'")
        getattr(self, event)(**args)


def whole(name: str, value: int) -> int:
    """An option that counts something, checked before anything runs."""
    if type(value) is not int or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
    return value


def session_text(events: Sequence[Event]) -> str:
    """A session as a policy reads it: what the user said, and what the assistant replied."""
    parts = []
    for event in events:
        if event.role == "user" and event.content:
            parts.append(event.content)
        elif event.role == "assistant" and event.content:
            parts.append(f"Assistant: {event.content}")
    return "\n\n".join(parts)


def cut_words(text: str, most: int) -> str:
    """At most that many words, line breaks kept."""
    kept, left = [], most
    for line in text.splitlines():
        words = line.split()
        if len(words) >= left:
            kept.append(" ".join(words[:left]))
            break
        kept.append(line)
        left -= len(words)
    return "\n".join(kept).strip()
