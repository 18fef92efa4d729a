"""Reading what products print: lines of JSON, and the events that they tell of."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from typing import Any

from agingbench.errors import InputError
from agingbench.records import Event, Usage

_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")
_VERSION_SECONDS = 60


def json_lines(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects among the lines of an output; warnings between them are passed over."""
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def part(value: Any, *path: str) -> Any:
    """What lies at a path of keys; None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; nothing where it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def joined_text(value: Any) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, str):
        return value
    return "\n".join(str(item.get("text", "")) for item in objects(value) if "text" in item)


def tokens_used(usage: Any, names: tuple[str, str, str, str], cost: float | None) -> Usage:
    """The usage of one reply, from the names of input, output, cache read and cache write."""
    counts = [part(usage, name) for name in names]
    known = [count if type(count) is int else None for count in counts]
    return Usage(known[0], known[1], known[2], known[3], cost, calls=1)


def tool_events(
    call_id: str, name: str, arguments: Any, result: str | None, exit_code: int | None
) -> list[Event]:
    """A tool call and, where it came back, its result."""
    events = [
        Event(step=0, role="tool_call", tool_name=name, arguments=arguments, tool_call_id=call_id)
    ]
    if result is not None:
        events.append(tool_result(call_id, name, result, exit_code))
    return events


def tool_result(call_id: str, name: str, result: str, exit_code: int | None) -> Event:
    """What a tool gave back."""
    return Event(
        step=0,
        role="tool_result",
        tool_name=name,
        stdout=result,
        exit_code=exit_code,
        tool_call_id=call_id,
    )


@cache
def told_version(program: str) -> str:
    """The version that `program --version` prints; raises InputError without one."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
    }
    try:
        done = subprocess.run(  # noqa: S603 -- the product that the user chose
            [program, "--version"],
            capture_output=True,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{program} --version failed: {error}") from error
    version = _VERSION.search(done.stdout)
    if version is None:
        words = (done.stderr or done.stdout).strip()[-300:]
        raise InputError(f"{program} --version tells no version: {words}")
    return version.group()
