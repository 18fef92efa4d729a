"""Known keys that are wrapped: percent-encoded, as in a query, or in base64, as in a manifest."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import unquote_to_bytes

from agingbench.traces.scrub.assigned import clean_assigned
from agingbench.traces.scrub.blocks import clean_blocks
from agingbench.traces.scrub.keys import clean_keys, key_spans

_ENCODED = re.compile(r"(?:[A-Za-z0-9._~+/=:@-]|%[0-9A-Fa-f]{2}){16,4000}")
_SIGN = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,20000}={0,2}(?![A-Za-z0-9+/_=-])")
_URL_SAFE = str.maketrans("-_", "+/")
_FIRST = 32  # characters that show whether text is wrapped at all
_LEAST = 16  # bytes; nothing shorter is a known key


def clean_wrapped(text: str) -> str:
    """The text without known keys that are percent-encoded or in base64."""
    if "%" in text:
        text = _ENCODED.sub(_percent, text)
    return _BASE64.sub(_base64, text)


def _percent(match: re.Match[str]) -> str:
    """The run without the keys in it; what stands around them stays as it is encoded."""
    run = match.group()
    if "%" not in run:
        return run
    signs = _SIGN.findall(run)
    # One character for each sign, so that places in the plain text are places in the run.
    plain = "".join(unquote_to_bytes(sign).decode("latin-1") for sign in signs)

    parts = []
    at = 0
    for start, end in key_spans(plain):
        if any("%" in sign for sign in signs[start:end]):
            parts += [*signs[at:start], "[KEY]"]
            at = end
    return "".join([*parts, *signs[at:]])


def _base64(match: re.Match[str]) -> str:
    run = match.group()
    if not _is_text(_decoded(run[:_FIRST])):
        return run
    data = _decoded(run)
    if len(data) < _LEAST or not _is_text(data):
        return run
    plain = data.decode("ascii")
    # Keys by their form, and secrets behind their names, as in a file of settings.
    rules = (clean_blocks, clean_keys, clean_assigned)
    return "[KEY]" if any(rule(plain) != plain for rule in rules) else run


def _decoded(run: str) -> bytes:
    bare = run.rstrip("=").translate(_URL_SAFE)
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return b""


def _is_text(data: bytes) -> bool:
    return bool(data) and all(31 < byte < 127 or byte in b"\t\r\n" for byte in data)
