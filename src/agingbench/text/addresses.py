"""Addresses as they may be written and printed: without user, password, query and fragment."""

from __future__ import annotations

import re

# A path may hold anything but what ends an address in a sentence or in quotes.
_ADDRESS = re.compile(
    r"(?i)(?P<scheme>\b[a-z][a-z0-9+.-]{1,20}://)"
    r"(?P<login>[^\s/?#\"'<>]{1,400}@)?"
    r"(?P<place>[^\s?#\"'<>]{0,2000})"
    r"(?P<query>[?#][^\s\"'<>]{0,8000})?"
)
_PASSWORD = re.compile(r"[^/:]*:(?!\d{1,5}(?:/|$))")
_ENDS_SENTENCE = re.compile(r"[).,;:!]*$")


def plain_address(text: str) -> str:
    """Every address in a text without user, password, query and fragment."""
    return _ADDRESS.sub(_plain, text) if "://" in text else text


def _plain(match: re.Match[str]) -> str:
    place = match["place"]
    query = match["query"] or ""
    # A password may hold the signs that end a host.
    if match["login"] is None and _PASSWORD.match(place) and "@" in place + query:
        whole = (place + query).rpartition("@")[2]
        place, sign, query = whole.partition("?")
        query = sign + query
    end = _ENDS_SENTENCE.search(query)
    rest = end.group() if query and end is not None else ""
    return f"{match['scheme']}{place}{rest}"
