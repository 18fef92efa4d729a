"""What the terminal reports print, as text that tests can read."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console


def text_of(show: Any, what: Any, width: int = 80) -> str:
    page = io.StringIO()
    show(what, Console(file=page, width=width))
    text = page.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    return text


def line(text: str, start: str) -> str:
    found = [row for row in text.splitlines() if row.startswith(start)]
    assert len(found) == 1, (start, text)
    return " ".join(found[0].split())


def flat(text: str) -> str:
    return " ".join(text.split())
