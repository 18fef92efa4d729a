"""Takes secrets and personal data out of text before it is written or shown; look-alikes stay.

Every pattern is bounded, so that the time is linear in the text whatever the text is. What was
scrubbed is not scrubbed again: a second time changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agingbench.errors import InputError
from agingbench.traces.scrub.assigned import clean_assigned, hides
from agingbench.traces.scrub.blocks import clean_blocks
from agingbench.traces.scrub.contexts import clean_contexts
from agingbench.traces.scrub.dumps import clean_dumps
from agingbench.traces.scrub.keys import clean_keys
from agingbench.traces.scrub.personal import clean_personal
from agingbench.traces.scrub.places import clean_places
from agingbench.traces.scrub.spoken import clean_spoken
from agingbench.traces.scrub.wrapped import clean_wrapped

_RULES = (
    clean_wrapped,
    clean_dumps,
    clean_blocks,
    clean_contexts,
    clean_spoken,
    clean_assigned,
    clean_keys,
    clean_personal,
    clean_places,
)
_PASSES = 5  # what one removal uncovers the next pass sees; texts met so far needed two
_DEEPEST = 200
_NUMBERS = frozenset({int, float, bool, type(None)})
# In text that is itself JSON the n of \n would be taken for the first letter of what follows. So
# the rules see such text also with its escapes written as signs that are blanks, and that no text
# has.
_ESCAPES = re.compile(r"(\\{1,16})([nrt])")
_BLANKS = {
    "n": "\x1d",
    "r": "\x1e",
    "t": "\x1f",
}
_AS_BEFORE = str.maketrans("\x1c\x1d\x1e\x1f", "\\nrt")
_NO_SUCH_BLANKS = str.maketrans("\x1c\x1d\x1e\x1f", "    ")


class Scrubber:
    """The built-in rules and those of a profile: [{"pattern": regex, "replacement": text}, ...]."""

    def __init__(self, patterns: Iterable[Mapping[str, str]] = ()) -> None:
        self.extra: list[tuple[re.Pattern[str], str]] = []
        for rule in patterns:
            try:
                self.extra.append(
                    (re.compile(rule["pattern"]), rule.get("replacement", "[PRIVATE]"))
                )
            except (re.error, KeyError, TypeError) as error:
                raise InputError(
                    f"privacy pattern {dict(rule)!r} cannot be used: {error}"
                ) from error

    def text(self, text: str) -> str:
        """The text without what the rules know."""
        for pattern, replacement in self.extra:
            text = pattern.sub(lambda _, fixed=replacement: fixed, text)  # type: ignore[misc]
        return scrub(text)

    def json(self, value: Any) -> Any:
        """A JSON value with every string in it, names included, scrubbed."""
        return _walk(value, self.text, 0)


def scrub(text: str) -> str:
    """The text without e-mail addresses, phone, card and social security numbers, IPs, keys, tokens
    and user names.
    """
    for _ in range(_PASSES):
        before = text
        if _ESCAPES.search(text):
            plain = text.translate(_NO_SUCH_BLANKS)
            text = _once(_ESCAPES.sub(_as_blanks, plain)).translate(_AS_BEFORE)

        text = _once(text)
        if text == before:
            break

    return text


def _once(text: str) -> str:
    for rule in _RULES:
        text = rule(text)
    return text


def _as_blanks(escape: re.Match[str]) -> str:
    return "\x1c" * len(escape[1]) + _BLANKS[escape[2]]


def scrub_json(value: Any) -> Any:
    """A JSON value with every string in it, names included, scrubbed."""
    return _walk(value, scrub, 0)


def _walk(value: Any, clean: Callable[[str], str], depth: int) -> Any:
    if value.__class__ in _NUMBERS:
        return value
    if isinstance(value, str):
        return clean(value)
    if depth > _DEEPEST:
        return "[TOO DEEP]" if isinstance(value, dict | list) else value

    if isinstance(value, list | tuple):
        # A pair may be a header or a parameter: its name and its value.
        if len(value) == 2 and all(isinstance(item, str) for item in value):
            return [clean(value[0]), _hidden(value[0], value[1], clean, depth + 1)]

        return [_walk(item, clean, depth + 1) for item in value]

    if not isinstance(value, dict):
        return value

    fields: dict[Any, Any] = {}
    for key, inner in value.items():
        name = clean(key) if isinstance(key, str) else key
        # Two names that look alike without their secrets stay two.
        number = 2
        while name in fields:
            name = f"{clean(str(key))}#{number}"
            number += 1

        fields[name] = _hidden(_announced(value, key), inner, clean, depth + 1)

    return fields


def _announced(fields: dict[Any, Any], key: Any) -> Any:
    """The name that says what a field holds: its own, or for `value` the `name` beside it."""
    if key == "value":
        beside = fields.get("name", fields.get("key"))
        return beside if isinstance(beside, str) else key

    return key


def _hidden(name: Any, value: Any, clean: Callable[[str], str], depth: int) -> Any:
    """A value under its name: a name such as `password` hides whatever string or strings it has."""
    if isinstance(name, str) and name:
        if isinstance(value, str) and value:
            return hides(name, value) or clean(value)
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return [(item and hides(name, item)) or clean(item) for item in value]

        number = isinstance(value, int) and not isinstance(value, bool) and value > 999
        if number and name.lower().endswith(("password", "passwd", "passcode")):
            return "[SECRET]"

    return _walk(value, clean, depth)
